//! The games of a shard on all cores. Which are done and what they came to is kept as it goes; an interruption loses nothing that is finished.

use super::card_stats::Counts;
use super::game::{SimContext, keep, play_one};
use super::matches;
use super::ranges::Ranges;
use super::result::SimResult;
use crate::failure::{CommandError, ExitStatus};
use crate::files;
use crossbeam_channel::{RecvTimeoutError, Sender};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// How often a worker reports: seldom enough that workers do not wait for each other.
const REPORT: Duration = Duration::from_millis(100);

/// How often what is done is written.
const SAVE: Duration = Duration::from_secs(2);

/// Whether Ctrl-C was pressed, or the program was asked to end.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What a worker has done since its last report.
#[derive(Debug, Default)]
struct WorkerReport {
    tally: SimResult,
    cards: Counts,
    done: Vec<u64>,
}

/// The part of the games that is played here.
#[derive(Debug)]
pub struct ShardPlan {
    /// The shard, from 1.
    pub shard: u64,
    /// How many shards there are.
    pub of: u64,
    /// How many games it has.
    pub wanted: u64,
    /// How many are played at a time.
    pub jobs: usize,
}

/// From now on, Ctrl-C and being asked to end (SIGTERM) end the games in an orderly way; the second time, they end the program.
pub fn install_interrupt_handler() -> Result<(), CommandError> {
    let unheeded = |error: &dyn std::fmt::Display| CommandError::usage(format!("interruptions cannot be heeded: {error}"));
    let interrupted = Arc::clone(&INTERRUPTED);
    let heard = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(ExitStatus::Interrupted as i32);
        }
    });
    heard.map_err(|error| unheeded(&error))?;
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGTERM, flag};
        // In this order: the first time there is nothing yet that ends the program.
        flag::register_conditional_shutdown(SIGTERM, ExitStatus::Interrupted as i32, Arc::clone(&INTERRUPTED))
            .and_then(|_| flag::register(SIGTERM, Arc::clone(&INTERRUPTED)))
            .map_err(|error| unheeded(&error))?;
    }
    Ok(())
}

/// The bar that shows how far the games are, how fast, and how long they will take.
pub fn bar(wanted: u64, done: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(wanted).with_position(done);
    if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left")) {
        bar.set_style(style);
    }
    // What was done before is no sign of how fast it goes.
    bar.reset_eta();
    bar
}

/// Plays what is not done. `tally` holds what is, and gets the rest; it is kept in the file now and then. False when interrupted.
pub fn play(
    setting: &SimContext<'_>,
    share: &ShardPlan,
    tally: &mut SimResult,
    done: &mut Ranges,
    file: Option<&str>,
    bar: &ProgressBar,
) -> Result<bool, CommandError> {
    if let Some(path) = file {
        // That it cannot be written is told before anything is played.
        store(path, tally, done, share)?;
    }
    let before = done.clone();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let (send, reports) = crossbeam_channel::unbounded();
    let mut failed: Option<(u64, CommandError)> = None;
    std::thread::scope(|scope| -> Result<(), CommandError> {
        for _ in 0..share.jobs.min(usize::try_from(share.wanted).unwrap_or(usize::MAX).max(1)) {
            let (send, before, next, stop) = (send.clone(), &before, &next, &stop);
            let worker = move || {
                let _guard = StopOnPanic(stop);
                work(setting, share, before, next, stop, &send);
            };
            if INTERRUPTED.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
                break;
            }
            let started = std::thread::Builder::new().stack_size(crate::STACK / 8).spawn_scoped(scope, worker);
            if let Err(error) = started {
                stop.store(true, Ordering::Relaxed);
                return Err(CommandError::usage(format!("{} jobs cannot be started: {error}", share.jobs)));
            }
        }
        drop(send);
        let mut saved = Instant::now();
        // The first results are kept early.
        let mut wait = SAVE / 8;
        loop {
            match reports.recv_timeout(REPORT) {
                Ok(Ok(report)) => {
                    take(setting, tally, done, &report);
                    bar.set_position(done.count());
                }
                // Numbers are given out in order, and what is begun is ended: so the first failure is always the same one.
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
                if let Err(failure) = store(path, tally, done, share) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(failure);
                }
                (saved, wait) = (Instant::now(), SAVE);
            }
        }
    })?;
    bar.finish_and_clear();
    let whole = done.count() == share.wanted;
    settle(tally, done, share);
    if let Some((_, failure)) = failed {
        if let Some(path) = file {
            store(path, tally, done, share)?;
        }
        return Err(failure);
    }
    Ok(whole)
}

/// Ends the other workers when one panics.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

type WorkerMessage = Result<WorkerReport, (u64, CommandError)>;

fn work(
    setting: &SimContext<'_>,
    share: &ShardPlan,
    before: &Ranges,
    next: &AtomicU64,
    stop: &AtomicBool,
    send: &Sender<WorkerMessage>,
) {
    // With rules of its own: threads that count references to the same ones wait for each other.
    let table = setting.table.clone_for_thread();
    let setting = &SimContext { args: setting.args, table: &table, bots: setting.bots, sights: setting.sights.clone() };
    let mut report = WorkerReport::default();
    let mut told = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= share.wanted {
            break;
        }
        if before.contains(number) {
            continue;
        }
        if let Err(failure) = one(setting, number * share.of + share.shard - 1, &mut report) {
            stop.store(true, Ordering::Relaxed);
            let _ = send.send(Err((number, failure)));
            break;
        }
        report.done.push(number);
        if told.elapsed() >= REPORT {
            let _ = send.send(Ok(std::mem::take(&mut report)));
            told = Instant::now();
        }
    }
    // The receiver is gone only when the whole run failed.
    let _ = send.send(Ok(report));
}

/// Plays one game or match.
fn one(setting: &SimContext<'_>, number: u64, report: &mut WorkerReport) -> Result<(), CommandError> {
    match setting.args.best_of {
        None => {
            let played = play_one(setting, number)?;
            keep(setting, &played, &format!("game-{number}"))?;
            report.tally.add(&played.tally(setting.table.seats.len()));
            add(&mut report.cards, &played.cards);
        }
        Some(best_of) => {
            let (tally, cards) = matches::play(setting, best_of, number)?;
            report.tally.add(&tally);
            cards.iter().for_each(|counts| add(&mut report.cards, counts));
        }
    }
    Ok(())
}

fn add(sums: &mut Counts, more: &Counts) {
    for (card, count) in more {
        sums.entry(*card).or_default().add(count);
    }
}

fn take(setting: &SimContext<'_>, tally: &mut SimResult, done: &mut Ranges, report: &WorkerReport) {
    tally.add(&report.tally);
    let definitions = &setting.table.program.library.definitions;
    tally.add_cards(&report.cards, |number| definitions.get(number as usize).map_or("", |definition| definition.name.as_str()));
    for number in &report.done {
        done.insert(*number);
    }
}

/// Says in the tally what is done, and computes what follows.
fn settle(tally: &mut SimResult, done: &Ranges, share: &ShardPlan) {
    tally.finished = (done.count() != share.wanted).then(|| done.parts().to_vec());
    tally.complete();
}

fn store(path: &str, tally: &mut SimResult, done: &Ranges, share: &ShardPlan) -> Result<(), CommandError> {
    settle(tally, done, share);
    files::write(Path::new(path), tally.file()?.as_bytes())
}
