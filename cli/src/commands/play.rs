//! `fizzle play`: plays at the terminal, line by line, against bots or other people: a client of a table in the same process.

mod board;
mod exchange;
mod input;
mod question;
mod received;

use crate::commands::explain;
use crate::commands::jit_option::JitOption;
use crate::commands::sim::bots_by_deck;
use crate::failure::{CommandError, ExitStatus};
use crate::files::STDIN;
use crate::game_setup::{self, GameSetup, with_deck_files};
use crate::load::{LoadPurpose, LoadedGames, load_for};
use crate::output::{self, MessageFormat};
use board::Board;
use fizzle_runtime::matches::MatchPhase;
use fizzle_runtime::view::seat_name;
use fizzle_table::protocol::{Ask, AskKind, ClientMessage, Lang, MatchState};
use fizzle_table::rule_text::Sources;
use fizzle_table::shown::PackIndex;
use fizzle_table::table::{ClientId, Occupant, Table, TableSetup};
use input::{Input, count_problem, hint, parse};
use received::Received;
use std::io::BufRead;
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
    /// A deck for each player: the name of a deck, a file with one, or a deck list (see `fizzle deck check --help`)
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

/// The most lines of the log that are printed at once.
const MAX_LINES_SHOWN: usize = 40;

/// The only client of the table.
const TERMINAL: ClientId = ClientId(0);

/// A match that is played at the terminal.
struct PlaySession<'a> {
    setup: &'a GameSetup<'a>,
    args: &'a Args,
    table: Table,
    received: Received,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.jit.apply();
    if args.paths.iter().chain(&args.decks).any(|path| path == STDIN) {
        return Err(CommandError::usage("`play` reads answers from the standard input, so `-` cannot be a source or a deck"));
    }
    let format = game_setup::format_name_for_decks(&args.paths, args.format.as_deref(), &args.decks, MessageFormat::Human)?;
    // A match refuses illegal decks itself.
    let wanted = if args.best_of.is_some() { LoadPurpose::TextsAndDecks } else { LoadPurpose::Texts };
    let compiled = load_for(wanted, &with_deck_files(&args.paths, &args.decks), &[&format], true, MessageFormat::Human)?;
    let setup = game_setup::set_up(&compiled.artifact, &format, &args.decks, MessageFormat::Human)?;
    let bots = bots_by_deck(std::slice::from_ref(&args.bot), setup.seats.len())?;
    if let Some(path) = &args.output {
        // Reported before the game, whose record would be lost.
        for number in 1..=args.best_of.unwrap_or(1).min(MAX_TRACES_CHECKED) {
            crate::files::check_output(Path::new(&trace_path(path, args.best_of.map(|_| number))))?;
        }
    }
    match args.best_of {
        // Whether a match of so many games with these decks can be played.
        Some(best_of) => drop(setup.new_match(best_of, &setup.decks, args.seed)?),
        None => setup.report_illegal_decks(),
    }
    let mut session = PlaySession::new(&setup, &compiled, args, &bots)?;
    session.print_introduction();
    session.run()?;
    Ok(ExitStatus::Success)
}

/// The path of the trace of a game. `number`: its number in a match.
fn trace_path(path: &str, number: Option<u32>) -> String {
    number.map_or_else(|| path.to_owned(), |number| format!("{path}.{number}"))
}

