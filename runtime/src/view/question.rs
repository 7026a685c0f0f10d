//! The pending decision in its player's words.

use super::{DecisionView, Handles, OptionView, object_name, sees};
use crate::ir::Visibility;
use crate::program::Program;
use crate::state::Ref;
use crate::vm::Machine;
use crate::vm::decision::{Choice, Decision};

/// The decision for its player.
pub(super) fn question(machine: &Machine, viewer: usize, handles: &mut Handles, decision: &Decision) -> DecisionView {
    let program = &machine.program;
    let site = decision.site.and_then(|site| program.library.sites.get(site as usize));
    let mut options: Vec<(u32, OptionView)> = decision
        .options
        .iter()
        .enumerate()
        .map(|(number, choice)| (number as u32, option(machine, viewer, handles, *choice)))
        .collect();
    // The order of a zone that is looked through would show: such options come by name.
    if decision.options.iter().any(|choice| matches!(choice, Choice::Object(it) if is_looked_through(machine, viewer, *it))) {
        options.sort_by(|a, b| (&a.1.label, a.0).cmp(&(&b.1.label, b.0)));
    }
    let (numbers, options) = options.into_iter().unzip();
    DecisionView {
        kind: decision.kind.name().to_owned(),
        text: site.map_or_else(String::new, |site| site.text.clone()),
        options,
        min: decision.min,
        max: decision.max,
        repeats: decision.repeats,
        numbers,
    }
}

/// Whether choosing an object means looking through its zone: an ordered one that hides it. What lies hidden without an order is
/// chosen blindly.
pub(super) fn is_looked_through(machine: &Machine, viewer: usize, it: Ref) -> bool {
    let zone = machine.state.zone(it.slot()).and_then(|zone| machine.program.zone_of(zone));
    zone.is_some_and(|zone| zone.ordered && zone.visibility == Visibility::Hidden) && !sees(machine, viewer, it.slot())
}

fn option(machine: &Machine, viewer: usize, handles: &mut Handles, choice: Choice) -> OptionView {
    let program = &machine.program;
    let plain = |action: &str| OptionView { action: action.to_owned(), handle: None, label: action.to_owned() };
    match choice {
        Choice::Pass => plain("pass"),
        Choice::Yes => plain("yes"),
        Choice::No => plain("no"),
        Choice::PayNow => plain("pay"),
        Choice::Abandon => plain("take back"),
        Choice::Mode(mode) => OptionView { action: "mode".into(), handle: None, label: format!("mode {}", mode + 1) },
        Choice::Player(seat) => OptionView { action: String::new(), handle: None, label: format!("player {seat}") },
        Choice::Object(it) => about(machine, viewer, handles, "", it),
        Choice::Play { play, object, .. } => {
            let name = program.play(play).map_or("", |play| play.name.as_str());
            about(machine, viewer, handles, name, object)
        }
        Choice::Trigger { ability, source } | Choice::Replacement { ability, source } => {
            let name = ability_name(program, ability);
            about(machine, viewer, handles, &name, source)
        }
    }
}

fn ability_name(program: &Program, ability: u32) -> String {
    program.library.abilities.get(ability as usize).map_or_else(String::new, |ability| ability.name.clone())
}

fn about(machine: &Machine, viewer: usize, handles: &mut Handles, action: &str, it: Ref) -> OptionView {
    let joined = |label: &str| if action.is_empty() { label.to_owned() } else { format!("{action} {label}") };
    if it.is_none() {
        return OptionView { action: action.to_owned(), handle: None, label: action.to_owned() };
    }
    let slot = it.slot();
    let gone = !machine.state.exists(it);
    if gone || sees(machine, viewer, slot) || is_looked_through(machine, viewer, it) {
        let name = object_name(&machine.program, &machine.state, it);
        let handle = if gone { handles.known(it) } else { Some(handles.of(it)) };
        return OptionView { action: action.to_owned(), handle, label: joined(&name) };
    }
    let zone = machine.state.zone(slot);
    let place = zone.and_then(|zone| machine.program.zone_of(zone)).map_or("", |zone| zone.name.as_str());
    OptionView { action: action.to_owned(), handle: None, label: joined(&format!("a hidden object in {place}")) }
}
