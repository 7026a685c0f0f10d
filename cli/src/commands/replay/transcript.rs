//! The transcript of a recorded game: lines in words, each with its place, which is the number of decisions before it.

use super::place::Place;
use crate::commands::play::client_state::event_words;
use crate::load::plural;
use crate::output::{self, Style};
use fizzle_runtime::view::{period_name, seat_name};
use fizzle_table::protocol::{AskKind, Event, ReplayStep};
use fizzle_table::replay::Passage;
use serde_json::{Value, json};

/// A line of the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its place: the number of decisions before it.
    pub place: usize,
    /// The number of the turn.
    turn: u32,
    /// What it is.
    kind: LineKind,
    /// Its words.
    pub words: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LineKind {
    /// The heading of a turn.
    Turn,
    /// The heading of a period.
    Period,
    /// The event with a number, from 1, and whose it is.
    Event(usize, Option<usize>),
    /// The answer to a decision.
    Answer(Box<ReplayStep>),
}

/// The headings that the next line belongs to.
#[derive(Clone, Debug, Default)]
struct Heading {
    turn: u32,
    /// The player whose turn it is.
    active: usize,
    /// The heading of the period; empty before the first one of a turn.
    period: String,
}

/// A game in words, as one viewer saw it.
#[derive(Clone, Debug)]
pub struct Transcript {
    lines: Vec<Line>,
    passages: Vec<Passage>,
    /// The number of recorded answers.
    answers: usize,
    /// The number of events.
    events: usize,
}

impl Transcript {
    /// Writes the passages of a game. `answers`: the number of answers that are recorded.
    pub fn new(mut passages: Vec<Passage>, answers: usize) -> Self {
        let mut transcript = Self { lines: Vec::new(), passages: Vec::new(), answers, events: 0 };
        let mut now = Heading::default();
        for (place, passage) in passages.iter_mut().enumerate() {
            for event in std::mem::take(&mut passage.events) {
                transcript.add_event(&event, place, &mut now);
            }
            if let Some(step) = &passage.step {
                transcript.add_answer(step, place + 1, &mut now);
            }
        }
        transcript.passages = passages;
        transcript
    }

    fn add_event(&mut self, event: &Event, place: usize, now: &mut Heading) {
        let words = event_words(event);
        let kind = match (event.heading, event.turn) {
            _ if words.is_empty() => return,
            (true, Some(turn)) => {
                *now = Heading { turn, active: event.by.unwrap_or_default(), period: String::new() };
                LineKind::Turn
            }
            // A decision has begun it.
            (true, None) if words == now.period => return,
            (true, None) => {
                now.period.clone_from(&words);
                LineKind::Period
            }
            (false, _) => {
                self.events += 1;
                LineKind::Event(self.events, event.by)
            }
        };
        self.lines.push(Line { place, turn: now.turn, kind, words });
    }

    fn add_answer(&mut self, step: &ReplayStep, place: usize, now: &mut Heading) {
        let period = period_name(&step.span);
        let heading = format!("{}: {period}", seat_name(now.active));
        let is_new = !period.is_empty() && heading != now.period;
        let who = seat_name(step.seat);
        let words = match step.kind {
            // Who only passes has no heading for it: most periods have nothing else.
            _ if step.passes && is_new => format!("{who} passes ({period})"),
            _ if step.passes => format!("{who} passes"),
            AskKind::Act => format!("{who} decides: {}", step.words),
            _ => format!("{who} decides: {}: {}", step.prompt, step.words),
        };
        if is_new && !step.passes {
            now.period.clone_from(&heading);
            self.lines.push(Line { place, turn: now.turn, kind: LineKind::Period, words: heading });
        }
        self.lines.push(Line { place, turn: now.turn, kind: LineKind::Answer(Box::new(step.clone())), words });
    }

    /// The last place: after all decisions.
    pub fn end(&self) -> usize {
        self.passages.len().saturating_sub(1)
    }

    /// The decision at a place, with the answer; `None` at the end, and if the viewer does not know it.
    pub fn step(&self, place: usize) -> Option<&ReplayStep> {
        self.passages.get(place)?.step.as_ref()
    }

    /// The number of the decision at a place among all recorded answers, and how many these are. `None` at the end.
    pub fn decision_number(&self, place: usize) -> Option<(usize, usize)> {
        (place < self.end()).then(|| self.passages.get(place)).flatten().map(|passage| (passage.answers + 1, self.answers))
    }

    /// The number of the turn at a place.
    pub fn turn(&self, place: usize) -> u32 {
        self.passages.get(place).map_or(0, |passage| passage.turn)
    }

    /// The first place of a turn, or of a later one.
    pub fn place_of_turn(&self, turn: u32) -> Option<usize> {
        self.passages.iter().position(|passage| passage.turn >= turn)
    }

