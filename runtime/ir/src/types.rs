//! The types of registers, columns and parameters.

use super::ids::*;
use serde::{Deserialize, Serialize};

/// A register of a function.
pub type Reg = u16;

/// The type of a register, column or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// A whole number.
    Number,
    /// 0 or 1.
    Bool,
    /// A seat, or [`NO_PLAYER`].
    Player,
    /// A reference to an object, or 0.
    Object,
    /// A zone instance.
    Zone,
    /// A card definition.
    Card,
    /// A mask of words of a trait set.
    Words(TraitSetId),
    /// A single word of a trait set: its number plus one, 0 for none.
    Word(TraitSetId),
    /// A list of objects.
    Objects,
    /// A list of players.
    Players,
    /// A list of units, each a mask of accepted kinds.
    Price,
    /// A turn, phase or step.
    Period,
    /// An object or a player, or 0.
    Thing,
    /// A list of things.
    Things,
    /// The result of a division among things: pairs of a thing and its share.
    Shares,
}

impl Type {
    /// Whether values of the type are lists, so that registers hold handles.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::Objects | Self::Players | Self::Things | Self::Price | Self::Shares)
    }

    /// Whether a single value of the type is a reference: to an object or a thing.
    #[must_use]
    pub fn is_reference(self) -> bool {
        matches!(self, Self::Object | Self::Thing)
    }

    /// The element type of a list of objects, players or things; `None` for other types.
    #[must_use]
    pub fn element(self) -> Option<Self> {
        match self {
            Self::Objects => Some(Self::Object),
            Self::Players => Some(Self::Player),
            Self::Things => Some(Self::Thing),
            _ => None,
        }
    }

    /// The type of a list of objects, players or things; `None` for other element types.
    #[must_use]
    pub fn list(self) -> Option<Self> {
        match self {
            Self::Object => Some(Self::Objects),
            Self::Player => Some(Self::Players),
            Self::Thing => Some(Self::Things),
            _ => None,
        }
    }
}
