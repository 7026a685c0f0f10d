//! What is measured, and how: each thing for about as long as was asked for, beside what it is compared with.

use super::workload::{Table, sources, tables};
use crate::failure::Failure;
use fizzle_runtime::artifact;
use fizzle_runtime::vm::Machine;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A result.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub name: String,
    value: f64,
    unit: &'static str,
    /// A ratio that travels to other machines, and what it is.
    ratio: Option<(f64, &'static str)>,
}

impl Row {
    fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, ratio: None }
    }

    fn against(self, ratio: f64, what: &'static str) -> Self {
        Self { ratio: Some((ratio, what)), ..self }
    }

    /// As one JSON object: `name`, `value`, `unit`, and where there is one `ratio` with what it is `of`.
    pub fn to_json(&self) -> Value {
        let mut row = json!({ "name": self.name, "value": self.value, "unit": self.unit });
        if let (Some((ratio, of)), Some(fields)) = (self.ratio, row.as_object_mut()) {
            fields.insert("ratio".into(), json!(ratio));
            fields.insert("of".into(), json!(of));
        }
        row
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.value < 100.0 { format!("{:.2}", self.value) } else { format!("{:.0}", self.value) };
        write!(f, "{:<52} {value:>12} {:<13}", self.name, self.unit)?;
        match self.ratio {
            Some((ratio, of)) => write!(f, " {ratio:.2} {of}"),
            None => Ok(()),
        }
    }
}

/// Takes all measurements whose name is wanted.
///
/// # Errors
/// Something shipped cannot be compiled or played, which would be a defect.
pub fn all(span: Duration, wanted: &dyn Fn(&str) -> bool, tell: &mut dyn FnMut(Row)) -> Result<(), Failure> {
    let files = sources();
    let compiled =
        || fizzle_compiler::compile(files.clone()).artifact.ok_or_else(|| Failure::Defect("the packs have errors".into()));
    let made = compiled()?;
    compiling(span, &made, wanted, tell, &|| black_box(compiled()).is_ok())?;
    for table in tables(&made)? {
        playing(&table, span, wanted, tell)?;
        states(&table, span, wanted, tell)?;
    }
    Ok(())
}

/// How often something can be done in a second, from as many rounds as the span holds.
fn rate(span: Duration, mut once: impl FnMut() -> bool) -> f64 {
    let begun = Instant::now();
    let mut rounds = 0u32;
    while once() {
        rounds += 1;
        if begun.elapsed() >= span {
            break;
        }
    }
    f64::from(rounds) / begun.elapsed().as_secs_f64()
}

fn compiling(
    span: Duration,
    made: &fizzle_runtime::ir::Artifact,
    wanted: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(Row),
    compile: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let [cold, warm] = ["compile: all shipped packs, from cold", "compile: the same from a compiled pack"];
    if !wanted(cold) && !wanted(warm) {
        return Ok(());
    }
    let cards: usize =
        made.games.iter().map(|game| game.library.definitions.iter().filter(|d| !d.token && !d.part).count()).sum();
    let cards = cards as f64;
    let from_source = rate(span, compile) * cards;
    tell(Row::new(cold, from_source, "cards/s"));
    let bytes = artifact::encode(made).map_err(|error| Failure::Defect(error.to_string()))?;
    let from_pack = rate(span, || black_box(artifact::decode(&bytes)).is_ok()) * cards;
    tell(Row::new(warm, from_pack, "cards/s").against(from_pack / from_source, "times the speed of compiling"));
    Ok(())
}

/// Random games on one thread and on all.
fn playing(table: &Table, span: Duration, wanted: &dyn Fn(&str) -> bool, tell: &mut dyn FnMut(Row)) -> Result<(), Failure> {
    let names = ["decisions", "games", "one step, 99th percentile", "all threads"].map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [decisions_name, games_name, step_name, threads_name] = names;
    table.play(0, |_| {})?;
    let begun = Instant::now();
    let (mut games, mut decisions) = (0u64, 0u64);
    while begun.elapsed() < span {
        decisions += table.play(games, |_| {})?;
        games += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    tell(Row::new(decisions_name, decisions as f64 / seconds, "decisions/s"));
    tell(Row::new(games_name, games as f64 / seconds, "games/s"));
    let mut steps = Vec::new();
    for game in 0..games.min(20) {
        let mut last = Instant::now();
        table.play(game, |_| {
            steps.push(last.elapsed());
            last = Instant::now();
        })?;
    }
    steps.sort_unstable();
    let late = steps.get(steps.len() * 99 / 100).copied().unwrap_or_default();
    tell(Row::new(step_name, late.as_secs_f64() * 1e6, "us"));
    if wanted(&threads_name) {
        let threads = rayon::current_num_threads();
        let batch = games.max(4) * threads as u64;
        let begun = Instant::now();
        (0..batch).into_par_iter().try_for_each(|game| table.play(game, |_| {}).map(drop))?;
        let together = batch as f64 / begun.elapsed().as_secs_f64();
        let gain = together / (games as f64 / seconds);
        tell(
            Row::new(threads_name, together, "games/s")
                .against(gain / gain_of_loop(span), "of what a loop gains from the threads"),
        );
    }
    Ok(())
}

/// How many times faster all threads are together than one, at a loop that uses nothing but the processor.
fn gain_of_loop(span: Duration) -> f64 {
    let spin = |seed: u64| {
        let mut x = seed | 1;
        for _ in 0..1 << 20 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
        }
        black_box(x) != 0
    };
    let mut n = 0;
    let alone = rate(span / 4, || {
        n += 1;
        spin(n)
    });
    let threads = rayon::current_num_threads() as u64;
    let rounds = ((alone * span.as_secs_f64() / 4.0) as u64).max(1) * threads;
    let begun = Instant::now();
    let all = (0..rounds).into_par_iter().all(spin);
    let together = rounds as f64 / begun.elapsed().as_secs_f64();
    if all { together / alone } else { 1.0 }
}

/// Copies and hashes of a state in the middle of a game.
fn states(table: &Table, span: Duration, wanted: &dyn Fn(&str) -> bool, tell: &mut dyn FnMut(Row)) -> Result<(), Failure> {
    let names = ["state at the start", "copy of a state", "hash of a state"].map(|what| format!("{}: {what}", table.name));
    if !names.iter().any(|name| wanted(name)) {
        return Ok(());
    }
    let [size_name, copy_name, hash_name] = names;
    let (mut start, mut middle): (Option<usize>, Option<Machine>) = (None, None);
    let mut seen = 0;
    table.play(0, |machine| {
        seen += 1;
        start.get_or_insert(machine.state.block.words().len() * 4);
        if seen <= 40 {
            middle = Some(machine.clone());
        }
    })?;
    tell(Row::new(size_name, start.unwrap_or(0) as f64 / 1024.0, "KB"));
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
    tell(Row::new(copy_name, nanoseconds, "ns").against(plain / copied, "times a copy of the same bytes"));
    let hashed = rate(span, || black_box(machine.state.hash()) != 0);
    tell(Row::new(hash_name, 1e6 / hashed, "us"));
    Ok(())
}
