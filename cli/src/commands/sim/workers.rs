//! Worker threads of a simulation: play the games of a shard, and save finished games periodically. An interrupted run keeps its finished
//! games.

use super::card_stats::Counts;
use super::game::{SimContext, play_one, write_trace};
use super::matches;
use super::result_file;
use crate::failure::{CommandError, ExitStatus};
use crossbeam_channel::{RecvTimeoutError, Sender};
use fizzle_results::Ranges;
use fizzle_results::SimResult;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// The time between two reports of a worker. It is long enough that workers do not wait for each other.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two writes of the result file.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);

/// Whether the program received Ctrl-C or SIGTERM.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The games that a worker has finished since its last report.
#[derive(Debug, Default)]
struct WorkerReport {
    result: SimResult,
    cards: Counts,
    done: Vec<u64>,
}

/// The games that this process plays.
#[derive(Debug)]
pub struct ShardPlan {
    /// The shard, from 1.
    pub shard: u64,
    /// The number of shards.
    pub of: u64,
    /// The number of games of the shard.
    pub wanted: u64,
    /// The number of games at the same time.
    pub jobs: usize,
}

/// Installs the handlers of Ctrl-C and SIGTERM. The first signal stops the run after the games in progress, the second one ends the program.
pub fn install_interrupt_handler() -> Result<(), CommandError> {
    let handler_error =
        |error: &dyn std::fmt::Display| CommandError::usage(format!("cannot install the Ctrl-C handler: {error}"));
    let interrupted = Arc::clone(&INTERRUPTED);
    let installed = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(ExitStatus::Interrupted as i32);
        }
    });
    installed.map_err(|error| handler_error(&error))?;
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGTERM, flag};
        // The order matters: on the first signal the flag is not set yet, so the conditional shutdown does nothing.
        flag::register_conditional_shutdown(SIGTERM, ExitStatus::Interrupted as i32, Arc::clone(&INTERRUPTED))
            .and_then(|_| flag::register(SIGTERM, Arc::clone(&INTERRUPTED)))
            .map_err(|error| handler_error(&error))?;
    }
    Ok(())
}

/// The progress bar, with speed and remaining time.
pub fn progress_bar(wanted: u64, done: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(wanted).with_position(done);
    if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left")) {
        bar.set_style(style);
    }
    // Games of an earlier run must not count for the speed.
    bar.reset_eta();
    bar
}

/// Plays the games that are not in `done`, and adds them to `tally` and `done`. Saves both to the file periodically. Returns `false` if the
/// run was interrupted.
pub fn play(
    context: &SimContext<'_>,
    plan: &ShardPlan,
    tally: &mut SimResult,
    done: &mut Ranges,
    file: Option<&str>,
    bar: &ProgressBar,
) -> Result<bool, CommandError> {
    if let Some(path) = file {
        // A file that cannot be written is reported before any game is played.
        save(path, tally, done, plan)?;
    }
    let done_before = done.clone();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let (send, reports) = crossbeam_channel::unbounded();
    let mut failed: Option<(u64, CommandError)> = None;
    std::thread::scope(|scope| -> Result<(), CommandError> {
        for _ in 0..plan.jobs.min(usize::try_from(plan.wanted).unwrap_or(usize::MAX).max(1)) {
            let (send, before, next, stop) = (send.clone(), &done_before, &next, &stop);
            let worker = move || {
                let _guard = StopOnPanic(stop);
                run_worker(context, plan, before, next, stop, &send);
            };
            if INTERRUPTED.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
                break;
            }
            let started = std::thread::Builder::new().stack_size(crate::STACK / 8).spawn_scoped(scope, worker);
            if let Err(error) = started {
                stop.store(true, Ordering::Relaxed);
                return Err(CommandError::usage(format!("cannot start {} jobs: {error}", plan.jobs)));
            }
        }
        drop(send);
        let mut saved = Instant::now();
        // The first save is early.
        let mut wait = SAVE_INTERVAL / 8;
        loop {
            match reports.recv_timeout(REPORT_INTERVAL) {
                Ok(Ok(report)) => {
                    add_report(context, tally, done, &report);
                    bar.set_position(done.count());
                }
                // Numbers are assigned in order and started games are finished, so the failure with the lowest number is deterministic.
                Ok(Err((number, failure))) => {
                    if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                        failed = Some((number, failure));
                    }
                }
                Err(RecvTimeoutError::Timeout) => bar.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if INTERRUPTED.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            if let Some(path) = file
                && saved.elapsed() >= wait
            {
                if let Err(failure) = save(path, tally, done, plan) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
                (saved, wait) = (Instant::now(), SAVE_INTERVAL);
            }
        }
    })?;
    bar.finish_and_clear();
    let is_complete = done.count() == plan.wanted;
    update_result(tally, done, plan);
    if let Some((_, failure)) = failed {
        if let Some(path) = file {
            save(path, tally, done, plan)?;
        }
        return Err(failure);
    }
    Ok(is_complete)
}

