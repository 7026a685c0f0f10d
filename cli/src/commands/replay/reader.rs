//! Reads a recorded game step by step at a prompt.

use super::place::Place;
use super::recorded_game::RecordedGame;
use super::transcript::{Line, Transcript};
use crate::commands::play::client_state::ClientState;
use crate::commands::play::prompt::read_line;
use crate::commands::play::seating::seat_named;
use crate::commands::play::session::MAX_LINES_SHOWN;
use crate::commands::play::{card_text, question};
use crate::failure::CommandError;
use crate::output::{self, Style};
use fizzle_runtime::view::seat_name;
use fizzle_table::replay::ALL_SEEING;

/// A reader of a game.
pub struct Reader<'a> {
    game: &'a RecordedGame<'a>,
    transcript: Transcript,
    viewer: usize,
    place: usize,
    /// The place before the last move.
    before: usize,
    received: ClientState,
    /// The words that were searched last.
    searched: String,
    /// How many games were continued.
    continued: u32,
}

/// A parsed line of the prompt.
#[derive(Debug, PartialEq, Eq)]
enum Input {
    /// So many decisions forwards.
    Forward(usize),
    /// So many decisions back.
    Back(usize),
    /// To where something has happened but passing.
    Skip,
    /// The next turn.
    NextTurn,
    /// The beginning of this turn, or of the one before.
    TurnBack,
    /// A place.
    To(Place),
    /// The next line with these words; without words, with those of the last search.
    Find(String),
    /// The table again.
    Show,
    /// What happened before: since the last stop, or from the beginning.
    Log {
        all: bool,
    },
    /// The options of the decision.
    Options,
    /// The text of a card.
    Text(String),
    /// What another viewer sees.
    As(String),
    /// Play on, in a seat.
    Continue(String),
    Help,
    Quit,
    Unknown,
}

fn parse(line: &str) -> Input {
    let line = line.trim();
    if let Some(words) = line.strip_prefix('/') {
        return Input::Find(words.trim().to_owned());
    }
    if let Some(name) = line.strip_prefix('?') {
        return if name.trim().is_empty() { Input::Help } else { Input::Text(name.trim().to_owned()) };
    }
    let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let count = |to: fn(usize) -> Input| match rest {
        "" => to(1),
        number => number.parse().map_or(Input::Unknown, to),
    };
    match (word, rest) {
        ("", _) => Input::Forward(1),
        ("next" | "n", _) => count(Input::Forward),
        ("back" | "b", _) => count(Input::Back),
        ("skip" | "k", "") => Input::Skip,
        ("turn" | "t", "") => Input::NextTurn,
        ("turn" | "t", "back" | "b") | ("tb", "") => Input::TurnBack,
        ("find" | "f", words) => Input::Find(words.to_owned()),
        ("show" | "s", "") => Input::Show,
        ("log" | "l", "") => Input::Log { all: false },
        ("log" | "l", "all") => Input::Log { all: true },
        ("options" | "o", "") => Input::Options,
        ("text", name) => Input::Text(name.to_owned()),
        ("as", seat) => Input::As(seat.to_owned()),
        ("continue" | "c", seat) => Input::Continue(seat.to_owned()),
        ("help" | "h", "") => Input::Help,
        ("quit" | "q" | "exit", "") => Input::Quit,
        _ => match line.parse::<usize>() {
            Ok(number) => Input::To(Place::Decision(number)),
            Err(_) => line.parse().map_or(Input::Unknown, Input::To),
        },
    }
}

/// The commands of the prompt.
const HELP: [&str; 18] = [
    "Enter, next, n   to the next decision; `next 5`: 5 decisions",
    "back, b   to the decision before; `back 5`: 5 decisions",
    "skip, k   on to where something has happened but passing",
    "turn, t   to the next turn; `turn back`: to the beginning of this turn, or of the one before; `turn 5`: to turn 5",
    "decision 40, or 40   to decision 40, or the next one with several legal answers",
    "event 120   to the first decision after event 120",
    "start, end   to the beginning or the end of the game",
    "find WORDS, /WORDS   to the next place at which a line with these words has happened; `/` alone searches again",
    "show, s   the table again",
    "log, l   what happened since the last stop; `log all`: since the beginning",
    "options, o   the options of the decision, and what was answered",
    "? NAME, text NAME   the text of a card; `text #12`: of the object with that number",
    "as A   only what A sees; `as all`: every card, also hidden ones",
    "continue, c   play on from here by hand, for the player who decides; `continue B`: for B",
    "help, h   these lines",
    "quit, q   ends reading",
    "A decision with one legal answer is counted, but it is no stop. The number of an event is at its left, that of a decision is behind `>`.",
    "An object gets another number when it moves.",
];

