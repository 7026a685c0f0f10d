//! What the person at the terminal sees.

use crate::out;
use fizzle_runtime::program::{ABILITY_PLAY, Program};
use fizzle_runtime::state::Ref;
use fizzle_runtime::view::{DecisionView, ObjectView, View, object_name, sees};
use fizzle_runtime::vm::Machine;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind};
use fizzle_runtime::vm::hooks::Reason;

/// The position.
pub fn show(view: &View) {
    out::line(format!("\n\u{1b}[1mturn {}\u{1b}[0m, {}, active: player {}", view.turn, view.span, view.active));
    for (seat, variables) in view.players.iter().enumerate() {
        let you = if seat == view.viewer { " (you)" } else { "" };
        let shown: Vec<String> =
            variables.iter().filter(|(_, value)| *value != 0).map(|(name, value)| format!("{name} {value}")).collect();
        out::line(format!("player {seat}{you}: {}", shown.join(", ")));
    }
    for zone in &view.zones {
        if zone.objects.is_empty() && zone.hidden == 0 {
            continue;
        }
        let owner = zone.owner.map_or_else(String::new, |owner| format!(" of player {owner}"));
        let hidden = if zone.hidden > 0 { format!(" {} hidden", zone.hidden) } else { String::new() };
        out::line(format!("{}{owner}:{hidden}", zone.name));
        for object in &zone.objects {
            out::line(format!("  {}", describe(object, view, zone.owner)));
        }
    }
}

fn describe(object: &ObjectView, view: &View, zone_owner: Option<usize>) -> String {
    let mut parts = vec![format!("#{} {}", object.handle, object.name)];
    if object.ability {
        parts.push("(ability)".into());
    }
    if zone_owner.is_none() && object.controller >= 0 {
        parts.push(if object.controller == view.viewer as i64 {
            "yours".into()
        } else {
            format!("of player {}", object.controller)
        });
    }
    parts.extend(object.properties.iter().filter(|(_, value)| *value != 0).map(|(name, value)| format!("{name} {value}")));
    parts.extend(
        object.statuses.iter().map(|(name, value)| if *value == 1 { format!("[{name}]") } else { format!("[{name} {value}]") }),
    );
    if !object.pile.is_empty() {
        parts.push(format!("over {}", object.pile.iter().map(|under| under.name.as_str()).collect::<Vec<_>>().join(", ")));
    }
    parts.join(" ")
}

/// The decision.
pub fn question(view: &View, question: &DecisionView) {
    let text = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { String::new() } else { format!(": {text}") };
    let amount = match (question.min, question.max) {
        _ if question.kind == DecisionKind::Number.name() => format!(", from {} to {}", question.min, question.max),
        (1, 1) => String::new(),
        (min, max) if min == max => format!(", {min} of them"),
        (min, max) => format!(", {min} to {max} of them"),
    };
    out::line(format!("\nplayer {}: {}{amount}{text}", view.viewer, question.kind));
    for (number, option) in question.options.iter().enumerate() {
        let handle = option.handle.map_or_else(String::new, |handle| format!(" #{handle}"));
        out::line(format!("  {:>3}  {}{handle}", number + 1, option.label));
    }
}

/// The words at the prompt.
pub fn help() {
    out::line("numbers of options, separated by blanks; an empty line passes");
    out::line("?      why the other plays cannot be chosen now");
    out::line("undo   takes your last answer back");
    out::line("show   the position again");
    out::line("quit   leaves the game");
}

/// The plays that are not offered, with what forbids them.
pub fn why_not(machine: &mut Machine, decision: &Decision) {
    if decision.kind != DecisionKind::Act {
        out::line("the options are all that can be chosen here");
        return;
    }
    let program = std::sync::Arc::clone(&machine.program);
    let player = decision.player;
    let mut told = 0;
    for (code, object) in candidates(machine, &program, player) {
        let is_it = |choice: &Choice| matches!(choice, Choice::Play { play, object: it, .. } if *play == code && *it == object);
        if decision.options.iter().any(is_it) {
            continue;
        }
        let name = program.play(code).map_or("", |play| play.name.as_str());
        let about = if object.is_none() { String::new() } else { format!(" {}", object_name(&program, &machine.state, object)) };
        let why = match machine.why_not(code, object, player) {
            Some(reason) => explain(machine, &program, reason),
            None => "it is not among the plays of this window".into(),
        };
        out::line(format!("  {name}{about}: {why}"));
        told += 1;
    }
    if told == 0 {
        out::line("everything that you have can be played now");
    }
}

/// What a player could think of: plays with the objects of their zones that are for them, abilities of visible own objects.
fn candidates(machine: &mut Machine, program: &Program, player: usize) -> Vec<(u32, Ref)> {
    let mut all = Vec::new();
    let mut objects: Vec<Ref> = Vec::new();
    for instance in 0..program.layout.instances {
        objects.extend(machine.state.zone_items(program, instance).iter().map(|item| Ref(*item)));
    }
    objects.retain(|object| sees(machine, player, object.slot()));
    for (code, play) in program.format.plays.iter().enumerate() {
        if play.nowhere {
            all.push((code as u32, Ref::NONE));
        }
        for zone in &play.from {
            let Some(instance) = program.instance(zone.index(), player) else { continue };
            for item in machine.state.zone_items(program, instance).to_vec() {
                let object = Ref(item);
                let fits = play.applies.is_none_or(|applies| machine.test(applies, &[object.value(), player as i64]));
                if fits && sees(machine, player, object.slot()) {
                    all.push((code as u32, object));
                }
            }
        }
    }
    for object in objects {
        if machine.controller(object) != player as i64 {
            continue;
        }
        let (world, _) = machine.world();
        all.extend(
            program
                .activated
                .iter()
                .filter(|(unit, _)| world.has_unit(object, *unit))
                .map(|(_, ability)| (ABILITY_PLAY + ability.0, object)),
        );
    }
    all
}

fn explain(machine: &Machine, program: &Program, reason: Reason) -> String {
    let place = |source: fizzle_runtime::ir::op::Source| {
        let file = program.library.files.get(source.file as usize).map_or("", String::as_str);
        if source.line == 0 { String::new() } else { format!(" ({file}:{})", source.line) }
    };
    let play_place = |code: u32| program.play(code).map_or_else(String::new, |play| place(play.source));
    match reason {
        Reason::Ability(id, source) => {
            let ability = program.library.abilities.get(id.index());
            let name = ability.map_or("", |ability| ability.name.as_str());
            let of =
                if source.is_none() { String::new() } else { format!(" of {}", object_name(program, &machine.state, source)) };
            format!("forbidden by {name}{of}{}", ability.map_or_else(String::new, |ability| place(ability.source)))
        }
        Reason::Effect(source) => format!("forbidden by an effect of {}", object_name(program, &machine.state, source)),
        Reason::Permission(code) => format!("its condition does not hold now{}", play_place(code)),
        Reason::Cost(code) => format!("its price or cost cannot be paid{}", play_place(code)),
        Reason::Limit(code) => format!("it was used as often as it may be{}", play_place(code)),
        Reason::NoChoice(code) => format!("there is nothing legal to choose{}", play_place(code)),
        Reason::NotAsked => "it is not yours to decide now".into(),
    }
}
