//! `fizzle serve`: tables in the browser, for one person and bots, for one screen, or with others by a link.

use crate::deck_file::DeckArgument;
use crate::failure::{CommandError, ExitStatus};
use crate::load::{LoadPurpose, LoadedGames, load_for};
use crate::output::{self, MessageFormat};
use crate::serve::api::{DeckChoice, Link, Made, SeatRequest, TableRequest, make_table};
use crate::serve::catalog::CompiledPack;
use crate::serve::limits::Limits;
use crate::serve::saved::Who;
use crate::serve::{BenchOptions, Options, Server, start};
use crate::{game_setup, shipped};
use fizzle::deck_list::MAX_LIST_BYTES;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serves tables in the browser: against bots, at one screen, or with others by a link.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, names of shipped games, or a compiled pack (default: all shipped games)
    #[arg(value_name = "PACK")]
    paths: Vec<String>,
    /// The port (default: 7878, or the next free one)
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Let others in the network connect. What they send and receive is not encrypted
    #[arg(long)]
    lan: bool,
    /// A further name under which this machine is reached, with its port if it is another one
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The folder of running tables and of traces (default: in the user's data folder)
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Open a table at the start: who plays in seat N (me, hot, invite, external, or the name of a bot)
    #[arg(long = "seat", value_name = "N=WHO")]
    seats: Vec<String>,
    /// The format of this table (default: the only one of the given sources)
    #[arg(long, value_name = "F", requires = "seats")]
    format: Option<String>,
    /// The deck of each seat of this table: a name, or a deck list (see `fizzle deck check --help`)
    #[arg(long = "deck", value_name = "DECK", requires = "seats")]
    decks: Vec<String>,
    /// The random seed of this table
    #[arg(long, value_name = "S", requires = "seats")]
    seed: Option<u64>,
}

/// The folder of the user's data.
fn data_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local").join("share")))
    };
    base.map(|base| base.join("fizzle").join("tables"))
}

/// Reads `1=external`.
fn read_seats(args: &Args) -> Result<Vec<SeatRequest>, CommandError> {
    let mut seats: Vec<SeatRequest> = Vec::new();
    let mut wanted = Vec::new();
    for text in &args.seats {
        let found = text.split_once('=').and_then(|(number, who)| number.parse::<usize>().ok().map(|number| (number, who)));
        let Some((number, who)) = found.filter(|(number, _)| *number < 16) else {
            let help = Some("write `--seat 1=external`; the first seat is 0".to_owned());
            return Err(CommandError::Usage { message: format!("`{text}` is no seat"), help });
        };
        if wanted.iter().any(|(other, _)| *other == number) {
            return Err(CommandError::usage(format!("seat {number} is given twice")));
        }
        wanted.push((number, who));
    }
    let count = wanted.iter().map(|(number, _)| number + 1).max().unwrap_or(0).max(2);
    if args.decks.len() > count {
        return Err(CommandError::usage(format!("{} decks given for {count} seats", args.decks.len())));
    }
    for number in 0..count {
        let who = wanted.iter().find(|(seat, _)| *seat == number).map_or("me", |(_, who)| *who);
        let (who, bot) = match who {
            "me" => (Who::Me, None),
            "hot" => (Who::Hot, None),
            "invite" => (Who::Invite, None),
            "external" => (Who::External, None),
            bot => (Who::Bot, Some(bot.to_owned())),
        };
        let deck = args.decks.get(number).or_else(|| args.decks.first()).map(|deck| choose_deck(deck)).transpose()?;
        seats.push(SeatRequest { who, bot, deck, name: String::new() });
    }
    Ok(seats)
}

/// The deck of an option: a list, or the name of a deck.
fn choose_deck(argument: &str) -> Result<DeckChoice, CommandError> {
    if DeckArgument::of(argument) == DeckArgument::List {
        let text = crate::paths::read_bounded(Path::new(argument), MAX_LIST_BYTES, "a deck list")?;
        return Ok(DeckChoice::Own { text });
    }
    Ok(DeckChoice::Named(argument.to_owned()))
}

fn print_links(server: &Server, made: &Made, own: &str) {
    let host = server.addresses.first().map_or_else(|| format!("127.0.0.1:{}", server.port), |name| authority(name, server.port));
    for Link { seat, role, key } in &made.links {
        let seat = seat.unwrap_or_default();
        output::line(format!(
            "seat {seat}: http://{}/#table={}&as={role}&key={key}",
            if own.is_empty() { &host } else { own },
            made.name
        ));
    }
    output::line(format!("watch:  http://{host}/#table={}&as=watch&key={}", made.name, made.watch));
}

