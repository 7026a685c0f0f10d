//! Abilities, the bundles in which objects gain and lose them, the modifications that they make, and the clauses by which they restrict declarations.

#![deny(clippy::wildcard_enum_match_arm)]

use super::op::Source;
use crate::format::{Play, UseLimit};
use crate::ids::{AbilityBundleId, AbilityId, ActionId, ChoiceSiteId, FnId, KeywordId, ModificationId, TraitSetId};
use serde::{Deserialize, Serialize};

/// What an object gains and loses as one: a keyword with its arguments, or a single ability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbilityBundle {
    /// The keyword and its arguments.
    pub keyword: Option<(KeywordId, Vec<i32>)>,
    /// The abilities of the bundle.
    pub abilities: Vec<AbilityId>,
}

/// Matches an event. A pattern for an action also matches the actions derived from it (`action sacrifice is destroy`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPattern {
    /// The action: a number of [`Format::actions`](crate::format::Format::actions), which all formats of a library number alike.
    pub action: ActionId,
    /// Pure: (this, you, event arguments, [`Cause`]) to bool. `None` matches all.
    pub filter: Option<FnId>,
    /// Whether the pattern is matched in the state before the event (something leaves; the action `looks back`). Else it is
    /// matched after the event, and the argument `it` of a `put` is the object in its new zone.
    pub looks_back: bool,
}

/// Why an event is proposed: kind (see [`cause`]), source (an object, 0 if there is none), the responsible player, and the player
/// who chose the object of the event ([`crate::ids::NO_PLAYER`] if no player chose it).
pub type Cause = [i64; CAUSE_WORDS];

/// The number of values of a [`Cause`].
pub const CAUSE_WORDS: usize = 4;

/// Kinds of causes: the values of the first element of a [`Cause`].
pub mod cause {
    /// The rules of the game: turn actions, state rules, setup.
    pub const RULE: i64 = 0;
    /// The payment of a price or cost.
    pub const COST: i64 = 1;
    /// The resolution of an effect.
    pub const EFFECT: i64 = 2;
}

/// How the simultaneous events of a batch that match the pattern of a trigger count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Batching {
    /// Each triggers it.
    #[default]
    Each,
    /// All together trigger it once.
    Once,
    /// Each runs the body of an immediate trigger, which only writes, right after the other triggers on it were found: so the next
    /// one of the batch is matched with what this one has written.
    InOrder,
    /// Those with the same object or player as parameter `param` trigger it once. The numbers of parameter `total` are added.
    PerParam {
        /// The number of the parameter.
        param: u16,
        /// The number of the parameter that is added, if there is one.
        total: Option<u16>,
    },
}

/// The kinds of abilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AbilityKind {
    /// A triggered ability: waits for an event, then for its turn to resolve.
    Triggered {
        /// The event that triggers it.
        pattern: EventPattern,
        /// Checked when the ability triggers and again when it resolves. Parameters as for the pattern's filter.
        condition: Option<FnId>,
        /// The text begins with `you may …`, and everything else in it depends on that choice. Under a timing that declares
        /// optional triggers, the controller may decline as the trigger is put on the list. Chains place optional triggers last.
        optional: bool,
        /// Runs right after its event, without waiting.
        immediate: bool,
        /// Waits among the other triggers, but then runs instead of being put on the list.
        off_list: bool,
        /// The usage limit.
        limit: Option<UseLimit>,
        /// Is lost if another event happened between its event and its turn (it misses the timing).
        can_miss_timing: bool,
        /// How simultaneous events count.
        batching: Batching,
        /// The statements that resolve it. Parameters as for the pattern's filter.
        body: FnId,
    },
    /// A replacement effect: puts something else in the place of an event.
    Replacement {
        /// The event that it replaces.
        pattern: EventPattern,
        /// The affected player may decline.
        optional: bool,
        /// The statements that run instead. Parameters as for the pattern's filter.
        body: FnId,
    },
    /// A prohibition: makes an event impossible.
    Prohibition {
        /// The event that it forbids.
        pattern: EventPattern,
    },
    /// Makes abilities that trigger on an event trigger once more, or not at all.
    TriggerModifier {
        /// The event of the affected triggers.
        pattern: EventPattern,
        /// Selects the affected abilities. Parameters as for the pattern's filter, then the source of the ability that triggers.
        whose: FnId,
        /// What becomes of them.
        change: TriggerChange,
    },
    /// A static ability: applies modifications while it is active.
    Static {
        /// Pure: (this, you) to bool. The ability applies only while this holds.
        condition: Option<FnId>,
        /// The modifications.
        modifications: Vec<ModificationId>,
    },
    /// A paragraph of the text of an object that is used: (this, you).
    Paragraph {
        /// The statements of the paragraph.
        body: FnId,
    },
    /// An additional, mandatory cost of using the object that has the ability: (this, user).
    Cost {
        /// The statements that pay it.
        body: FnId,
        /// Pure: whether the cost can be paid.
        possible: Option<FnId>,
    },
    /// An optional cost: an additional or alternative price that the user may choose while the object that has the ability is
    /// announced. Parameters of all functions: (this, user).
    CostOption {
        /// The status that records the choice: whether it was chosen (a bool), or how often (a number).
        status: u16,
        /// Whether it replaces the usual price (an alternative cost).
        instead: bool,
        /// The choice site, which holds the text of the choice.
        site: ChoiceSiteId,
        /// Pure: whether it may be chosen.
        condition: Option<FnId>,
        /// Pure: the price.
        price: Option<FnId>,
        /// Statements: a cost that is paid with it.
        cost: Option<FnId>,
        /// Pure: whether that cost can be paid.
        possible: Option<FnId>,
    },
    /// An activated ability: a separate play, which has no entry in [`Format::plays`](crate::format::Format::plays).
    Activated {
        /// The play; `this` is the object that has the ability.
        play: Box<Play>,
    },
}

