//! Editions of the language: spellings that differ between them, and how a source is rewritten from one edition into another.
//!
//! The grammar accepts the spellings of all editions, and the syntax tree has one form for them, that of the newest edition. So an edition
//! ends with the syntax tree. Each spelling that another edition writes differently is listed in [`Item::spellings`](crate::ast::Item): the
//! compiler compares them with the edition of the pack, and `fizzle fmt --edition` rewrites them.
//!
//! Names of built-in functions and verbs of older editions stay reserved, so that a name has the same meaning in all editions.

use crate::ast::{Item, Name, Span};
use crate::cst::CstNode;
use crate::parser::Rule;
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

/// Rules of patterns: their name is the word of an event.
const PATTERNS: [Rule; 6] =
    [Rule::pattern, Rule::would_pattern, Rule::plain_pattern, Rule::prohibition, Rule::lead_cannot, Rule::can_test];

/// The spellings of an item, in the order of the text.
pub(crate) fn spellings(item: CstNode<'_>, file: u32, base: u32) -> Vec<Spelling> {
    let mut collector = Collector { text: item.source(), file, base, found: Vec::new() };
    collector.children(item);
    collector.found.sort_by_key(|spelling| spelling.span);
    collector.found
}

/// Walks the nodes of an item and collects its spellings.
struct Collector<'i> {
    text: &'i str,
    file: u32,
    base: u32,
    found: Vec<Spelling>,
}

