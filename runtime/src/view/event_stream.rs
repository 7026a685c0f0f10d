//! What a player sees happen, as a stream: items in the order of the game, with arguments masked and objects by the viewer's own numbers.
//!
//! The stream tells no more than a player at the table could see. A question to another player is told only where it is asked in any
//! case: every window, whether or not anything could be done in it, and choices among things that the viewer sees. Whoever watches looks
//! after every step of the machine; the stream follows from the game and its answers, so that it can be made again from a trace.

use super::decision::{question, tells};
use super::{DecisionView, Handles, object_name, sees};
use crate::ir::verbs::{self, VERBS};
use crate::ir::{NO_PLAYER, Type};
use crate::state::{ObjectRef, layout as at};
use crate::vm::announce::ENTRY_PARAGRAPHS;
use crate::vm::decision::{AnswerError, Choice, Decision, DecisionKind};
use crate::vm::knowledge::keeps_order;
use crate::vm::{Machine, Record, StepResult};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that a viewer sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViewEvent {
    /// An object can be told from others from now on, under this number, or shows only now which card it is.
    Met {
        /// The viewer's number for it.
        handle: u32,
        /// The name of its card; of its source, for an ability.
        name: String,
        /// Whose card it is.
        owner: usize,
        /// The zone it is in.
        zone: ZoneName,
    },
    /// An object cannot be told from other hidden ones any more; its number is void.
    Lost {
        /// Its number.
        handle: u32,
    },
    /// Something happened.
    Event {
        /// The name of the action.
        action: String,
        /// Its arguments.
        args: Vec<EventArg>,
        /// Why: `rule`, `effect` or `cost`.
        cause: String,
        /// The object whose text did it, when it is identified.
        source: Option<u32>,
    },
    /// An ability of an identified object, or of the game, triggered and is used now.
    Triggered {
        /// Its name.
        ability: String,
        /// The object; none for the game.
        source: Option<u32>,
    },
    /// What was chosen for something on the list.
    Chosen {
        /// Its number.
        of: u32,
        /// Objects, by number.
        objects: Vec<u32>,
        /// Hidden ones that lie in an order: their zone, and their place from the bottom, from 1.
        hidden: Vec<(ZoneName, usize)>,
        /// Players, modes and shares, in the order of the text.
        others: Vec<ChosenValue>,
    },
    /// Another player is being asked.
    Asked {
        /// Who.
        player: usize,
    },
    /// A question to the viewer.
    Question(DecisionView),
    /// The viewer's answer: options, or the number.
    Answered {
        /// The picks, as the viewer sees the options.
        options: Vec<u32>,
    },
    /// A player passed.
    Passed {
        /// Who.
        player: usize,
    },
    /// A player took back what was being announced: everything since then did not happen.
    TookBack {
        /// Who.
        player: usize,
    },
    /// The game is over.
    Over {
        /// How.
        outcome: String,
    },
}

/// Something other than an object that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChosenValue {
    /// A player.
    Player(usize),
    /// A mode of a text.
    Mode {
        /// The choice site.
        site: u32,
        /// Which one, from 0.
        mode: u32,
    },
    /// Of what is divided a share.
    Share(u32),
}

/// A zone, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneName {
    /// Its name; empty for none.
    pub name: String,
    /// Whose it is.
    pub owner: Option<usize>,
}

/// An argument of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventArg {
    /// A number, or a bool.
    Number(i64),
    /// A player; none for nobody.
    Player(Option<usize>),
    /// A zone.
    Zone(ZoneName),
    /// An object.
    Object {
        /// The number it had, when the viewer could tell which one it was.
        handle: Option<u32>,
        /// The number it has since it moved, when the viewer can tell now.
        became: Option<u32>,
    },
    /// A card, play or span by name.
    Word(String),
}

