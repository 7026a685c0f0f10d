//! Views: what one player may see of a game, and in words why a play or answer was refused ([`refusal`]). A view has names, numbers and handles only; never references, slots or the order of hidden
//! objects. Hidden objects appear only as a number per zone, and by position among the options of the viewer's decision.

use crate::ir::ObjectRef;
use crate::ir::Type;
use crate::ir::op::Source;
use crate::records::{ENTRY_KIND, ENTRY_PLAY, ENTRY_SOURCE, entry_kind};
use crate::state::{State, layout as at};
use crate::tables::ABILITY_PLAY;
use crate::vm::decision::{Decision, DecisionKind};
use crate::vm::knowledge::{ALL_SEEING, can_look_into, keeps_order};
use crate::vm::machine::{Machine, Outcome};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

mod decision;
mod determinise;
pub mod event_stream;
mod handles;
pub mod look;
mod refusal;
mod refusal_words;
mod selection_text;

pub use decision::{decision_object, decision_view};
pub use determinise::{determinise, determinise_some, reseed};
pub use handles::{HandleChanges, Handles};
pub use refusal::{
    RefusalKind, RefusalReason, RefusedPlay, answer_refusal_text, candidate_refusal, declaration_refusal, refusals,
};
pub use refusal_words::{FactWords, RefusalWords};
pub use selection_text::without_amount;

/// What one player may see of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The seat of the player.
    pub viewer: usize,
    /// The number of the turn.
    pub turn: u32,
    /// The active player.
    pub active: usize,
    /// The path of the innermost open period; empty before the first turn.
    pub span: String,
    /// The hidden cards that the viewer was shown during the game, oldest first.
    pub shown: Vec<ShownView>,
    /// Variables of the game. Objects are handles; 0 for objects that the viewer cannot identify.
    pub globals: Vec<(SmolStr, i64)>,
    /// The seats of players who have lost and take no part any more.
    pub out: Vec<usize>,
    /// Variables of the players, by seat.
    pub players: Vec<Vec<(SmolStr, i64)>>,
    /// The zones.
    pub zones: Vec<ZoneView>,
    /// The seat that must decide now, if the viewer may know that.
    pub asked: Option<usize>,
    /// The pending decision, if it is the viewer's, or the viewer is [`ALL_SEEING`].
    pub decision: Option<DecisionView>,
    /// How the game ended.
    pub outcome: Option<String>,
}

/// A zone as the viewer sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ZoneView {
    /// Its name.
    pub name: SmolStr,
    /// The seat that owns it; `None` for a shared zone.
    pub owner: Option<usize>,
    /// The objects that the viewer can identify, bottom to top. In a zone that is hidden from the viewer and has no order, by name.
    pub objects: Vec<ObjectView>,
    /// The number of other objects in the zone.
    pub hidden: usize,
}

/// A hidden card that the viewer was shown: as it was then, not where it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownView {
    /// The number of the turn.
    pub turn: u32,
    /// The name of the card.
    pub name: String,
    /// The owner of the card.
    pub owner: usize,
    /// The zone that it was in.
    pub zone: event_stream::ZoneName,
}

/// An object that the viewer can identify.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectView {
    /// The handle: the viewer's number for the object.
    pub handle: u32,
    /// The name of its card; for an ability on the list, that of its source.
    pub name: String,
    /// Whether it is an ability, not a card.
    pub ability: bool,
    /// For an ability whose source the viewer knows: where it is in the sources.
    pub ability_place: Option<Source>,
    /// The owner of the card.
    pub owner: usize,
    /// The seat that controls it.
    pub controller: i64,
    /// Its properties after continuous effects, without prices.
    pub properties: Vec<(SmolStr, i64)>,
    /// Its words after continuous effects.
    pub words: Vec<SmolStr>,
    /// Statuses that differ from their initial values. Objects are handles; 0 for objects that the viewer cannot identify.
    pub statuses: Vec<(SmolStr, i64)>,
    /// Its position in a hidden zone with an order, counted from the bottom, from 1; else 0.
    pub place: usize,
    /// The handles of the objects that were announced for it, as far as the viewer can identify them.
    pub chosen: Vec<u32>,
    /// The players that were announced for it.
    pub chosen_players: Vec<usize>,
    /// The cards under it, bottom to top.
    pub pile: Vec<ObjectView>,
}