/// A name with a port.
fn authority(name: &str, port: u16) -> String {
    if name.contains(':') { name.to_owned() } else { format!("{name}:{port}") }
}

/// The games with their sources. Tables play no scenarios.
fn compiled_pack(mut loaded: LoadedGames) -> CompiledPack {
    loaded.artifact.games.iter_mut().for_each(|game| game.scenarios = Vec::new());
    (loaded.artifact.games, loaded.sources.into_iter().map(|file| (file.path, file.text)).collect())
}

/// The workbench for the first folder of the command line.
fn bench(paths: &[String]) -> Option<BenchOptions> {
    let folder = paths.iter().map(PathBuf::from).find(|path| path.is_dir())?;
    let paths = paths.to_vec();
    let compile = move || {
        let loaded = load_for(LoadPurpose::TextsAndDecks, &paths, &[], true, MessageFormat::Human);
        loaded.map(compiled_pack).map_err(|_| "the sources have errors".to_owned())
    };
    Some(BenchOptions { folder, compile: Arc::new(compile) })
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let seats = read_seats(args)?;
    let keep = args.keep.clone().or_else(data_folder);
    let keep = keep.ok_or_else(|| CommandError::usage("the user has no data folder; write `--keep DIR`"))?;
    let names: Vec<&str> = if args.paths.is_empty() { shipped::names().into_iter().collect() } else { Vec::new() };
    let format = if seats.is_empty() || args.seats.is_empty() {
        None
    } else {
        Some(game_setup::format_name(&args.paths, args.format.as_deref())?)
    };
    let extra: Vec<&str> = names.into_iter().chain(format.as_deref()).collect();
    let load = |paths: &[String], extra: &[&str]| load_for(LoadPurpose::TextsAndDecks, paths, extra, true, MessageFormat::Human);
    let bench = bench(&args.paths);
    let loaded = match load(&args.paths, &extra) {
        // Errors are what the workbench is for.
        Err(CommandError::AlreadyReported) if bench.is_some() && format.is_none() => {
            output::note("note: the workbench opens anyway; tables use only the shipped games until the errors are fixed");
            load(&[], &shipped::names().into_iter().collect::<Vec<_>>())?
        }
        loaded => loaded?,
    };
    let options = Options {
        port: args.port,
        lan: args.lan,
        hosts: args.hosts.clone(),
        keep: keep.clone(),
        pack: args.paths.join(" "),
        bench,
        limits: Limits::default(),
        report: |words| output::note(format!("note: {words}")),
    };
    let has_bench = options.bench.is_some();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.max(4))
        .thread_stack_size(32 << 20)
        .enable_all()
        .build()
        .map_err(|error| CommandError::Problem(format!("cannot start the threads of the server: {error}")))?;
    let ended = runtime.block_on(async {
        let failed =
            |error| CommandError::usage(format!("cannot start the server with the folder `{}`: {error}", keep.display()));
        let server = start(options, compiled_pack(loaded)).await.map_err(failed)?;
        output::line(format!("http://127.0.0.1:{}/#host={}", server.port, server.host_key));
        if server.restored > 0 {
            output::line(format!("{} again, with the links that they had", crate::load::plural(server.restored, "table")));
        }
        if has_bench {
            output::line(format!("workbench: http://127.0.0.1:{}/bench#host={}", server.port, server.host_key));
        }
        if args.lan {
            for name in &server.addresses {
                output::line(format!("others in the network: http://{}/", authority(name, server.port)));
            }
            output::note("note: plain HTTP: everyone who can read the network sees what is sent, also the keys");
        }
        if let Some(format) = format {
            let request = TableRequest { format, seats, seed: args.seed, ..TableRequest::default() };
            let app = Arc::clone(&server.app);
            let made = tokio::task::spawn_blocking(move || make_table(&app, &request)).await.map_err(CommandError::defect)?;
            print_links(&server, &made.map_err(CommandError::usage)?, "");
        }
        stop().await;
        server.save_all().await;
        Ok(ExitStatus::Interrupted)
    });
    // Work in progress on other threads, such as the check of a deck, is not waited for: what it would return is not written.
    runtime.shutdown_background();
    ended
}

/// Waits for Ctrl-C or SIGTERM.
async fn stop() {
    #[cfg(unix)]
    if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    // Without signals, the program runs until it is killed.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