/// Stops the other workers if one panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

type WorkerMessage = Result<WorkerReport, (u64, CommandError)>;

fn run_worker(
    context: &SimContext<'_>,
    plan: &ShardPlan,
    before: &Ranges,
    next: &AtomicU64,
    stop: &AtomicBool,
    send: &Sender<WorkerMessage>,
) {
    // Each worker has a copy of the program: threads that share its reference counts slow each other down.
    let table = context.table.clone_for_thread();
    let context = &SimContext { args: context.args, table: &table, bots: context.bots, zones: context.zones.clone() };
    let mut report = WorkerReport::default();
    let mut last_report = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.wanted {
            break;
        }
        if before.contains(number) {
            continue;
        }
        if let Err(failure) = play_unit(context, number * plan.of + plan.shard - 1, &mut report) {
            stop.store(true, Ordering::Relaxed);
            let _ = send.send(Err((number, failure)));
            break;
        }
        report.done.push(number);
        if last_report.elapsed() >= REPORT_INTERVAL {
            let _ = send.send(Ok(std::mem::take(&mut report)));
            last_report = Instant::now();
        }
    }
    // Sending fails only if the whole run failed.
    let _ = send.send(Ok(report));
}

/// Plays one game or match.
fn play_unit(context: &SimContext<'_>, number: u64, report: &mut WorkerReport) -> Result<(), CommandError> {
    match context.args.best_of {
        None => {
            let played = play_one(context, number)?;
            write_trace(context, &played, &format!("game-{number}"))?;
            report.result.add(&played.to_result(context.table.seats.len()));
            add_counts(&mut report.cards, &played.cards);
        }
        Some(best_of) => {
            let (tally, cards) = matches::play(context, best_of, number)?;
            report.result.add(&tally);
            cards.iter().for_each(|counts| add_counts(&mut report.cards, counts));
        }
    }
    Ok(())
}

fn add_counts(sums: &mut Counts, more: &Counts) {
    for (card, count) in more {
        sums.entry(*card).or_default().add(count);
    }
}

fn add_report(context: &SimContext<'_>, tally: &mut SimResult, done: &mut Ranges, report: &WorkerReport) {
    tally.add(&report.result);
    let definitions = &context.table.program.library.definitions;
    for ((deck, number), count) in &report.cards {
        let name = definitions.get(*number as usize).map_or("", |definition| definition.name.as_str());
        tally.card(*deck, name).add(count);
    }
    for number in &report.done {
        done.insert(*number);
    }
}

/// Updates the finished ranges and the rates of the result.
fn update_result(tally: &mut SimResult, done: &Ranges, plan: &ShardPlan) {
    tally.finished = (done.count() != plan.wanted).then(|| done.parts().to_vec());
    tally.complete();
}

fn save(path: &str, tally: &mut SimResult, done: &Ranges, plan: &ShardPlan) -> Result<(), CommandError> {
    update_result(tally, done, plan);
    result_file::write(path, tally)
}
