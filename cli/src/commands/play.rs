//! `fizzle play`: plays a game at the terminal, line by line, against bots or other people.

mod event_log;
mod input;
mod matches;
mod screen;

use crate::commands::explain::{self, Language};
use crate::commands::jit_option::JitOption;
use crate::commands::sim::{bots_by_deck, with_deck_files};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup::{self, GameSetup};
use crate::load::{LoadPurpose, load_for};
use crate::output::{self, MessageFormat};
use event_log::EventLog;
use fizzle_bots::{self as bot, Bot};
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::game::{MatchContext, RecordedGame, SeatCards, start_game};
use fizzle_runtime::ir::CompiledGame;
use fizzle_runtime::trace::Trace;
use fizzle_runtime::view::event_stream::{self, Observer};
use fizzle_runtime::view::{answer_refusal_text, seat_name, view_with};
use fizzle_runtime::vm::decision::{AnswerError, Decision};
use fizzle_runtime::vm::machine::outcome_name;
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use input::{Input, hint, parse};
use std::path::Path;
use std::sync::Arc;

/// Plays a game at the terminal.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories or a compiled pack with the rules and decks, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format (default: the only one of the given sources)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// A deck for each player: the name of a deck, or a file with one
    #[arg(long = "deck", value_name = "DECK")]
    decks: Vec<String>,
    /// Play a match of at most N games, with the card exchanges of the format between games
    #[arg(long, value_name = "N")]
    best_of: Option<u32>,
    /// The random seed
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// The bot that plays the other decks (random, greedy, mcts, or mcts:N for N playouts)
    #[arg(long, default_value = "greedy", value_name = "BOT")]
    bot: String,
    /// All players play at this terminal
    #[arg(long, conflicts_with = "bot")]
    hot_seat: bool,
    /// Write a trace of the game to this file when it ends (with --best-of: to FILE.1, FILE.2, …)
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: Option<String>,
    #[command(flatten)]
    jit: JitOption,
}

/// For at most so many games of a match, the files of their traces are checked before the match.
const MAX_TRACES_CHECKED: u32 = 99;

/// What a game starts with: the cards, the seed, and the match that it belongs to.
#[derive(Clone)]
struct GameStart {
    seats: Vec<SeatCards>,
    seed: u64,
    context: MatchContext,
}

/// A game that is played at the terminal.
struct PlaySession<'a> {
    table: &'a GameSetup<'a>,
    args: &'a Args,
    start: GameStart,
    game: RecordedGame,
    /// The bot of each seat; `None` for a person.
    bots: Vec<Option<Box<dyn Bot>>>,
    /// One observer per seat: the events that the player sees, and the player's object numbers.
    observers: Vec<Observer>,
    logs: Vec<EventLog>,
    /// For each answer of a person, the number of answers before it. Undo returns to the last one.
    answer_counts: Vec<usize>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.jit.apply();
    let format = game_setup::format_name(&args.paths, args.format.as_deref())?;
    // A match refuses illegal decks itself.
    let wanted = if args.best_of.is_some() { LoadPurpose::TextsAndDecks } else { LoadPurpose::Texts };
    let compiled = load_for(wanted, &with_deck_files(&args.paths, &args.decks), &[&format], true, MessageFormat::Human)?;
    let table = game_setup::set_up(&compiled.artifact, &format, &args.decks)?;
    let seats = table.seats.len();
    let names = bots_by_deck(std::slice::from_ref(&args.bot), seats)?;
    if let Some(path) = &args.output {
        // Reported before the game, whose record would be lost.
        for number in 1..=args.best_of.unwrap_or(1).min(MAX_TRACES_CHECKED) {
            crate::files::check_output(Path::new(&trace_path(path, args.best_of.map(|_| number))))?;
        }
    }
    if let Some(best_of) = args.best_of {
        return matches::play(&table, args, &names, best_of);
    }
    table.report_illegal_decks();
    print_introduction(&table, args, &names);
    let start = GameStart { seats: table.seats.clone(), seed: args.seed, context: MatchContext::default() };
    let mut session = PlaySession::new(&table, args, &names, start)?;
    session.run()?;
    if let Some(path) = &args.output {
        session.write_trace(path)?;
    }
    Ok(ExitStatus::Success)
}

/// The path of the trace of a game. `number`: its number in a match.
fn trace_path(path: &str, number: Option<u32>) -> String {
    number.map_or_else(|| path.to_owned(), |number| format!("{path}.{number}"))
}

