//! `fizzle play`: a game at the terminal, line by line, against a bot or another person.

mod event_log;
mod input;
mod matches;
mod screen;

use crate::commands::explain::{self, Language};
use crate::commands::jit_option::JitOption;
use crate::commands::sim::{bots, with_deck_files};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup::{self, GameSetup};
use crate::load::{LoadPurpose, load_for};
use crate::output::{self, MessageFormat};
use event_log::EventLog;
use fizzle_runtime::bot::{self, Bot};
use fizzle_runtime::game::{MatchContext, RecordedGame, SeatCards, start_game};
use fizzle_runtime::ir::CompiledGame;
use fizzle_runtime::trace::{RecordedAnswer, Trace, outcome_name};
use fizzle_runtime::view::event_stream::{self, Observer};
use fizzle_runtime::view::{refused, seat_name, view_with};
use fizzle_runtime::vm::decision::{AnswerError, Decision};
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use input::{Input, hint, parse};
use std::sync::Arc;

/// Plays a game at the terminal.
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
    /// Play a match of at most N games, with exchanges of cards between games as the format has them
    #[arg(long, value_name = "N")]
    best_of: Option<u32>,
    /// The seed of chance
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// The bot on the other side (random, greedy, mcts, or mcts:N for N playouts)
    #[arg(long, default_value = "greedy", value_name = "BOT")]
    bot: String,
    /// Everybody plays at this terminal
    #[arg(long, conflicts_with = "bot")]
    hot_seat: bool,
    /// Write a trace of the game to this file when it ends (with --best-of: to FILE.1, FILE.2, …)
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    #[command(flatten)]
    native: JitOption,
}

/// What a game begins with.
#[derive(Clone)]
struct Start {
    seats: Vec<SeatCards>,
    seed: u64,
    standing: MatchContext,
}

/// A game at the terminal.
struct PlaySession<'a> {
    table: &'a GameSetup<'a>,
    args: &'a Args,
    start: Start,
    game: RecordedGame,
    /// The bot of each seat; none where a person sits.
    bots: Vec<Option<Box<dyn Bot>>>,
    /// What each player sees happen, and the numbers that objects have for them.
    watchers: Vec<Observer>,
    names: Vec<EventLog>,
    /// How many answers there were before each answer of a person.
    before: Vec<usize>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.native.apply();
    let format = game_setup::format_name(&args.paths, args.format.as_deref())?;
    // A match refuses a deck by itself.
    let wanted = if args.best_of.is_some() { LoadPurpose::TextsAndDecks } else { LoadPurpose::Texts };
    let compiled = load_for(wanted, &with_deck_files(&args.paths, &args.decks), &[&format], true, MessageFormat::Human)?;
    let table = game_setup::table(&compiled.artifact, &format, &args.decks)?;
    let seats = table.seats.len();
    let names = bots(std::slice::from_ref(&args.bot), seats)?;
    if let Some(best_of) = args.best_of {
        return matches::play(&table, args, &names, best_of);
    }
    table.report_illegal_decks();
    greet(&table, args, &names);
    let start = Start { seats: table.seats.clone(), seed: args.seed, standing: MatchContext::default() };
    let mut session = PlaySession::new(&table, args, &names, start)?;
    session.run()?;
    if let Some(path) = &args.out {
        session.write(path)?;
    }
    Ok(ExitStatus::Success)
}

fn begin(table: &GameSetup<'_>, start: &Start) -> Result<RecordedGame, CommandError> {
    let machine = start_game(Arc::clone(&table.program), &start.seats, start.seed, start.standing);
    Ok(RecordedGame::new(machine.map_err(|e| CommandError::Problem(e.to_string()))?))
}

/// Somebody who looks on for every player.
fn watchers(machine: &mut Machine, seats: usize) -> Vec<Observer> {
    (0..seats).map(|seat| Observer::new(machine, seat)).collect()
}

/// Goes on to the next decision with several answers, or to the end, while the watchers look on.
fn advance(game: &mut RecordedGame, watchers: &mut [Observer]) -> Result<StepResult, CommandError> {
    loop {
        let step = event_stream::follow(&mut game.machine, watchers);
        let StepResult::Asked(decision) = &step else { return Ok(step) };
        let Some(picks) = decision.forced() else { return Ok(step) };
        event_stream::answer(&mut game.machine, watchers, decision, &picks)
            .map_err(|refusal| CommandError::Defect(format!("the only answer is refused: {refusal}")))?;
        game.answers.push(RecordedAnswer::new(decision, &picks));
    }
}

/// Answers, while the watchers look on.
fn answer(game: &mut RecordedGame, watchers: &mut [Observer], decision: &Decision, picks: &[u32]) -> Result<(), AnswerError> {
    event_stream::answer(&mut game.machine, watchers, decision, picks)?;
    game.answers.push(RecordedAnswer::new(decision, picks));
    game.decisions += 1;
    Ok(())
}

