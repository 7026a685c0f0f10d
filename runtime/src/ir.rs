//! The intermediate representation: the only thing that compiler and machine both know.
//!
//! A [`Library`] holds what does not depend on a format: code, choice sites, constant lists, cards. A [`Format`] is a set of tables
//! over it: which body an action has, how a keyword is spelt out, what a turn is made of, what is announced and what fizzles.
//! Ten formats of one game are ten such tables over one library.
//!
//! Values in registers are 64-bit; in the state they are 32-bit cells. A player is its seat (0, 1, …; [`NO_PLAYER`] for nobody),
//! an object is a reference (slot and incarnation, see `state::Ref`; 0 for none), a zone is the index of a zone instance,
//! a *thing* is an object or a player in the form of a reference (a player is one to slot 0, see `state::Ref::of_player`; 0 for none),
//! a trait set is a mask, a card is a [`DefId`], a bool is 0 or 1, a list is a handle of the evaluation's scratch space.

pub mod ability;
pub mod artifact;
mod depth_limit;
pub mod format;
pub mod library;
pub mod op;
pub mod scenario;
pub mod sparse_table;
pub mod text;
pub mod verbs;

pub use ability::*;
pub use artifact::{Artifact, CompiledGame};
pub use format::*;
pub use library::*;
pub use op::{Function, Op, Place};
pub use text::{CardText, Prompt, Texts};

use serde::{Deserialize, Serialize};

/// The player cell that means nobody.
pub const NO_PLAYER: i64 = -1;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The name of the type, as a serializer sees it.
            pub const NAME: &str = stringify!($name);

            /// As an index into its table.
            #[must_use]
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

ids! {
    /// A function of [`Library::functions`].
    FnId,
    /// A choice site of [`Library::sites`].
    ChoiceSiteId,
    /// A constant list of [`Library::lists`].
    ListId,
    /// A card, token or ability kind of [`Library::definitions`].
    DefId,
    /// An ability of [`Library::abilities`].
    AbilityId,
    /// A unit of [`Format::units`]: a keyword with its arguments, or a single ability.
    AbilityBundleId,
    /// A keyword of [`Library::keywords`].
    KeywordId,
    /// An action of [`Format::actions`]. The first ones are the built-in verbs of [`verbs::VERBS`].
    ActionId,
    /// A zone kind of [`Library::zones`].
    ZoneKindId,
    /// A trait set of [`Library::traits`].
    TraitSetId,
    /// A play of [`Format::plays`].
    PlayId,
    /// A payment of [`Format::payments`].
    PaymentId,
    /// A phase or step of [`Format::spans`]; 0 is the turn itself.
    PeriodId,
    /// A changed value of [`Library::mods`].
    ModificationId,
}

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
    /// A phase or step.
    Span,
    /// An object or a player, or 0.
    Thing,
    /// A list of things.
    Things,
    /// What was divided among things: pairs of a thing and its share.
    Shares,
}

impl Type {
    /// Whether values live in lists (and registers hold handles).
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::Objects | Self::Players | Self::Things | Self::Price | Self::Shares)
    }

    /// Whether single values are references: to an object, or a thing.
    #[must_use]
    pub fn is_reference(self) -> bool {
        matches!(self, Self::Object | Self::Thing)
    }

    /// The type of one element of a list of objects, players or things.
    #[must_use]
    pub fn element(self) -> Option<Self> {
        match self {
            Self::Objects => Some(Self::Object),
            Self::Players => Some(Self::Player),
            Self::Things => Some(Self::Thing),
            _ => None,
        }
    }

    /// The type of a list of such values: of objects, players or things.
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
