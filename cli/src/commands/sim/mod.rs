//! `fizzle sim`: many games between bots. Each game depends on the seed and its number only, never on who plays it when.

mod matches;
pub mod result;

use crate::commands::native::Native;
use crate::compiled::{Wanted, load_for};
use crate::failure::{Failure, Status};
use crate::out::{self, MessageFormat};
use crate::pick::{self, Table};
use fizzle_runtime::bot::{self, derive};
use fizzle_runtime::game::{Match, SeatCards, start_seats};
use fizzle_runtime::state::layout::FIRST;
use fizzle_runtime::trace::{Trace, outcome_name};
use fizzle_runtime::vm::{Machine, Outcome, Step};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use result::{Tally, parse_shard};
use std::sync::Arc;
use std::time::Instant;

/// Simulates games.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories or a compiled pack with the rules and decks, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format
    #[arg(long, value_name = "F")]
    format: String,
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
    /// Who plays: one bot, or one per deck (random, greedy)
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// How many games at a time (default: one per core)
    #[arg(long, value_name = "J")]
    jobs: Option<usize>,
    /// Play only part I of N
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: String,
    /// Write the result to this file as well
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    /// Write a trace of every game into this directory
    #[arg(long, value_name = "DIR")]
    traces: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    #[command(flatten)]
    native: Native,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    args.native.apply();
    let (shard, of) = parse_shard(&args.shard)
        .ok_or_else(|| Failure::usage(format!("`{}` is no shard: write `1/4` for the first of four", args.shard)))?;
    // A match refuses a deck by itself.
    let wanted = if args.best_of.is_some() { Wanted::Decks } else { Wanted::Game };
    let compiled = load_for(wanted, &with_deck_files(&args.paths, &args.decks), &[&args.format], true, args.message_format)?;
    let table = pick::table(&compiled.artifact, &args.format, &args.decks)?;
    let bots = bots(&args.bots, table.seats.len())?;
    if let Some(directory) = &args.traces {
        std::fs::create_dir_all(directory).map_err(|e| Failure::usage(format!("`{directory}` cannot be made: {e}")))?;
    }
    if args.best_of.is_none() && args.message_format == MessageFormat::Human {
        table.tell_illegal();
    }
    if let Some(best_of) = args.best_of {
        // What is wrong with the match or the decks is told before anything is played.
        table.series(best_of, &table.decks, args.seed)?;
    }
    let games: Vec<u64> = (0..args.games).filter(|game| game % of == shard - 1).collect();
    let begun = Instant::now();
    let bar =
        if out::is_watched() && args.message_format == MessageFormat::Human { bar(games.len()) } else { ProgressBar::hidden() };
    let play = || -> Result<Tally, Failure> {
        let one = |game: &u64| -> Result<Tally, Failure> {
            let tally = match args.best_of {
                None => {
                    let played = play_one(&table, &bots, args.seed, *game)?;
                    keep(args, &table, &played, &format!("game-{game}"))?;
                    played.tally(table.seats.len())
                }
                Some(best_of) => matches::play(args, &table, &bots, best_of, *game)?,
            };
            bar.inc(1);
            Ok(tally)
        };
        let sum = |mut a: Tally, b: Tally| {
            a.add(&b);
            Ok(a)
        };
        games.par_iter().map(one).try_reduce(Tally::default, sum)
    };
    let mut tally = match args.jobs {
        Some(jobs) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).stack_size(crate::STACK / 8).build();
            pool.map_err(|e| Failure::usage(format!("{jobs} jobs cannot be started: {e}")))?.install(play)?
        }
        None => play()?,
    };
    bar.finish_and_clear();
    tally.wins.resize(table.seats.len(), 0);
    tally.seat_wins.resize(table.seats.len(), 0);
    tally.seconds = begun.elapsed().as_secs_f64();
    tally.rules_hash = format!("{:016x}", table.program.rules_hash);
    tally.seed = args.seed;
    tally.shard = format!("{shard}/{of}");
    tally.format.clone_from(&args.format);
    tally.decks.clone_from(&table.names);
    tally.bots = bots;
    tally.total = args.games;
    tally.best_of = args.best_of;
    if args.best_of.is_some() {
        tally.matches.get_or_insert_default();
        tally.match_wins.get_or_insert_default().resize(table.seats.len(), 0);
    }
    tally.pace();
    result::show(&tally, args.message_format)?;
    if let Some(path) = &args.out {
        result::write(path, &tally)?;
    }
    Ok(Status::Well)
}

/// The paths to be compiled: those given, and the decks that are files.
pub fn with_deck_files(paths: &[String], decks: &[String]) -> Vec<String> {
    paths.iter().chain(decks.iter().filter(|deck| pick::is_file(deck))).cloned().collect()
}

