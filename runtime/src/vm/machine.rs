//! The machine as data: a program, a state, and what is computed from both.

use super::budgets::{Budget, Budgets};
use super::cache_entries::ProducerCache;
use super::decision::Decision;
use super::derived::values::DerivedValues;
use super::scratch::Scratch;
use crate::ir::Cause;
use crate::ir::ObjectRef;
use crate::ir::scenario::FizzledPart;
use crate::ir::verbs::ATTACH;
use crate::program::Program;
use crate::records::event::Event;
use crate::state::State;
use std::sync::Arc;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This seat won.
    Won(usize),
    /// No player won.
    Drawn,
    /// A budget was exceeded. The game is void.
    Budget(Budget),
}

/// The name of an outcome: `won 0`, `drawn`, `budget fuel`; `open` for a game in progress.
#[must_use]
pub fn outcome_name(outcome: Option<Outcome>) -> String {
    match outcome {
        None => "open".into(),
        Some(Outcome::Won(seat)) => format!("won {seat}"),
        Some(Outcome::Drawn) => "drawn".into(),
        Some(Outcome::Budget(budget)) => format!("budget {}", budget.name()),
    }
}

/// One entry of the log, for scenarios and screens. Not part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An event of an action, with its arguments.
    Event {
        /// The number of the action.
        action: u32,
        /// The arguments.
        args: Vec<i64>,
        /// The cause of the event.
        cause: Cause,
        /// Whether it happened. A proposal that was forbidden or had no object is recorded with `false`.
        happened: bool,
    },
    /// A trigger was put on the list or resolved.
    Trigger {
        /// Its ability.
        ability: u32,
        /// Its source.
        source: ObjectRef,
    },
    /// A player received priority in a window.
    Window {
        /// The player who may act.
        player: usize,
        /// The innermost open period.
        period: u32,
    },
    /// A part of an object's text fizzled, the rest of it did not.
    FizzledPart {
        /// The object that has the text.
        source: ObjectRef,
        /// The part.
        part: FizzledPart,
    },
    /// A player answered a decision.
    Answered {
        /// The player.
        player: usize,
        /// The picks of the answer.
        picks: Vec<u32>,
    },
}

/// An object that a scripted shuffle puts on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptedCard {
    /// The object in this slot.
    Object(usize),
    /// Any object of this definition.
    Definition(u32),
}

/// Where a step stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum StepResult {
    /// A player must answer this decision.
    Decision(Decision),
    /// The game is over.
    Over(Outcome),
}

/// A game in progress: its state, and caches that are computed from it. `clone_from` reuses the memory of its target (see
/// [`SnapshotStack`]).
#[derive(Debug)]
pub struct Machine {
    /// The rules.
    pub program: Arc<Program>,
    /// The state.
    pub state: State,
    pub(crate) derived: DerivedValues,
    pub(crate) scratch: Scratch,
    /// The log of the game, written if [`Machine::recording`].
    pub log: Vec<Record>,
    /// Whether the log is written.
    pub recording: bool,
    /// What scenarios say of the next shuffles, in their order. Not part of the state.
    pub(crate) scripted_shuffles: Vec<Vec<ScriptedCard>>,
    /// See [`Machine::disclosures`].
    pub(crate) disclosures: u64,
    /// The limits.
    pub limits: Budgets,
    /// For each player, a cache of the producers that can pay.
    pub(crate) producers: Vec<ProducerCache>,
}

/// What the interpreter of statements does after an operation.
pub(super) enum StepFlow {
    /// Execute the next operation.
    Next,
    /// Stop: the registers were saved, and a frame was pushed or a decision is open.
    Wait,
    /// Stop: a rollback replaced the state, and the frame is no longer valid.
    RolledBack,
}

impl Record {
    /// The record of an event.
    pub(super) fn of_event(event: &Event, happened: bool) -> Self {
        let host = event.move_host();
        let (action, args) = if host.is_none() {
            (event.action, event.arguments().to_vec())
        } else {
            (ATTACH, vec![event.args[0], host.value(), 0])
        };
        Self::Event { action, args, cause: event.cause, happened }
    }
}
