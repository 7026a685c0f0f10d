//! The measurements of `fizzle bench`. Each runs for about the requested duration, next to the reference that its ratio compares with.

use super::cpu_time::Clock;
use super::result_row::ResultRow;
use super::workload::{SEED, Workload, sources, workloads};
use super::{compile, positions, threads};
use crate::failure::CommandError;
use fizzle_bots as bot;
use fizzle_runtime::save_game;
use fizzle_runtime::vm::{Machine, SnapshotStack};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Takes all measurements whose name is wanted, and reports each row.
///
/// # Errors
/// A shipped pack cannot be compiled or played, which would be an internal error.
pub fn measure_all(
    duration: Duration,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let files = sources();
    let begun = Instant::now();
    let made = fizzle_compiler::compile(files.clone()).artifact;
    let first = begun.elapsed();
    let made = made.ok_or_else(|| CommandError::Defect("the packs have errors".into()))?;
    compile::measure(&files, (&made, first), duration, wanted, report)?;
    for table in workloads(&made)? {
        measure_random_games(&table, duration, wanted, report)?;
        measure_states(&table, duration, wanted, report)?;
        if table.name == super::workload::SCRIPTED {
            measure_scripted_games(&table, duration, wanted, report)?;
        }
    }
    positions::measure(&made, duration, wanted, report)
}

/// The number of rounds per second of CPU time on one thread, measured for a duration.
pub fn rate_in_cpu_time(duration: Duration, once: impl FnMut() -> bool) -> f64 {
    let clock = Clock::start();
    count_rounds(duration, once) / clock.elapsed().as_secs_f64()
}

/// The number of rounds per second of wall time, for work that may use several threads.
pub fn rate_in_wall_time(duration: Duration, once: impl FnMut() -> bool) -> f64 {
    let begun = Instant::now();
    count_rounds(duration, once) / begun.elapsed().as_secs_f64()
}

fn count_rounds(duration: Duration, mut once: impl FnMut() -> bool) -> f64 {
    let begun = Instant::now();
    let mut rounds = 0u32;
    while once() {
        rounds += 1;
        if begun.elapsed() >= duration {
            break;
        }
    }
    f64::from(rounds)
}

/// Runs deterministic work three times, and returns the minimum time of each part. The other times may include interruptions by other
/// processes.
pub fn minimum_of_three<T: Copy>(
    mut once: impl FnMut() -> Result<Vec<(Duration, T)>, CommandError>,
) -> Result<Vec<(Duration, T)>, CommandError> {
    let mut times = once()?;
    for _ in 1..3 {
        for (minimum, repeated) in times.iter_mut().zip(once()?) {
            minimum.0 = minimum.0.min(repeated.0);
        }
    }
    Ok(times)
}

/// The 99th percentile of times.
pub fn percentile_99(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() * 99 / 100).copied().unwrap_or_default()
}

/// Measures random games on one thread and on all threads.
fn measure_random_games(
    table: &Workload,
    duration: Duration,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let names = ["decisions", "games", "one step, 99th percentile", "all threads"].map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [decisions_name, games_name, step_name, threads_name] = names;
    table.play(0, |_| {})?;
    let clock = Clock::start();
    let (mut games, mut decisions) = (0u64, 0u64);
    while clock.wall() < duration {
        decisions += table.play(games, |_| {})?;
        games += 1;
    }
    let (seconds, wall) = (clock.elapsed().as_secs_f64(), clock.wall().as_secs_f64());
    report(ResultRow::new(decisions_name, decisions as f64 / seconds, "decisions/s"));
    report(ResultRow::new(games_name, games as f64 / seconds, "games/s"));
    let mut steps = Vec::new();
    for game in 0..games.min(20) {
        steps.extend(minimum_of_three(|| {
            let (mut times, mut last) = (Vec::new(), Instant::now());
            table.play(game, |_| {
                times.push((last.elapsed(), ()));
                last = Instant::now();
            })?;
            Ok(times)
        })?);
    }
    let steps = steps.into_iter().map(|(took, ())| took).collect();
    report(ResultRow::new(step_name, percentile_99(steps).as_secs_f64() * 1e6, "us"));
    if wanted(&threads_name) {
        // Each thread plays the same games with a separate copy of the program, as in simulations.
        let piece = games.div_ceil(8);
        let copies: Vec<Workload> = (0..rayon::current_num_threads()).map(|_| table.clone_for_thread()).collect();
        let took = Duration::from_secs_f64(wall * piece as f64 / games as f64);
        let (each, part) = threads::measure_gain(took, |thread| {
            let own = copies.get(thread).unwrap_or(table);
            (0..piece).try_for_each(|game| own.play(game, |_| {}).map(drop))
        })?;
        report(
            ResultRow::new(threads_name, each * piece as f64, "games/s")
                .with_ratio(part, "of what a loop gains from the threads"),
        );
    }
    Ok(())
}

