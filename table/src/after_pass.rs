//! What follows if a player passes, and all others do too: what resolves next, or the period that begins.
//!
//! Only public rules decide that: the game is copied, and all pass in the copy until a period begins. What a player could do instead is not read.

use crate::ask::pass;
use crate::protocol::{Ask, AskKind};
use crate::words::phrases::Speaker;
use fizzle_ir::verbs::BEGIN;
use fizzle_ir::{CompiledGame, Period};
use fizzle_runtime::view::View;
use fizzle_runtime::vm::StepResult;
use fizzle_runtime::vm::decision::DecisionKind;
use fizzle_runtime::vm::machine::{Machine, Record};

/// The most steps of the copy, and the most decisions in it.
const MAX_TICKS: usize = 2_000;
const MAX_PASSES: usize = 40;

/// Adds what follows to a decision in which the player can pass.
pub fn add_hint(ask: &mut Ask, machine: &Machine, view: &View, game: &CompiledGame, speaker: &Speaker) {
    let can_pass = ask.kind == AskKind::Act && ask.hint.is_empty() && ask.options.iter().any(|option| option.action == "pass");
    if !can_pass {
        return;
    }
    let what = next_to_resolve(view, game, speaker).or_else(|| Some(period_words(next_period(machine)?, speaker)));
    if let Some(what) = what {
        ask.hint = format!("{}{what}", speaker.say("if all pass: ", "全員がパスすると："));
    }
}

/// The object on top of the list, which resolves next.
fn next_to_resolve(view: &View, game: &CompiledGame, speaker: &Speaker) -> Option<String> {
    let is_list = |name: &str| game.library.zones.iter().any(|kind| kind.list && kind.name == name);
    let top = view.zones.iter().filter(|zone| is_list(&zone.name)).find_map(|zone| zone.objects.last())?;
    let name = if top.name.is_empty() { speaker.say("a face-down card", "裏向きのカード") } else { &top.name };
    let kind = if top.ability { speaker.say(" (ability)", "（能力）") } else { "" };
    Some(format!("{name} #{}{kind}{}", top.handle, speaker.say(" resolves", "が解決される")))
}

/// The period that begins next if all pass.
fn next_period(machine: &Machine) -> Option<Period> {
    let mut copy = machine.clone();
    copy.recording = true;
    let mut read = copy.log.len();
    let mut passes = 0;
    let picks = pass(&copy.pending_decision())?;
    copy.answer(&picks).ok()?;
    for _ in 0..MAX_TICKS {
        match copy.tick() {
            None => {}
            Some(StepResult::Over(_)) => return None,
            Some(StepResult::Decision(decision)) => {
                passes += 1;
                let picks = pass(&decision).filter(|_| decision.kind == DecisionKind::Act && passes < MAX_PASSES)?;
                copy.answer(&picks).ok()?;
            }
        }
        while let Some(record) = copy.log.get(read) {
            read += 1;
            let Record::Event { action: BEGIN, args, happened: true, .. } = record else { continue };
            let period = args.first().and_then(|number| copy.program.format.periods.get(usize::try_from(*number).ok()?));
            if let Some(period) = period.filter(|period| !period.name.starts_with('_')) {
                return Some(period.clone());
            }
        }
    }
    None
}

fn period_words(period: Period, speaker: &Speaker) -> String {
    match fizzle_runtime::view::period_name(&period.path) {
        name if name.is_empty() => speaker.say("the next turn", "次のターン").to_owned(),
        name => name,
    }
}
