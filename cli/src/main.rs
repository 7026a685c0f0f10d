//! The program `fizzle`: arguments in, exit status out. Everything it can do stands in `commands`.

mod commands;
mod failure;
mod files;
mod game_setup;
mod load;
mod lsp;
mod output;
mod pack_file;
mod pack_scan;
mod paths;
mod reference;
mod shipped;
mod text_gaps;
mod watch;

use clap::{Parser, Subcommand};
use failure::{CommandError, ExitStatus};
use std::process::ExitCode;

/// Half of what a check allocates is gone at once: the system's allocator takes a fifth of its time.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Room for deeply nested sources.
const STACK: usize = 256 << 20;

/// Card games in a small declarative language: check, format, test, explain, simulate and play them.
#[derive(Debug, Parser)]
#[command(name = "fizzle", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    New(commands::new::Args),
    Check(commands::check::Args),
    Fmt(commands::fmt::Args),
    Test(commands::test::Args),
    Build(commands::build::Args),
    Explain(commands::explain::Args),
    Sheet(commands::sheet::Args),
    #[command(subcommand)]
    Deck(commands::deck::Deck),
    Sim(commands::sim::Args),
    Merge(commands::merge::Args),
    Bench(commands::bench::Args),
    Play(commands::play::Args),
    Replay(commands::replay::Args),
    Lsp(commands::lsp::Args),
}

fn run(command: Command) -> Result<ExitStatus, CommandError> {
    match command {
        Command::New(args) => commands::new::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Fmt(args) => commands::fmt::run(&args),
        Command::Test(args) => commands::test::run(&args),
        Command::Build(args) => commands::build::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Sheet(args) => commands::sheet::run(&args),
        Command::Deck(commands::deck::Deck::Check(args)) => commands::deck::run(&args),
        Command::Sim(args) => commands::sim::run(&args),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Play(args) => commands::play::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Lsp(args) => commands::lsp::run(&args),
    }
}

fn main() -> ExitCode {
    // Wrong usage ends here, with status 2.
    let arguments = Arguments::parse();
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, ToString::to_string);
        let payload = info.payload();
        let what = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
        output::note(format!("fizzle found a defect in itself at {place}: {}", what.unwrap_or_default()));
    }));
    // Without the pool the default one serves, with smaller stacks.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK / 8).build_global();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(arguments.command));
    let result = match worker {
        Ok(worker) => worker.join(),
        Err(error) => {
            output::note(format!("error: no thread can be started: {error}"));
            return ExitCode::from(ExitStatus::Defect as u8);
        }
    };
    match result {
        Ok(Ok(status)) => ExitCode::from(status as u8),
        Ok(Err(failure)) => {
            output::error(&failure);
            ExitCode::from(failure.status() as u8)
        }
        Err(_) => {
            output::note("please report it, with the sources and the command that led here; your files were not changed");
            ExitCode::from(ExitStatus::Defect as u8)
        }
    }
}