impl Collector<'_> {
    /// Adds a spelling from the byte `start` on.
    fn add(&mut self, start: usize, length: usize, edition: Edition, other: &str) {
        let written = self.text.get(start..start + length).unwrap_or("").into();
        let start = self.base + u32::try_from(start).unwrap_or(u32::MAX);
        let end = start + u32::try_from(length).unwrap_or(u32::MAX);
        self.found.push(Spelling { span: Span { file: self.file, start, end }, written, edition, other: other.into() });
    }

    /// Adds the word of a node, if it is a name of the first edition. Names of the second edition are no spellings: a pack of the first
    /// edition may have declared them.
    fn word(&mut self, node: CstNode<'_>, table: &[(&str, &str)]) {
        let word = node.as_str().trim_end();
        if let Some((_, new)) = table.iter().find(|(old, _)| *old == word) {
            self.add(node.start(), word.len(), Edition::One, new);
        }
    }

    fn children(&mut self, parent: CstNode<'_>) {
        let mut previous = None;
        let mut kids = parent.into_inner();
        while let Some(node) = kids.next() {
            self.node(node, parent.as_rule(), previous, kids.peek());
            self.children(node);
            previous = Some(node);
        }
        match parent.as_rule() {
            Rule::option => self.option(parent),
            Rule::zone => self.zone(parent),
            Rule::paths | Rule::expect_no_event => self.events(parent),
            _ => {}
        }
    }

    fn node(&mut self, node: CstNode<'_>, within: Rule, previous: Option<CstNode<'_>>, next: Option<CstNode<'_>>) {
        let text = node.as_str().trim_end();
        match (node.as_rule(), within) {
            (Rule::k_at_once, _) => {
                let other = if within == Rule::play_immediate { "immediately" } else { "simultaneously" };
                self.add(node.start(), text.len(), Edition::One, other);
            }
            (Rule::k_simultaneously, _) | (Rule::k_immediately, Rule::play_immediate) => {
                self.add(node.start(), text.len(), Edition::Two, "at once");
            }
            (Rule::k_lift, _) => self.add(node.start(), text.len(), Edition::One, "announce"),
            (Rule::k_announce, Rule::announced) => self.add(node.start(), text.len(), Edition::Two, "lift"),
            (Rule::verb, _) => {
                self.check_state_rules(node, next);
                self.word(node, VERBS);
            }
            (Rule::name, Rule::verb_with_arguments) => self.word(node, VERBS),
            (Rule::name, _) if PATTERNS.contains(&within) => self.event(node, previous),
            (Rule::word, Rule::type_ref) => self.word(node, TYPES),
            (Rule::path_word, _) if next.is_some_and(|next| next.as_rule() == Rule::called) => self.word(node, FUNCTIONS),
            (rule, _) => {
                for (old, before, new, after) in KEYWORDS {
                    if rule == *old {
                        self.add(node.start(), text.len(), Edition::One, after);
                    } else if rule == *new {
                        self.add(node.start(), text.len(), Edition::Two, before);
                    }
                }
            }
        }
    }

    /// `option S { … }`, `option S instead { … }`
    fn option(&mut self, node: CstNode<'_>) {
        let mut kids = node.into_inner();
        let (Some(head), Some(name)) = (kids.next(), kids.next()) else { return };
        match (head.as_rule(), kids.next().filter(|kid| kid.as_rule() == Rule::k_instead)) {
            (Rule::k_option, None) => self.add(head.start(), "option".len(), Edition::One, "additional cost"),
            (Rule::k_option, Some(instead)) => {
                self.add(head.start(), "option".len(), Edition::One, "alternative cost");
                let name_ends = name.start() + name.as_str().trim_end().len();
                self.add(name_ends, instead.start() + "instead".len() - name_ends, Edition::One, "");
            }
            (_, instead) => {
                let length = head.as_str().trim_end().len();
                self.add(head.start(), length, Edition::Two, "option");
                let is_alternative = head.as_rule() == Rule::k_alternative_cost;
                if is_alternative && instead.is_none() {
                    let name_ends = name.start() + name.as_str().trim_end().len();
                    self.add(name_ends, 0, Edition::Two, " instead");
                }
            }
        }
    }

    /// The settings of a zone, word by word.
    fn zone(&mut self, zone: CstNode<'_>) {
        for setting in zone.into_inner().filter(|kid| kid.as_rule() == Rule::setting) {
            let words: Vec<CstNode<'_>> = setting.into_inner().collect();
            for (index, word) in words.iter().enumerate() {
                for (old, new) in ZONE_SETTINGS {
                    let rest = words.get(index..).unwrap_or(&[]);
                    let length = new.split(' ').count();
                    if word.as_str() == *old {
                        self.add(word.start(), old.len(), Edition::One, new);
                    } else if let Some(last) = rest.get(length - 1)
                        && new.split(' ').zip(rest).all(|(part, word)| part == word.as_str())
                    {
                        self.add(word.start(), last.start() + last.as_str().len() - word.start(), Edition::Two, old);
                    }
                }
            }
        }
    }

    /// `[put, cease]`, `no event cease`
    fn events(&mut self, list: CstNode<'_>) {
        for path in list.into_inner().filter(|kid| kid.as_rule() == Rule::path) {
            let mut parts = path.into_inner();
            if let (Some(name), None) = (parts.next(), parts.next()) {
                self.word(name, LISTED_EVENTS);
            }
        }
    }

    /// `settle rules`, `check state rules`
    fn check_state_rules(&mut self, verb: CstNode<'_>, operand: Option<CstNode<'_>>) {
        let text = verb.as_str().trim_end();
        let other = match text {
            "settle" => "check state rules",
            "settles" => "checks state rules",
            "check state rules" => return self.add(verb.start(), text.len(), Edition::Two, "settle rules"),
            "checks state rules" => return self.add(verb.start(), text.len(), Edition::Two, "settles rules"),
            _ => return,
        };
        if let Some(rules) = operand.filter(|operand| operand.as_str().trim_end() == "rules") {
            self.add(verb.start(), rules.start() + "rules".len() - verb.start(), Edition::One, other);
        }
    }

    /// `X is performed`, `X cannot be performed`, `X starts_resolving`
    fn event(&mut self, name: CstNode<'_>, before: Option<CstNode<'_>>) {
        let auxiliary = before.filter(|node| matches!(node.as_rule(), Rule::k_is | Rule::k_be));
        match (name.as_str().trim_end(), auxiliary) {
            ("performed", Some(auxiliary)) => {
                let other = if auxiliary.as_rule() == Rule::k_is { "starts_resolving" } else { "start_resolving" };
                self.add(auxiliary.start(), name.start() + "performed".len() - auxiliary.start(), Edition::One, other);
            }
            _ => self.word(name, EVENTS),
        }
    }
}

/// Rewrites the spellings of older editions in a text into those of the newest. Everything else stays as it is, comments and blanks included.
///
/// `is_taken` returns whether the game declares a name; spellings that would then mean something else are left alone and returned.
pub fn upgrade<'i>(text: &str, items: &'i [Item], is_taken: impl Fn(&str) -> bool) -> (String, Vec<&'i Spelling>) {
    let mut upgraded = String::with_capacity(text.len());
    let (mut copied, mut left_alone) = (0, Vec::new());
    for spelling in items.iter().flat_map(|item| &item.spellings).filter(|spelling| spelling.edition < Edition::NEWEST) {
        if is_taken(spelling.other.split(' ').next().unwrap_or("")) && spelling.is_name() {
            left_alone.push(spelling);
            continue;
        }
        let (start, end) = (spelling.span.start as usize, spelling.span.end as usize);
        upgraded.push_str(text.get(copied..start).unwrap_or(""));
        upgraded.push_str(&spelling.other);
        copied = end;
    }
    upgraded.push_str(text.get(copied..).unwrap_or(""));
    (upgraded, left_alone)
}