/// Watches a game for one player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observer {
    viewer: usize,
    handles: Handles,
    items: Vec<ViewEvent>,
    /// How much of the log has been looked at.
    log: usize,
    /// How much had been committed at the last look.
    committed: Option<u32>,
    /// The last item says that this player is asked: it is not said twice.
    waiting: Option<usize>,
    over: bool,
}

impl Observer {
    /// Watches for a player, from now on.
    #[must_use]
    pub fn new(machine: &mut Machine, viewer: usize) -> Self {
        machine.recording = true;
        Self { viewer, log: machine.log.len(), ..Self::default() }
    }

    /// Whose eyes these are.
    #[must_use]
    pub fn viewer(&self) -> usize {
        self.viewer
    }

    /// The viewer's numbers.
    #[must_use]
    pub fn handles(&self) -> &Handles {
        &self.handles
    }

    /// The viewer's numbers, for views.
    pub fn handles_mut(&mut self) -> &mut Handles {
        &mut self.handles
    }

    /// What was seen since the last call.
    pub fn take(&mut self) -> Vec<ViewEvent> {
        std::mem::take(&mut self.items)
    }

    fn say(&mut self, item: ViewEvent) {
        self.waiting = None;
        self.items.push(item);
    }

    /// Looks at a machine after a step of it.
    pub fn look(&mut self, machine: &mut Machine) {
        let committed = machine.state.block.get(at::COMMITTED);
        if self.committed != Some(committed) {
            self.committed = Some(committed);
            self.meet(machine);
        }
        while let Some(record) = machine.log.get(self.log) {
            self.log += 1;
            let items = self.items_of(machine, record);
            for item in items {
                self.say(item);
            }
        }
        if !self.over && machine.outcome().is_some() {
            self.over = true;
            self.say(ViewEvent::Over { outcome: crate::trace::outcome_name(machine.outcome()) });
        }
    }

    fn meet(&mut self, machine: &Machine) {
        let change = self.handles.update(machine, self.viewer);
        for handle in change.met {
            let Some(it) = self.handles.object(handle) else { continue };
            let name = object_name(&machine.program, &machine.state, it);
            let owner = machine.state.column(it.slot(), at::OWNER) as usize;
            let zone = place(machine, machine.state.zone(it.slot()));
            self.say(ViewEvent::Met { handle, name, owner, zone });
        }
        for handle in change.lost {
            self.say(ViewEvent::Lost { handle });
        }
    }