/// A decision as its player sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionView {
    /// The name of its kind.
    pub kind: String,
    /// The words of the text that requests it.
    pub text: String,
    /// The options; picks are indices into them (see [`DecisionView::picks`]).
    pub options: Vec<OptionView>,
    /// The minimum number of picks (for a number: the minimum).
    pub min: i64,
    /// The maximum number of picks (for a number: the maximum).
    pub max: i64,
    /// Whether the same option can be picked more than once.
    pub repeats: bool,
    /// The machine's index of each option. It is not serialised, since it would reveal the order of hidden zones.
    #[serde(skip)]
    machine_indices: Vec<u32>,
}

/// An option of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionView {
    /// What it does: `pass`, `yes`, the name of a play, …; empty for an object alone.
    pub action: String,
    /// The handle of its object, if the viewer can identify it.
    pub handle: Option<u32>,
    /// For a pair, the handle of the right object.
    #[serde(default)]
    pub with: Option<u32>,
    /// Its text.
    pub label: String,
    /// The position of a hidden object in a zone with an order, counted from the bottom, from 1; else 0.
    pub place: usize,
}

impl DecisionView {
    /// Converts the viewer's options to the machine's picks. For a number, the number itself; for a division, a share for each option.
    #[must_use]
    pub fn picks(&self, options: &[u32]) -> Vec<u32> {
        if self.kind == DecisionKind::Number.name() {
            return options.to_vec();
        }
        if self.kind == DecisionKind::Divide.name() && options.len() == self.machine_indices.len() {
            let mut shares: Vec<(u32, u32)> = self.machine_indices.iter().copied().zip(options.iter().copied()).collect();
            shares.sort_unstable();
            return shares.into_iter().map(|(_, share)| share).collect();
        }
        if self.kind == DecisionKind::Divide.name() {
            return options.to_vec();
        }
        options.iter().map(|option| self.machine_indices.get(*option as usize).copied().unwrap_or(u32::MAX)).collect()
    }

    /// Converts the machine's picks to the viewer's options: the inverse of [`DecisionView::picks`].
    #[must_use]
    pub fn options_of(&self, picks: &[u32]) -> Vec<u32> {
        if self.kind == DecisionKind::Number.name() {
            return picks.to_vec();
        }
        if self.kind == DecisionKind::Divide.name() {
            return self.machine_indices.iter().filter_map(|number| picks.get(*number as usize).copied()).collect();
        }
        let option = |pick: &u32| self.machine_indices.iter().position(|number| number == pick).map_or(u32::MAX, |i| i as u32);
        picks.iter().map(option).collect()
    }
}

/// Whether a viewer knows which card the object in a slot is.
#[must_use]
pub fn sees(machine: &Machine, viewer: usize, slot: usize) -> bool {
    machine.state.is_known(&machine.program, viewer, slot)
}

/// Whether a viewer can distinguish the object in a slot from others, even without knowing which card it is.
#[must_use]
pub fn distinguishes(machine: &Machine, viewer: usize, slot: usize) -> bool {
    machine.state.is_distinguishable(&machine.program, viewer, slot)
}

/// The view of a player now, with new handles.
#[must_use]
pub fn view(machine: &mut Machine, viewer: usize) -> View {
    view_with(machine, viewer, &mut Handles::default())
}