/// Reads a line that a person types. `None` at the end of the input.
fn read_line(prompt: &str) -> Option<String> {
    output::prompt(prompt);
    let mut line = Vec::new();
    if std::io::stdin().lock().read_until(b'\n', &mut line).unwrap_or(0) == 0 {
        output::line("");
        return None;
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

impl<'a> PlaySession<'a> {
    fn new(setup: &'a GameSetup<'a>, compiled: &LoadedGames, args: &'a Args, bots: &[String]) -> Result<Self, CommandError> {
        let occupant = |seat: usize| match bots.get(seat) {
            Some(bot) if !args.hot_seat && seat > 0 => Occupant::Bot(bot.clone()),
            _ => Occupant::Client,
        };
        let sources: Sources = compiled.sources.iter().map(|file| (file.path.clone(), file.text.clone())).collect();
        let table = Table::new(TableSetup {
            name: "terminal".to_owned(),
            game: Arc::new(setup.selected.game.clone()),
            pack_index: Arc::new(PackIndex::new(setup.selected.game)),
            sources: Arc::new(sources),
            program: Arc::clone(&setup.program),
            decks: setup.decks.clone(),
            any_deck: args.best_of.is_none(),
            occupants: (0..setup.seats.len()).map(occupant).collect(),
            hot_seat: args.hot_seat,
            sandbox: true,
            best_of: args.best_of.unwrap_or(1),
            seed: args.seed,
            position: None,
            timing_seed: args.seed,
            grace: 0,
            forced_wait: None,
        });
        let table = table.map_err(|error| CommandError::Problem(error.to_string()))?;
        let mut session = Self { setup, args, table, received: Received::default() };
        session.table.join(TERMINAL, Some(0), "", Lang::En, "", 0);
        session.advance();
        Ok(session)
    }

    /// Prints who plays which deck, and how to answer.
    fn print_introduction(&self) {
        let format = &self.setup.program.format;
        output::line(format.shown_title());
        for (seat, deck) in self.setup.names.iter().enumerate() {
            let bot = self.received.seats.get(seat).and_then(|seat| seat.bot.as_ref());
            let who = match bot {
                None if self.args.hot_seat => String::new(),
                None => " (you)".to_owned(),
                Some(bot) => format!(" (the bot {bot})"),
            };
            output::line(format!("{}{who} plays {deck}", seat_name(seat)));
        }
        output::line(
            "answer with a number, or several; `?` why not, `? NAME` a card's text, `undo`, `show`, `log`, `quit`; `help` lists all",
        );
        if let Some(best_of) = self.args.best_of {
            output::line(format!("game 1, best of {best_of}, the score is {}", score(&vec![0; self.setup.seats.len()])));
        }
    }

    /// Sends a message to the table. Bots answer until a person must.
    fn send(&mut self, message: ClientMessage) {
        self.table.receive(TERMINAL, message, 0);
        self.advance();
    }

    fn advance(&mut self) {
        loop {
            for (_, message) in self.table.take_messages() {
                self.received.take(message);
            }
            let Some(task) = self.table.take_bot_task() else { return };
            self.table.bot_answered(task.run(), 0);
        }
    }

    /// Plays to the end of the match, or until the person quits.
    fn run(&mut self) -> Result<(), CommandError> {
        let mut game = 1;
        loop {
            if let Some(over) = self.received.over.take() {
                self.print_new_lines();
                self.received.answered();
                output::line(format!("the game is over: {}", over.words));
                self.write_trace(game)?;
                if self.table.is_over() {
                    if self.args.best_of.is_some() {
                        output::line(format!("the match is over: {}", self.match_result()));
                    }
                    return Ok(());
                }
                game += 1;
                if !self.next_game(over.state.unwrap_or_default(), game)? {
                    return Ok(());
                }
                continue;
            }
            let Some(ask) = self.received.ask.clone() else {
                return Err(CommandError::Defect("the table waits for no player".to_owned()));
            };
            if !self.ask_player(&ask) {
                return self.write_trace(game);
            }
        }
    }

    /// Lets the persons exchange cards, and begins the next game. `game`: its number. Returns `false` if a person quits.
    fn next_game(&mut self, mut state: MatchState, game: u32) -> Result<bool, CommandError> {
        let wins = score(&state.wins);
        loop {
            let seat = state.ready.iter().position(|ready| !ready).unwrap_or(0);
            if let Some(own) = state.deck.take() {
                let rules = &self.setup.program.format.match_rules;
                let Some(chosen) = exchange::ask(rules, own, self.received.player(seat), game) else { return Ok(false) };
                state.deck = Some(chosen);
            }
            self.send(ClientMessage::Ready { deck: state.deck.clone() });
            self.print_notes();
            // The next person at this terminal gets ready.
            let is_waiting = |again: &MatchState| again.phase == MatchPhase::Exchanging.name() && again.ready != state.ready;
            let again = self.received.over.take_if(|over| over.state.as_ref().is_some_and(is_waiting));
            match again.and_then(|over| over.state) {
                Some(again) => state = again,
                None if self.received.ask.is_some() || self.received.over.is_some() => break,
                // The exchange was refused, and is changed.
                None if state.deck.is_some() => {}
                None => return Err(CommandError::Defect("the next game does not begin".to_owned())),
            }
        }
        let best_of = self.args.best_of.unwrap_or(1);
        output::line(format!("game {game}, best of {best_of}, the score is {wins}"));
        Ok(true)
    }

    /// Who has won the match, and the score.
    fn match_result(&self) -> String {
        let played = self.table.game_match();
        let winner = played.winner().map(|seat| format!("{} has won", self.received.player(seat)));
        format!("{}, {}", winner.unwrap_or_else(|| "no player has won".to_owned()), score(played.wins()))
    }

    /// Writes the trace of the game. `game`: its number in the match.
    fn write_trace(&self, game: u32) -> Result<(), CommandError> {
        let (Some(path), Some(trace)) = (&self.args.output, self.table.trace()) else { return Ok(()) };
        crate::files::write(Path::new(&trace_path(path, self.args.best_of.map(|_| game))), &trace)
    }

    fn print_notes(&mut self) {
        self.received.notes.drain(..).for_each(output::line);
    }

    /// Prints the log since the last answer.
    fn print_new_lines(&self) {
        let lines = self.received.new_lines();
        let skipped = lines.len().saturating_sub(MAX_LINES_SHOWN);
        if !lines.is_empty() {
            output::line("");
        }
        if skipped > 0 {
            output::line(format!("  … {skipped} earlier lines: `log` shows them"));
        }
        print_lines(lines.get(skipped..).unwrap_or_default());
    }

    fn board(&self, viewer: usize) -> Board<'_> {
        Board { received: &self.received, library: &self.setup.selected.game.library, viewer, hot_seat: self.args.hot_seat }
    }

    /// Asks a person until the decision is another one. Returns `false` if the person quits.
    fn ask_player(&mut self, ask: &Ask) -> bool {
        let hot_seat = self.args.hot_seat;
        let who = if hot_seat { self.received.player(ask.seat).to_owned() } else { "you".to_owned() };
        self.print_new_lines();
        self.board(ask.seat).print();
        question::print(&self.received, ask, &who, hot_seat);
        if !self.received.passing.is_empty() {
            output::line(format!("passing {}; `hold` ends it", self.received.passing.join(", ")));
        }
        let prompt = if hot_seat { format!("{who}> ") } else { "> ".to_owned() };
        loop {
            self.print_notes();
            let Some(line) = read_line(&prompt) else { return false };
            let input = parse(line.trim_end_matches(['\n', '\r']), ask, &self.received);
            match input {
                Input::NoOption(number) => output::line(match ask.options.len() {
                    1 => format!("there is no option {number}, only 1"),
                    many => format!("there is no option {number}: the options are 1 to {many}"),
                }),
                Input::Ambiguous(numbers) => {
                    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                    output::line(format!("`{}` could be several options: {}", line.trim(), numbers.join(", ")));
                }
                Input::Picks(picks) => {
                    if let Some(problem) = count_problem(&picks, ask) {
                        output::line(problem);
                        continue;
                    }
                    let read = self.received.read;
                    self.received.answered();
                    self.send(received::answer(ask, &picks));
                    let Some((why, instead)) = self.received.refused.take() else { return true };
                    self.received.read = read;
                    output::line(refusal_line(&why.words, &why.path, instead.as_deref()));
                }
                Input::Undo => self.send(ClientMessage::Undo),
                Input::Yield(_) if ask.kind != AskKind::Act => {
                    output::line(format!("only where you could pass: {}", hint(ask)));
                }
                Input::Yield(until) => {
                    self.received.answered();
                    self.send(ClientMessage::Yield { until, ability: None });
                }
                Input::Hold => {
                    self.send(ClientMessage::Hold);
                    output::line("nothing passes by itself");
                }
                Input::WhyNot => {
                    self.send(ClientMessage::Why { on: None });
                    self.print_reasons();
                }
                Input::WhyNotThis(what) => match self.objects(&what).as_slice() {
                    [on] => {
                        self.send(ClientMessage::Why { on: Some(*on) });
                        self.print_reasons();
                    }
                    [] => output::line(format!("you see no `{what}`")),
                    several => {
                        let several: Vec<String> = several.iter().map(|handle| format!("#{handle}")).collect();
                        output::line(format!("which one: {}", several.join(", ")));
                    }
                },
                Input::Text(name) => self.print_card_text(&name),
                Input::ShownCards => self.print_shown_cards(),
                Input::Log { all } => self.print_log(all),
                Input::Show => self.board(ask.seat).print(),
                Input::Concede => {
                    if !matches!(read_line("concede the game? `yes` or `no` > ").as_deref().map(str::trim), Some("yes" | "y")) {
                        output::line("the game continues");
                        continue;
                    }
                    self.received.answered();
                    self.send(ClientMessage::Concede);
                }
                Input::Help => HELP.iter().for_each(output::line),
                Input::Quit => return false,
                Input::Empty => output::line(hint(ask)),
                Input::Unknown => output::line(format!("`{}` is not an answer; {}", line.trim(), hint(ask))),
            }
            if self.received.over.is_some() || self.received.ask.as_ref().is_none_or(|pending| pending.id != ask.id) {
                self.print_notes();
                return true;
            }
        }
    }

    /// The handles of the objects that a person names by `#` and a number, or by their name.
    fn objects(&self, what: &str) -> Vec<u32> {
        if let Some(digits) = what.strip_prefix('#') {
            return digits.parse().into_iter().collect();
        }
        let wanted = what.to_lowercase();
        let handles = self.received.view.objects.keys().filter_map(|handle| handle.parse::<u32>().ok());
        let mut named: Vec<u32> = handles.filter(|handle| self.received.name(*handle).to_lowercase() == wanted).collect();
        named.sort_unstable();
        named
    }

    fn print_reasons(&mut self) {
        let reasons = std::mem::take(&mut self.received.reasons);
        if reasons.is_empty() {
            output::line("nothing forbids it: everything that can be used is among the options");
        }
        for line in question::reason_lines(&self.received, &reasons) {
            output::line(format!("  {line}"));
        }
    }

    /// Prints the log: since the last answer, or of the whole game.
    fn print_log(&self, all: bool) {
        let lines = if all { self.received.log.as_slice() } else { self.received.new_lines() };
        if lines.is_empty() {
            output::line(if all {
                "nothing has happened yet"
            } else {
                "nothing has happened since your last answer; `log all` shows what was before"
            });
        }
        print_lines(lines);
    }

    /// Prints the hidden cards that were shown to the person in the whole game.
    fn print_shown_cards(&self) {
        let shown = &self.received.view.facts.shown;
        for (turn, card, zone) in shown {
            let (zone, seat) = zone.split_once('.').unwrap_or((zone, ""));
            let whose = seat.parse().map_or_else(|_| String::new(), |seat| format!("{}'s ", self.received.player(seat)));
            output::line(format!("  turn {turn}: {card} in {whose}{}", zone.replace('_', " ")));
        }
        if shown.is_empty() {
            output::line("you were shown no hidden cards");
        }
    }

    /// Prints the text of a card, given by a name, a part of a name, or `#` and a number.
    fn print_card_text(&self, wanted: &str) {
        if wanted.is_empty() {
            output::line("`text NAME` shows the text of a card, `text #12` the text of the object with that number");
            return;
        }
        let numbered = wanted.strip_prefix('#').and_then(|digits| digits.parse::<u32>().ok());
        let known = numbered.map(|handle| self.received.name(handle));
        if known.is_some_and(str::is_empty) {
            output::line(format!("you know no object with the number `{wanted}`"));
            return;
        }
        // The name in the sources, also where the card is called otherwise in this language.
        let known = numbered.and_then(|handle| self.received.view.objects.get(&handle.to_string())).map(|it| it.card.as_str());
        let wanted = known.unwrap_or(wanted).trim_matches(['"', '《', '》']).to_lowercase();
        let picked = &self.setup.selected;
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
}

/// The commands of the prompt.
const HELP: [&str; 15] = [
    "numbers of options, separated by spaces; or `#12`, the object with that number; or the name of a card, if only one option has it",
    "`pass` (or `p`), `yes`, `no` if these are options; `none` to choose nothing; `ok` for the payment or declaration that is proposed",
    "?, why   why the other plays cannot be chosen now; `why NAME`, `why #12`: only about this object",
    "? NAME, text NAME   the text of a card; `text #12`: of the object with that number",
    "seen   the hidden cards that you were shown so far",
    "log, log all   what happened since your last answer, or all that is kept of the game",
    "until end   passes until the turn ends; `until mine`: until your turn. At one terminal for all, it passes for all",
    "until added   passes until something is added to the list; `until could`: until you could do something else",
    "hold   ends passing",
    "undo, u   takes your last answer back",
    "show, s   the position again",
    "concede   concedes the game; if there are several other players, they continue",
    "help, h   these lines",
    "quit, q   quits the game",
    "An object gets another number when it moves.",
];

/// Why an answer is refused, with a legal one that is near.
fn refusal_line(words: &str, path: &str, instead: Option<&[u32]>) -> String {
    let path = if path.is_empty() { String::new() } else { format!(" ({path})") };
    let instead = match instead {
        None => String::new(),
        Some([]) => "; legal would be `none`".to_owned(),
        Some(picks) => {
            let picks: Vec<String> = picks.iter().map(|pick| (pick + 1).to_string()).collect();
            format!("; legal would be `{}`", picks.join(" "))
        }
    };
    format!("{words}{path}{instead}")
}

/// Prints lines of the log, equal ones once.
fn print_lines(lines: &[String]) {
    for group in lines.chunk_by(|a, b| a == b) {
        let times = if group.len() > 1 { format!(" ×{}", group.len()) } else { String::new() };
        if let Some(line) = group.first() {
            output::line(format!("  {line}{times}"));
        }
    }
}

/// The games that each player has won: `2 to 1`.
fn score(wins: &[u32]) -> String {
    wins.iter().map(ToString::to_string).collect::<Vec<_>>().join(" to ")
}