/// What ended a game, if nobody gave it up: a state rule, or else the action that was under way.
pub fn how_ended(game: &CompiledGame, machine: &Machine) -> String {
    let rule = machine.ended_in().map(|rule| explain::state_rule(game, &machine.program.format, rule, Language::En));
    let how = rule.or_else(|| machine.ended_by().map(|action| action.replace('_', " ")));
    how.map_or_else(String::new, |how| format!(" ({how})"))
}

/// Who plays what, and how to answer.
fn greet(table: &GameSetup<'_>, args: &Args, bots: &[String]) {
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

/// Whether a person sits there.
fn is_person(args: &Args, seat: usize) -> bool {
    args.hot_seat || seat == 0
}

impl<'a> PlaySession<'a> {
    fn new(table: &'a GameSetup<'a>, args: &'a Args, names: &[String], start: Start) -> Result<Self, CommandError> {
        let seats = start.seats.len();
        let number = u64::from(start.standing.number - 1);
        let bot = |seat: usize| bot::named(names.get(seat).map_or("", String::as_str), args.seed, number, seat);
        let bots = (0..seats).map(|seat| if is_person(args, seat) { None } else { bot(seat) }).collect();
        let mut game = begin(table, &start)?;
        let watchers = watchers(&mut game.machine, seats);
        let names = (0..seats).map(|seat| EventLog::of(seat, args.hot_seat, &table.program)).collect();
        Ok(PlaySession { table, args, start, game, bots, watchers, names, before: Vec::new() })
    }

    /// Plays to the end. None when the person leaves.
    fn run(&mut self) -> Result<Option<Outcome>, CommandError> {
        loop {
            let decision = match advance(&mut self.game, &mut self.watchers)? {
                StepResult::Asked(decision) => decision,
                StepResult::Over(outcome) => {
                    self.end(outcome);
                    return Ok(Some(outcome));
                }
            };
            let seat = decision.player;
            if let Some(Some(bot)) = self.bots.get_mut(seat) {
                let picks = bot.choose(&self.game.machine, &decision);
                self.answer(&decision, &picks)?;
                continue;
            }
            if !self.ask(seat, &decision)? {
                return Ok(None);
            }
        }
    }

    /// Tells the people how it came to the end, and who has won.
    fn end(&mut self, outcome: Outcome) {
        let program = Arc::clone(&self.game.machine.program);
        for (seat, (watcher, names)) in self.watchers.iter_mut().zip(&mut self.names).enumerate() {
            if is_person(self.args, seat) {
                let items = watcher.take();
                names.tell(&items, &program.format, self.table.picked.game);
                if self.args.hot_seat {
                    // They sit at one terminal: what one of them has seen is enough.
                    break;
                }
            }
        }
        let who = match outcome {
            Outcome::Won(seat) if self.args.hot_seat => format!("{} has won", seat_name(seat)),
            Outcome::Won(0) => "you have won".to_owned(),
            Outcome::Won(seat) => format!("{} (the bot) has won", seat_name(seat)),
            Outcome::Drawn => "nobody has won".to_owned(),
            Outcome::Budget(_) => outcome_name(Some(outcome)),
        };
        let conceded = self.game.answers.last().is_some_and(RecordedAnswer::concedes);
        let how = if conceded { String::new() } else { how_ended(self.table.picked.game, &self.game.machine) };
        output::line(format!("the game is over: {who}{how}"));
    }

    /// Shows the text of a card.
    fn text(&self, seat: usize, wanted: &str) {
        if wanted.is_empty() {
            output::line("`text NAME` shows the text of a card, `text #12` that of the one with this number");
            return;
        }
        let numbered = wanted.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok());
        let known = numbered.map(|handle| self.names.get(seat).and_then(|names| names.name(handle)).unwrap_or_default());
        if known.is_some_and(str::is_empty) {
            output::line(format!("nothing that you know has the number `{wanted}`"));
            return;
        }
        let numbered = known.map(str::to_owned);
        let wanted = numbered.as_deref().unwrap_or(wanted).trim_matches(['"', '《', '》']).to_lowercase();
        let picked = &self.table.picked;
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
                let few: Vec<&str> = several.iter().copied().take(10).collect();
                output::line(format!("which one: {}{}", few.join(", "), if several.len() > few.len() { ", …" } else { "" }));
            }
        }
    }

    /// Writes the trace of the game.
    fn write(&self, path: &str) -> Result<(), CommandError> {
        let answers = self.game.answers.clone();
        let start = &self.start;
        let trace = Trace::new(&self.table.picked.game.name, &self.game.machine, &start.seats, start.seed, answers);
        crate::files::write(std::path::Path::new(path), &trace.encode())
    }

    fn answer(&mut self, decision: &Decision, picks: &[u32]) -> Result<(), CommandError> {
        answer(&mut self.game, &mut self.watchers, decision, picks)
            .map_err(|refusal| CommandError::Defect(format!("an answer is refused: {refusal}")))
    }

    /// A line that a person types; none when there are no more.
    fn line(&self, seat: usize, what: &str) -> Option<String> {
        output::prompt(if self.args.hot_seat { format!("{what}{}> ", seat_name(seat)) } else { format!("{what}> ") });
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line).map_or(0, |n| n) == 0 {
            output::line("");
            return None;
        }
        Some(line)
    }

    /// Asks a person until the answer is legal. Returns false when the person leaves.
    fn ask(&mut self, seat: usize, decision: &Decision) -> Result<bool, CommandError> {
        let Some(watcher) = self.watchers.get_mut(seat) else { return Ok(false) };
        let items = watcher.take();
        let view = view_with(&mut self.game.machine, seat, watcher.handles_mut());
        if let Some(names) = self.names.get_mut(seat) {
            names.tell(&items, &self.game.machine.program.format, self.table.picked.game);
        }
        let Some(question) = view.decision.clone() else { return Ok(false) };
        screen::show(&view, self.table.picked.game, self.args.hot_seat);
        screen::question(&view, &question, decision, self.table.picked.game, self.args.hot_seat);
        loop {
            let Some(line) = self.line(seat, "") else { return Ok(false) };
            match parse(line.trim(), &question) {
                Input::NoOption(number) => output::line(match question.options.len() {
                    1 => format!("there is no option {number}, only 1"),
                    many => format!("there is no option {number}: they go from 1 to {many}"),
                }),
                Input::Several(numbers) => {
                    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                    output::line(format!("`{}` could be several options: {}", line.trim(), numbers.join(", ")));
                }
                Input::Picks(options) => {
                    let picks = question.picks(&options);
                    let before = self.game.answers.len();
                    match answer(&mut self.game, &mut self.watchers, decision, &picks) {
                        Ok(()) => {
                            self.before.push(before);
                            return Ok(true);
                        }
                        Err(refusal) => match screen::miscounted(&refusal, &question) {
                            Some(said) => output::line(said),
                            None => output::line(refused(&self.game.machine, seat, decision, &refusal)),
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
                    let handles = self.watchers.get(seat).map(|watcher| watcher.handles().clone()).unwrap_or_default();
                    screen::why_not(&mut self.game.machine, &handles, decision);
                }
                Input::Text(name) => self.text(seat, &name),
                Input::Seen => screen::seen(&view),
                Input::Log { all } => self.names.get(seat).into_iter().for_each(|names| names.again(all)),
                Input::Show => screen::show(&view, self.table.picked.game, self.args.hot_seat),
                Input::Concede => {
                    let sure = self.line(seat, "give the game up? `yes` or `no` ");
                    if !matches!(sure.as_deref().map(str::trim), Some("yes" | "y")) {
                        output::line("the game goes on");
                        continue;
                    }
                    self.before.push(self.game.answers.len());
                    self.game.concede(seat);
                    return Ok(true);
                }
                Input::Help => screen::help(),
                Input::Quit => return Ok(false),
                Input::Nothing => output::line(hint(&question)),
                Input::Nonsense => output::line(format!("`{}` is no answer; {}", line.trim(), hint(&question))),
            }
        }
    }

    /// Returns to the last answer of a person, by playing the game again up to it.
    fn undo(&mut self) -> Result<bool, CommandError> {
        let Some(count) = self.before.pop() else { return Ok(false) };
        let answers: Vec<RecordedAnswer> = self.game.answers.iter().take(count).cloned().collect();
        let mut again = begin(self.table, &self.start)?;
        let mut watchers = watchers(&mut again.machine, self.watchers.len());
        let undone = |_| CommandError::Defect("the game cannot be played again".into());
        while again.answers.len() < answers.len() {
            // Decisions with one answer are given again by `advance`.
            let StepResult::Asked(decision) = advance(&mut again, &mut watchers)? else { break };
            let Some(answered) = answers.get(again.answers.len()) else { break };
            if answered.concedes() {
                again.concede(usize::from(answered.player));
                continue;
            }
            answer(&mut again, &mut watchers, &decision, &answered.picks).map_err(undone)?;
        }
        // What happened until the question that is asked again was told.
        advance(&mut again, &mut watchers)?;
        for (watcher, names) in watchers.iter_mut().zip(&mut self.names) {
            names.forget();
            names.skip_events(&watcher.take(), &again.machine.program.format, self.table.picked.game);
        }
        output::line("your last answer is taken back");
        self.game = again;
        self.watchers = watchers;
        Ok(true)
    }
}
