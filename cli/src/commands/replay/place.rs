//! Places of a recorded game: a turn, an event, a decision, its beginning or end.

use std::str::FromStr;

/// A place as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the first decision.
    Start,
    /// After the last decision.
    End,
    /// The first decision of a turn.
    Turn(u32),
    /// The first decision after an event.
    Event(usize),
    /// The decision with a number, or the next one with several legal answers.
    Decision(usize),
}

impl FromStr for Place {
    type Err = String;

    /// Reads `turn:5`, or `turn 5` as at the prompt.
    fn from_str(written: &str) -> Result<Self, String> {
        let (kind, number) = written.trim().split_once([':', ' ']).unwrap_or((written.trim(), ""));
        let number = number.trim();
        match (kind, number) {
            ("start", "") => Some(Self::Start),
            ("end", "") => Some(Self::End),
            ("turn" | "t", number) => number.parse().ok().map(Self::Turn),
            ("event" | "e", number) => number.parse().ok().map(Self::Event),
            ("decision" | "d", number) => number.parse().ok().map(Self::Decision),
            _ => None,
        }
        .ok_or_else(|| "write `turn:5`, `event:120`, `decision:40`, `start` or `end`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn places_are_read() {
        assert_eq!("turn:5".parse(), Ok(Place::Turn(5)));
        assert_eq!(" event 120 ".parse(), Ok(Place::Event(120)));
        assert_eq!(("d 4".parse(), "end".parse()), (Ok(Place::Decision(4)), Ok(Place::End)));
        for wrong in ["", "turn", "turn:x", "turn:-1", "start:1", "decision:99999999999999999999999"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }
}
