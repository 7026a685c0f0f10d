//! `fizzle sim`: simulates many games between bots in parallel. A game depends only on the seed and its number, not on threads or shards.

mod card_stats;
mod checkpoint;
mod game;
mod matches;
mod output_lock;
pub mod outputs;
pub mod result_file;
mod terminal;
mod workers;

use crate::commands::jit_option::JitOption;
use crate::failure::{CommandError, ExitStatus};
use crate::files;
use crate::game_setup::{self, GameSetup, with_deck_files};
use crate::load::{LoadPurpose, load_for_decks};
use crate::output::{self, MessageFormat};
use card_stats::ObservedZones;
use fizzle_bots::{self as bot, BotNameError};
use fizzle_results::{Ranges, SimResult, parse_shard, shard_size};
use game::SimContext;
use indicatif::ProgressBar;
use output_lock::OutputLock;
use outputs::OutputOptions;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;
use workers::ShardPlan;

/// Simulates games between bots.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories or a compiled pack with the rules and decks, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format (default: the only one of the given sources)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// A deck for each player: the name of a deck, a file with one, or a deck list (see `fizzle deck check --help`)
    #[arg(long = "deck", value_name = "DECK")]
    decks: Vec<String>,
    /// How many games (with --best-of: matches), all shards together
    #[arg(long, default_value_t = 1000, value_name = "N")]
    games: u64,
    /// Play matches of at most N games each, with the card exchanges of the format between games
    #[arg(long, value_name = "N")]
    best_of: Option<u32>,
    /// The random seed; the same seed plays the same games
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// The bots: one for all decks, or one per deck (random, greedy, mcts, or mcts:N for N playouts)
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// How many games to play at the same time (default: one per core)
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// Play only part I of N
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: String,
    /// Resume the run that is saved in FILE, or start it; FILE is kept up to date, as with --output
    #[arg(long, value_name = "FILE")]
    resume: Option<String>,
    /// Write a trace of every game to this directory
    #[arg(long, value_name = "DIR")]
    traces: Option<String>,
    #[command(flatten)]
    outputs: OutputOptions,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    #[command(flatten)]
    jit: JitOption,
}

/// The most games at the same time, unless there are more cores. Each has a thread and a copy of the program.
const MAX_JOBS: usize = 256;

/// The help for a malformed `--shard`.
const SHARD_HELP: &str = "write `--shard 1/4` for the first of four";

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.jit.apply();
    let format = game_setup::format_name_for_decks(&args.paths, args.format.as_deref(), &args.decks, args.message_format)?;
    let (shard, of) = parse_shard(&args.shard)
        .ok_or_else(|| CommandError::usage(format!("`{}` is not a shard", args.shard)).with_help(SHARD_HELP.to_owned()))?;
    // A match refuses illegal decks itself.
    let wanted = if args.best_of.is_some() { LoadPurpose::Decks } else { LoadPurpose::Game };
    let compiled = load_for_decks(wanted, &with_deck_files(&args.paths, &args.decks), &format, &args.decks, args.message_format)?;
    let table = game_setup::set_up(&compiled.artifact, &format, &args.decks, args.message_format)?;
    let bots = bots_by_deck(&args.bots, table.seats.len())?;
    if let Some(directory) = &args.traces {
        files::create_folder(Path::new(directory))?;
    }
    let human = args.message_format == MessageFormat::Human;
    if args.best_of.is_none() && human {
        table.report_illegal_decks();
    }
    if let Some(best_of) = args.best_of {
        // Problems of the match or the decks are reported before any game is played.
        table.new_match(best_of, &table.decks, args.seed)?;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = match args.jobs {
        Some(0) => return Err(CommandError::usage("`--jobs` must be at least 1")),
        Some(jobs) if jobs > MAX_JOBS.max(cores) => {
            return Err(CommandError::usage(format!("{jobs} jobs are too many: at most {}", MAX_JOBS.max(cores))));
        }
        Some(jobs) => jobs,
        None => cores,
    };
    // Output files that cannot be written are reported before any game is played.
    args.outputs.check_outputs()?;
    let plan = ShardPlan { shard, of, wanted: shard_size(args.games, shard, of), jobs };
    let _locks = args.lock_outputs(&table)?;
    let counts_cards = args.resume.is_some() || args.outputs.need_card_counts();
    let mut tally = empty_result(args, &table, &bots, format!("{shard}/{of}"), counts_cards);
    let mut done = Ranges::default();
    if let Some(path) = &args.resume {
        match checkpoint::resume(path, &tally)? {
            Some(kept) => {
                done = kept.done().unwrap_or_default();
                tally = kept;
                output::note(format!("resuming `{path}`: {} of {} {} are finished", done.count(), plan.wanted, tally.unit()));
            }
            None => output::note(format!("`{path}` does not exist yet: starting a new run")),
        }
    }
    let context =
        SimContext { args, table: &table, bots: &bots, zones: counts_cards.then(|| ObservedZones::new(&table.program)) };
    let file = args.resume.as_deref().or(args.outputs.output.as_deref());
    let bar = if output::is_terminal() && human {
        workers::progress_bar(plan.wanted, done.count(), tally.unit())
    } else {
        ProgressBar::hidden()
    };
    workers::install_interrupt_handler()?;
    let begun = Instant::now();
    let resumed_games = tally.games;
    let is_complete = workers::play(&context, &plan, &mut tally, &mut done, file, &bar)?;
    if resumed_games == 0 {
        tally.seconds = Some(begun.elapsed().as_secs_f64());
        tally.complete();
    }
    if let Some(path) = &args.resume {
        result_file::write(path, &tally)?;
    }
    args.outputs.write_and_show(&tally, args.message_format)?;
    if is_complete {
        return Ok(ExitStatus::Success);
    }
    let advice = file.map_or_else(
        || "finished games were not saved: use `--resume FILE` to be able to continue".to_owned(),
        |file| format!("to continue, repeat the command with `--resume {}`", output::shell_quoted(file)),
    );
    output::note(format!("interrupted after {} of {} {}; {advice}", done.count(), plan.wanted, tally.unit()));
    Ok(ExitStatus::Interrupted)
}

