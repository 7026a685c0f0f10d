//! Filters that exclude what the text has chosen before (`another card among them`, `the rest`), and filters with alternatives.

use crate::text::render::referents::is_one_choice;
use crate::text::renderer::{Renderer, TextLocal};
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives};
use smol_str::SmolStr;

impl Renderer<'_> {
    /// The phrase without filters that exclude what was chosen before it (`that (candidate != first)`, or `that (candidate in deck)` of a
    /// list): it selects *other* things.
    /// `None` if it has no such filter, or if it selects things of another kind than those.
    pub(in crate::text) fn without_exclusions(&self, node: &TextNode) -> Option<TextNode> {
        let noun = self.noun_of(node);
        // Japanese announces targets together and calls them the former and the latter
        let is_named = |value: &TextNode| self.is_japanese() && self.is_target(value);
        let is_alike = |name: &SmolStr| {
            let local = self.local(name).filter(|local| !is_named(&local.value));
            local.is_some_and(|local| equal_ignoring_spans(&self.noun_of(&local.value), &noun))
        };
        // one of a list that is still where the list was: others have been moved
        let in_list = |filter: &TextNode| filter.kind == TextNodeKind::In && self.selects_list(filter.kid(0));
        let is_left = |filter: &TextNode| is_in_place(filter) && node.kid(0).text != "each" && node.kids.iter().any(in_list);
        let is_exclusion = |filter: &TextNode| excluded_name(filter).is_some_and(is_alike) || is_left(filter);
        if node.text == "other" || !node.kids.iter().any(is_exclusion) {
            return None;
        }
        let mut rest = node.clone();
        rest.kids.retain(|filter| !is_exclusion(filter));
        rest.text = "other".into();
        Some(rest)
    }

    /// Whether a phrase is what remains of a list: each thing in it but those that the text has chosen from it.
    pub(in crate::text) fn is_rest_of_list(&self, node: &TextNode) -> bool {
        let filters = node.kids.get(2..).unwrap_or_default();
        let in_list = |filter: &&TextNode| filter.kind == TextNodeKind::In && self.selects_list(filter.kid(0));
        let Some(list) = filters.iter().find(in_list).map(|filter| &filter.kid(0).text) else { return false };
        // `each other card in them`
        if node.kid(0).text == "each" && node.text == "other" && filters.len() == 1 {
            return true;
        }
        let mut chosen = self
            .locals
            .iter()
            .filter(|local| is_chosen_from(&local.value, list) && local.value.kid(0).text != "each")
            .map(|local| &local.name)
            .peekable();
        node.kid(0).text == "each"
            && node.text != "other"
            && excluded_names(node).next().is_some()
            && filters.iter().all(|filter| in_list(&filter) || excluded_name(filter).is_some() || is_in_place(filter))
            && chosen.peek().is_some()
            && chosen.all(|name| excluded_names(node).any(|excluded| excluded == name))
    }

    /// The filters of which one must hold: `that (A or B)`. `None` for other filters, and if an alternative is no single filter.
    pub(in crate::text) fn alternative_filters(&self, filter: &TextNode) -> Option<Vec<TextNode>> {
        if filter.kind != TextNodeKind::That || filter.kid(0).kind != TextNodeKind::Binary || filter.kid(0).text != "or" {
            return None;
        }
        let mut tests = Vec::new();
        collect_alternatives(filter.kid(0), &mut tests);
        let single = |test: TextNode| {
            let mut filters = Vec::new();
            self.builder.add_test(test, &mut filters);
            filters.pop().filter(|_| filters.is_empty())
        };
        tests.into_iter().map(single).collect()
    }
}

impl Renderer<'_> {
    /// A copy in which `other` is left out before things of a kind that the card is not of: it excludes only the card itself.
    pub(in crate::text) fn without_vacuous_other(&self, node: &TextNode) -> TextNode {
        let mut made = TextNode { kids: node.kids.iter().map(|kid| self.without_vacuous_other(kid)).collect(), ..node.clone() };
        if node.kind == TextNodeKind::Phrase && node.text == "other" {
            let mut kinds = Vec::new();
            collect_alternatives(node.kid(1), &mut kinds);
            if kinds.iter().all(|kind| self.is_kind_of_others(kind)) {
                made.text = SmolStr::default();
            }
        }
        made
    }

    /// Whether a node is a printed word for a kind that the card does not have, since it prints another word of the same set.
    fn is_kind_of_others(&self, kind: &TextNode) -> bool {
        let set = self.set_of(&kind.text).filter(|_| kind.kind == TextNodeKind::Word && self.local(&kind.text).is_none());
        set.is_some_and(|set| self.words.iter().any(|word| self.set_of(word) == Some(set))) && !self.words.contains(&kind.text)
    }
}

/// The greatest number of choices of one noun that a text distinguishes.
const MAX_DISTINGUISHED_CHOICES: usize = 8;

