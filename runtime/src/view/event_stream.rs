//! Event streams: what one viewer sees happen, in order, with hidden arguments masked and objects given by the viewer's handles.
//!
//! A viewer is a seat (from 0), the watchers, who know only what is public (their number is the count of seats), or
//! [`ALL_SEEING`](crate::vm::knowledge::ALL_SEEING).
//!
//! Invariant: a stream has no more than a player at the table could see. A decision of another player is reported only if its existence
//! reveals nothing: every window, regardless of the plays in it, and choices whose source and options the viewer can identify.
//! An [`Observer`] runs after every step of the machine. Streams follow from the game and its answers, so a trace can reproduce them.

use super::decision::{decision_view, shows_decision};
use super::{DecisionView, Handles, object_name, seen_name, sees};
use crate::ir::ObjectRef;
use crate::ir::verbs::{self, VERBS};
use crate::ir::{NO_PLAYER, Type};
use crate::records::ENTRY_PARAGRAPHS;
use crate::state::layout as at;
use crate::vm::decision::{AnswerError, Choice, Decision, DecisionKind};
use crate::vm::knowledge::keeps_order;
use crate::vm::machine::{Machine, Record, StepResult};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::sync::Arc;

/// An event as a viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViewEvent {
    /// The viewer can distinguish an object from now on, under this handle, or knows from now on which card it is.
    Met {
        /// Its handle.
        handle: u32,
        /// The name of its card; for an ability, that of its source. Empty if the viewer can distinguish the object but does not know it.
        name: SmolStr,
        /// The owner of the card.
        owner: usize,
        /// The zone that it is in.
        zone: ZoneName,
    },
    /// The viewer cannot distinguish an object from other hidden ones any more; its handle is void.
    Lost {
        /// Its handle.
        handle: u32,
    },
    /// An event happened.
    Event {
        /// The name of the action.
        action: SmolStr,
        /// Its arguments.
        args: Vec<EventArg>,
        /// Its cause: `rule`, `effect` or `cost`.
        cause: SmolStr,
        /// The handle of its source, if the viewer can identify it.
        source: Option<u32>,
    },
    /// A triggered ability of an identified object, or of the game, is put on the list or resolved.
    Triggered {
        /// Its name.
        ability: String,
        /// The handle of its source; `None` for a rule of the game.
        source: Option<u32>,
    },
    /// The choices that were announced for an object on the list.
    Chosen {
        /// The handle of the object.
        of: u32,
        /// The chosen objects, by handle.
        objects: Vec<u32>,
        /// Chosen hidden objects in zones with an order: the zone, and the position from the bottom, from 1.
        hidden: Vec<(ZoneName, usize)>,
        /// Chosen players, modes and shares, in the order of the text.
        others: Vec<ChosenValue>,
    },
    /// Another player must decide.
    Asked {
        /// The seat of the player.
        player: usize,
    },
    /// A decision of the viewer.
    Question(DecisionView),
    /// The viewer answered: options, or the number.
    Answered {
        /// The picks, as indices into the options of the view.
        options: Vec<u32>,
    },
    /// A player passed.
    Passed {
        /// The seat of the player.
        player: usize,
    },
    /// A player took back an announcement: all events since its start are undone.
    TookBack {
        /// The seat of the player.
        player: usize,
    },
    /// The game is over.
    Over {
        /// The outcome, as [`outcome_name`](crate::vm::machine::outcome_name) writes it.
        outcome: String,
    },
}

/// A chosen value that is not an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChosenValue {
    /// A player.
    Player(usize),
    /// A mode of a text.
    Mode {
        /// The choice site.
        site: u32,
        /// The number of the mode, from 0.
        mode: u32,
    },
    /// A share of a division.
    Share(u32),
}

/// The name of a zone and its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneName {
    /// Its name; empty for no zone.
    pub name: SmolStr,
    /// The seat that owns it; `None` for a shared zone.
    pub owner: Option<usize>,
}

/// An argument of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventArg {
    /// A number, or a bool.
    Number(i64),
    /// A player; `None` for no player.
    Player(Option<usize>),
    /// A zone.
    Zone(ZoneName),
    /// An object.
    Object {
        /// Its handle before the event, if the viewer could identify the object then.
        handle: Option<u32>,
        /// Its handle after its move, if the viewer can identify the object now.
        became: Option<u32>,
    },
    /// The name of a card, play or period, or words of a trait set; empty for none.
    Word(SmolStr),
}

/// Follows a game for one player and collects the events that this player sees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observer {
    viewer: usize,
    handles: Handles,
    items: Vec<ViewEvent>,
    /// The number of log records that have been processed.
    log: usize,
    /// The number of commits at the last update of handles.
    committed: Option<u32>,
    /// The last event reported that this player must decide; it is not reported twice.
    waiting: Option<usize>,
    over: bool,
}