/// The view of a player now. Objects keep the handles that they have in `handles`.
#[must_use]
pub fn view_with(machine: &mut Machine, viewer: usize, handles: &mut Handles) -> View {
    // Refreshes the derived values before they are read.
    machine.world();
    handles.update(machine, viewer);
    let handles = &*handles;
    let program = std::sync::Arc::clone(&machine.program);
    let mut zones = Vec::new();
    for instance in 0..program.layout.instances {
        zones.push(zone_view(machine, viewer, handles, instance));
    }
    let state = &machine.state;
    let variable = |ty: Type, word: usize| {
        let value = state.block.int(word);
        let it = ObjectRef::from_value(value);
        if ty.is_reference() { thing_number(machine, viewer, handles, it) } else { value }
    };
    let globals = program.library.globals.iter().enumerate();
    let globals = globals.map(|(i, v)| (SmolStr::new(&v.name), variable(v.ty, program.layout.global(i)))).collect();
    let players = (0..program.players())
        .map(|seat| {
            let variables = program.library.player_variables.iter().enumerate();
            variables
                .flat_map(|(i, v)| {
                    let cell = program.layout.player(seat, i);
                    if v.keys.is_some() {
                        keyed_values(&program, state, v, cell)
                    } else {
                        vec![(SmolStr::new(&v.name), variable(v.ty, cell))]
                    }
                })
                .collect()
        })
        .collect();
    let shown = state.shown(viewer).map(|[turn, card, owner, zone]| ShownView {
        turn,
        name: program.definition(card).map_or_else(String::new, |d| d.name.clone()),
        owner: owner as usize,
        zone: event_stream::zone_name(machine, Some(zone as usize)),
    });
    let shown = shown.collect();
    let outcome = machine.outcome();
    let pending = outcome.is_none() && state.block.get(at::DECISION) != 0 && state.block.get(at::ANSWER) == 0;
    let decision = pending.then(|| machine.pending_decision());
    let is_of_viewer = |decision: &Decision| decision.player == viewer || viewer == ALL_SEEING;
    let is_visible = decision
        .as_ref()
        .is_some_and(|decision| is_of_viewer(decision) || decision::shows_decision(machine, viewer, handles, decision));
    let span = state.block.list(at::OPEN_PERIODS).last().and_then(|span| program.format.periods.get(*span as usize));
    View {
        viewer,
        turn: state.turn(),
        active: state.active(),
        span: span.map_or_else(String::new, |span| span.path.clone()),
        shown,
        globals,
        out: (0..program.players()).filter(|seat| machine.state.has_lost(*seat)).collect(),
        players,
        zones,
        asked: is_visible.then(|| decision.as_ref().map(|decision| decision.player)).flatten(),
        decision: decision.filter(is_of_viewer).map(|d| decision::decision_view(machine, viewer, handles, &d)),
        outcome: outcome.map(|outcome: Outcome| crate::vm::machine::outcome_name(Some(outcome))),
    }
}

/// The handle of an object that the viewer can identify; 0 for others.
fn handle_or_zero(machine: &Machine, viewer: usize, handles: &Handles, it: ObjectRef) -> i64 {
    let visible = machine.state.exists(it) && distinguishes(machine, viewer, it.slot());
    if visible { handles.handle(it).map_or(0, i64::from) } else { 0 }
}

/// The number of a thing: the handle of an object, or -1 for the player in the first seat, -2 for the second.
fn thing_number(machine: &Machine, viewer: usize, handles: &Handles, it: ObjectRef) -> i64 {
    it.player().map_or_else(|| handle_or_zero(machine, viewer, handles, it), |seat| -1 - seat as i64)
}

fn zone_view(machine: &mut Machine, viewer: usize, handles: &Handles, instance: usize) -> ZoneView {
    let program = std::sync::Arc::clone(&machine.program);
    let items = machine.state.zone_items(&program, instance).to_vec();
    let hides = !can_look_into(&program, viewer, instance);
    let ordered = keeps_order(&program, instance);
    let mut objects = Vec::new();
    let mut hidden = 0;
    for (place, item) in items.into_iter().enumerate() {
        let it = ObjectRef(item);
        if distinguishes(machine, viewer, it.slot()) {
            let mut object = object_view(machine, viewer, handles, it);
            object.place = if hides && ordered { place + 1 } else { 0 };
            objects.push(object);
        } else {
            hidden += 1;
        }
    }
    if hides && !ordered {
        objects.sort_by(|a, b| (&a.name, a.handle).cmp(&(&b.name, b.handle)));
    }
    let name = program.zone_of(instance).map_or_else(SmolStr::default, |zone| SmolStr::new(&zone.name));
    ZoneView { name, owner: program.zone_owner(instance), objects, hidden }
}

