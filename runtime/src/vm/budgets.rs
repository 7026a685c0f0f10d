//! The limits of a running game. Fuel of one decision, depth, decisions, turns and memory are checked at each step of [`super`]; live effects and
//! delayed triggers in [`super::effect_charges`]; objects, events of a batch and loops where they arise. Each ends the game by `Machine::exceed`:
//! a game that exceeds a limit is void. The maximum number of objects follows from the encoding of a state: `MAX_OBJECTS` in `ir/encoding_limits.rs`, checked by
//! [`State::new_object`](crate::state::State::new_object).

/// A limit of a game (see [`Budgets`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Budget {
    /// Operations between two decisions.
    Fuel = 1,
    /// Objects that exist at the same time, or moves of one object.
    Objects = 2,
    /// Frames that exist at the same time.
    Depth = 3,
    /// Decisions in one turn.
    Decisions = 4,
    /// Turns.
    Turns = 5,
    /// Events in one batch, or words of state.
    Memory = 6,
    /// Consecutive rounds of state rules that acted, or a position that recurs with no choice in between.
    Loop = 7,
    /// Work on one declaration, or its size.
    Assignment = 8,
    /// Live effects: those with a duration, and delayed triggers.
    Effects = 9,
    /// Objects that a table observes in one game. The machine itself never exceeds it.
    Observed = 10,
}

impl Budget {
    /// Returns the word for messages and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fuel => "fuel",
            Self::Objects => "objects",
            Self::Depth => "depth",
            Self::Decisions => "decisions",
            Self::Turns => "turns",
            Self::Memory => "memory",
            Self::Loop => "loop",
            Self::Assignment => "assignment",
            Self::Effects => "effects",
            Self::Observed => "observed objects",
        }
    }

    pub(crate) fn from_word(word: u32) -> Self {
        use Budget::{Assignment, Decisions, Depth, Effects, Loop, Memory, Objects, Observed, Turns};
        [Objects, Depth, Decisions, Turns, Memory, Loop, Assignment, Effects, Observed]
            .into_iter()
            .find(|b| *b as u32 == word)
            .unwrap_or(Self::Fuel)
    }
}

/// Limits of a game. They bound the work of any program, including an untrusted one.
#[derive(Clone, Copy, Debug)]
pub struct Budgets {
    /// Operations between two decisions.
    pub fuel: u64,
    /// Frames that exist at the same time.
    pub depth: usize,
    /// Decisions in one turn.
    pub turn_decisions: u32,
    /// Turns.
    pub turns: u32,
    /// Words of state.
    pub words: usize,
    /// Consecutive rounds of state rules that acted.
    pub rounds: u32,
    /// Live effects: those with a duration, and delayed triggers.
    pub effects: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { fuel: 20_000_000, depth: 2_000, turn_decisions: 20_000, turns: 2_000, words: 1 << 22, rounds: 500, effects: 2_000 }
    }
}
