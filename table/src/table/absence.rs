//! Seats whose client has left: they are held for the grace time, then the others choose what happens.

use super::{ClientId, Millis, Occupant, Table};
use crate::protocol::{AbsentChoice, ServerMessage};

/// The bot that takes the seat of an absent player.
pub(super) const SUBSTITUTE_BOT: &str = "greedy";

impl Table {
    /// The connection of a client is closed. Its seat is held for the grace time.
    pub fn leave(&mut self, client: ClientId, now: Millis) {
        let Some(at) = self.clients.iter().position(|other| other.id == client) else { return };
        let gone = self.clients.remove(at);
        if !self.is_over() {
            for seat in self.seats_of(&gone) {
                self.absent.insert(seat, now.saturating_add(self.setup.grace));
            }
        }
        self.send_seats();
    }

    /// What the others choose for the seats that are absent for longer than the grace time.
    pub(super) fn absent_choice(&mut self, seats: &[usize], choice: AbsentChoice, now: Millis) {
        if seats.is_empty() {
            return;
        }
        let late: Vec<usize> = self.absent.iter().filter(|(_, at)| **at <= now).map(|(seat, _)| *seat).collect();
        for seat in late {
            match choice {
                AbsentChoice::Wait => {
                    self.absent.insert(seat, now.saturating_add(self.setup.grace));
                }
                AbsentChoice::Bot => {
                    self.absent.remove(&seat);
                    if let Some(occupant) = self.setup.occupants.get_mut(seat) {
                        *occupant = Occupant::Bot(SUBSTITUTE_BOT.to_owned());
                    }
                    self.unready.remove(&seat);
                }
                // The seat stays absent: in the next game of the match the others choose again.
                AbsentChoice::End => {
                    if self.playing.concede(seat) {
                        self.decided();
                    }
                    // Between two games, an absent player is ready as well.
                    self.unready.remove(&seat);
                }
            }
        }
        self.advance(now);
        self.begin_if_ready(now);
        self.send_seats();
    }

    /// When the table must be woken, even if no message comes until then.
    #[must_use]
    pub fn wake_at(&self) -> Option<Millis> {
        let absent = self.absent.values().copied().filter(|at| *at > 0 && !self.is_over());
        absent.chain(self.shown_at).min()
    }

    /// The time has come.
    pub fn wake(&mut self, now: Millis) {
        if self.shown_at.is_some_and(|at| at <= now) {
            self.show(now);
        }
        let late: Vec<usize> = self.absent.iter().filter(|(_, at)| **at > 0 && **at <= now).map(|(seat, _)| *seat).collect();
        for seat in late {
            // Sent once; a choice of the others is accepted from now on.
            self.absent.insert(seat, 0);
            self.send_all(|_| ServerMessage::Absent { seat });
        }
    }
}