fn object_view(machine: &mut Machine, viewer: usize, handles: &Handles, it: ObjectRef) -> ObjectView {
    let program = std::sync::Arc::clone(&machine.program);
    let slot = it.slot();
    let handle = handles.handle(it).unwrap_or(0);
    let (world, scratch) = machine.world();
    let controller = world.read(scratch, crate::ir::Place::Controller, it.value());
    let value = |column: usize| i64::from(world.row_word(it, column) as i32);
    let properties = program.library.properties.iter().enumerate().filter(|(_, property)| property.ty != Type::Price);
    let properties = properties.map(|(i, property)| (SmolStr::new(&property.name), value(program.row.properties + i))).collect();
    let mut words = Vec::new();
    for (traits, first) in program.library.traits.iter().zip(&program.row.words) {
        for (word, name) in traits.words.iter().enumerate() {
            if world.row_word(it, first + word / 32) & (1 << (word % 32)) != 0 {
                words.push(SmolStr::new(name));
            }
        }
    }
    let ability = world.state.column(slot, at::DEFINITION) == 0;
    let known = world.state.is_known(world.program, viewer, slot) && sees_source(world.program, world.state, viewer, it);
    let name = if known { object_name(world.program, world.state, it) } else { String::new() };
    // An object that is disguised, that is, concealed by public values, shows these values.
    let open = known || world.state.is_disguised(world.program, slot);
    let (properties, words) = if open { (properties, words) } else { Default::default() };
    let mut statuses = Vec::new();
    for (i, status) in program.library.statuses.iter().enumerate() {
        if status.keys.is_some() {
            statuses.extend(keyed_values(&program, &machine.state, status, machine.state.cell(slot, at::STATUSES + i)));
            continue;
        }
        let value = machine.state.block.int(machine.state.cell(slot, at::STATUSES + i));
        if value != i64::from(status.initial) {
            let it = ObjectRef::from_value(value);
            let shown = if status.ty.is_reference() { thing_number(machine, viewer, handles, it) } else { value };
            statuses.push((SmolStr::new(&status.name), shown));
        }
    }
    let pile = machine.state.pile(slot).to_vec();
    let pile = pile
        .into_iter()
        .map(ObjectRef)
        .filter(|member| *member != it && sees(machine, viewer, member.slot()))
        .map(|member| member_view(machine, handles, member))
        .collect();
    let (chosen, others) = event_stream::announced_choices(machine, it);
    let players = others.into_iter().filter_map(|other| match other {
        event_stream::ChosenValue::Player(seat) => Some(seat),
        event_stream::ChosenValue::Mode { .. } | event_stream::ChosenValue::Share(_) => None,
    });
    ObjectView {
        handle,
        name,
        ability,
        ability_place: (ability && known).then(|| ability_place(machine, viewer, it)).flatten(),
        owner: machine.state.column(slot, at::OWNER) as usize,
        controller,
        properties,
        words,
        statuses,
        place: 0,
        chosen: chosen.into_iter().filter_map(|chosen| handles.handle(chosen)).collect(),
        chosen_players: players.collect(),
        pile,
    }
}

/// Where an ability on the list is in the source.
fn ability_place(machine: &Machine, viewer: usize, it: ObjectRef) -> Option<Source> {
    let entry = machine.state.column(it.slot(), at::ENTRY) as usize;
    let code = (entry != 0).then(|| machine.state.block.get(entry + ENTRY_PLAY))?;
    let source = ObjectRef(machine.state.block.get(entry + ENTRY_SOURCE));
    // What a concealed source can do says which card it is.
    if machine.state.exists(source) && !sees(machine, viewer, source.slot()) {
        return None;
    }
    let number = match machine.state.block.get(entry + ENTRY_KIND) {
        entry_kind::ABILITY => code.checked_sub(ABILITY_PLAY)?,
        entry_kind::TRIGGER => code,
        _ => return None,
    };
    machine.program.library.abilities.get(number as usize).map(|ability| ability.source)
}

