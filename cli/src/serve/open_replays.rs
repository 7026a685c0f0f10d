//! The table of open recorded games, by a random name. It is bounded: a further game closes the one that was opened first.

use super::answers::Refusal;
use super::keys::Key;
use axum::http::StatusCode;
use fizzle_table::replay::Replay;
use std::sync::{Arc, Mutex, PoisonError};

/// The most recorded games that are open; the one opened first is closed for another.
const MAX_OPEN: usize = 8;

/// The recorded games that are open, the one opened last at the end.
#[derive(Debug, Default)]
pub struct OpenReplays(Mutex<Vec<(String, Arc<Replay>)>>);

impl OpenReplays {
    /// Adds a game. Returns its name.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn add(&self, replay: Replay) -> Result<String, getrandom::Error> {
        let id = Key::random()?.text();
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_OPEN {
            open.remove(0);
        }
        open.push((id.clone(), Arc::new(replay)));
        Ok(id)
    }

    /// The game of a name.
    ///
    /// # Errors
    /// It is not open any more.
    pub fn find(&self, id: &str) -> Result<Arc<Replay>, Refusal> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().find(|(known, _)| known == id).map(|(_, replay)| Arc::clone(replay));
        found
            .ok_or_else(|| Refusal(StatusCode::NOT_FOUND, "this recorded game is not open any more; open the trace again".into()))
    }
}