impl Observer {
    /// Follows a game for a player from now on. Turns the recording of the log on.
    #[must_use]
    pub fn new(machine: &mut Machine, viewer: usize) -> Self {
        machine.recording = true;
        Self { viewer, log: machine.log.len(), ..Self::default() }
    }

    /// The seat of the player.
    #[must_use]
    pub fn viewer(&self) -> usize {
        self.viewer
    }

    /// The viewer's handles.
    #[must_use]
    pub fn handles(&self) -> &Handles {
        &self.handles
    }

    /// The viewer's handles, for [`view_with`](super::view_with).
    pub fn handles_mut(&mut self) -> &mut Handles {
        &mut self.handles
    }

    /// Removes and returns the events since the last call.
    pub fn take_events(&mut self) -> Vec<ViewEvent> {
        std::mem::take(&mut self.items)
    }

    fn push_event(&mut self, item: ViewEvent) {
        self.waiting = None;
        self.items.push(item);
    }

    /// Processes the log and the new state after a step of the machine.
    pub fn observe_step(&mut self, machine: &mut Machine) {
        let committed = machine.state.block.get(at::COMMIT_COUNT);
        if self.committed != Some(committed) {
            self.committed = Some(committed);
            self.update_handles(machine);
        }
        while let Some(record) = machine.log.get(self.log) {
            self.log += 1;
            let items = self.events_of(machine, record);
            for item in items {
                self.push_event(item);
            }
        }
        if !self.over && machine.outcome().is_some() {
            self.over = true;
            self.push_event(ViewEvent::Over { outcome: crate::vm::machine::outcome_name(machine.outcome()) });
        }
    }

    fn update_handles(&mut self, machine: &Machine) {
        let change = self.handles.update(machine, self.viewer);
        for handle in change.identified {
            let Some(it) = self.handles.object(handle) else { continue };
            // An object can be distinguished without being known, such as one that is face down.
            let name = seen_name(machine, self.viewer, it).into();
            let owner = machine.state.column(it.slot(), at::OWNER) as usize;
            let zone = zone_name(machine, machine.state.zone(it.slot()));
            self.push_event(ViewEvent::Met { handle, name, owner, zone });
        }
        for handle in change.lost {
            self.push_event(ViewEvent::Lost { handle });
        }
    }

    fn events_of(&self, machine: &Machine, record: &Record) -> Vec<ViewEvent> {
        match record {
            Record::Event { action, args, cause, happened: true } => self.event(machine, *action, args, *cause),
            Record::Trigger { ability, source } => {
                let handle = self.handles.handle_if_unambiguous(*source);
                if handle.is_none() && !source.is_none() {
                    return Vec::new();
                }
                let ability = machine.program.library.abilities.get(*ability as usize);
                vec![ViewEvent::Triggered { ability: ability.map_or_else(String::new, |a| a.name.clone()), source: handle }]
            }
            Record::Event { .. } | Record::Window { .. } | Record::FizzledPart { .. } | Record::Answered { .. } => Vec::new(),
        }
    }

