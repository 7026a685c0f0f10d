//! What is measured, and how: each thing for about as long as was asked for, beside what it is compared with.

use super::cpu_time::Clock;
use super::result_row::ResultRow;
use super::workload::{SEED, Workload, sources, tables};
use super::{compile, positions, threads};
use crate::failure::CommandError;
use fizzle_runtime::bot;
use fizzle_runtime::save_game;
use fizzle_runtime::vm::{Machine, SnapshotStack};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Takes all measurements whose name is wanted.
///
/// # Errors
/// Something shipped cannot be compiled or played, which would be a defect.
pub fn all(span: Duration, wanted: &dyn Fn(&str) -> bool, tell: &mut dyn FnMut(ResultRow)) -> Result<(), CommandError> {
    let files = sources();
    let begun = Instant::now();
    let made = fizzle_compiler::compile(files.clone()).artifact;
    let first = begun.elapsed();
    let made = made.ok_or_else(|| CommandError::Defect("the packs have errors".into()))?;
    compile::rows(&files, (&made, first), span, wanted, tell)?;
    for table in tables(&made)? {
        playing(&table, span, wanted, tell)?;
        states(&table, span, wanted, tell)?;
        if table.name == super::workload::SCRIPTED {
            scripted(&table, span, wanted, tell)?;
        }
    }
    positions::rows(&made, span, wanted, tell)
}

/// How often one thread can do something in a second of the processor, from as many rounds as the span holds.
pub fn rate(span: Duration, once: impl FnMut() -> bool) -> f64 {
    let clock = Clock::start();
    rounds(span, once) / clock.elapsed().as_secs_f64()
}

/// How often something that may use several threads can be done in a second.
pub fn rate_on_the_wall(span: Duration, once: impl FnMut() -> bool) -> f64 {
    let begun = Instant::now();
    rounds(span, once) / begun.elapsed().as_secs_f64()
}

fn rounds(span: Duration, mut once: impl FnMut() -> bool) -> f64 {
    let begun = Instant::now();
    let mut rounds = 0u32;
    while once() {
        rounds += 1;
        if begun.elapsed() >= span {
            break;
        }
    }
    f64::from(rounds)
}

/// Times of something that goes the same way each time: it is done three times, and for each part of it the least time counts, as something else
/// may have had the processor during the others.
pub fn least_of_three<T: Copy>(
    mut once: impl FnMut() -> Result<Vec<(Duration, T)>, CommandError>,
) -> Result<Vec<(Duration, T)>, CommandError> {
    let mut times = once()?;
    for _ in 1..3 {
        for (least, again) in times.iter_mut().zip(once()?) {
            least.0 = least.0.min(again.0);
        }
    }
    Ok(times)
}

/// The time that 99 of 100 stay below.
pub fn late(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() * 99 / 100).copied().unwrap_or_default()
}

/// Random games on one thread and on all.
fn playing(
    table: &Workload,
    span: Duration,
    wanted: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let names = ["decisions", "games", "one step, 99th percentile", "all threads"].map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [decisions_name, games_name, step_name, threads_name] = names;
    table.play(0, |_| {})?;
    let clock = Clock::start();
    let (mut games, mut decisions) = (0u64, 0u64);
    while clock.wall() < span {
        decisions += table.play(games, |_| {})?;
        games += 1;
    }
    let (seconds, wall) = (clock.elapsed().as_secs_f64(), clock.wall().as_secs_f64());
    tell(ResultRow::new(decisions_name, decisions as f64 / seconds, "decisions/s"));
    tell(ResultRow::new(games_name, games as f64 / seconds, "games/s"));
    let mut steps = Vec::new();
    for game in 0..games.min(20) {
        steps.extend(least_of_three(|| {
            let (mut times, mut last) = (Vec::new(), Instant::now());
            table.play(game, |_| {
                times.push((last.elapsed(), ()));
                last = Instant::now();
            })?;
            Ok(times)
        })?);
    }
    let steps = steps.into_iter().map(|(took, ())| took).collect();
    tell(ResultRow::new(step_name, late(steps).as_secs_f64() * 1e6, "us"));
    if wanted(&threads_name) {
        // Each thread plays the same games, by rules of its own, as in simulations.
        let piece = games.div_ceil(8);
        let twins: Vec<Workload> = (0..rayon::current_num_threads()).map(|_| table.twin()).collect();
        let took = Duration::from_secs_f64(wall * piece as f64 / games as f64);
        let (each, part) = threads::gain(took, |thread| {
            let own = twins.get(thread).unwrap_or(table);
            (0..piece).try_for_each(|game| own.play(game, |_| {}).map(drop))
        })?;
        tell(ResultRow::new(threads_name, each * piece as f64, "games/s").against(part, "of what a loop gains from the threads"));
    }
    Ok(())
}

