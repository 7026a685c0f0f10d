//! `fizzle-fuzz`: makes inputs for the fuzz targets and runs them, without a nightly compiler.
//!
//! Each target runs in a child process with bounded memory. An input that panics, aborts or does not end is saved and named by its number, which
//! makes it again: `fizzle-fuzz --first NUMBER --inputs 1 TARGET`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use fizzle_fuzz::mutation::{Chance, mutate};
use fizzle_fuzz::seeds::DICTIONARY;
use fizzle_fuzz::targets::{TARGETS, Target, named};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The memory of a child process, in KiB.
const MEMORY_KIB: u64 = 4 << 20;

/// The memory that the allocator of a child does not return to the system, in bytes: to return and to get it again for each input takes longer
/// than most inputs.
const ALLOCATOR_KEEPS: &str = "268435456";

/// An input that takes longer than this counts as endless, in seconds of processor time of the child: a busy machine is no fault.
const SECONDS_PER_INPUT: f64 = 20.0;

/// The processor time of this process in seconds; where the system does not report it, the time since `begin`.
fn processor_seconds(begin: Instant) -> f64 {
    // The times are the 14th and 15th field, in hundredths of a second; the second field is a name in parentheses.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace().skip(11).take(2);
    let hundredths: Vec<u32> = fields.filter_map(|field| field.parse().ok()).collect();
    if hundredths.len() == 2 { f64::from(hundredths.iter().sum::<u32>()) / 100.0 } else { begin.elapsed().as_secs_f64() }
}

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    inputs: u64,
    seed: u64,
    first: u64,
    seconds: u64,
    show: bool,
    file: Option<PathBuf>,
    child: bool,
    targets: Vec<&'static Target>,
}

const USAGE: &str = "usage: fizzle-fuzz [OPTIONS] [TARGET...]

  --inputs N    inputs for each target (default 1000)
  --seconds N   stop a target after N seconds
  --seed N      seed of all choices (default 1)
  --first N     number of the first input (default 0)
  --show        print the inputs instead of running them
  --file PATH   run the bytes of a file
  --list        list the targets";

fn options() -> Result<Options, String> {
    let mut options = Options {
        inputs: 1000,
        seed: 1,
        first: 0,
        seconds: u64::MAX,
        show: false,
        file: None,
        child: false,
        targets: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = |what: &mut u64| -> Result<(), String> {
            let value = arguments.next().and_then(|value| value.parse().ok());
            *what = value.ok_or_else(|| format!("`{argument}` needs a number"))?;
            Ok(())
        };
        match argument.as_str() {
            "--inputs" => number(&mut options.inputs)?,
            "--seed" => number(&mut options.seed)?,
            "--first" => number(&mut options.first)?,
            "--seconds" => number(&mut options.seconds)?,
            "--show" => options.show = true,
            "--child" => options.child = true,
            "--file" => options.file = arguments.next().map(PathBuf::from),
            "--list" => return Err(TARGETS.iter().map(|target| format!("{:<11} {}\n", target.name, target.doc)).collect()),
            name => options.targets.push(named(name).ok_or_else(|| format!("there is no target `{name}`\n\n{USAGE}"))?),
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

/// The inputs that failed once, in `corpus/TARGET`. They run first.
fn corpus(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?))).collect()
}

/// Where a child says which input it runs.
fn progress_file(target: &Target) -> PathBuf {
    std::env::temp_dir().join(format!("fizzle-fuzz-{}-{}", target.name, std::process::id()))
}

fn input(target: &Target, seeds: &[Vec<u8>], options: &Options, number: u64) -> Vec<u8> {
    let mut chance = Chance::new(options.seed, number);
    let seed = chance.pick(seeds).map_or(&[][..], Vec::as_slice);
    mutate(target.kind, seed, seeds, &DICTIONARY, &mut chance)
}