fn start_recorded_game(table: &GameSetup<'_>, start: &GameStart) -> Result<RecordedGame, CommandError> {
    let machine = start_game(Arc::clone(&table.program), &start.seats, start.seed, start.context);
    Ok(RecordedGame::new(machine.map_err(|e| CommandError::Problem(e.to_string()))?))
}

/// Creates an observer for every seat.
fn new_observers(machine: &mut Machine, seats: usize) -> Vec<Observer> {
    (0..seats).map(|seat| Observer::new(machine, seat)).collect()
}

/// Advances to the next decision with several answers, or to the end of the game. Records the forced answers.
fn advance(game: &mut RecordedGame, observers: &mut [Observer]) -> Result<StepResult, CommandError> {
    loop {
        let step = event_stream::follow(&mut game.machine, observers);
        let StepResult::Decision(decision) = &step else { return Ok(step) };
        let Some(picks) = decision.forced() else { return Ok(step) };
        event_stream::answer(&mut game.machine, observers, decision, &picks)
            .map_err(|refusal| CommandError::Defect(format!("the only answer was refused: {refusal}")))?;
        game.answers.push(RecordedAnswer::new(decision, &picks));
    }
}

/// Answers a decision, and records the answer.
fn answer(game: &mut RecordedGame, observers: &mut [Observer], decision: &Decision, picks: &[u32]) -> Result<(), AnswerError> {
    event_stream::answer(&mut game.machine, observers, decision, picks)?;
    game.answers.push(RecordedAnswer::new(decision, picks));
    game.decisions += 1;
    Ok(())
}

/// What ended a game, in parentheses: a state rule, else the action in progress; empty if there is neither. Not meant for conceded games.
pub fn how_ended(game: &CompiledGame, machine: &Machine) -> String {
    let rule =
        machine.ending_state_rule().map(|rule| explain::state_rule_text(game, &machine.program.format, rule, Language::En));
    let how = rule.or_else(|| machine.ending_action().map(|action| action.replace('_', " ")));
    how.map_or_else(String::new, |how| format!(" ({how})"))
}

/// Prints who plays which deck, and how to answer.
fn print_introduction(table: &GameSetup<'_>, args: &Args, bots: &[String]) {
    let format = &table.program.format;
    output::line(if format.title.is_empty() { &format.name } else { &format.title });
    for (seat, deck) in table.names.iter().enumerate() {
        let who = match (args.hot_seat, is_person(args, seat)) {
            (true, _) => String::new(),
            (false, true) => " (you)".to_owned(),
            (false, false) => format!(" (the bot {})", bots.get(seat).map_or("", String::as_str)),
        };
        output::line(format!("{}{who} plays {deck}", seat_name(seat)));
    }
    output::line(
        "answer with a number, or several; `?` why not, `? NAME` a card's text, `undo`, `show`, `log`, `quit`; `help` lists all",
    );
}

/// Whether a person plays at a seat.
fn is_person(args: &Args, seat: usize) -> bool {
    args.hot_seat || seat == 0
}

impl<'a> PlaySession<'a> {
    fn new(table: &'a GameSetup<'a>, args: &'a Args, names: &[String], start: GameStart) -> Result<Self, CommandError> {
        let seats = start.seats.len();
        let number = u64::from(start.context.number - 1);
        let bot = |seat: usize| bot::named(names.get(seat).map_or("", String::as_str), args.seed, number, seat);
        let bots = (0..seats).map(|seat| if is_person(args, seat) { None } else { bot(seat) }).collect();
        let mut game = start_recorded_game(table, &start)?;
        let observers = new_observers(&mut game.machine, seats);
        let logs = (0..seats).map(|seat| EventLog::new(seat, args.hot_seat, &table.program)).collect();
        Ok(PlaySession { table, args, start, game, bots, observers, logs, answer_counts: Vec::new() })
    }

    /// Plays to the end of the game. Returns `None` if the person quits.
    fn run(&mut self) -> Result<Option<Outcome>, CommandError> {
        loop {
            let decision = match advance(&mut self.game, &mut self.observers)? {
                StepResult::Decision(decision) => decision,
                StepResult::Over(outcome) => {
                    self.print_result(outcome);
                    return Ok(Some(outcome));
                }
            };
            let seat = decision.player;
            if let Some(Some(bot)) = self.bots.get_mut(seat) {
                let picks = bot.choose(&self.game.machine, &decision);
                self.answer(&decision, &picks)?;
                continue;
            }
            if !self.ask_player(seat, &decision)? {
                return Ok(None);
            }
        }
    }