    fn event(&self, machine: &Machine, action: u32, args: &[i64], cause: [i64; 4]) -> Vec<ViewEvent> {
        let program = &machine.program;
        let verb = VERBS.get(action as usize);
        let declared = program.format.actions.get(action as usize);
        let types: Vec<Type> = match verb {
            Some(verb) => verb.params.iter().map(|p| p.ty).collect(),
            None => declared.map_or_else(Vec::new, |a| a.params.iter().map(|(_, ty)| *ty).collect()),
        };
        let mut shown: Vec<EventArg> = Vec::new();
        let (mut objects, mut identified) = (0, 0);
        for (ty, value) in types.iter().zip(args) {
            let arg = self.event_arg(machine, *ty, *value);
            if let EventArg::Object { handle, became } = &arg {
                objects += 1;
                identified += usize::from(handle.is_some() || became.is_some());
            }
            shown.push(arg);
        }
        if matches!(action, verbs::ANNOUNCE | verbs::RESOLVE) {
            // The number of a play is internal; its name is added instead.
            shown.truncate(2);
            if action == verbs::ANNOUNCE
                && let Some(play) = args.get(2).and_then(|code| program.play(*code as u32))
            {
                shown.push(EventArg::Word(SmolStr::new(&play.name)));
            }
        }
        if action == verbs::REVEAL
            && let Some(it) = args.first().map(|it| ObjectRef::from_value(*it))
            && sees(machine, self.viewer, it.slot())
        {
            shown.push(EventArg::Word(object_name(program, &machine.state, it).into()));
        }
        // Of events about hidden objects only, the viewer sees the moves alone.
        let moves = matches!(action, verbs::PUT | verbs::ATTACH | verbs::REVEAL | verbs::LOOK | verbs::ERASE);
        let unseen = matches!(shown.get(1), Some(EventArg::Object { handle: None, became: None }));
        if objects > 0 && identified == 0 && !moves || action == verbs::CHOSEN && unseen {
            return Vec::new();
        }
        let name = declared.map(|a| SmolStr::new(&a.name)).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| verb.map_or_else(SmolStr::default, |verb| SmolStr::new_static(verb.name)));
        let cause_name = ["rule", "effect", "cost"];
        let kinds = [crate::ir::cause::RULE, crate::ir::cause::EFFECT, crate::ir::cause::COST];
        let kind = kinds.iter().position(|kind| *kind == cause[0]).and_then(|i| cause_name.get(i)).copied().unwrap_or("");
        let source = self.handles.handle_if_unambiguous(ObjectRef::from_value(cause[1]));
        let mut items = vec![ViewEvent::Event { action: name, args: shown, cause: SmolStr::new_static(kind), source }];
        if action == verbs::ANNOUNCE
            && let Some(it) = args.get(1).map(|it| ObjectRef::from_value(*it))
        {
            items.extend(self.chosen(machine, it));
        }
        items
    }

    /// The choices announced for an object on the list. They are public.
    fn chosen(&self, machine: &Machine, it: ObjectRef) -> Option<ViewEvent> {
        let of = self.handles.handle_if_unambiguous(it)?;
        let (announced, others) = announced_choices(machine, it);
        let objects: Vec<u32> = announced.iter().filter_map(|it| self.handles.handle_if_unambiguous(*it)).collect();
        let unknown =
            announced.iter().filter(|it| self.handles.handle_if_unambiguous(**it).is_none() && machine.state.exists(**it));
        let hidden: Vec<(ZoneName, usize)> = unknown.filter_map(|it| ordered_position(machine, *it)).collect();
        let any = !objects.is_empty() || !hidden.is_empty() || !others.is_empty();
        any.then_some(ViewEvent::Chosen { of, objects, hidden, others })
    }

    fn event_arg(&self, machine: &Machine, ty: Type, value: i64) -> EventArg {
        let program = &machine.program;
        match ty {
            Type::Player => EventArg::Player((value != NO_PLAYER).then(|| usize::try_from(value).ok()).flatten()),
            Type::Zone => EventArg::Zone(zone_name(machine, usize::try_from(value).ok())),
            Type::Thing if ObjectRef::from_value(value).player().is_some() => {
                EventArg::Player(ObjectRef::from_value(value).player())
            }
            Type::Object | Type::Thing => {
                let it = ObjectRef::from_value(value);
                let current = machine.state.current(it.slot());
                let moved = !it.is_none() && current != it && current.incarnation() == it.incarnation() + 1;
                let handle = self.handles.handle_if_unambiguous(it);
                let seen = moved && super::distinguishes(machine, self.viewer, it.slot());
                // A viewer who saw which object left also saw where it went.
                let became =
                    if handle.is_some() { self.handles.handle(current) } else { self.handles.handle_if_unambiguous(current) };
                EventArg::Object { handle, became: became.filter(|_| seen) }
            }
            Type::Card => {
                let card = usize::try_from(value).ok().and_then(|card| program.library.definitions.get(card));
                EventArg::Word(card.map_or_else(SmolStr::default, |card| SmolStr::new(&card.name)))
            }
            Type::Period => {
                let period = usize::try_from(value).ok().and_then(|period| program.format.periods.get(period));
                EventArg::Word(period.map_or_else(SmolStr::default, |period| SmolStr::new(&period.path)))
            }
            Type::Word(traits) => {
                let word = u16::try_from(value - 1).map_or("", |word| program.word_name(traits, word));
                EventArg::Word(SmolStr::new(word))
            }
            Type::Words(traits) => {
                let words = program.library.traits.get(traits.index()).map_or(&[][..], |set| set.words.as_slice());
                let has = words.iter().enumerate().filter(|(word, _)| *word < 63 && value & (1 << word) != 0);
                EventArg::Word(has.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(", ").into())
            }
            Type::Price => EventArg::Word(SmolStr::default()),
            ty if ty.is_list() => EventArg::Word(SmolStr::default()),
            _ => EventArg::Number(value),
        }
    }

    /// Processes a decision that the machine has reached.
    pub fn observe_decision(&mut self, machine: &mut Machine, decision: &Decision) {
        self.observe_step(machine);
        self.update_handles(machine);
        if decision.player == self.viewer {
            let view = decision_view(machine, self.viewer, &self.handles, decision);
            self.push_event(ViewEvent::Question(view));
        } else if shows_decision(machine, self.viewer, &self.handles, decision) && self.waiting != Some(decision.player) {
            self.push_event(ViewEvent::Asked { player: decision.player });
            self.waiting = Some(decision.player);
        }
    }

    /// Processes a legal answer. Must be called before the machine continues.
    pub fn observe_answer(&mut self, machine: &Machine, decision: &Decision, picks: &[u32]) {
        let taken = picks.first().and_then(|pick| decision.options.get(*pick as usize));
        if decision.player == self.viewer {
            let view = decision_view(machine, self.viewer, &self.handles, decision);
            self.push_event(ViewEvent::Answered { options: view.options_of(picks) });
        } else if decision.kind == DecisionKind::Act && taken == Some(&Choice::Pass) {
            self.push_event(ViewEvent::Passed { player: decision.player });
        }
        if taken == Some(&Choice::Abandon) {
            self.push_event(ViewEvent::TookBack { player: decision.player });
        }
    }
}