impl Renderer<'_> {
    /// Which of several choices of one noun a name is bound to, counted from 0: `the first creature`. `None` if there is one choice of that noun, or
    /// if it is the latest and the text has not counted them yet: `that creature`.
    pub(in crate::text) fn ordinal_of_choice(&mut self, name: &str) -> Option<usize> {
        let is_announced = self.is_japanese() || !self.style("target").is_empty();
        let is_one = |local: &TextLocal| {
            let quantifier = local.value.kid(0);
            let is_chosen = matches!(quantifier.text.as_str(), "exactly" | "up_to" | "random")
                || quantifier.text.starts_with("target") && !is_announced;
            let is_one_thing = is_chosen
                && quantifier.kid(0).kind == TextNodeKind::Number
                && quantifier.kid(0).text == "1"
                && local.value.kind == TextNodeKind::Phrase;
            local.inline.is_none() && !local.is_plural && (is_one_thing || self.chosen_set(&local.value).is_some())
        };
        let local = self.local(name).filter(|local| is_one(local))?;
        let noun = self.noun_of(&local.value);
        let mut same: Vec<&SmolStr> = Vec::new();
        for other in self.locals.iter().rev().filter(|local| is_one(local)).take(MAX_DISTINGUISHED_CHOICES) {
            if !same.contains(&&other.name) && equal_ignoring_spans(&self.noun_of(&other.value), &noun) {
                same.push(&other.name);
            }
        }
        same.reverse();
        let at = same.iter().position(|other| *other == name)?;
        let is_latest = at + 1 == same.len();
        if same.len() < 2 || is_latest && !self.counted_nouns.contains(&noun.text) {
            return None;
        }
        self.counted_nouns.push(noun.text);
        Some(at)
    }

    /// Whether a name is bound to one of two things of a noun of which one was chosen and the other is a target that the language announces.
    pub(in crate::text) fn is_choice_next_to_target(&self, name: &str) -> bool {
        let is_one = |local: &&TextLocal| local.inline.is_none() && !local.is_plural && is_one_choice(&local.value);
        let Some(local) = self.local(name).filter(is_one) else { return false };
        let noun = self.noun_of(&local.value);
        let is_other = |other: &TextLocal| {
            is_one(&other)
                && self.is_target(&other.value) != self.is_target(&local.value)
                && equal_ignoring_spans(&self.noun_of(&other.value), &noun)
        };
        let is_announced = self.is_japanese() || !self.style("target").is_empty();
        is_announced && self.locals.iter().any(is_other)
    }

    /// Whether a name is bound to one thing that was chosen before the text is about each of several things of the same noun, as which *that
    /// creature* would be read.
    pub(in crate::text) fn is_chosen_before_each(&self, name: &str) -> bool {
        let Some(at) = self.locals.iter().rposition(|local| local.name == name) else { return false };
        let (local, later) = (&self.locals[at], self.locals.get(at + 1..).unwrap_or_default());
        let quantifier = local.value.kid(0);
        let is_one = local.value.kind == TextNodeKind::Phrase && !local.is_plural && local.inline.is_none();
        let noun = self.noun_of(&local.value);
        let is_element = |other: &TextLocal| {
            let is_selection = matches!(other.value.kind, TextNodeKind::Phrase | TextNodeKind::Word);
            let is_each = is_selection
                && (other.value.kind == TextNodeKind::Word || other.value.kid(0).is_nil() || other.value.kid(0).text == "each");
            is_each && !other.is_plural && other.inline.is_none()
        };
        let name_of = |noun: &TextNode| {
            self.lexicon.name(&noun.text).and_then(|forms| Some(forms.first()?.trim_start_matches('^').to_owned()))
        };
        let is_alike = |other: &TextLocal| {
            let other = self.noun_of(&other.value);
            other.kind == TextNodeKind::Word
                && (other.text == noun.text || name_of(&other).is_some() && name_of(&other) == name_of(&noun))
        };
        let is_chosen =
            quantifier.text.starts_with("target") || matches!(quantifier.text.as_str(), "exactly" | "up_to" | "random");
        is_one && is_chosen && later.iter().any(|other| is_element(other) && is_alike(other))
    }
}

/// The name that a filter excludes: `that (candidate != NAME)`.
pub(super) fn excluded_name(filter: &TextNode) -> Option<&SmolStr> {
    let test = filter.kid(0);
    let excludes = filter.kind == TextNodeKind::That && excludes_candidate(test) && test.kid(1).kind == TextNodeKind::Word;
    excludes.then_some(&test.kid(1).text)
}

pub(super) fn excluded_names(node: &TextNode) -> impl Iterator<Item = &SmolStr> {
    node.kids.iter().filter_map(excluded_name)
}

/// Whether a condition is `candidate != X`.
pub(super) fn excludes_candidate(test: &TextNode) -> bool {
    test.kind == TextNodeKind::Binary && test.text == "!=" && test.kid(0).is_word("candidate")
}

/// Whether a filter is `that (candidate in ZONE)`.
fn is_in_place(filter: &TextNode) -> bool {
    filter.kind == TextNodeKind::That && filter.kid(0).kind == TextNodeKind::Phrase && filter.kid(0).kid(1).is_word("candidate")
}

/// Whether a value is a selection among the elements of a list.
pub(super) fn is_chosen_from(value: &TextNode, list: &SmolStr) -> bool {
    value.kind == TextNodeKind::Phrase
        && value.kids.iter().skip(2).any(|filter| filter.kind == TextNodeKind::In && filter.kid(0).is_word(list))
}
