//! Numbers of the entries of tables, one type for each table.

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

impl TraitSetId {
    /// No trait set, but the names of all cards: the words of a choice among them are numbers of [`Library::definitions`].
    pub const CARD_NAMES: Self = Self(u32::MAX);
}