impl<'a> Reader<'a> {
    /// Begins at a place.
    pub fn new(game: &'a RecordedGame<'a>, transcript: Transcript, viewer: usize, place: usize) -> Self {
        let received = game.position(place, viewer);
        Self { game, transcript, viewer, place, before: place, received, searched: String::new(), continued: 0 }
    }

    /// Reads to the end of the input, or until the person quits.
    ///
    /// # Errors
    /// The record of a continued game cannot be written.
    pub fn run(&mut self) -> Result<(), CommandError> {
        output::wrapped_line(
            "Enter: next decision, `skip` passes, `back`, `turn`, `/WORDS` to search, `continue` to play on, `quit`; `help` lists all",
        );
        self.print_stop();
        while let Some(line) = read_line("replay> ") {
            match parse(&line) {
                Input::Forward(count) => self.move_by(count, true),
                Input::Back(count) => self.move_by(count, false),
                Input::Skip => self.go_to(self.transcript.place_of_next_line(self.place)),
                Input::NextTurn => match self.transcript.place_of_turn(self.transcript.turn(self.place) + 1) {
                    Some(place) => self.go_to(place),
                    None => self.go_to(self.transcript.end()),
                },
                Input::TurnBack => {
                    let begin = |turn: u32| self.transcript.place_of_turn(turn).unwrap_or(0);
                    let turn = self.transcript.turn(self.place);
                    let own = begin(turn);
                    let place = if own < self.place { own } else { begin(turn.saturating_sub(1)) };
                    self.go_to(place);
                }
                Input::To(place) => match self.transcript.find_place(place) {
                    Ok(place) => self.go_to(place),
                    Err(problem) => output::line(problem),
                },
                Input::Find(words) => self.find(words),
                Input::Show => self.print_table(),
                Input::Log { all: false } => self.lines().iter().for_each(Line::print),
                Input::Log { all: true } => self.transcript.until(self.place).iter().for_each(Line::print),
                Input::Options => self.print_options(),
                Input::Text(name) => card_text::print(&name, &self.received, &self.game.selected),
                Input::As(seat) => self.read_as(&seat),
                Input::Continue(seat) => self.play_on(&seat)?,
                Input::Help => HELP.iter().for_each(output::wrapped_line),
                Input::Quit => break,
                Input::Unknown => output::line(format!("`{}` is no command; `help` lists all", line.trim())),
            }
        }
        Ok(())
    }

    fn move_by(&mut self, count: usize, is_forwards: bool) {
        let place = if is_forwards { self.place.saturating_add(count) } else { self.place.saturating_sub(count) };
        let place = place.min(self.transcript.end());
        if place == self.place {
            output::line(if is_forwards { "the game ends here" } else { "the game begins here" });
        } else {
            self.go_to(place);
        }
    }

    fn go_to(&mut self, place: usize) {
        (self.before, self.place) = (self.place, place);
        self.received = self.game.position(place, self.viewer);
        self.print_stop();
    }

    fn find(&mut self, words: String) {
        if !words.is_empty() {
            self.searched = words;
        }
        if self.searched.is_empty() {
            output::line("`find WORDS` searches for words");
            return;
        }
        match self.transcript.find_words(&self.searched, self.place).map(|(place, _)| place) {
            None => output::line(format!("nothing with `{}` has happened in this game", self.searched)),
            Some(place) => {
                if place <= self.place {
                    output::line("found from the beginning of the game on");
                }
                self.go_to(place);
            }
        }
    }

    /// The lines since the last stop.
    fn lines(&self) -> &[Line] {
        self.transcript.between(self.before, self.place)
    }