/// Runs the inputs of one target. The number of the input that runs is written to the file of the environment variable `FIZZLE_FUZZ_PROGRESS`.
fn run_child(target: &Target, options: &Options) -> ExitCode {
    let progress = std::env::var_os("FIZZLE_FUZZ_PROGRESS").and_then(|path| std::fs::File::create(path).ok());
    let note = |what: &str| {
        use std::os::unix::fs::FileExt;
        if let Some(file) = &progress {
            let _written = file.write_all_at(format!("{what:<200}").as_bytes(), 0);
        }
    };
    // This thread alone does what the compiler divides among threads: to wake others takes longer than most inputs.
    let _one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
    static DONE: AtomicU64 = AtomicU64::new(0);
    std::thread::spawn(|| {
        let begin = Instant::now();
        let (mut last, mut since) = (0, processor_seconds(begin));
        loop {
            std::thread::sleep(Duration::from_millis(250));
            let done = DONE.load(Ordering::Relaxed);
            if done != last {
                (last, since) = (done, processor_seconds(begin));
            } else if processor_seconds(begin) - since >= SECONDS_PER_INPUT {
                eprintln!("an input runs for {SECONDS_PER_INPUT} seconds");
                std::process::exit(4);
            }
        }
    });
    // Whether the input was accepted; `None` if it panics.
    let run = |bytes: &[u8]| {
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes)));
        DONE.fetch_add(1, Ordering::Relaxed);
        result.ok()
    };
    if let Some(path) = &options.file {
        note(&path.display().to_string());
        let Ok(bytes) = std::fs::read(path) else { return ExitCode::from(2) };
        return if run(&bytes).is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    for (path, bytes) in corpus(target) {
        note(&path.display().to_string());
        if run(&bytes).is_none() {
            return ExitCode::FAILURE;
        }
    }
    let seeds = (target.seeds)();
    let begin = Instant::now();
    let processor_begin = processor_seconds(begin);
    let (mut ran, mut accepted) = (0u64, 0u64);
    for number in options.first..options.first.saturating_add(options.inputs) {
        if begin.elapsed().as_secs() >= options.seconds {
            break;
        }
        note(&format!("input {number}"));
        let Some(is_accepted) = run(&input(target, &seeds, options, number)) else { return ExitCode::FAILURE };
        ran += 1;
        accepted += u64::from(is_accepted);
    }
    println!(
        "{:<11} {ran} inputs from {} seeds, {accepted} of them accepted, {:.1} s, {:.1} s of processor time",
        target.name,
        seeds.len(),
        begin.elapsed().as_secs_f64(),
        processor_seconds(begin) - processor_begin
    );
    ExitCode::SUCCESS
}

/// Runs one target in a child process with bounded memory.
fn run_target(target: &Target, options: &Options) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let progress = progress_file(target);
    let mut child = Command::new("sh");
    child
        .env("FIZZLE_FUZZ_PROGRESS", &progress)
        // The allocator of glibc keeps what an input has freed for the next one.
        .env("MALLOC_TRIM_THRESHOLD_", ALLOCATOR_KEEPS)
        .env("MALLOC_MMAP_THRESHOLD_", ALLOCATOR_KEEPS)
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\""))
        .arg(program);
    child.args(["--child", "--inputs", &options.inputs.to_string(), "--seed", &options.seed.to_string()]);
    child.args(["--first", &options.first.to_string(), "--seconds", &options.seconds.to_string(), target.name]);
    if let Some(file) = &options.file {
        child.arg("--file").arg(file);
    }
    let status = child.status().map_err(|error| error.to_string())?;
    let at = std::fs::read_to_string(&progress).unwrap_or_default();
    let _removed = std::fs::remove_file(&progress);
    if status.success() {
        return Ok(());
    }
    Err(format!(
        "{}: {} failed ({status}); again: fizzle-fuzz --seed {} --first N --inputs 1 {}",
        target.name,
        at.trim(),
        options.seed,
        target.name
    ))
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if options.child {
        return options.targets.first().map_or(ExitCode::from(2), |target| run_child(target, &options));
    }
    if options.show {
        for target in &options.targets {
            let seeds = (target.seeds)();
            for number in options.first..options.first.saturating_add(options.inputs) {
                println!("== {} {number}\n{}", target.name, String::from_utf8_lossy(&input(target, &seeds, &options, number)));
            }
        }
        return ExitCode::SUCCESS;
    }
    let failures: Vec<String> = options.targets.iter().filter_map(|target| run_target(target, &options).err()).collect();
    failures.iter().for_each(|failure| eprintln!("{failure}"));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
