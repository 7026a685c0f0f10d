//! A match that is played at the terminal: the client of a table in the same process.

use super::board::Board;
use super::client_state::{self, ClientState};
use super::input::{Input, count_problem, hint, parse};
use super::prompt::read_line;
use super::{card_text, exchange, question};
use crate::failure::CommandError;
use crate::game_setup::SelectedFormat;
use crate::output::{self, Style};
use fizzle_runtime::matches::MatchPhase;
use fizzle_runtime::program::Program;
use fizzle_runtime::view::seat_name;
use fizzle_table::protocol::{Ask, AskKind, ClientMessage, Lang, MatchState};
use fizzle_table::table::{ClientId, Table};
use std::path::Path;
use std::sync::Arc;

/// The most lines of the log that are printed at once.
pub const MAX_LINES_SHOWN: usize = 40;

/// The only client of the table.
const TERMINAL: ClientId = ClientId(0);

/// What is played, and by whom.
#[derive(Clone, Debug)]
pub struct SessionSetup<'a> {
    /// The format.
    pub selected: SelectedFormat<'a>,
    /// Its linked program.
    pub program: Arc<Program>,
    /// The names of the decks, by seat; empty if none is named.
    pub decks: Vec<String>,
    /// The most games of the match, if it is one.
    pub best_of: Option<u32>,
    /// The seat of the person.
    pub seat: usize,
    /// All players play at this terminal.
    pub hot_seat: bool,
    /// Where the traces of the games are written.
    pub output: Option<String>,
}

/// A match that is played at the terminal.
pub struct PlaySession<'a> {
    setup: SessionSetup<'a>,
    table: Table,
    received: ClientState,
}

impl<'a> PlaySession<'a> {
    /// Joins a table that has begun.
    pub fn join(setup: SessionSetup<'a>, table: Table) -> Self {
        let mut session = Self { setup, table, received: ClientState::default() };
        session.table.join(TERMINAL, Some(session.setup.seat), "", Lang::En, "", 0);
        session.advance();
        session
    }

    /// What has happened so far is known to the person, so that it is not printed.
    pub fn skip_log(&mut self) {
        self.received.answered();
    }

    /// Prints who plays which deck, and how to answer.
    pub fn print_introduction(&self) {
        let format = &self.setup.program.format;
        output::line(format.shown_title());
        for seat in 0..self.setup.program.players() {
            let bot = self.received.seats.get(seat).and_then(|seat| seat.bot.as_ref());
            let who = match bot {
                None if self.setup.hot_seat => String::new(),
                None => " (you)".to_owned(),
                Some(bot) => format!(" (the bot {bot})"),
            };
            let deck = self.setup.decks.get(seat).map_or_else(String::new, |deck| format!(" plays {deck}"));
            output::line(format!("{}{who}{deck}", seat_name(seat)));
        }
        output::wrapped_line(
            "answer with a number, or several; `?` why not, `? NAME` a card's text, `undo`, `show`, `log`, `quit`; `help` lists all",
        );
        if let Some(best_of) = self.setup.best_of {
            output::line(format!("game 1, best of {best_of}, the score is {}", score(&vec![0; self.setup.program.players()])));
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
    pub fn run(&mut self) -> Result<(), CommandError> {
        let mut game = 1;
        loop {
            if let Some(over) = self.received.over.take() {
                self.print_new_lines();
                self.received.answered();
                output::line(format!("the game is over: {}", over.words));
                // A reason can name several causes; the numbers show which one it was.
                self.board(self.setup.seat).print_numbers();
                self.write_trace(game)?;
                if self.table.is_over() {
                    if self.setup.best_of.is_some() {
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
        let best_of = self.setup.best_of.unwrap_or(1);
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
        let (Some(path), Some(trace)) = (&self.setup.output, self.table.trace()) else { return Ok(()) };
        let path = trace_path(path, self.setup.best_of.map(|_| game));
        crate::trace_file::check_size(&path, &trace)?;
        crate::files::write(Path::new(&path), &trace)
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
        let library = &self.setup.selected.game.library;
        Board { received: &self.received, library, format: &self.setup.program.format, viewer, hot_seat: self.setup.hot_seat }
    }

    /// Asks a person until the decision is another one. Returns `false` if the person quits.
    fn ask_player(&mut self, ask: &Ask) -> bool {
        let hot_seat = self.setup.hot_seat;
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
                    self.send(client_state::answer(ask, &picks));
                    let Some((why, instead)) = self.received.refused.take() else { return true };
                    self.received.read = read;
                    output::wrapped_line(refusal_line(&why.words, &why.path, instead.as_deref()));
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
                Input::Text(name) => card_text::print(&name, &self.received, &self.setup.selected),
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
                Input::Help => HELP.iter().for_each(output::wrapped_line),
                Input::Quit => return false,
                Input::Empty => output::wrapped_line(hint(ask)),
                Input::Unknown => output::wrapped_line(format!("`{}` is not an answer; {}", line.trim(), hint(ask))),
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
            output::wrapped_line(format!("  {line}"));
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
pub fn print_lines(lines: &[String]) {
    for group in lines.chunk_by(|a, b| a == b) {
        let times = if group.len() > 1 { format!(" ×{}", group.len()) } else { String::new() };
        if let Some(line) = group.first() {
            let line = format!("  {line}{times}");
            // Headings are not indented in the log.
            if line.starts_with("   ") { output::wrapped_line(line) } else { output::wrapped_title(Style::Bold, &line, "") }
        }
    }
}

/// The games that each player has won: `2 to 1`.
fn score(wins: &[u32]) -> String {
    wins.iter().map(ToString::to_string).collect::<Vec<_>>().join(" to ")
}

/// The path of the trace of a game. `number`: its number in a match.
pub fn trace_path(path: &str, number: Option<u32>) -> String {
    number.map_or_else(|| path.to_owned(), |number| format!("{path}.{number}"))
}