/// Games of the script, which goes on where random bots dawdle.
fn scripted(
    table: &Workload,
    span: Duration,
    wanted: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let names = ["decisions of the script", "games of the script"].map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [decisions_name, games_name] = names;
    let clock = Clock::start();
    let (mut games, mut decisions) = (0u64, 0u64);
    while clock.wall() < span {
        decisions += table.play_with(|seat| Box::new(table.script(games, seat)), games, |_| {})?;
        games += 1;
    }
    let seconds = clock.elapsed().as_secs_f64();
    tell(ResultRow::new(decisions_name, decisions as f64 / seconds, "decisions/s"));
    tell(ResultRow::new(games_name, games as f64 / seconds, "games/s"));
    Ok(())
}

/// Copies and hashes of a state in the middle of a game, and the way there and back of a search.
fn states(
    table: &Workload,
    span: Duration,
    wanted: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let names = [
        "state at the start",
        "copy of a state",
        "hash of a state",
        "copy of a game",
        "restoring a game",
        "step and undo",
        "game saved and loaded",
    ];
    let names = names.map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [size_name, copy_name, hash_name, game_name, restore_name, undo_name, saved_name] = names;
    let (mut start, mut middle): (Option<usize>, Option<Machine>) = (None, None);
    let mut seen = 0;
    table.play(0, |machine| {
        seen += 1;
        start.get_or_insert(machine.state.block.words().len() * 4);
        if seen <= 40 {
            middle = Some(machine.clone());
        }
    })?;
    tell(ResultRow::new(size_name, start.unwrap_or(0) as f64 / 1024.0, "KB"));
    let Some(machine) = middle else { return Ok(()) };
    let span = span / 4;
    let words = machine.state.block.words().to_vec();
    let mut target = words.clone();
    let many = 64;
    let plain = rate(span, || {
        (0..many).for_each(|_| target.copy_from_slice(black_box(&words)));
        true
    });
    let mut pooled = machine.state.clone();
    let copied = rate(span, || {
        (0..many).for_each(|_| pooled.block.copy_from(black_box(&machine.state.block)));
        true
    });
    let nanoseconds = 1e9 / (copied * f64::from(many));
    tell(ResultRow::new(copy_name, nanoseconds, "ns").against(plain / copied, "times a copy of the same bytes"));
    let hashed = rate(span, || black_box(machine.state.hash()) != 0);
    tell(ResultRow::new(hash_name, 1e6 / hashed, "us"));
    let cloned = rate(span, || black_box(machine.clone()).state.turn() > 0);
    tell(ResultRow::new(game_name, 1e6 / cloned, "us"));
    // Back into the memory of a game that went on.
    let mut past = SnapshotStack::default();
    past.save(&machine);
    let mut work = machine.clone();
    let restored = rate(span, || (0..many).all(|_| black_box(&past).restore(&mut work)));
    tell(ResultRow::new(restore_name, 1e9 / (restored * f64::from(many)), "ns"));
    // An answer, what follows up to the next question, and back.
    let picks = bot::named("random", SEED, 0, 0).map(|mut bot| bot.choose(&machine, &machine.pending_decision()));
    let picks = picks.unwrap_or_default();
    let undone = rate(span, || {
        past.save(&work);
        let went = work.answer(&picks).is_ok();
        black_box(work.step());
        past.undo(&mut work) && went
    });
    tell(ResultRow::new(undo_name, 1e6 / undone, "us"));
    let again = rate(span, || black_box(save_game::load(Arc::clone(&machine.program), &save_game::save(&machine))).is_ok());
    tell(ResultRow::new(saved_name, 1e6 / again, "us"));
    Ok(())
}
