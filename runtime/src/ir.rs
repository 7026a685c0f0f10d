//! The intermediate representation (IR): the interface between the compiler and the machine.
//!
//! A [`Library`] holds what does not depend on a format: code, choice sites, constant lists and cards. A [`Format`] is a set of
//! tables over it: action bodies, the abilities of keywords, the periods of a turn, the announcement policy. Ten formats of one
//! game are ten such sets of tables over one library.
//!
//! Registers hold 64-bit values; the state holds 32-bit cells. How values are represented:
//! - player: its seat (0, 1, …), or [`NO_PLAYER`];
//! - object: a reference with slot and incarnation (`state::ObjectRef`), or 0;
//! - thing (an object or a player): a reference; a player is a reference to slot 0 (`state::ObjectRef::of_player`);
//! - zone: the index of a zone instance; trait set: a mask of words; card: a [`DefId`]; bool: 0 or 1;
//! - list: a handle into the scratch memory of the evaluation.

pub mod ability;
pub mod artifact;
mod depth_limit;
pub mod format;
pub mod library;
pub mod op;
pub mod operands;
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

/// The value of a player register or cell that refers to no player.
pub const NO_PLAYER: i64 = -1;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The name of the type as serializers report it.
            pub const NAME: &str = stringify!($name);

            /// The index into the table of these entries.
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
    /// An ability bundle of [`Format::bundles`]: a keyword with its arguments, or a single ability.
    AbilityBundleId,
    /// A keyword of [`Library::keywords`].
    KeywordId,
    /// An action of [`Format::actions`]. The first numbers are the built-in verbs of [`verbs::VERBS`].
    ActionId,
    /// A zone kind of [`Library::zones`].
    ZoneKindId,
    /// A trait set of [`Library::traits`].
    TraitSetId,
    /// A play of [`Format::plays`].
    PlayId,
    /// A payment of [`Format::payments`].
    PaymentId,
    /// A period of [`Format::periods`]; 0 is the turn itself.
    PeriodId,
    /// A modification of [`Library::modifications`].
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