impl Args {
    /// Locks the outputs against other runs.
    fn lock_outputs(&self, table: &GameSetup<'_>) -> Result<Vec<OutputLock>, CommandError> {
        let mut files = self.outputs.files();
        if let Some(path) = self.resume.as_ref().map(PathBuf::from)
            && !files.iter().any(|other| files::are_same_file(other, &path))
        {
            files::check_output(&path)?;
            files.push(path);
        }
        let mut locks = Vec::new();
        for file in &files {
            locks.extend(OutputLock::of_file(file)?);
        }
        if let Some(folder) = &self.traces {
            // What the games depend on. Their number and the shard are not part of it: shards of a run write to one folder.
            let run = json!({
                "rules_hash": table.program.rules_hash, "decks_hash": decks_hash(table), "format": table.program.format.name,
                "bots": bots_by_deck(&self.bots, table.seats.len())?, "seed": self.seed, "best_of": self.best_of,
            });
            locks.extend(OutputLock::of_traces(Path::new(folder), &run.to_string())?);
        }
        Ok(locks)
    }
}

/// A result without games, with the description of the run.
fn empty_result(args: &Args, table: &GameSetup<'_>, bots: &[String], shard: String, counts_cards: bool) -> SimResult {
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
        turns_per_game: Some(fizzle_results::stats::Histogram::new()),
        decisions_per_game: Some(fizzle_results::stats::Histogram::new()),
        cards: counts_cards.then(|| vec![std::collections::BTreeMap::new(); seats]),
        ..SimResult::default()
    };
    if args.best_of.is_some() {
        tally.matches = Some(0);
        tally.match_wins = Some(vec![0; seats]);
    }
    tally
}

/// A hash (FNV-1a) of the cards of the decks, by name. It distinguishes decks of the same name with different cards.
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

/// The error for a wrong name of a bot, with a help.
pub fn bot_name_error(problem: &BotNameError) -> CommandError {
    let help = match problem {
        BotNameError::Unknown(name) => return CommandError::unknown_name("bot", name, bot::NAMES),
        BotNameError::NoNumber(bot) => format!("write `{bot}`"),
        BotNameError::Playouts(_) => format!("write `mcts`, which is `mcts:{}`", bot::DEFAULT_ITERATIONS),
    };
    CommandError::Usage { message: problem.to_string(), help: Some(help) }
}

/// The names of the bots, by deck. One name is for all decks; the default is `random`.
pub fn bots_by_deck(wanted: &[String], seats: usize) -> Result<Vec<String>, CommandError> {
    for name in wanted {
        bot::check(name).map_err(|problem| bot_name_error(&problem))?;
    }
    match wanted {
        [] => Ok(vec!["random".to_owned(); seats]),
        [one] => Ok(vec![one.clone(); seats]),
        all if all.len() == seats => Ok(all.to_vec()),
        all => Err(CommandError::usage(format!("{} bots given for {seats} players", all.len()))),
    }
}
