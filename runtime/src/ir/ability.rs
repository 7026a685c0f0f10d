//! Abilities, what they change, and the clauses by which they restrict declarations.

use super::op::Source;
use super::{AbilityBundleId, AbilityId, ActionId, ChoiceSiteId, FnId, KeywordId, ModificationId, Play, TraitSetId, UseLimit};
use serde::{Deserialize, Serialize};

/// Something an object can have, gain and lose as one: a keyword with its arguments, or a single ability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbilityBundle {
    /// The keyword and its arguments.
    pub keyword: Option<(KeywordId, Vec<i32>)>,
    /// What it does.
    pub abilities: Vec<AbilityId>,
}

/// Matches an event. Patterns for an action match its descendants too (`action sacrifice is destroy`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPattern {
    /// Which action (of [`Format::actions`](super::Format::actions), whose numbering all formats of a library share).
    pub action: ActionId,
    /// Pure: (this, you, event arguments, [`Cause`]) to bool. `None` matches all.
    pub filter: Option<FnId>,
    /// Matched in the state before the event (something leaves; the action `looks back`). Else after it: the argument `it` of a `put`
    /// is then the object as it is now.
    pub looks_back: bool,
}

/// Why an event is proposed: kind (see [`cause`]), source (an object, 0 for none), the player responsible, and the player who chose
/// the event's object ([`super::NO_PLAYER`] if nobody did).
pub type Cause = [i64; CAUSE_WORDS];

/// How many values a [`Cause`] has.
pub const CAUSE_WORDS: usize = 4;

/// Causes of events, as the cause kind parameter of patterns has them.
pub mod cause {
    /// The rules of the game: turn actions, state rules, setup.
    pub const RULE: i64 = 0;
    /// A price or cost being paid.
    pub const COST: i64 = 1;
    /// An effect being carried out.
    pub const EFFECT: i64 = 2;
}

/// What an ability does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AbilityKind {
    /// Waits for an event, then for its turn to be carried out.
    Triggered {
        /// On what.
        pattern: EventPattern,
        /// Checked when it triggers and again when it is carried out: parameters as the pattern's filter.
        condition: Option<FnId>,
        /// Its text begins with `you may …`, and all the rest hangs on that: it may be declined when it is put on the list, where that is
        /// declared (chains order such ones last).
        optional: bool,
        /// Carried out right after its event, without waiting.
        immediate: bool,
        /// Waits for its turn among the other triggers, but is then carried out instead of being put on the list.
        off_list: bool,
        /// How often it may be used.
        limit: Option<UseLimit>,
        /// It is lost when something else has happened between its event and its turn ("when … you can" that misses its timing).
        can_miss_timing: bool,
        /// It triggers once for all that happens at once.
        once_per_batch: bool,
        /// What it does: parameters as the pattern's filter.
        body: FnId,
    },
    /// Puts something else in the place of an event.
    Replacement {
        /// Of what.
        pattern: EventPattern,
        /// The affected player may decline.
        optional: bool,
        /// What happens instead: parameters as the pattern's filter.
        body: FnId,
    },
    /// Makes an event impossible.
    Prohibition {
        /// Which.
        pattern: EventPattern,
    },
    /// What triggers on an event triggers once more, or not at all.
    TriggerModifier {
        /// On which event.
        pattern: EventPattern,
        /// Abilities of which objects: parameters as the pattern's filter, and last the source of the ability that triggers.
        whose: FnId,
        /// Once more (else not at all).
        again: bool,
    },
    /// Changes values while it works.
    Static {
        /// Pure: (this, you) to bool.
        condition: Option<FnId>,
        /// What changes.
        mods: Vec<ModificationId>,
    },
    /// A paragraph of what a used card does: (this, you).
    Paragraph {
        /// The code.
        body: FnId,
    },
    /// A further cost of using the object that has it: (this, user).
    Cost {
        /// Statements.
        body: FnId,
        /// Pure: whether it can be paid.
        possible: Option<FnId>,
    },
    /// What may be chosen while the object that has it is announced: a further price, or one in the place of the usual one. All its functions:
    /// (this, user).
    Option {
        /// The status that says that it was chosen (a bool), or how often (a number).
        status: u16,
        /// In the place of the usual price.
        instead: bool,
        /// What is asked, in words.
        site: ChoiceSiteId,
        /// Pure: whether it may be chosen.
        condition: Option<FnId>,
        /// Pure: the price.
        price: Option<FnId>,
        /// Statements: a cost that goes with it.
        cost: Option<FnId>,
        /// Pure: whether that can be paid.
        possible: Option<FnId>,
    },
    /// A play of its own: [`Format::plays`](super::Format::plays) holds no entry for it.
    Activated {
        /// `this` is the object that has it.
        play: Box<Play>,
    },
}

impl AbilityKind {
    /// Whether it works while it is there and is never put on the list: no paragraph, nothing used, no trigger that waits to be listed.
    #[must_use]
    pub const fn is_static(&self) -> bool {
        match self {
            Self::Static { .. }
            | Self::TriggerModifier { .. }
            | Self::Prohibition { .. }
            | Self::Replacement { .. }
            | Self::Cost { .. }
            | Self::Option { .. } => true,
            Self::Triggered { immediate, off_list: unlisted, .. } => *immediate || *unlisted,
            Self::Paragraph { .. } | Self::Activated { .. } => false,
        }
    }
}