    /// Prints the last events, and who has won.
    fn print_result(&mut self, outcome: Outcome) {
        let program = Arc::clone(&self.game.machine.program);
        for (seat, (watcher, names)) in self.observers.iter_mut().zip(&mut self.logs).enumerate() {
            if is_person(self.args, seat) {
                let items = watcher.take_events();
                names.print_new_events(&items, &program.format, self.table.selected.game);
                if self.args.hot_seat {
                    // They share one terminal, so the events that one of them has seen are enough.
                    break;
                }
            }
        }
        let who = match outcome {
            Outcome::Won(seat) if self.args.hot_seat => format!("{} has won", seat_name(seat)),
            Outcome::Won(0) => "you have won".to_owned(),
            Outcome::Won(seat) => format!("{} (the bot) has won", seat_name(seat)),
            Outcome::Drawn => "no player has won".to_owned(),
            Outcome::Budget(_) => outcome_name(Some(outcome)),
        };
        let conceded = self.game.answers.last().is_some_and(RecordedAnswer::is_concession);
        let how = if conceded { String::new() } else { how_ended(self.table.selected.game, &self.game.machine) };
        output::line(format!("the game is over: {who}{how}"));
    }

    /// Prints the text of a card, given by a name, a part of a name, or `#` and a number.
    fn print_card_text(&self, seat: usize, wanted: &str) {
        if wanted.is_empty() {
            output::line("`text NAME` shows the text of a card, `text #12` the text of the object with that number");
            return;
        }
        let numbered = wanted.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok());
        let known = numbered.map(|handle| self.logs.get(seat).and_then(|names| names.name(handle)).unwrap_or_default());
        if known.is_some_and(str::is_empty) {
            output::line(format!("you know no object with the number `{wanted}`"));
            return;
        }
        let known_name = known.map(str::to_owned);
        let wanted = known_name.as_deref().unwrap_or(wanted).trim_matches(['"', '《', '》']).to_lowercase();
        let picked = &self.table.selected;
        let Some(format) = picked.format() else { return };
        let names: Vec<&str> = picked.game.library.definitions.present().skip(1).map(|card| card.name.as_str()).collect();
        let exact: Vec<&str> = names.iter().copied().filter(|name| name.to_lowercase() == wanted).collect();
        let found = if exact.is_empty() {
            names.into_iter().filter(|name| name.to_lowercase().contains(&wanted)).collect()
        } else {
            exact
        };
        match found.as_slice() {
            [] => output::line(format!("no card is called `{wanted}`")),
            [name, rest @ ..] if rest.iter().all(|other| other == name) => {
                explain::card_text(picked.game, format, name).into_iter().flatten().for_each(output::line);
            }
            several => {
                let listed: Vec<&str> = several.iter().copied().take(10).collect();
                output::line(format!(
                    "which one: {}{}",
                    listed.join(", "),
                    if several.len() > listed.len() { ", …" } else { "" }
                ));
            }
        }
    }

    /// Writes the trace of the game.
    fn write_trace(&self, path: &str) -> Result<(), CommandError> {
        let answers = self.game.answers.clone();
        let start = &self.start;
        let trace = Trace::new(&self.table.selected.game.name, &self.game.machine, &start.seats, start.seed, answers);
        crate::files::write(Path::new(path), &trace.encode())
    }

    fn answer(&mut self, decision: &Decision, picks: &[u32]) -> Result<(), CommandError> {
        answer(&mut self.game, &mut self.observers, decision, picks)
            .map_err(|refusal| CommandError::Defect(format!("the answer of a bot was refused: {refusal}")))
    }

    /// Reads a line that a person types. `None` at the end of the input.
    fn read_line(&self, seat: usize, what: &str) -> Option<String> {
        output::prompt(if self.args.hot_seat { format!("{what}{}> ", seat_name(seat)) } else { format!("{what}> ") });
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line).map_or(0, |n| n) == 0 {
            output::line("");
            return None;
        }
        Some(line)
    }

    /// Asks a person until the answer is legal. Returns `false` if the person quits.
    fn ask_player(&mut self, seat: usize, decision: &Decision) -> Result<bool, CommandError> {
        let Some(watcher) = self.observers.get_mut(seat) else { return Ok(false) };
        let items = watcher.take_events();
        let view = view_with(&mut self.game.machine, seat, watcher.handles_mut());
        if let Some(names) = self.logs.get_mut(seat) {
            names.print_new_events(&items, &self.game.machine.program.format, self.table.selected.game);
        }
        let Some(question) = view.decision.clone() else { return Ok(false) };
        screen::show_position(&view, self.table.selected.game, self.args.hot_seat);
        screen::show_question(&view, &question, decision, self.table.selected.game, self.args.hot_seat);
        loop {
            let Some(line) = self.read_line(seat, "") else { return Ok(false) };
            match parse(line.trim(), &question) {
                Input::NoOption(number) => output::line(match question.options.len() {
                    1 => format!("there is no option {number}, only 1"),
                    many => format!("there is no option {number}: the options are 1 to {many}"),
                }),
                Input::Ambiguous(numbers) => {
                    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                    output::line(format!("`{}` could be several options: {}", line.trim(), numbers.join(", ")));
                }
                Input::Picks(options) => {
                    let picks = question.picks(&options);
                    let before = self.game.answers.len();
                    match answer(&mut self.game, &mut self.observers, decision, &picks) {
                        Ok(()) => {
                            self.answer_counts.push(before);
                            return Ok(true);
                        }
                        Err(refusal) => match screen::count_problem(&refusal, &question) {
                            Some(message) => output::line(message),
                            None => output::line(answer_refusal_text(&self.game.machine, seat, decision, &refusal)),
                        },
                    }
                }
                Input::Undo => {
                    if self.undo()? {
                        return Ok(true);
                    }
                    output::line("there is nothing to undo");
                }
                Input::WhyNot => {
                    let handles = self.observers.get(seat).map(|watcher| watcher.handles().clone()).unwrap_or_default();
                    screen::show_refusals(&mut self.game.machine, &handles, decision);
                }
                Input::Text(name) => self.print_card_text(seat, &name),
                Input::ShownCards => screen::show_revealed_cards(&view),
                Input::Log { all } => self.logs.get(seat).into_iter().for_each(|names| names.print_again(all)),
                Input::Show => screen::show_position(&view, self.table.selected.game, self.args.hot_seat),
                Input::Concede => {
                    let confirmation = self.read_line(seat, "concede the game? `yes` or `no` ");
                    if !matches!(confirmation.as_deref().map(str::trim), Some("yes" | "y")) {
                        output::line("the game continues");
                        continue;
                    }
                    self.answer_counts.push(self.game.answers.len());
                    self.game.concede(seat);
                    return Ok(true);
                }
                Input::Help => screen::show_help(),
                Input::Quit => return Ok(false),
                Input::Empty => output::line(hint(&question)),
                Input::Unknown => output::line(format!("`{}` is not an answer; {}", line.trim(), hint(&question))),
            }
        }
    }

    /// Undoes the last answer of a person, by replaying the game up to it. Returns `false` if there is none.
    fn undo(&mut self) -> Result<bool, CommandError> {
        let Some(count) = self.answer_counts.pop() else { return Ok(false) };
        let answers: Vec<RecordedAnswer> = self.game.answers.iter().take(count).cloned().collect();
        let mut replayed = start_recorded_game(self.table, &self.start)?;
        let mut observers = new_observers(&mut replayed.machine, self.observers.len());
        let replay_failed = |_| CommandError::Defect("cannot replay the game".into());
        while replayed.answers.len() < answers.len() {
            // `advance` repeats the forced answers.
            let StepResult::Decision(decision) = advance(&mut replayed, &mut observers)? else { break };
            let Some(recorded) = answers.get(replayed.answers.len()) else { break };
            if recorded.is_concession() {
                replayed.concede(usize::from(recorded.player));
                continue;
            }
            answer(&mut replayed, &mut observers, &decision, &recorded.picks).map_err(replay_failed)?;
        }
        // The events before the repeated decision were printed already, so they are skipped.
        advance(&mut replayed, &mut observers)?;
        for (watcher, names) in observers.iter_mut().zip(&mut self.logs) {
            names.clear();
            names.skip_events(&watcher.take_events(), &replayed.machine.program.format, self.table.selected.game);
        }
        output::line("your last answer is taken back");
        self.game = replayed;
        self.observers = observers;
        Ok(true)
    }
}
