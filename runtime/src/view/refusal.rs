//! "Why not?", from the asker's view: what a player could think of playing, and what stands against it in words that hide what is hidden.

use super::{Handles, object_name, sees};
use crate::ir::AbilityId;
use crate::ir::op::Source;
use crate::program::{ABILITY_PLAY, Program};
use crate::state::Ref;
use crate::vm::Machine;
use crate::vm::decision::{Choice, Decision, Refusal, Side};
use crate::vm::hooks::Reason;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A play that is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The play.
    pub play: String,
    /// The object it would be about; none for a play without one.
    pub handle: Option<u32>,
    /// The name of that object.
    pub name: String,
    /// What stands against it.
    pub why: String,
}

/// The plays that a player's decision does not offer, with what forbids each: those of the objects that the player identifies.
pub fn refusals(machine: &mut Machine, handles: &Handles, decision: &Decision) -> Vec<Refused> {
    let program = Arc::clone(&machine.program);
    let player = decision.player;
    let mut all = Vec::new();
    for (code, object) in candidates(machine, &program, player) {
        let is_it = |choice: &Choice| matches!(choice, Choice::Play { play, object: it, .. } if *play == code && *it == object);
        if decision.options.iter().any(is_it) {
            continue;
        }
        let why = match machine.why_not(code, object, player) {
            Some(reason) => explain(machine, &program, player, reason),
            None => "it is not among the plays of this window".into(),
        };
        all.push(Refused {
            play: program.play(code).map_or_else(String::new, |play| play.name.clone()),
            handle: handles.known(object),
            name: if object.is_none() { String::new() } else { object_name(&program, &machine.state, object) },
            why,
        });
    }
    all
}

/// What a player could think of: plays with the objects of the own zones that are for them, abilities of identified own objects.
fn candidates(machine: &mut Machine, program: &Program, player: usize) -> Vec<(u32, Ref)> {
    let mut all = Vec::new();
    for (code, play) in program.format.plays.iter().enumerate() {
        if play.nowhere {
            all.push((code as u32, Ref::NONE));
        }
        for zone in &play.from {
            let Some(instance) = program.instance(zone.index(), player) else { continue };
            for item in machine.state.zone_items(program, instance).to_vec() {
                let object = Ref(item);
                let fits = sees(machine, player, object.slot())
                    && play.applies.is_none_or(|applies| machine.test(applies, &[object.value(), player as i64]));
                if fits {
                    all.push((code as u32, object));
                }
            }
        }
    }
    for instance in 0..program.layout.instances {
        for item in machine.state.zone_items(program, instance).to_vec() {
            let object = Ref(item);
            if !sees(machine, player, object.slot()) || machine.controller(object) != player as i64 {
                continue;
            }
            let (world, _) = machine.world();
            let abilities = program.activated.iter().filter(|(unit, _)| world.has_unit(object, *unit));
            all.extend(abilities.map(|(_, ability)| (ABILITY_PLAY + ability.0, object)));
            all.extend(machine.covered_abilities(object).into_iter().map(|code| (code, object)));
        }
    }
    all
}

/// A refused answer in words: for a declaration with what stands against it, and what is legal.
pub fn refused(machine: &Machine, player: usize, decision: &Decision, refusal: &Refusal) -> String {
    let (Refusal::Together { why, instead }, Some(board)) = (refusal, &decision.board) else { return refusal.to_string() };
    let by = match board.label(*why) {
        None => String::new(),
        Some(label) => {
            let source = Ref(label.source);
            let reason = match label.ability.checked_sub(1) {
                Some(ability) => Reason::Ability(AbilityId(ability), source),
                None => Reason::Effect(source),
            };
            format!(" ({})", explain(machine, &machine.program, player, reason).replacen("forbidden by", "by", 1))
        }
    };
    let name = |it: Ref| object_name(&machine.program, &machine.state, it);
    let pair = |choice: &Choice| match choice {
        Choice::Pair(it, Side::Object(with)) => format!("{} with {}", name(*it), name(*with)),
        Choice::Pair(it, Side::Player(seat)) => format!("{} with player {seat}", name(*it)),
        _ => String::new(),
    };
    let legal = match instead {
        None => String::new(),
        Some(picks) if picks.is_empty() => "; legal is nothing".to_owned(),
        Some(picks) => {
            let pairs: Vec<String> = picks.iter().filter_map(|pick| decision.options.get(*pick as usize)).map(pair).collect();
            format!("; legal is: {}", pairs.join(", "))
        }
    };
    format!("{refusal}{by}{legal}")
}

fn explain(machine: &Machine, program: &Program, player: usize, reason: Reason) -> String {
    let place = |source: Source| {
        let file = program.library.files.get(source.file as usize).map_or("", String::as_str);
        if source.line == 0 { String::new() } else { format!(" ({file}:{})", source.line) }
    };
    let of = |source: Ref| {
        let hidden = machine.state.exists(source) && !sees(machine, player, source.slot());
        if hidden { None } else { Some(object_name(program, &machine.state, source)) }
    };
    let play_place = |code: u32| program.play(code).map_or_else(String::new, |play| place(play.source));
    match reason {
        Reason::Ability(id, source) => {
            let ability = program.library.abilities.get(id.index());
            let place = ability.map_or_else(String::new, |ability| place(ability.source));
            let name = ability.map_or("", |ability| ability.name.as_str());
            if source.is_none() {
                return format!("forbidden by {name}{place}");
            }
            of(source).map_or_else(|| "forbidden by something hidden".into(), |of| format!("forbidden by {name} of {of}{place}"))
        }
        Reason::Effect(source) => {
            of(source).map_or_else(|| "forbidden by an effect".into(), |of| format!("forbidden by an effect of {of}"))
        }
        Reason::Permission(code) => format!("its condition does not hold now{}", play_place(code)),
        Reason::Cost(code) => format!("its price or cost cannot be paid{}", play_place(code)),
        Reason::Limit(code) => format!("it was used as often as it may be{}", play_place(code)),
        Reason::NoChoice(code) => format!("there is nothing legal to choose{}", play_place(code)),
        Reason::NotAsked => "it is not yours to decide now".into(),
    }
}