    /// Prints what has happened since the last stop, the table, and the decision.
    pub fn print_stop(&self) {
        let lines = self.lines();
        let skipped = lines.len().saturating_sub(MAX_LINES_SHOWN);
        if skipped > 0 {
            output::line(format!("  … {skipped} earlier lines: `log` shows them"));
        }
        lines.iter().skip(skipped).for_each(Line::print);
        self.print_table();
    }

    fn print_table(&self) {
        self.game.print_board(&self.received, self.viewer);
        output::line("");
        let decision = self.transcript.decision_number(self.place).map(|(number, all)| format!("decision {number} of {all}"));
        let line = match (decision, self.transcript.step(self.place)) {
            (None, _) => format!("end of the game: {}", self.game.outcome()),
            (Some(decision), Some(step)) => {
                format!("{decision}: {}, {}: {}", seat_name(step.seat), step.prompt, step.words)
            }
            (Some(decision), None) => format!("{decision} is of another player than {}", seat_name(self.viewer)),
        };
        output::wrapped_title(Style::Cyan, &line, "");
    }

    fn print_options(&self) {
        let Some((ask, step)) = self.received.ask.as_ref().zip(self.transcript.step(self.place)) else {
            output::line("no decision is shown here");
            return;
        };
        question::print(&self.received, ask, &seat_name(step.seat), true);
        output::line(format!("  answered: {}", step.words));
    }

    fn read_as(&mut self, seat: &str) {
        let viewer = match seat {
            "all" | "" => Ok(ALL_SEEING),
            seat => seat_named(seat, self.game.players()),
        };
        match viewer {
            Ok(viewer) => {
                self.viewer = viewer;
                self.transcript = self.game.transcript(viewer);
                self.received = self.game.position(self.place, viewer);
                self.print_table();
            }
            Err(problem) => output::line(problem),
        }
    }

    /// Plays on from here. Afterwards the recorded game is at the same place.
    fn play_on(&mut self, seat: &str) -> Result<(), CommandError> {
        let seat = match seat {
            "" => self.game.decider(self.place).unwrap_or_default(),
            seat => match seat_named(seat, self.game.players()) {
                Ok(seat) => seat,
                Err(problem) => {
                    output::line(problem);
                    return Ok(());
                }
            },
        };
        match self.game.play_on(self.place, seat, self.continued) {
            Ok(()) => self.continued += 1,
            Err(CommandError::Usage { message, .. }) => {
                output::line(message);
                return Ok(());
            }
            Err(problem) => return Err(problem),
        }
        output::line("\nback in the recorded game");
        self.print_table();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, Place, parse};

    #[test]
    fn lines_are_parsed() {
        assert_eq!((parse(""), parse("n"), parse("next 5")), (Input::Forward(1), Input::Forward(1), Input::Forward(5)));
        assert_eq!((parse("skip"), parse("skip 2")), (Input::Skip, Input::Unknown));
        assert_eq!((parse("b 2"), parse("back x")), (Input::Back(2), Input::Unknown));
        assert_eq!(
            (parse("t"), parse("turn back"), parse("turn 5")),
            (Input::NextTurn, Input::TurnBack, Input::To(Place::Turn(5)))
        );
        assert_eq!((parse("40"), parse("event:12")), (Input::To(Place::Decision(40)), Input::To(Place::Event(12))));
        assert_eq!(
            (parse("/Bolt"), parse("/"), parse("find a b")),
            (Input::Find("Bolt".into()), Input::Find(String::new()), Input::Find("a b".into()))
        );
        assert_eq!(
            (parse("? Bolt"), parse("?"), parse("text #3")),
            (Input::Text("Bolt".into()), Input::Help, Input::Text("#3".into()))
        );
        assert_eq!(
            (parse("as B"), parse("c"), parse("continue B")),
            (Input::As("B".into()), Input::Continue(String::new()), Input::Continue("B".into()))
        );
        assert_eq!(
            (parse("log all"), parse("end"), parse("nonsense")),
            (Input::Log { all: true }, Input::To(Place::End), Input::Unknown)
        );
    }
}