    /// Finds a place.
    ///
    /// # Errors
    /// In words: the game does not come so far.
    pub fn find_place(&self, wanted: Place) -> Result<usize, String> {
        match wanted {
            Place::Start => Ok(0),
            Place::End => Ok(self.end()),
            Place::Turn(turn) => self
                .place_of_turn(turn)
                .ok_or_else(|| format!("the game has only {}", plural(self.turn(self.end()) as usize, "turn"))),
            Place::Event(number) => {
                let found = self.lines.iter().find(|line| matches!(line.kind, LineKind::Event(one, _) if one == number.max(1)));
                found.map(|line| line.place).ok_or_else(|| format!("the game has only {}", plural(self.events, "event")))
            }
            Place::Decision(number) if number > self.answers => {
                Err(format!("the trace has only {}", plural(self.answers, "answer")))
            }
            Place::Decision(number) => {
                Ok(self.passages.iter().position(|passage| passage.answers + 1 >= number).unwrap_or(self.end()))
            }
        }
    }

    /// The next place behind a place at which a line with these words has happened, or the first one of the game.
    pub fn find_words(&self, words: &str, behind: usize) -> Option<(usize, &Line)> {
        let wanted = words.to_lowercase();
        let fits = |line: &&Line| line.words.to_lowercase().contains(&wanted);
        let found = self.lines.iter().filter(|line| line.place > behind).find(fits).or_else(|| self.lines.iter().find(fits));
        found.map(|line| (line.place, line))
    }

    /// The next place at which something has happened but passing, or the end.
    pub fn place_of_next_line(&self, place: usize) -> usize {
        let is_something = |line: &&Line| match &line.kind {
            LineKind::Event(..) => true,
            LineKind::Answer(step) => !step.passes,
            LineKind::Turn | LineKind::Period => false,
        };
        let mut later = self.lines.iter().filter(|line| line.place > place);
        later.find(is_something).map_or(self.end(), |line| line.place)
    }

    /// The lines that have happened at one place but not at an earlier one. With the same place twice, or a later one first: those since the
    /// decision before the place.
    pub fn between(&self, from: usize, to: usize) -> &[Line] {
        let begin = if from < to { from + 1 } else { to };
        let index = |place: usize| self.lines.partition_point(|line| line.place < place);
        self.lines.get(index(begin)..index(to + 1)).unwrap_or_default()
    }

    /// All lines up to a place.
    pub fn until(&self, place: usize) -> &[Line] {
        self.lines.get(..self.lines.partition_point(|line| line.place <= place)).unwrap_or_default()
    }

    /// The index of the first line of a place: of a turn its heading.
    ///
    /// # Errors
    /// In words: the game does not come so far.
    pub fn first_line_of(&self, wanted: Place) -> Result<usize, String> {
        let place = self.find_place(wanted)?;
        Ok(match wanted {
            Place::Turn(turn) => self.lines.partition_point(|line| line.turn < turn),
            Place::Event(number) => {
                let is_it = |line: &Line| matches!(line.kind, LineKind::Event(one, _) if one == number.max(1));
                self.lines.iter().position(is_it).unwrap_or(self.lines.len())
            }
            Place::Start | Place::End | Place::Decision(_) => self.lines.partition_point(|line| line.place < place),
        })
    }
}

/// Prints lines as JSON, one object for each event and answer.
pub fn print_json(lines: &[Line]) {
    let mut period = "";
    for line in lines {
        match &line.kind {
            LineKind::Turn => period = "",
            LineKind::Period => period = &line.words,
            LineKind::Event(..) | LineKind::Answer(_) => output::json_line(line.json(period)),
        }
    }
}

impl Line {
    /// Prints it: events and decisions with their numbers.
    pub fn print(&self) {
        match &self.kind {
            LineKind::Turn => {
                output::line("");
                output::wrapped_title(Style::Bold, &self.words, "");
            }
            LineKind::Period => output::wrapped_title(Style::Bold, &format!("  {}", self.words), ""),
            LineKind::Event(number, _) => output::wrapped_line(format!("{number:>8}  {}", self.words)),
            LineKind::Answer(step) => {
                let number = format!("> {}", step.answer);
                output::wrapped_title(Style::Cyan, &format!("{number:>8}  {}", self.words), "");
            }
        }
    }

    fn json(&self, period: &str) -> Value {
        match &self.kind {
            LineKind::Answer(step) => json!({
                "decision": step.answer, "turn": self.turn, "period": period, "by": seat_name(step.seat), "kind": step.kind,
                "prompt": step.prompt, "answer": step.words,
            }),
            LineKind::Event(number, by) => json!({
                "event": number, "turn": self.turn, "period": period, "by": by.map(seat_name), "words": self.words,
            }),
            LineKind::Turn | LineKind::Period => Value::Null,
        }
    }
}
