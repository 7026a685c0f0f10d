//! Editions of the language: the tables of spellings that differ between them.
//!
//! The grammar accepts the spellings of all editions, and the syntax tree has one form for them, that of the newest edition. So an edition
//! ends with the syntax tree. Each spelling that another edition writes differently is listed in `Item::spellings`: the
//! compiler compares them with the edition of the pack, and `fizzle fmt --edition` rewrites them.
//!
//! Names of built-in functions and verbs of older editions stay reserved, so that a name has the same meaning in all editions.

pub(crate) mod spellings;

use crate::parser::Rule;
use crate::span::{Name, Span};
use smol_str::SmolStr;
use std::fmt;

/// An edition of the language. A pack without one is written in the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edition {
    /// `edition 1`
    #[default]
    One,
    /// `edition 2`
    Two,
}

impl Edition {
    /// The newest edition.
    pub const NEWEST: Self = Self::Two;

    /// The edition with a number, if there is one.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "1",
            Self::Two => "2",
        })
    }
}

/// A place whose spelling belongs to one edition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The place of the words that the other edition writes differently.
    pub span: Span,
    /// These words.
    pub written: SmolStr,
    /// The edition that writes them so.
    pub edition: Edition,
    /// What the other edition writes in their place.
    pub other: SmolStr,
}

impl Spelling {
    /// Whether it is the name of a function or verb, which a game may declare itself; else it is a keyword.
    #[must_use]
    pub fn is_name(&self) -> bool {
        [FUNCTIONS, VERBS, EVENTS, LISTED_EVENTS].iter().any(|table| renamed(table, &self.written).is_some())
    }
}

/// Keyword rules of the first and of the second edition.
const KEYWORDS: &[(Rule, &str, Rule, &str)] = &[
    (Rule::k_discloses, "discloses", Rule::k_revealed_on_leaving, "revealed on leaving"),
    (Rule::k_first, "first", Rule::k_before_costs, "before costs"),
    (Rule::k_forgets, "forgets", Rule::k_clears_effects, "clears effects"),
    (Rule::k_incidental, "incidental", Rule::k_timing_neutral, "timing_neutral"),
    (Rule::k_none, "none", Rule::k_without_choices, "without choices"),
    (Rule::k_pays, "pays", Rule::k_usable_while_paying, "usable while paying"),
    (Rule::k_renews, "renews", Rule::k_updates_timestamp, "updates timestamp"),
    (Rule::k_stays, "stays", Rule::k_kept_on_field, "kept on field"),
    (Rule::k_timely, "timely", Rule::k_missable, "missable"),
    (Rule::k_undone, "undone", Rule::k_on_rollback, "on rollback"),
    (Rule::k_unlisted, "unlisted", Rule::k_off_list, "off list"),
    (Rule::k_values, "values", Rule::k_announce_numbers, "announce numbers"),
    (Rule::k_yields, "yields", Rule::k_produces, "produces"),
];

/// Whether a keyword belongs to an older edition only, so that no message suggests it.
pub(crate) fn is_old(rule: Rule) -> bool {
    matches!(rule, Rule::k_at_once | Rule::k_option | Rule::k_lift | Rule::carry_out)
        || rule != Rule::k_first && KEYWORDS.iter().any(|(old, ..)| *old == rule)
}

/// Built-in functions of the first and of the second edition.
const FUNCTIONS: &[(&str, &str)] = &[
    ("came_from", "announced_from"),
    ("is_somebody", "exists"),
    ("loser_before", "previous_loser"),
    ("makes_units", "produces_units"),
    ("now", "current"),
    ("of_ability", "is_ability_play"),
    ("place_of", "position_of"),
    ("uncovered", "unconcealed"),
    ("words_count", "word_count"),
];

/// Verbs of the first and of the second edition, in both of their forms.
const VERBS: &[(&str, &str)] = &[
    ("carries out", "resolves text of"),
    ("carry out", "resolve text of"),
    ("cease", "erase"),
    ("ceases", "erases"),
    ("refund", "restore use of"),
    ("refunds", "restores use of"),
    ("store", "produce"),
    ("stores", "produces"),
];

/// Words of events in patterns. `performed` is an active form in the second edition: see [`rename_event`].
const EVENTS: &[(&str, &str)] = &[("cease", "erase"), ("ceased", "erased"), ("ceases", "erases")];

/// Events in lists of events.
const LISTED_EVENTS: &[(&str, &str)] = &[("cease", "erase"), ("perform", "start_resolving")];

/// Settings of a zone.
const ZONE_SETTINGS: &[(&str, &str)] = &[("hides", "hidden cards are"), ("remembers", "keeps last known")];

/// Types.
const TYPES: &[(&str, &str)] = &[("span", "period")];

fn renamed(table: &'static [(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(old, _)| *old == word).map(|(_, new)| *new)
}

/// All words and names of the first edition that the second one writes differently.
pub fn first_edition_forms() -> impl Iterator<Item = &'static str> {
    let names = [FUNCTIONS, VERBS, EVENTS, LISTED_EVENTS, ZONE_SETTINGS, TYPES].into_iter().flatten().map(|(old, _)| *old);
    KEYWORDS.iter().map(|(_, old, ..)| *old).chain(names).chain([
        "at once",
        "is performed",
        "be performed",
        "lift",
        "option",
        "settle rules",
    ])
}

/// What the newest edition calls a built-in function of an older one.
#[must_use]
pub fn renamed_function(name: &str) -> Option<&'static str> {
    renamed(FUNCTIONS, name)
}

/// What the newest edition calls a built-in verb of an older one.
#[must_use]
pub fn renamed_verb(name: &str) -> Option<&'static str> {
    renamed(VERBS, name)
}

/// What the newest edition calls an event in a list of events.
pub(crate) fn renamed_listed_event(name: &str) -> Option<&'static str> {
    renamed(LISTED_EVENTS, name)
}

/// Gives an event the name of the newest edition: `is performed` is `starts_resolving`, an active form.
pub(crate) fn rename_event(verb: &mut Name, passive: &mut bool) {
    if *passive && verb.text == "performed" {
        (*passive, verb.text) = (false, "start_resolving".into());
    } else if let Some(renamed) = renamed(EVENTS, &verb.text) {
        verb.text = renamed.into();
    }
}

/// What the newest edition writes for a setting of a zone.
pub(crate) fn renamed_zone_setting(word: &str) -> Option<&'static str> {
    renamed(ZONE_SETTINGS, word)
}

/// What the newest edition calls a type.
pub(crate) fn renamed_type(word: &str) -> Option<&'static str> {
    renamed(TYPES, word)
}