/// Measures games of scripted players, which reach combat and end, unlike many games of random bots.
fn measure_scripted_games(
    table: &Workload,
    duration: Duration,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    let names = ["decisions of the script", "games of the script"].map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [decisions_name, games_name] = names;
    let clock = Clock::start();
    let (mut games, mut decisions) = (0u64, 0u64);
    while clock.wall() < duration {
        decisions += table.play_with(|seat| Box::new(table.scripted_player(games, seat)), games, |_| {})?;
        games += 1;
    }
    let seconds = clock.elapsed().as_secs_f64();
    report(ResultRow::new(decisions_name, decisions as f64 / seconds, "decisions/s"));
    report(ResultRow::new(games_name, games as f64 / seconds, "games/s"));
    Ok(())
}

/// Measures copies, hashes and saves of a state in the middle of a game, and the snapshots of a search.
fn measure_states(
    table: &Workload,
    duration: Duration,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(ResultRow),
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
    let mut decisions = 0;
    table.play(0, |machine| {
        decisions += 1;
        start.get_or_insert(machine.state.block.words().len() * 4);
        if decisions <= 40 {
            middle = Some(machine.clone());
        }
    })?;
    report(ResultRow::new(size_name, start.unwrap_or(0) as f64 / 1024.0, "KB"));
    let Some(machine) = middle else { return Ok(()) };
    let duration = duration / 4;
    let words = machine.state.block.words().to_vec();
    let mut target = words.clone();
    let repeats = 64;
    let copied_bytes = rate_in_cpu_time(duration, || {
        (0..repeats).for_each(|_| target.copy_from_slice(black_box(&words)));
        true
    });
    let mut pooled = machine.state.clone();
    let copied = rate_in_cpu_time(duration, || {
        (0..repeats).for_each(|_| pooled.block.copy_from(black_box(&machine.state.block)));
        true
    });
    let nanoseconds = 1e9 / (copied * f64::from(repeats));
    report(ResultRow::new(copy_name, nanoseconds, "ns").with_ratio(copied_bytes / copied, "times a copy of the same bytes"));
    let hashed = rate_in_cpu_time(duration, || black_box(machine.state.hash()) != 0);
    report(ResultRow::new(hash_name, 1e6 / hashed, "us"));
    let cloned = rate_in_cpu_time(duration, || black_box(machine.clone()).state.turn() > 0);
    report(ResultRow::new(game_name, 1e6 / cloned, "us"));
    // Restores into the memory of a game that has advanced.
    let mut snapshots = SnapshotStack::default();
    snapshots.save(&machine);
    let mut work = machine.clone();
    let restored = rate_in_cpu_time(duration, || (0..repeats).all(|_| black_box(&snapshots).restore(&mut work)));
    report(ResultRow::new(restore_name, 1e9 / (restored * f64::from(repeats)), "ns"));
    // An answer, the step to the next decision, and undo.
    let picks = bot::named("random", SEED, 0, 0).map(|mut bot| bot.choose(&machine, &machine.pending_decision()));
    let picks = picks.unwrap_or_default();
    let undone = rate_in_cpu_time(duration, || {
        snapshots.save(&work);
        let is_answered = work.answer(&picks).is_ok();
        black_box(work.step());
        snapshots.undo(&mut work) && is_answered
    });
    report(ResultRow::new(undo_name, 1e6 / undone, "us"));
    let reloaded = rate_in_cpu_time(duration, || {
        black_box(save_game::load(Arc::clone(&machine.program), &save_game::save(&machine))).is_ok()
    });
    report(ResultRow::new(saved_name, 1e6 / reloaded, "us"));
    Ok(())
}