impl AbilityKind {
    /// Whether the ability is active while its object has it and never goes to the list. Paragraphs, activated abilities and
    /// triggers that wait to be put on the list do not.
    #[must_use]
    pub const fn is_static(&self) -> bool {
        match self {
            Self::Static { .. }
            | Self::TriggerModifier { .. }
            | Self::Prohibition { .. }
            | Self::Replacement { .. }
            | Self::Cost { .. }
            | Self::CostOption { .. } => true,
            Self::Triggered { immediate, off_list: unlisted, .. } => *immediate || *unlisted,
            Self::Paragraph { .. } | Self::Activated { .. } => false,
        }
    }

    /// Whether abilities of this kind are announced, so that their choices can be made before they resolve.
    #[must_use]
    pub const fn is_announced(&self) -> bool {
        match self {
            Self::Paragraph { .. } | Self::Activated { .. } => true,
            Self::Triggered { immediate, .. } => !*immediate,
            Self::Replacement { .. }
            | Self::Prohibition { .. }
            | Self::TriggerModifier { .. }
            | Self::Static { .. }
            | Self::Cost { .. }
            | Self::CostOption { .. } => false,
        }
    }

    /// The functions with the statements of the ability.
    #[must_use]
    pub fn bodies(&self) -> Vec<FnId> {
        match self {
            Self::Triggered { body, .. }
            | Self::Replacement { body, .. }
            | Self::Paragraph { body }
            | Self::Cost { body, .. } => {
                vec![*body]
            }
            Self::Activated { play } => play.cost.into_iter().chain([play.body]).collect(),
            Self::CostOption { cost, .. } => cost.iter().copied().collect(),
            Self::Prohibition { .. } | Self::TriggerModifier { .. } | Self::Static { .. } => Vec::new(),
        }
    }
}

/// The bit of a zone kind in a mask of zone kinds. Kinds from 31 on share the last bit.
#[inline]
#[must_use]
pub fn zone_bit(kind: usize) -> u32 {
    1 << kind.min(31)
}

/// Whether a mask contains a zone kind.
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
    /// The zone kinds in which the ability is active, as a mask (see [`zone_bit`]).
    pub zones: u32,
    /// The kind of ability with its code.
    pub kind: AbilityKind,
    /// The place in the source.
    pub source: Source,
}

/// One continuous change of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modification {
    /// The layer in which it applies.
    pub layer: u8,
    /// A live selection over the objects of `zones`: pure (this, you, captures…, candidate) to bool. `None`: the locked list of
    /// the effect, or, for a static ability, its source alone.
    pub selector: Option<FnId>,
    /// The zone kinds whose objects are candidates, as a mask (see [`zone_bit`]).
    pub zones: u32,
    /// Whether it is characteristic-defining: it applies before all other modifications of its layer.
    pub defining: bool,
    /// The change.
    pub change: Change,
}

/// What a [`Modification`] changes. Value functions are pure: (this, you, captures…, affected object).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Adds to a property, not below `floor`.
    Add {
        /// Property number.
        property: u16,
        /// Pure: the addend.
        value: FnId,
        /// Pure: the lower bound of the result.
        floor: Option<FnId>,
    },
    /// Sets a property.
    Set {
        /// Property number.
        property: u16,
        /// Pure: the new value.
        value: FnId,
    },
    /// Exchanges the values of two properties.
    Switch(u16, u16),
    /// Sets the controller.
    SetController(FnId),
    /// Gains a word.
    GainWord(TraitSetId, u16),
    /// Loses a word.
    LoseWord(TraitSetId, u16),
    /// Loses all words of a set.
    LoseAllWords(TraitSetId),
    /// Gains all words of a set.
    GainAllWords(TraitSetId),
    /// Changes the words of a set by the word that a function returns (its number plus one). There is no change if it returns 0.
    ChangeWordByValue {
        /// The trait set.
        traits: TraitSetId,
        /// Pure: the word.
        word: FnId,
        /// How the word changes the set.
        how: WordSetChange,
    },
    /// Replaces a word in the text of the object by another word (CR 612). Functions return the number of a word plus one.
    SubstituteWord {
        /// The trait set.
        traits: TraitSetId,
        /// Pure: the new word.
        new: FnId,
        /// Pure: the word that is replaced.
        old: FnId,
    },
    /// Gains an ability bundle.
    GainBundle(AbilityBundleId),
    /// Gains one of several ability bundles: the one whose index plus one the function returns.
    GainBundleByValue {
        /// The bundles to select from.
        bundles: Vec<AbilityBundleId>,
        /// Pure: the index plus one.
        which: FnId,
    },
    /// Loses a keyword.
    LoseKeyword(KeywordId),
    /// Loses all abilities that it has at this point of the computation.
    LoseAbilities,
    /// Loses those of its abilities that never go to the list: see [`AbilityKind::is_static`].
    LoseStatics,
    /// Makes matching events impossible; the filter gets (this, you, captures…, event arguments, cause).
    Prohibit(EventPattern),
    /// A clause about declarations of an action (see [`crate::op::Op::Declare`]).
    ConstrainDeclarations(Box<DeclarationClause>),
}

