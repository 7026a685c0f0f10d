//! The program `fizzle`: parses the arguments, runs one command of [`commands`], and returns its exit status.
//!
//! # Where to look
//!
//! | What | Where |
//! |---|---|
//! | One command | [`commands`]: a module of its name (`print` is in `sheet`) |
//! | Which sources, format and decks a command line names | `paths`, `load`, `game_setup`, `deck_file` |
//! | Files that are read and written; what is printed | `files`, `trace_file`, `output` |
//! | Errors and exit statuses | `failure` |
//! | The reference of the language | `reference` |
//! | The words that a game declares, and the search for them | `vocabulary` |

mod card_face;
mod cards_of_packs;
mod commands;
mod deck_file;
mod failure;
mod files;
mod game_setup;
mod load;
mod output;
mod pack_file;
mod paths;
mod reference;
#[cfg(feature = "serve")]
mod serve;
mod text_gaps;
mod trace_file;
mod vocabulary;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use failure::{CommandError, ExitStatus};
use fizzle::files::displayed_path;
use fizzle::{pack_scan, shipped};
use fizzle_grammar::Edition;
use fizzle_grammar::hidden_characters::first_hidden;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

/// A check frees half of its allocations at once. With the system's allocator that is a fifth of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack size of the main worker, in bytes. Deeply nested sources need it.
const STACK: usize = 256 << 20;

/// The version of the program, and the newest edition of the language that it compiles.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} (language edition {})", env!("CARGO_PKG_VERSION"), Edition::NEWEST));

/// Card games in a small declarative language: check, format, test, explain, simulate and play them.
#[derive(Debug, Parser)]
#[command(name = "fizzle", version = VERSION.as_str(), propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// A folder outside of the given ones that packs may use by path, and that links may lead into; not for servers and editors
    #[arg(long, global = true, value_name = "FOLDER")]
    allow_path: Vec<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    New(commands::new::Args),
    Check(commands::check::Args),
    Fmt(commands::fmt::Args),
    Test(commands::test::Args),
    Build(commands::build::Args),
    Explain(commands::explain::Args),
    Reference(commands::reference::Args),
    #[command(visible_alias = "sheet")]
    Print(commands::sheet::Args),
    #[command(subcommand)]
    Deck(commands::deck::Deck),
    Sim(commands::sim::Args),
    Merge(commands::merge::Args),
    Bench(commands::bench::Args),
    Play(commands::play::Args),
    #[cfg(feature = "serve")]
    Serve(commands::serve::Args),
    Replay(commands::replay::Args),
    Lsp(commands::lsp::Args),
    Completions(commands::completions::Args),
    Man(commands::man::Args),
}

impl Command {
    /// Whether it answers other programs, which may send what it reads.
    fn is_server(&self) -> bool {
        match self {
            #[cfg(feature = "serve")]
            Self::Serve(_) => true,
            Self::Lsp(_) => true,
            _ => false,
        }
    }
}

fn run(arguments: Arguments) -> Result<ExitStatus, CommandError> {
    let Arguments { command, allow_path } = arguments;
    if !allow_path.is_empty() && command.is_server() {
        return Err(CommandError::usage(
            "a server and an editor follow no path out of their folders: `--allow-path` is not for them",
        ));
    }
    for path in &allow_path {
        let failed = |error| CommandError::usage(format!("`--allow-path {}`: {error}", displayed_path(path)));
        path.metadata().map_err(failed)?;
    }
    paths::allow_paths(allow_path);
    match command {
        Command::New(args) => commands::new::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Fmt(args) => commands::fmt::run(&args),
        Command::Test(args) => commands::test::run(&args),
        Command::Build(args) => commands::build::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Reference(args) => commands::reference::run(&args),
        Command::Print(args) => commands::sheet::run(&args),
        Command::Deck(command) => commands::deck::run(&command),
        Command::Sim(args) => commands::sim::run(&args),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Play(args) => commands::play::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Lsp(args) => commands::lsp::run(&args),
        Command::Completions(args) => Ok(commands::completions::run(&args, Arguments::command())),
        Command::Man(args) => commands::man::run(&args, Arguments::command()),
    }
}

/// Prints the help, the version, or the error of wrong usage. The latter quotes arguments, which may be names of a stranger's files.
fn print_usage(message: &clap::Error) -> ExitCode {
    let quoted: Vec<String> = std::env::args_os().map(|it| it.to_string_lossy().into_owned()).collect();
    if quoted.iter().any(|argument| first_hidden(argument).is_some()) {
        output::usage(&message.render().ansi().to_string(), &quoted);
    } else if message.print().and_then(|()| std::io::stdout().flush()).is_err_and(|error| error.kind() != ErrorKind::BrokenPipe) {
        return ExitCode::from(ExitStatus::Usage as u8);
    }
    ExitCode::from(message.exit_code() as u8)
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => return print_usage(&message),
    };
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, ToString::to_string);
        let payload = info.payload();
        let what = payload.downcast_ref::<&str>().map(ToString::to_string).or_else(|| payload.downcast_ref::<String>().cloned());
        output::note(format!("internal error at {place}: {}; please report it", what.unwrap_or_default()));
    }));
    // If this fails, rayon's default pool is used, with smaller stacks.
    let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK / 8).build_global();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(arguments));
    let result = match worker {
        Ok(worker) => worker.join(),
        Err(error) => {
            output::note(format!("error: cannot start a thread: {error}"));
            return ExitCode::from(ExitStatus::Defect as u8);
        }
    };
    match result.map(|result| result.and_then(|status| output::finish().map(|()| status))) {
        Ok(Ok(status)) => ExitCode::from(status as u8),
        Ok(Err(failure)) => {
            output::error(&failure);
            ExitCode::from(failure.status() as u8)
        }
        Err(_) => {
            output::note("include the sources and the command in the report");
            ExitCode::from(ExitStatus::Defect as u8)
        }
    }
}