/// The view of a member of a pile: the card alone.
fn member_view(machine: &Machine, handles: &Handles, it: ObjectRef) -> ObjectView {
    let owner = machine.state.column(it.slot(), at::OWNER) as usize;
    ObjectView {
        handle: handles.handle(it).unwrap_or(0),
        name: object_name(&machine.program, &machine.state, it),
        owner,
        controller: owner as i64,
        ..ObjectView::default()
    }
}

/// The values of a keyed status or variable: an entry `NAME(WORD)` for each value that is not 0.
fn keyed_values(
    program: &crate::program::Program,
    state: &State,
    variable: &crate::ir::Variable,
    holder: usize,
) -> Vec<(SmolStr, i64)> {
    let words = variable.keys.and_then(|traits| program.library.traits.get(traits.index())).map_or(&[][..], |set| &set.words);
    let pair = |pair: &[u32]| match *pair {
        [key, value] => {
            let word = words.get((key as usize).wrapping_sub(1)).map_or("", String::as_str);
            Some((format_smolstr!("{}({word})", variable.name), i64::from(value as i32)))
        }
        _ => None,
    };
    state.block.list(holder).chunks_exact(2).filter_map(pair).collect()
}

/// The name of a seat: `A` for the first one, as in scenarios.
#[must_use]
pub fn seat_name(seat: usize) -> String {
    let letter = u8::try_from(seat).ok().filter(|seat| *seat < 26).map(|seat| char::from(b'A' + seat));
    letter.map_or_else(|| format!("player {}", seat + 1), String::from)
}

/// The name of a period: its path in words without the turn. Empty for the turn itself.
#[must_use]
pub fn period_name(path: &str) -> String {
    let parts: Vec<String> = path.split('.').skip(1).map(|part| part.replace('_', " ")).collect();
    parts.join(", ")
}

/// The name of an object's card; for an ability, of its source.
#[must_use]
pub fn object_name(program: &crate::program::Program, state: &State, it: ObjectRef) -> String {
    let definition = crate::vm::derived::naming_definition(program, state, it.slot());
    if definition != 0 || !state.exists(it) {
        return program.definition(definition).map_or_else(String::new, |d| d.name.clone());
    }
    let Some(source) = ability_source(state, it) else { return String::new() };
    let definition = crate::vm::derived::naming_definition(program, state, source.slot());
    program.definition(definition).map_or_else(String::new, |d| d.name.clone())
}

/// The source of an ability on the list.
fn ability_source(state: &State, it: ObjectRef) -> Option<ObjectRef> {
    if state.column(it.slot(), at::DEFINITION) != 0 {
        return None;
    }
    let entry = state.column(it.slot(), at::ENTRY) as usize;
    // A relationship is nameless as an ability is, but on no list.
    if entry == 0 {
        return None;
    }
    let source = ObjectRef(state.block.get(entry + crate::records::ENTRY_SOURCE));
    (!source.is_none() && source != it).then_some(source)
}

/// Whether a viewer knows which card the source of an ability is. The players are shown a hidden one when the ability is put on the list; watchers
/// are not. True for anything but an ability, and for a source that has left the game.
fn sees_source(program: &crate::program::Program, state: &State, viewer: usize, it: ObjectRef) -> bool {
    let source = if state.exists(it) { ability_source(state, it) } else { None };
    source.is_none_or(|source| state.zone(source.slot()).is_none() || state.is_known(program, viewer, source.slot()))
}

/// As [`object_name`], for a viewer: empty if the viewer does not know which card the object is.
#[must_use]
pub fn seen_name(machine: &Machine, viewer: usize, it: ObjectRef) -> String {
    let state = &machine.state;
    if state.exists(it) && !(sees(machine, viewer, it.slot()) && sees_source(&machine.program, state, viewer, it)) {
        return String::new();
    }
    object_name(&machine.program, &machine.state, it)
}