/// The bit of a kind of zones in a mask of them. Those from 31 on share one.
#[inline]
#[must_use]
pub fn zone_bit(kind: usize) -> u32 {
    1 << kind.min(31)
}

/// Whether a kind of zones is among those of a mask.
#[inline]
#[must_use]
pub fn has_zone(zones: u32, kind: usize) -> bool {
    zones & zone_bit(kind) != 0
}

/// An ability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ability {
    /// For messages: `card "X"`, `keyword blocker`, `rule summoning_sickness`.
    pub name: String,
    /// Bit per zone kind in which it works.
    pub zones: u32,
    /// What it does.
    pub kind: AbilityKind,
    /// Where it is written.
    pub source: Source,
}

/// One change of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modification {
    /// Layer in which it applies.
    pub layer: u8,
    /// A living selection: pure (this, you, captures…, candidate) to bool, over the objects of `zones`.
    /// `None`: the locked list of the effect, or, for a static ability, its source alone.
    pub selector: Option<FnId>,
    /// Bit per zone kind that is looked through.
    pub zones: u32,
    /// It says what its object is: it applies before all others of its layer.
    pub defining: bool,
    /// What changes.
    pub change: Change,
}

/// What a [`Modification`] changes. Value functions are pure: (this, you, captures…, affected object).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Adds to a property, not below `floor`.
    Add {
        /// Property number.
        property: u16,
        /// How much.
        value: FnId,
        /// Not below this.
        floor: Option<FnId>,
    },
    /// Sets a property.
    Set {
        /// Property number.
        property: u16,
        /// To what.
        value: FnId,
    },
    /// Exchanges the values of two properties.
    Switch(u16, u16),
    /// Sets the controller.
    Controller(FnId),
    /// Gains a word.
    Word(TraitSetId, u16),
    /// Loses a word.
    NotWord(TraitSetId, u16),
    /// Loses all words of a set.
    NoWords(TraitSetId),
    /// Gains all words of a set.
    AllWords(TraitSetId),
    /// What becomes of the words of a set by the word that a function says (its number plus one). Nothing, if it says none (0).
    Given {
        /// The set.
        traits: TraitSetId,
        /// The word.
        word: FnId,
        /// What becomes of it.
        how: WordSetChange,
    },
    /// In its text stands the word that one function says (its number plus one) in the place of the one that another function says.
    Instead {
        /// The set.
        traits: TraitSetId,
        /// What stands there.
        new: FnId,
        /// In the place of what.
        old: FnId,
    },
    /// Gains a unit.
    Unit(AbilityBundleId),
    /// Gains one of several units: the one whose number, plus one, a function says.
    Pick {
        /// The units.
        units: Vec<AbilityBundleId>,
        /// Which.
        which: FnId,
    },
    /// Loses a keyword.
    NotKeyword(KeywordId),
    /// Loses all abilities it has at this moment of the computation.
    NoAbilities,
    /// Loses those of them that are never put on the list: see [`AbilityKind::is_static`].
    NoStatics,
    /// Events matching this are impossible; the filter gets (this, you, captures…, event arguments, cause).
    Cannot(EventPattern),
    /// Holds for declarations of an action (see [`super::Op::Declare`]).
    Clause(Box<DeclarationClause>),
}

/// What a word that is a value does to the words of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WordSetChange {
    /// It is gained.
    Gained,
    /// It is lost.
    Lost,
    /// It is gained, and all others are lost.
    Alone,
}

/// What holds for declarations of an action: about the pairs (first and second argument) that its pattern matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclarationClause {
    /// Which pairs. The filter gets (this, you, captures…, the two arguments, cause).
    pub pattern: EventPattern,
    /// One requirement, restriction or cost for what.
    pub each: ClauseScope,
    /// What it says.
    pub rule: ClauseRule,
}

/// For what a [`DeclarationClause`] holds, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClauseScope {
    /// Each first argument with its pairs.
    First,
    /// Each second argument with its pairs.
    Second,
    /// All pairs together.
    All,
}

/// What a [`DeclarationClause`] says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ClauseRule {
    /// One of the pairs must be declared, if possible.
    Must,
    /// So many different first arguments at most, or none or so many at least. The number: pure (this, you, captures…).
    Count {
        /// At most, else none or at least.
        most: bool,
        /// How many.
        count: FnId,
    },
    /// Only if so many other first arguments are declared, of pairs that pass. The number: pure (this, you, captures…).
    With {
        /// Which pairs: as the pattern's filter.
        others: Option<FnId>,
        /// How many.
        count: FnId,
    },
    /// Only if something is paid for each first argument: functions of (this, you, captures…, the two arguments, cause).
    Costs {
        /// Pure: a price.
        price: Option<FnId>,
        /// What is done.
        cost: Option<FnId>,
        /// Pure: whether that can be done.
        possible: Option<FnId>,
    },
}
