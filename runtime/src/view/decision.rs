//! Views of the pending decision: for its player, and whether other players can see that it is pending.

#![deny(clippy::wildcard_enum_match_arm)]

use super::{DecisionView, Handles, OptionView, object_name, seat_name, sees};
use crate::ir::ObjectRef;
use crate::program::Program;
use crate::records::ENTRY_SOURCE;
use crate::records::frame::{FrameKind, KIND, announce, body, pay, resolve};
use crate::state::layout as at;
use crate::vm::decision::{Choice, Decision, DecisionKind, Side};
use crate::vm::knowledge::{can_look_into, keeps_order};
use crate::vm::machine::Machine;

/// The view of the pending decision for its player. The handles are those of the last update.
#[must_use]
pub fn decision_view(machine: &Machine, viewer: usize, handles: &Handles, decision: &Decision) -> DecisionView {
    let program = &machine.program;
    let site = decision.site.and_then(|site| program.library.sites.get(site as usize));
    let mut options: Vec<(u32, OptionView)> = decision
        .options
        .iter()
        .enumerate()
        .map(|(number, choice)| (number as u32, option_view(machine, viewer, handles, *choice)))
        .collect();
    // Objects of hidden zones are sorted by name, so that their order is not revealed.
    if decision.options.iter().any(|choice| matches!(choice, Choice::Object(it) if is_in_hidden_zone(machine, viewer, *it))) {
        options.sort_by(|a, b| (&a.1.label, a.1.handle, a.1.place, a.0).cmp(&(&b.1.label, b.1.handle, b.1.place, b.0)));
    }
    let (numbers, options) = options.into_iter().unzip();
    DecisionView {
        kind: decision.kind.name().to_owned(),
        text: site.map_or_else(String::new, |site| site.text.clone()),
        options,
        min: decision.min,
        max: decision.max,
        repeats: decision.repeats,
        machine_indices: numbers,
    }
}

/// Whether an object is in a zone that is hidden from the viewer.
fn is_in_hidden_zone(machine: &Machine, viewer: usize, it: ObjectRef) -> bool {
    machine.state.zone(it.slot()).is_some_and(|zone| !can_look_into(&machine.program, viewer, zone))
}

/// Whether the viewer cannot distinguish an object from others, because its zone is hidden from the viewer and has no order.
fn is_indistinguishable(machine: &Machine, viewer: usize, it: ObjectRef) -> bool {
    let zone = machine.state.zone(it.slot());
    is_in_hidden_zone(machine, viewer, it) && zone.is_some_and(|zone| !keeps_order(&machine.program, zone))
}

fn option_view(machine: &Machine, viewer: usize, handles: &Handles, choice: Choice) -> OptionView {
    let program = &machine.program;
    let plain = |action: &str, label: String| OptionView { action: action.to_owned(), label, ..OptionView::default() };
    match choice {
        Choice::Pass => plain("pass", "pass".into()),
        Choice::Yes => plain("yes", "yes".into()),
        Choice::No => plain("no", "no".into()),
        Choice::PayNow => plain("pay", "pay".into()),
        Choice::Abandon => plain("take back", "take back".into()),
        Choice::Mode(mode) => plain("mode", format!("mode {}", mode + 1)),
        Choice::Word(traits, word) => plain("", program.word_name(traits, word).to_owned()),
        Choice::Player(seat) => plain("", seat_name(seat)),
        Choice::Object(it) => object_option(machine, viewer, handles, "", it),
        Choice::Producer(it) => object_option(machine, viewer, handles, "pay with", it),
        Choice::Pair(it, side) => {
            let mut view = object_option(machine, viewer, handles, "", it);
            let other = match side {
                Side::Object(with) => {
                    let other = object_option(machine, viewer, handles, "", with);
                    view.with = other.handle;
                    other.label
                }
                Side::Player(seat) => seat_name(seat),
            };
            view.label = format!("{} with {other}", view.label);
            view
        }
        Choice::Play { play, object, .. } => {
            let name = program.play(play).map_or("", |play| play.name.as_str());
            object_option(machine, viewer, handles, name, object)
        }
        Choice::Trigger { ability, source, about: object, nth } | Choice::Replacement { ability, source, about: object, nth } => {
            let name = ability_name(program, ability);
            let mut made = object_option(machine, viewer, handles, &name, source);
            if !object.is_none() {
                made.label = format!("{} for {}", made.label, object_option(machine, viewer, handles, "", object).label);
            }
            if nth > 0 {
                made.label = format!("{} (number {})", made.label, nth + 1);
            }
            made
        }
    }
}