    fn items_of(&self, machine: &Machine, record: &Record) -> Vec<ViewEvent> {
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
            Record::Event { .. } | Record::Window { .. } | Record::Answered { .. } => Vec::new(),
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
            let arg = self.arg(machine, *ty, *value);
            if let EventArg::Object { handle, became } = &arg {
                objects += 1;
                identified += usize::from(handle.is_some() || became.is_some());
            }
            shown.push(arg);
        }
        if matches!(action, verbs::ANNOUNCE | verbs::RESOLVE) {
            // The number of a play means nothing to a viewer.
            shown.truncate(2);
            if action == verbs::ANNOUNCE
                && let Some(play) = args.get(2).and_then(|code| program.play(*code as u32))
            {
                shown.push(EventArg::Word(play.name.clone()));
            }
        }
        if action == verbs::REVEAL
            && let Some(it) = args.first().map(|it| ObjectRef::from_value(*it))
            && sees(machine, self.viewer, it.slot())
        {
            shown.push(EventArg::Word(object_name(program, &machine.state, it)));
        }
        // What is about hidden objects only is told by what of it shows: their moves.
        let moves = matches!(action, verbs::PUT | verbs::ATTACH | verbs::REVEAL | verbs::LOOK | verbs::CEASE);
        let unseen = matches!(shown.get(1), Some(EventArg::Object { handle: None, became: None }));
        if objects > 0 && identified == 0 && !moves || action == verbs::CHOSEN && unseen {
            return Vec::new();
        }
        let name = declared.map(|a| a.name.clone()).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| verb.map_or_else(String::new, |verb| verb.name.to_owned()));
        let cause_name = ["rule", "effect", "cost"];
        let kinds = [crate::ir::cause::RULE, crate::ir::cause::EFFECT, crate::ir::cause::COST];
        let kind = kinds.iter().position(|kind| *kind == cause[0]).and_then(|i| cause_name.get(i)).copied().unwrap_or("");
        let source = self.handles.handle_if_unambiguous(ObjectRef::from_value(cause[1]));
        let mut items = vec![ViewEvent::Event { action: name, args: shown, cause: kind.to_owned(), source }];
        if action == verbs::ANNOUNCE
            && let Some(it) = args.get(1).map(|it| ObjectRef::from_value(*it))
        {
            items.extend(self.chosen(machine, it));
        }
        items
    }

    /// What was chosen for an object that waits on the list: everybody sees it.
    fn chosen(&self, machine: &Machine, it: ObjectRef) -> Option<ViewEvent> {
        let of = self.handles.handle_if_unambiguous(it)?;
        let (announced, others) = announced(machine, it);
        let objects: Vec<u32> = announced.iter().filter_map(|it| self.handles.handle_if_unambiguous(*it)).collect();
        let unknown =
            announced.iter().filter(|it| self.handles.handle_if_unambiguous(**it).is_none() && machine.state.exists(**it));
        let hidden: Vec<(ZoneName, usize)> = unknown.filter_map(|it| lies(machine, *it)).collect();
        let any = !objects.is_empty() || !hidden.is_empty() || !others.is_empty();
        any.then_some(ViewEvent::Chosen { of, objects, hidden, others })
    }

    fn arg(&self, machine: &Machine, ty: Type, value: i64) -> EventArg {
        let program = &machine.program;
        match ty {
            Type::Player => EventArg::Player((value != NO_PLAYER).then(|| usize::try_from(value).ok()).flatten()),
            Type::Zone => EventArg::Zone(place(machine, usize::try_from(value).ok())),
            Type::Thing if ObjectRef::from_value(value).player().is_some() => {
                EventArg::Player(ObjectRef::from_value(value).player())
            }
            Type::Object | Type::Thing => {
                let it = ObjectRef::from_value(value);
                let current = machine.state.current(it.slot());
                let moved = !it.is_none() && current != it && current.incarnation() == it.incarnation() + 1;
                let handle = self.handles.handle_if_unambiguous(it);
                let seen = moved && super::meets(machine, self.viewer, it.slot());
                // Who saw it go saw where it went.
                let became =
                    if handle.is_some() { self.handles.known(current) } else { self.handles.handle_if_unambiguous(current) };
                EventArg::Object { handle, became: became.filter(|_| seen) }
            }
            Type::Card => {
                let card = usize::try_from(value).ok().and_then(|card| program.library.definitions.get(card));
                EventArg::Word(card.map_or_else(String::new, |card| card.name.clone()))
            }
            Type::Span => {
                let span = usize::try_from(value).ok().and_then(|span| program.format.spans.get(span));
                EventArg::Word(span.map_or_else(String::new, |span| span.path.clone()))
            }
            Type::Price => EventArg::Word(String::new()),
            ty if ty.is_list() => EventArg::Word(String::new()),
            _ => EventArg::Number(value),
        }
    }

    /// A player is asked.
    pub fn asked(&mut self, machine: &mut Machine, decision: &Decision) {
        self.look(machine);
        self.meet(machine);
        if decision.player == self.viewer {
            let view = question(machine, self.viewer, &self.handles, decision);
            self.say(ViewEvent::Question(view));
        } else if tells(machine, self.viewer, &self.handles, decision) && self.waiting != Some(decision.player) {
            self.say(ViewEvent::Asked { player: decision.player });
            self.waiting = Some(decision.player);
        }
    }

    /// The player who was asked has answered, legally. To be told before the machine goes on.
    pub fn answered(&mut self, machine: &Machine, decision: &Decision, picks: &[u32]) {
        let taken = picks.first().and_then(|pick| decision.options.get(*pick as usize));
        if decision.player == self.viewer {
            let view = question(machine, self.viewer, &self.handles, decision);
            self.say(ViewEvent::Answered { options: view.options_of(picks) });
        } else if decision.kind == DecisionKind::Act && taken == Some(&Choice::Pass) {
            self.say(ViewEvent::Passed { player: decision.player });
        }
        if taken == Some(&Choice::Abandon) {
            self.say(ViewEvent::TookBack { player: decision.player });
        }
    }
}

