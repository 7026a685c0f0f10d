//! `fizzle sim`: many games between bots. Each game depends on the seed and its number only, never on who plays it when.

mod card_stats;
mod checkpoint;
mod csv;
mod game;
mod html;
mod matches;
pub mod outputs;
mod plot;
mod ranges;
pub mod result;
mod stats;
mod terminal;
mod workers;

use crate::commands::jit_option::JitOption;
use crate::failure::{CommandError, ExitStatus};
use crate::files;
use crate::game_setup::{self, GameSetup};
use crate::load::{LoadPurpose, load_table};
use crate::output::{self, MessageFormat};
use card_stats::ObservedZones;
use fizzle_runtime::bot::{self, BotNameError};
use game::SimContext;
use indicatif::ProgressBar;
use outputs::OutputOptions;
use ranges::Ranges;
use result::{SimResult, parse_shard, shard_size};
use std::path::Path;
use std::time::Instant;
use workers::ShardPlan;

/// Simulates games.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories or a compiled pack with the rules and decks, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format (default: the only one of what is given)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// A deck of each player: the name of a deck, or a file with one
    #[arg(long = "deck", value_name = "DECK")]
    decks: Vec<String>,
    /// How many games (with --best-of: matches), all shards together
    #[arg(long, default_value_t = 1000, value_name = "N")]
    games: u64,
    /// Play matches of at most N games each, with exchanges of cards between games as the format has them
    #[arg(long, value_name = "N")]
    best_of: Option<u32>,
    /// The seed: the same one gives the same games
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Who plays: one bot, or one per deck (random, greedy, mcts, or mcts:N for N playouts)
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// How many games at a time (default: one per core)
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// Play only part I of N
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: String,
    /// Go on from what FILE keeps of the same run, or begin; FILE then keeps what is done, as with --out
    #[arg(long, value_name = "FILE")]
    resume: Option<String>,
    /// Write a trace of every game into this directory
    #[arg(long, value_name = "DIR")]
    traces: Option<String>,
    #[command(flatten)]
    reports: OutputOptions,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    #[command(flatten)]
    native: JitOption,
}

/// At most so many games at a time, where there are not more cores: each has a thread and a copy of the rules.
const MOST_JOBS: usize = 256;

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.native.apply();
    let format = game_setup::format_name(&args.paths, args.format.as_deref())?;
    let (shard, of) = parse_shard(&args.shard)
        .ok_or_else(|| CommandError::usage(format!("`{}` is no shard: write `1/4` for the first of four", args.shard)))?;
    // A match refuses a deck by itself.
    let wanted = if args.best_of.is_some() { LoadPurpose::Decks } else { LoadPurpose::Game };
    let compiled = load_table(wanted, &with_deck_files(&args.paths, &args.decks), &format, &args.decks, args.message_format)?;
    let table = game_setup::table(&compiled.artifact, &format, &args.decks)?;
    let bots = bots(&args.bots, table.seats.len())?;
    if let Some(directory) = &args.traces {
        std::fs::create_dir_all(directory).map_err(|e| CommandError::usage(format!("`{directory}` cannot be made: {e}")))?;
    }
    let human = args.message_format == MessageFormat::Human;
    if args.best_of.is_none() && human {
        table.report_illegal_decks();
    }
    if let Some(best_of) = args.best_of {
        // What is wrong with the match or the decks is told before anything is played.
        table.series(best_of, &table.decks, args.seed)?;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = match args.jobs {
        Some(0) => return Err(CommandError::usage("0 jobs play no games")),
        Some(jobs) if jobs > MOST_JOBS.max(cores) => {
            return Err(CommandError::usage(format!("{jobs} jobs are too many: at most {}", MOST_JOBS.max(cores))));
        }
        Some(jobs) => jobs,
        None => cores,
    };
    // What could not be written is told before anything is played.
    args.reports.prepare(&args.paths)?;
    let share = ShardPlan { shard, of, wanted: shard_size(args.games, shard, of), jobs };
    let watched = args.resume.is_some() || args.reports.want_cards();
    let mut tally = blank(args, &table, &bots, format!("{shard}/{of}"), watched);
    let mut done = Ranges::default();
    if let Some(path) = &args.resume {
        match checkpoint::resume(path, &tally)? {
            Some(kept) => {
                done = kept.done().unwrap_or_default();
                tally = kept;
                output::note(format!("`{path}` has {} of {} {}", done.count(), share.wanted, tally.unit()));
            }
            None => output::note(format!("there is no `{path}` yet: it begins")),
        }
    }
    let setting = SimContext { args, table: &table, bots: &bots, sights: watched.then(|| ObservedZones::new(&table.program)) };
    let file = args.resume.as_deref().or(args.reports.out.as_deref());
    let bar = if output::is_watched() && human {
        workers::bar(share.wanted, done.count(), tally.unit())
    } else {
        ProgressBar::hidden()
    };
    workers::install_interrupt_handler()?;
    let begun = Instant::now();
    let before = tally.games;
    let whole = workers::play(&setting, &share, &mut tally, &mut done, file, &bar)?;
    if before == 0 {
        tally.seconds = Some(begun.elapsed().as_secs_f64());
        tally.complete();
    }
    if let Some(path) = &args.resume {
        files::write(Path::new(path), tally.file()?.as_bytes())?;
    }
    args.reports.give(&tally, args.message_format)?;
    if whole {
        return Ok(ExitStatus::Success);
    }
    let way = file.map_or_else(
        || "what is finished was not kept: give `--resume FILE` to be able to go on".to_owned(),
        |file| format!("the same command with `--resume {file}` goes on"),
    );
    output::note(format!("interrupted after {} of {} {}; {way}", done.count(), share.wanted, tally.unit()));
    Ok(ExitStatus::Interrupted)
}

