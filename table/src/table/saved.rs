//! Saving a table as plain data, and restoring it.

use super::{Occupant, SetupError, Table, TableSetup, game_start};
use crate::playing::Playing;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::matches::Match;

/// A saved table.
#[derive(serde::Serialize, serde::Deserialize)]
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
        let saved: SavedTable = serde_json::from_slice(bytes).map_err(|error| failed(&error))?;
        if saved.bots.len() == setup.occupants.len() {
            for (occupant, bot) in setup.occupants.iter_mut().zip(saved.bots) {
                if let (Occupant::Client, Some(bot)) = (&*occupant, bot) {
                    *occupant = Occupant::Bot(bot);
                }
            }
        }
        let fresh = Self::new(setup)?;
        let fits = |saved: &Match| fresh.game_match.has_same_decks(saved);
        if saved.names.len() != fresh.seats() || !fits(&saved.begun_in) || !fits(&saved.game_match) {
            return Err(SetupError("the saved table has other players or decks".to_owned()));
        }
        let setup = fresh.setup;
        let start = game_start(&setup, &saved.begun_in);
        let mut playing = Playing::replay(&setup.program, start, &saved.answers).map_err(|error| failed(&error))?;
        if playing.game.answers.len() != saved.answers.len() || saved.is_end_sent != playing.outcome().is_some() {
            return Err(SetupError("the rules now lead to another game".to_owned()));
        }
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