/// Goes on to the next decision, whoever's and however many answers it has, or to the end. The watchers look on.
pub fn follow(machine: &mut Machine, watchers: &mut [Observer]) -> StepResult {
    loop {
        let step = machine.tick();
        for watcher in watchers.iter_mut() {
            watcher.look(machine);
        }
        match step {
            None => {}
            Some(StepResult::Asked(decision)) => {
                for watcher in watchers.iter_mut() {
                    watcher.asked(machine, &decision);
                }
                return StepResult::Asked(decision);
            }
            Some(over) => return over,
        }
    }
}

/// Answers what [`follow`] asked.
///
/// # Errors
/// Why the answer is not legal; nobody has seen anything then.
pub fn answer(machine: &mut Machine, watchers: &mut [Observer], decision: &Decision, picks: &[u32]) -> Result<(), AnswerError> {
    decision.check(picks)?;
    for watcher in watchers.iter_mut() {
        watcher.answered(machine, decision, picks);
    }
    machine.answer(picks)
}

/// A zone in words.
pub(super) fn place(machine: &Machine, zone: Option<usize>) -> ZoneName {
    let known = zone.and_then(|zone| Some((zone, machine.program.zone_of(zone)?)));
    known.map_or_else(ZoneName::default, |(zone, it)| ZoneName { name: it.name.clone(), owner: machine.program.zone_owner(zone) })
}

/// The zone and place of an object that can be pointed at, though nobody else knows which it is.
fn lies(machine: &Machine, it: ObjectRef) -> Option<(ZoneName, usize)> {
    let zone = machine.state.zone(it.slot()).filter(|zone| keeps_order(&machine.program, *zone))?;
    let at = machine.state.zone_items(&machine.program, zone).iter().position(|item| *item == it.0)?;
    Some((place(machine, Some(zone)), at + 1))
}

/// What was announced for an object of the list: objects, then players, modes and shares, as the text has them.
pub(crate) fn announced(machine: &Machine, it: ObjectRef) -> (Vec<ObjectRef>, Vec<ChosenValue>) {
    let (mut objects, mut others) = (Vec::new(), Vec::new());
    let program = Arc::clone(&machine.program);
    let entry = if machine.state.exists(it) { machine.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
    if entry == 0 {
        return (objects, others);
    }
    for pair in machine.state.block.list(entry + ENTRY_PARAGRAPHS).chunks(2) {
        let &[function, registers] = pair else { continue };
        let mut from = 0;
        while let Some((pc, site, dst)) = machine.next_lifted(crate::ir::FnId(function), registers as usize, from) {
            from = pc + 1;
            let number = site.0;
            let Some(site) = program.library.sites.get(site.index()) else { continue };
            let items = machine.state.block.list(registers as usize + usize::from(dst)).to_vec();
            if site.divides {
                // Of what was divided the shares; among what is told already.
                others.extend(items.chunks(2).filter_map(|pair| pair.get(1).copied()).map(ChosenValue::Share));
                continue;
            }
            for item in items {
                match ObjectRef(item).player() {
                    Some(seat) if site.of == Type::Things => others.push(ChosenValue::Player(seat)),
                    _ if site.modes.is_some() => others.push(ChosenValue::Mode { site: number, mode: item }),
                    _ if site.of == Type::Players => others.push(ChosenValue::Player(item as usize)),
                    _ => objects.push(ObjectRef(item)),
                }
            }
        }
    }
    (objects, others)
}
