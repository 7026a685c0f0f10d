//! What a partial evaluation may read, and what it returns.

use crate::ir::ObjectRef;
use crate::vm::dependencies::DepSet;

/// What a partial evaluation may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownInputs {
    /// Nothing but the known arguments.
    Nothing,
    /// The whole state.
    State,
    /// Only the turn position: the active player and the open periods. All else is unknown.
    TurnPosition,
    /// Only that no object has a status, given by its number. The results hold for all objects of zones.
    WithoutStatus(u16),
    /// The turn position and the first argument: an object in a known zone kind, with exactly the words and keywords that a
    /// definition prints.
    Print {
        /// The definition.
        definition: usize,
        /// The zone kind.
        zone: usize,
    },
    /// The state as far as an entering object cannot change it: everything except the contents of zones. The unknown arguments
    /// are the entering object.
    Arrival(EnteringObject),
}

/// An object as it will be in the zone that it enters (CR 614.12). Its statuses and property values there are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnteringObject {
    /// The object before it moves.
    pub it: ObjectRef,
    /// The definition that it will show.
    pub definition: usize,
    /// Whether it will have no abilities. An object that enters concealed shows only words.
    pub has_no_abilities: bool,
    /// The zone kind that it enters.
    pub zone: usize,
    /// The player who will control it.
    pub controller: i64,
}

impl KnownInputs {
    /// Returns the definition whose print the subject has, and the zone kind of the subject.
    pub(crate) fn print(self) -> Option<(usize, usize)> {
        match self {
            Self::Print { definition, zone } => Some((definition, zone)),
            Self::Arrival(EnteringObject { definition, zone, .. }) => Some((definition, zone)),
            Self::Nothing | Self::State | Self::TurnPosition | Self::WithoutStatus(_) => None,
        }
    }
}

/// The result of a partial evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartialResult {
    /// The value, or `None` if it depends on something unknown or a limit was exceeded.
    pub value: Option<i64>,
    /// What was read. The result is valid as long as none of this changes.
    pub dependencies: DepSet,
    /// Whether the evaluation exceeded its limit of operations.
    pub exceeds_limit: bool,
}