/// Converts a name to a path: `rule no_rush` becomes `rule.no_rush`, `card "X", line 3` becomes `card.X`.
pub(crate) fn dotted_path(name: &str) -> String {
    let name = name.split(", line").next().unwrap_or(name);
    match name.split_once(' ') {
        Some((kind, rest)) => format!("{kind}.{}", rest.trim().trim_matches(|c| matches!(c, '"' | '《' | '》'))),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{advance, start};
    use crate::testing;

    fn machine(seed: u64) -> Machine {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], seed).expect("it starts");
        advance(&mut machine);
        machine
    }

    #[test]
    fn who_sees_everything_knows_every_card_and_decision() {
        let mut machine = machine(3);
        let all = view(&mut machine, ALL_SEEING);
        assert!(all.zones.iter().all(|zone| zone.hidden == 0));
        assert!(all.zones.iter().flat_map(|zone| &zone.objects).all(|object| !object.name.is_empty()));
        let deck = all.zones.iter().find(|z| z.name == "deck" && z.owner == Some(1)).expect("a deck");
        assert!(!deck.objects.is_empty() && deck.objects.iter().all(|object| object.place == 0));
        let decider = machine.pending_decision().player;
        let own = view(&mut machine, decider).decision.expect("a decision");
        let shown = all.decision.expect("the decision of a player");
        assert_eq!((&shown.kind, shown.options.len()), (&own.kind, own.options.len()));
        // A number that no seat has sees nothing more than what is public.
        let watcher = view(&mut machine, 2);
        assert!(watcher.decision.is_none() && watcher.zones.iter().any(|zone| zone.hidden > 0));
    }

    #[test]
    fn hidden_objects_are_only_counted() {
        let mut machine = machine(3);
        let mine = view(&mut machine, 0);
        let deck = mine.zones.iter().find(|z| z.name == "deck" && z.owner == Some(0)).expect("my deck");
        assert_eq!((deck.objects.len(), deck.hidden), (0, 11));
        let hand = mine.zones.iter().find(|z| z.name == "hand" && z.owner == Some(0)).expect("my hand");
        assert_eq!((hand.objects.len(), hand.hidden), (1, 0));
        assert!(mine.decision.is_some());
        let theirs = view(&mut machine, 1);
        let hand = theirs.zones.iter().find(|z| z.name == "hand" && z.owner == Some(0)).expect("their hand");
        assert_eq!((hand.objects.len(), hand.hidden), (0, 1));
        assert_eq!((theirs.asked, theirs.decision), (Some(0), None));
    }

    #[test]
    fn view_does_not_depend_on_hidden_cards() {
        for seed in 0..20 {
            let real = machine(seed);
            let before = view(&mut real.clone(), 1);
            for guess in 0..5 {
                let mut determinised = determinise(&real, 1, guess);
                assert_eq!(view(&mut determinised, 1), before);
                determinised.check_invariants().expect("sound");
                let own = |m: &Machine| {
                    let hand = m.program.zone_instance(1, 1).expect("a hand");
                    m.state
                        .zone_items(&m.program, hand)
                        .iter()
                        .map(|it| m.state.column(ObjectRef(*it).slot(), at::DEFINITION))
                        .collect::<Vec<_>>()
                };
                assert_eq!(own(&determinised), own(&real));
            }
        }
    }

    #[test]
    fn determinised_copies_differ() {
        let real = machine(1);
        let hashes: Vec<u64> = (0..5).map(|guess| determinise(&real, 0, guess).state.hash()).collect();
        assert!(hashes.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn seats_and_spans_have_names() {
        assert_eq!([seat_name(0), seat_name(25), seat_name(26)], ["A", "Z", "player 27"]);
        assert_eq!(period_name("turn.attacks.round.declare_attackers"), "attacks, round, declare attackers");
        assert_eq!(period_name("turn"), "");
    }

    #[test]
    fn handles_are_stable() {
        let mut machine = machine(2);
        let mut handles = Handles::default();
        let first = view_with(&mut machine, 0, &mut handles);
        assert_eq!(first, view_with(&mut machine, 0, &mut handles));
    }
}