/// The result of no games.
fn blank(args: &Args, table: &GameSetup<'_>, bots: &[String], shard: String, watched: bool) -> SimResult {
    let seats = table.seats.len();
    let mut tally = SimResult {
        wins: vec![0; seats],
        seat_wins: vec![0; seats],
        rules_hash: format!("{:016x}", table.program.rules_hash),
        seed: args.seed,
        shard,
        format: table.program.format.name.clone(),
        decks: table.names.clone(),
        bots: bots.to_vec(),
        total: args.games,
        best_of: args.best_of,
        decks_hash: format!("{:016x}", decks_hash(table)),
        turns_per_game: Some(stats::Histogram::new()),
        decisions_per_game: Some(stats::Histogram::new()),
        cards: watched.then(|| vec![std::collections::BTreeMap::new(); seats]),
        ..SimResult::default()
    };
    if args.best_of.is_some() {
        tally.matches = Some(0);
        tally.match_wins = Some(vec![0; seats]);
    }
    tally
}

/// A hash (FNV-1a) of the cards of the decks, by name: a file with other cards under the same name is another deck.
fn decks_hash(table: &GameSetup<'_>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for deck in &table.decks {
        add("deck");
        for (section, cards) in &deck.sections {
            add("section");
            add(section);
            for (count, card) in cards {
                add(&count.to_string());
                add(table.program.library.definitions.get(card.index()).map_or("", |definition| definition.name.as_str()));
            }
        }
    }
    hash
}

/// The paths to be compiled: those given, and the decks that are files.
pub fn with_deck_files(paths: &[String], decks: &[String]) -> Vec<String> {
    paths.iter().chain(decks.iter().filter(|deck| game_setup::is_file(deck))).cloned().collect()
}

/// What is wrong with the name of a bot.
pub fn no_bot(problem: &BotNameError) -> CommandError {
    let help = match problem {
        BotNameError::Unknown(name) => return CommandError::unknown("bot", name, bot::NAMES),
        BotNameError::NoNumber(bot) => format!("write `{bot}`"),
        BotNameError::Playouts(_) => format!("write `mcts`, which is `mcts:{}`", bot::ITERATIONS),
    };
    CommandError::Usage { message: problem.to_string(), help: Some(help) }
}

/// The names of the bots, by deck.
pub fn bots(wanted: &[String], seats: usize) -> Result<Vec<String>, CommandError> {
    for name in wanted {
        bot::check(name).map_err(|problem| no_bot(&problem))?;
    }
    match wanted {
        [] => Ok(vec!["random".to_owned(); seats]),
        [one] => Ok(vec![one.clone(); seats]),
        all if all.len() == seats => Ok(all.to_vec()),
        all => Err(CommandError::usage(format!("{} bots were named for {seats} players", all.len()))),
    }
}