/// Advances to the next decision of any player, including those with one legal answer, or to the end. The observers follow each step.
pub fn follow(machine: &mut Machine, observers: &mut [Observer]) -> StepResult {
    loop {
        let step = machine.tick();
        for observer in observers.iter_mut() {
            observer.observe_step(machine);
        }
        match step {
            None => {}
            Some(StepResult::Decision(decision)) => {
                for observer in observers.iter_mut() {
                    observer.observe_decision(machine, &decision);
                }
                return StepResult::Decision(decision);
            }
            Some(over) => return over,
        }
    }
}

/// Removes the part of the log that all observers have processed, so that it does not grow with the game.
pub fn forget_observed(machine: &mut Machine, observers: &mut [Observer]) {
    let seen = observers.iter().map(|observer| observer.log).min().unwrap_or(0).min(machine.log.len());
    machine.log.drain(..seen);
    for observer in observers {
        observer.log -= seen;
    }
}

/// Answers the decision that [`follow`] returned.
///
/// # Errors
/// [`AnswerError`]: why the answer is not legal.
pub fn answer(machine: &mut Machine, observers: &mut [Observer], decision: &Decision, picks: &[u32]) -> Result<(), AnswerError> {
    decision.check(picks)?;
    for observer in observers.iter_mut() {
        observer.observe_answer(machine, decision, picks);
    }
    machine.answer(picks)
}

/// The name of a zone.
pub(super) fn zone_name(machine: &Machine, zone: Option<usize>) -> ZoneName {
    let known = zone.and_then(|zone| Some((zone, machine.program.zone_of(zone)?)));
    known.map_or_else(ZoneName::default, |(zone, it)| ZoneName {
        name: SmolStr::new(&it.name),
        owner: machine.program.zone_owner(zone),
    })
}

/// The zone of an object and its position from the bottom, from 1; `None` in a zone without an order.
fn ordered_position(machine: &Machine, it: ObjectRef) -> Option<(ZoneName, usize)> {
    let zone = machine.state.zone(it.slot()).filter(|zone| keeps_order(&machine.program, *zone))?;
    let at = machine.state.zone_items(&machine.program, zone).iter().position(|item| *item == it.0)?;
    Some((zone_name(machine, Some(zone)), at + 1))
}

/// The choices announced for an object on the list: objects; and players, modes and shares, in the order of the text.
pub(crate) fn announced_choices(machine: &Machine, it: ObjectRef) -> (Vec<ObjectRef>, Vec<ChosenValue>) {
    let (mut objects, mut others) = (Vec::new(), Vec::new());
    let program = Arc::clone(&machine.program);
    let entry = if machine.state.exists(it) { machine.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
    if entry == 0 {
        return (objects, others);
    }
    for pair in machine.state.block.list(entry + ENTRY_PARAGRAPHS).chunks(2) {
        let &[function, registers] = pair else { continue };
        let mut from = 0;
        while let Some((pc, site, dst)) = machine.next_announced_choice(crate::ir::FnId(function), registers as usize, from) {
            from = pc + 1;
            let number = site.0;
            let Some(site) = program.library.sites.get(site.index()) else { continue };
            let items = machine.state.block.list(registers as usize + usize::from(dst)).to_vec();
            if site.divides {
                // Only the shares: the objects among which is divided are reported by their own choice site.
                others.extend(items.chunks(2).filter_map(|pair| pair.get(1).copied()).map(ChosenValue::Share));
                continue;
            }
            for item in items {
                match ObjectRef(item).player() {
                    Some(seat) if site.candidate_type == Type::Things => others.push(ChosenValue::Player(seat)),
                    _ if site.modes.is_some() => others.push(ChosenValue::Mode { site: number, mode: item }),
                    _ if site.candidate_type == Type::Players => others.push(ChosenValue::Player(item as usize)),
                    _ => objects.push(ObjectRef(item)),
                }
            }
        }
    }
    (objects, others)
}