/// The names of the bots, by deck.
pub fn bots(wanted: &[String], seats: usize) -> Result<Vec<String>, Failure> {
    for name in wanted {
        if !bot::NAMES.contains(&name.as_str()) {
            return Err(Failure::unknown("bot", name, bot::NAMES));
        }
    }
    match wanted {
        [] => Ok(vec!["random".to_owned(); seats]),
        [one] => Ok(vec![one.clone(); seats]),
        all if all.len() == seats => Ok(all.to_vec()),
        all => Err(Failure::usage(format!("{} bots were named for {seats} players", all.len()))),
    }
}

fn bar(games: usize) -> ProgressBar {
    let bar = ProgressBar::new(games as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} games, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// A game that was played.
struct Played {
    game: Match,
    seats: Vec<SeatCards>,
    seed: u64,
    /// The deck of each seat.
    deck_of: Vec<usize>,
    outcome: Outcome,
}

/// The deck of each seat. In every second game or match the decks sit the other way round, so that each begins as often.
fn seating(decks: usize, number: u64) -> Vec<usize> {
    let turned = (number % decks.max(1) as u64) as usize;
    (0..decks).map(|seat| (seat + turned) % decks).collect()
}

/// Plays one game on its own.
fn play_one(table: &Table<'_>, bots: &[String], seed: u64, game: u64) -> Result<Played, Failure> {
    let deck_of = seating(table.seats.len(), game);
    let seats: Vec<SeatCards> = deck_of.iter().filter_map(|deck| table.seats.get(*deck).cloned()).collect();
    let chance = derive(seed, game, 0);
    let machine = start_seats(Arc::clone(&table.program), &seats, chance).map_err(|error| Failure::Problem(error.to_string()))?;
    let bot_seed = |seat: usize| (seed, game, seat);
    play_out(machine, seats, chance, deck_of, bots, bot_seed)
}

/// Plays a game that begins to its end. `bot_seed`: the seed, number and seat of each bot.
fn play_out(
    machine: Machine,
    seats: Vec<SeatCards>,
    seed: u64,
    deck_of: Vec<usize>,
    bots: &[String],
    bot_seed: impl Fn(usize) -> (u64, u64, usize),
) -> Result<Played, Failure> {
    let mut players = Vec::new();
    for (seat, deck) in deck_of.iter().enumerate() {
        let name = bots.get(*deck).map_or("random", String::as_str);
        let (seed, game, seat) = bot_seed(seat);
        players.push(bot::named(name, seed, game, seat).ok_or_else(|| Failure::unknown("bot", name, bot::NAMES))?);
    }
    let mut game = Match::new(machine);
    loop {
        match game.advance() {
            Step::Over(outcome) => return Ok(Played { game, seats, seed, deck_of, outcome }),
            Step::Asked(decision) => {
                let Some(player) = players.get_mut(decision.player) else {
                    return Err(Failure::Defect(format!("seat {} is asked, and there is none", decision.player)));
                };
                let picks = player.choose(&game.machine, &decision);
                game.answer(&decision, &picks)
                    .map_err(|refusal| Failure::Defect(format!("a bot's answer is refused: {refusal}")))?;
            }
        }
    }
}

/// Writes the trace of a game, if traces are wanted.
fn keep(args: &Args, table: &Table<'_>, played: &Played, name: &str) -> Result<(), Failure> {
    let Some(directory) = &args.traces else { return Ok(()) };
    let path = format!("{directory}/{name}.fzt");
    std::fs::write(&path, played.trace(table).encode()).map_err(|e| Failure::usage(format!("`{path}` cannot be written: {e}")))
}

impl Played {
    fn trace(&self, table: &Table<'_>) -> Trace {
        Trace::new(&table.picked.game.name, &self.game.machine, &self.seats, self.seed, self.game.answers.clone())
    }

    fn tally(&self, seats: usize) -> Tally {
        let mut tally = Tally { games: 1, wins: vec![0; seats], ..Tally::default() };
        tally.turns = u64::from(self.game.machine.state.turn());
        tally.decisions = self.game.decisions;
        match self.outcome {
            Outcome::Won(seat) => {
                if let Some(wins) = self.deck_of.get(seat).and_then(|deck| tally.wins.get_mut(*deck)) {
                    *wins = 1;
                }
                // Seats count from the one who had the first turn, in turn order.
                let first = self.game.machine.state.block.get(FIRST) as usize;
                let turn = (seat + seats - first.min(seats)) % seats.max(1);
                tally.first_player_wins = u64::from(turn == 0);
                tally.seat_wins = vec![0; seats];
                if let Some(wins) = tally.seat_wins.get_mut(turn) {
                    *wins = 1;
                }
            }
            Outcome::Drawn => tally.draws = 1,
            Outcome::Budget(budget) => {
                tally.budgets.insert(budget.name().to_owned(), 1);
            }
        }
        let mixed = derive(self.seed, self.game.machine.state.hash(), outcome_name(Some(self.outcome)).len() as u64);
        tally.results_hash = format!("{mixed:016x}");
        tally
    }
}
