//! Saving a table as plain data, and restoring it.

use super::{MAX_NAME_CHARS, Occupant, SetupError, Table, TableSetup, game_start};
use crate::playing::Playing;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::matches::Match;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The size of each part of a saved table that does not grow with its game, in bytes. A list in memory needs up to ten times its text.
const MAX_PART_BYTES: usize = 4 << 20;

/// A saved table.
#[derive(serde::Serialize)]
struct SavedTable {
    /// The match at the beginning of the game.
    begun_in: Match,
    /// The match now: ahead of `begun_in` after the end of the game.
    game_match: Match,
    /// The answers of the game.
    answers: Vec<RecordedAnswer>,
    names: Vec<String>,
    /// The bots by seat; a bot can have taken the seat of a person.
    bots: Vec<Option<String>>,
    unready: Vec<usize>,
    is_end_sent: bool,
}

/// The text of a saved table. Its parts are parsed one by one, so that none is larger than it can be.
#[derive(serde::Deserialize)]
struct SavedText<'a> {
    #[serde(borrow)]
    begun_in: &'a RawValue,
    #[serde(borrow)]
    game_match: &'a RawValue,
    answers: Vec<RecordedAnswer>,
    #[serde(borrow)]
    names: &'a RawValue,
    #[serde(borrow)]
    bots: &'a RawValue,
    #[serde(borrow)]
    unready: &'a RawValue,
    is_end_sent: bool,
}

impl SavedTable {
    fn parse(bytes: &[u8]) -> Result<Self, SetupError> {
        let text: SavedText<'_> = serde_json::from_slice(bytes).map_err(|error| SetupError(error.to_string()))?;
        Ok(Self {
            begun_in: parse_part("begun_in", text.begun_in)?,
            game_match: parse_part("game_match", text.game_match)?,
            answers: text.answers,
            names: parse_part("names", text.names)?,
            bots: parse_part("bots", text.bots)?,
            unready: parse_part("unready", text.unready)?,
            is_end_sent: text.is_end_sent,
        })
    }
}

/// Parses a part of a saved table, if it is not too large.
fn parse_part<'a, T: serde::Deserialize<'a>>(name: &str, text: &'a RawValue) -> Result<T, SetupError> {
    let text = text.get();
    if text.len() > MAX_PART_BYTES {
        return Err(SetupError(format!("`{name}` has {} bytes, and at most {MAX_PART_BYTES} are read", text.len())));
    }
    serde_json::from_str(text).map_err(|error| SetupError(format!("`{name}`: {error}")))
}

impl Table {
    /// The match in progress as plain data, for [`Table::restore`].
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let bot = |occupant: &Occupant| if let Occupant::Bot(name) = occupant { Some(name.clone()) } else { None };
        let saved = SavedTable {
            begun_in: self.begun_in.clone(),
            game_match: self.game_match.clone(),
            answers: self.answers(),
            names: self.names.clone(),
            bots: self.setup.occupants.iter().map(bot).collect(),
            unready: self.unready.iter().copied().collect(),
            is_end_sent: self.is_end_sent,
        };
        // Plain data can always be written.
        serde_json::to_vec(&saved).unwrap_or_default()
    }

    /// A table that continues from where another one was saved. Bytes of a stranger are safe.
    ///
    /// # Errors
    /// [`SetupError`] if the bytes are damaged, or do not fit the format or decks.
    pub fn restore(mut setup: TableSetup, bytes: &[u8]) -> Result<Self, SetupError> {
        let failed = |error: &dyn std::fmt::Display| SetupError(error.to_string());
        let saved = SavedTable::parse(bytes)?;
        let seats = setup.occupants.len();
        let max_name_bytes = MAX_NAME_CHARS * char::MAX.len_utf8();
        if saved.names.len() != seats || saved.bots.len() != seats || saved.unready.len() > seats {
            return Err(SetupError("the saved table has other players or decks".to_owned()));
        }
        if saved.names.iter().any(|name| name.len() > max_name_bytes) {
            return Err(SetupError(format!("the name of a player has more than {MAX_NAME_CHARS} characters")));
        }
        for (occupant, bot) in setup.occupants.iter_mut().zip(saved.bots) {
            if let (Occupant::Client, Some(bot)) = (&*occupant, bot) {
                *occupant = Occupant::Bot(bot);
            }
        }
        let fresh = Self::new(setup)?;
        let program = Arc::clone(&fresh.setup.program);
        saved.begun_in.check_beginning(&program, &fresh.game_match).map_err(|error| failed(&error))?;
        let setup = fresh.setup;
        let start = game_start(&setup, &saved.begun_in);
        let mut playing = Playing::replay(&program, start, &saved.answers).map_err(|error| failed(&error))?;
        if playing.game.answers.len() != saved.answers.len() || saved.is_end_sent != playing.outcome().is_some() {
            return Err(SetupError("the rules now lead to another game".to_owned()));
        }
        let checked = saved.game_match.check_after(&program, &saved.begun_in, playing.outcome());
        checked.map_err(|error| failed(&error))?;
        playing.take_forced();
        let mut table = Self::with_game(setup, saved.begun_in, playing);
        table.game_match = saved.game_match;
        table.names = saved.names;
        table.is_end_sent = saved.is_end_sent;
        table.unready = saved.unready.into_iter().filter(|seat| table.person_seats().contains(seat)).collect();
        // All are absent until they join again.
        table.read_events_again();
        Ok(table)
    }
}