/// The object that a pending decision is about: whose text requests it, which is announced, or which is paid for. [`ObjectRef::NONE`] if
/// a rule requests it.
#[must_use]
pub fn decision_object(machine: &Machine) -> ObjectRef {
    let word = |at: usize| machine.state.block.get(at);
    for frame in machine.state.block.list(at::FRAMES).iter().rev().map(|frame| *frame as usize) {
        let object = match FrameKind::from_word(word(frame + KIND)) {
            Some(FrameKind::Body) => word(frame + body::SOURCE),
            Some(FrameKind::Announce) => word(frame + announce::OBJECT),
            Some(FrameKind::Pay) => word(frame + pay::OBJECT),
            Some(FrameKind::Resolve) => word(frame + resolve::OBJECT),
            Some(FrameKind::Batch | FrameKind::Paragraphs | FrameKind::Settle) => 0,
            Some(FrameKind::Window | FrameKind::Turn | FrameKind::Game) | None => break,
        };
        if object != 0 {
            return ObjectRef(object);
        }
    }
    ObjectRef::NONE
}

fn ability_name(program: &Program, ability: u32) -> String {
    program.library.abilities.get(ability as usize).map_or_else(String::new, |ability| ability.name.clone())
}

fn object_option(machine: &Machine, viewer: usize, handles: &Handles, action: &str, it: ObjectRef) -> OptionView {
    let words = action.replace('_', " ");
    let joined = |label: &str| if action.is_empty() { label.to_owned() } else { format!("{words} {label}") };
    let made = |handle, label: String, place| OptionView { action: action.to_owned(), handle, label, place, with: None };
    if it.is_none() {
        return made(None, words, 0);
    }
    let slot = it.slot();
    let exists = machine.state.exists(it);
    let handle = handles.handle(it);
    if !exists {
        let name =
            if handle.is_some() { object_name(&machine.program, &machine.state, it) } else { "something that left".into() };
        return made(handle, joined(&name), 0);
    }
    if sees(machine, viewer, slot) && !is_indistinguishable(machine, viewer, it) {
        let name = object_name(&machine.program, &machine.state, it);
        return made(handle, joined(&name), 0);
    }
    if super::distinguishes(machine, viewer, slot) && !is_indistinguishable(machine, viewer, it) {
        return made(handle, joined("a concealed object"), 0);
    }
    let zone = machine.state.zone(slot);
    let name = zone.and_then(|zone| machine.program.zone_of(zone)).map_or("", |zone| zone.name.as_str());
    let items = zone.map_or(&[][..], |zone| machine.state.zone_items(&machine.program, zone));
    let place = if is_indistinguishable(machine, viewer, it) {
        0
    } else {
        items.iter().position(|item| *item == it.0).map_or(0, |at| at + 1)
    };
    let which = if place == 0 { String::new() } else { format!(", number {place} from the bottom") };
    made(None, joined(&format!("a hidden object in {name}{which}")), place)
}

/// Whether a viewer can see that another player must decide. A decision to act is public, regardless of its options. Another decision
/// is visible if the viewer can identify its source and enough of its options. Decisions about hidden objects are not visible.
pub(super) fn shows_decision(machine: &Machine, viewer: usize, handles: &Handles, decision: &Decision) -> bool {
    if decision.kind == DecisionKind::Act {
        return true;
    }
    let identified = |it: ObjectRef| it.is_none() || handles.handle(it).is_some() && !is_indistinguishable(machine, viewer, it);
    if !decision_source(machine, decision.kind).is_none_or(identified) {
        return false;
    }
    let shown = |choice: &&Choice| match choice {
        Choice::Object(it) | Choice::Producer(it) | Choice::Pair(it, Side::Player(_)) => identified(*it),
        Choice::Pair(it, Side::Object(with)) => identified(*it) && identified(*with),
        Choice::Play { object, .. } => identified(*object),
        Choice::Trigger { source, .. } | Choice::Replacement { source, .. } => identified(*source),
        Choice::Pass => false,
        Choice::Player(_) | Choice::Word(..) | Choice::Mode(_) | Choice::Yes | Choice::No | Choice::PayNow | Choice::Abandon => {
            true
        }
    };
    let count = decision.options.iter().filter(shown).count();
    let enough = if decision.kind == DecisionKind::Trigger { 2 } else { 1 };
    count >= enough || decision.kind == DecisionKind::Number
}

/// The object whose text, announcement or price requests the decision; `None` for the rules of the game.
fn decision_source(machine: &Machine, decision: DecisionKind) -> Option<ObjectRef> {
    let top = machine.state.top_frame()?;
    let word = |at: usize| machine.state.block.get(at);
    let it = match FrameKind::from_word(word(top + KIND))? {
        FrameKind::Body => ObjectRef(word(top + body::SOURCE)),
        FrameKind::Announce => ObjectRef(word(word(top + announce::ENTRY) as usize + ENTRY_SOURCE)),
        FrameKind::Pay => ObjectRef(word(top + pay::OBJECT)),
        // The source of the optional trigger that the player decides about.
        FrameKind::Settle if decision == DecisionKind::YesNo => {
            let record =
                machine.state.block.item(at::PENDING_TRIGGERS, word(top + crate::records::frame::settle::PICKER) as usize);
            ObjectRef(word(record as usize + crate::records::PENDING_SOURCE))
        }
        FrameKind::Batch
        | FrameKind::Window
        | FrameKind::Settle
        | FrameKind::Resolve
        | FrameKind::Paragraphs
        | FrameKind::Turn
        | FrameKind::Game => return None,
    };
    Some(it)
}