impl Change {
    /// The function that computes its value, and the one that computes the floor or the replaced word.
    #[must_use]
    pub fn value_functions(&self) -> (Option<FnId>, Option<FnId>) {
        match self {
            Self::Add { value, floor, .. } => (Some(*value), *floor),
            Self::SubstituteWord { new, old, .. } => (Some(*new), Some(*old)),
            Self::Set { value, .. }
            | Self::SetController(value)
            | Self::ChangeWordByValue { word: value, .. }
            | Self::GainBundleByValue { which: value, .. } => (Some(*value), None),
            Self::Switch(..)
            | Self::GainWord(..)
            | Self::LoseWord(..)
            | Self::LoseAllWords(_)
            | Self::GainAllWords(_)
            | Self::GainBundle(_)
            | Self::LoseKeyword(_)
            | Self::LoseAbilities
            | Self::LoseStatics
            | Self::Prohibit(_)
            | Self::ConstrainDeclarations(_) => (None, None),
        }
    }

    /// The bundles that it may give, apart from those with a substituted word.
    #[must_use]
    pub fn granted_bundles(&self) -> &[AbilityBundleId] {
        match self {
            Self::GainBundle(bundle) => std::slice::from_ref(bundle),
            Self::GainBundleByValue { bundles, .. } => bundles,
            Self::Add { .. }
            | Self::Set { .. }
            | Self::Switch(..)
            | Self::SetController(_)
            | Self::GainWord(..)
            | Self::LoseWord(..)
            | Self::LoseAllWords(_)
            | Self::GainAllWords(_)
            | Self::ChangeWordByValue { .. }
            | Self::SubstituteWord { .. }
            | Self::LoseKeyword(_)
            | Self::LoseAbilities
            | Self::LoseStatics
            | Self::Prohibit(_)
            | Self::ConstrainDeclarations(_) => &[],
        }
    }
}

/// How a computed word changes the words of its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WordSetChange {
    /// The object gains the word.
    Gain,
    /// The object loses the word.
    Lose,
    /// The object gains the word and loses all others.
    GainOnly,
}

/// A constraint on declarations of an action: about the pairs (first and second argument) that its pattern matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeclarationClause {
    /// The pairs that the clause is about. The filter gets (this, you, captures…, the two arguments, cause).
    pub pattern: EventPattern,
    /// The groups of pairs to which the rule applies separately.
    pub scope: ClauseScope,
    /// The constraint.
    pub rule: ClauseRule,
}

/// How the pairs of a [`DeclarationClause`] are grouped; the rule applies to each group separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClauseScope {
    /// One group for each first argument.
    First,
    /// One group for each second argument.
    Second,
    /// One group of all pairs.
    All,
}

/// The constraint of a [`DeclarationClause`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ClauseRule {
    /// Requirement: one of the pairs must be declared, if possible.
    Must,
    /// Cardinality: the number of different first arguments is at most `count`, or it is either 0 or at least `count`.
    Count {
        /// Whether the bound is an upper one; else the number is 0 or at least `count`.
        at_most: bool,
        /// Pure: (this, you, captures…) to the bound.
        count: FnId,
    },
    /// Implication: only together with at least `count` other first arguments, of pairs that pass `others`.
    WithOthers {
        /// Which pairs count. Parameters as for the pattern's filter.
        others: Option<FnId>,
        /// Pure: (this, you, captures…) to the number.
        count: FnId,
    },
    /// Cost: something is paid for each group of pairs. Parameters: (this, you, captures…, the two arguments, cause).
    Costs {
        /// Pure: the price.
        price: Option<FnId>,
        /// Statements that pay a cost.
        cost: Option<FnId>,
        /// Pure: whether that cost can be paid.
        possible: Option<FnId>,
    },
}

/// What becomes of triggered abilities on an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TriggerChange {
    /// They trigger once more.
    Again,
    /// They do not trigger.
    Never,
    /// Optional ones do not trigger.
    NotOptionally,
}
