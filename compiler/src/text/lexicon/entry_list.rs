//! The entries of one table of a lexicon: in the order in which they are tried, with an index by a node that their patterns require.
//!
//! Nearly every node of a pattern matches only a node of the same kind and text. Each entry is in the index under one of those nodes, the one
//! that the fewest entries before it are under. A node is then compared only with the entries that are under one of its descendants, and
//! with those that require none. Without the index, each part of each card would be compared with all templates of its kind.

use crate::text::normalize::SUBJECT;
use crate::text::tree::{TextNode, TextNodeKind, is_hole};
use smol_str::SmolStr;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The place of an entry: heavier patterns are tried first, and of equal ones those that were added last.
type Rank = (Reverse<usize>, Reverse<usize>);

/// Entries, indexed by a required node.
#[derive(Clone, Debug)]
pub struct EntryList<E> {
    entries: BTreeMap<Rank, E>,
    by_required: BTreeMap<TextNodeKind, BTreeMap<SmolStr, Vec<Rank>>>,
    /// Those whose patterns require no node.
    others: Vec<Rank>,
}

impl<E> Default for EntryList<E> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), by_required: BTreeMap::new(), others: Vec::new() }
    }
}

impl<E> EntryList<E> {
    /// Adds an entry for a pattern.
    pub fn insert(&mut self, pattern: &TextNode, entry: E) {
        let rank = (Reverse(pattern.weight()), Reverse(self.entries.len()));
        let mut required = Vec::new();
        collect_required(pattern, &mut required);
        let count = |kind: TextNodeKind, text: &str| self.under(kind, text).len();
        let rarest = required.into_iter().min_by_key(|(kind, text)| count(*kind, text));
        match rarest {
            Some((kind, text)) => self.by_required.entry(kind).or_default().entry(text.clone()).or_default().push(rank),
            None => self.others.push(rank),
        }
        self.entries.insert(rank, entry);
    }

    fn under(&self, kind: TextNodeKind, text: &str) -> &[Rank] {
        self.by_required.get(&kind).and_then(|texts| texts.get(text)).map_or(&[], Vec::as_slice)
    }

    /// All entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.entries.values()
    }

    /// The entries that can match some of these nodes, in order.
    pub fn candidates<'n>(&self, nodes: impl IntoIterator<Item = &'n TextNode>) -> impl Iterator<Item = &E> {
        let mut written = BTreeSet::new();
        nodes.into_iter().for_each(|node| self.collect_written(node, &mut written));
        let mut ranks = self.others.clone();
        ranks.extend(written.into_iter().flat_map(|(kind, text)| self.under(kind, text)));
        ranks.sort_unstable();
        ranks.into_iter().filter_map(|rank| self.entries.get(&rank))
    }

    /// Collects what some pattern requires of a node and its descendants.
    fn collect_written<'n>(&self, node: &'n TextNode, written: &mut BTreeSet<(TextNodeKind, &'n str)>) {
        if !self.under(node.kind, &node.text).is_empty() {
            written.insert((node.kind, node.text.as_str()));
        }
        node.kids.iter().for_each(|kid| self.collect_written(kid, written));
    }
}

/// Collects the nodes of a pattern that match only a node of the same kind and text, at any place.
fn collect_required<'p>(pattern: &'p TextNode, required: &mut Vec<(TextNodeKind, &'p SmolStr)>) {
    use TextNodeKind::{At, Block, Hole, List, Nil, Phrase, When};
    let is_free = matches!(pattern.kind, At | Block | Hole | List | Nil | Phrase | When);
    if !is_free && !pattern.text.is_empty() && !is_hole(&pattern.text) {
        required.push((pattern.kind, &pattern.text));
    }
    // `you` as the subject of a verb matches one without a subject too
    let is_implied = |at: usize, kid: &TextNode| pattern.kind == TextNodeKind::Do && at == SUBJECT && kid.is_word("you");
    let kids = pattern.kids.iter().enumerate().filter(|(at, kid)| !is_implied(*at, kid));
    kids.for_each(|(_, kid)| collect_required(kid, required));
}

#[cfg(test)]
mod tests {
    use super::*;
    use fizzle_grammar::ast::Span;

    fn number(text: &str) -> TextNode {
        TextNode::new(TextNodeKind::Number, text, Vec::new(), Span::default())
    }

    fn act(verb: &str, kid: TextNode) -> TextNode {
        TextNode::new(TextNodeKind::Do, verb, vec![kid], Span::default())
    }

    /// However many templates a verb has, a node is compared with those of the words in it.
    #[test]
    fn few_entries_are_candidates() {
        let hole = || TextNode::new(TextNodeKind::Hole, "N", Vec::new(), Span::default());
        let mut list = EntryList::default();
        list.insert(&hole(), "N".to_owned());
        list.insert(&act("draw", hole()), "draw N".to_owned());
        (0..1000).for_each(|n| list.insert(&act("draw", number(&n.to_string())), format!("draw {n}")));
        let node = act("draw", number("7"));
        assert_eq!(list.candidates([&node]).collect::<Vec<_>>(), ["draw 7", "draw N", "N"]);
        assert_eq!(list.candidates([&act("burn", number("x"))]).collect::<Vec<_>>(), ["N"]);
    }

    #[test]
    fn of_equal_patterns_the_last_one_comes_first() {
        let mut list = EntryList::default();
        let node = act("draw", number("1"));
        [1, 2].into_iter().for_each(|entry| list.insert(&node, entry));
        assert!(list.candidates([&node]).eq(&[2, 1]));
        assert!(list.iter().eq(&[2, 1]));
    }
}
