//! What formats add to the texts of a game or replace in them, indexed by the lookups that it can answer.
//!
//! A card is rendered once with the lexicon of its game. Each lookup of that rendering also goes to this index, which marks the formats whose text items or
//! keywords could answer it differently, found or not. The text is rendered again for the marked formats alone: for the others all lookups, and with
//! them the text, are the same. An item may be marked that another one hides; the text is then rendered again without need.
//!
//! The test `format_texts` compares the texts of formats with those that are rendered again in any case.

use super::lexicon::entry_list::EntryList;
use super::pattern_match::{LexiconEntry, LexiconTable, ParsedEntry, fits, is_post, matches_sequence};
use super::tree::{TextNode, TextNodeKind};
use smol_str::SmolStr;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of formats of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::text) struct FormatSet(u64);

impl FormatSet {
    /// The set of one format. Formats beyond the 63rd share a place, so that each of them counts as all of them.
    pub(in crate::text) fn of(format: usize) -> Self {
        Self(1 << format.min(63))
    }

    /// Whether it contains a format.
    pub(in crate::text) fn contains(self, format: usize) -> bool {
        self.0 & Self::of(format).0 != 0
    }

    /// The formats of two sets.
    pub(in crate::text) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The template of a text item of some formats.
#[derive(Debug)]
struct OverridingTemplate {
    entry: Rc<LexiconEntry>,
    formats: FormatSet,
}

/// What formats add or replace, by the lookups that it can answer, and the formats that lookups have marked.
#[derive(Debug, Default)]
pub(in crate::text) struct FormatOverrides {
    names: BTreeMap<SmolStr, FormatSet>,
    /// The formats that have a first form for a name of several forms, and those that have a name of one form, by the name.
    nouns: BTreeMap<(SmolStr, Option<String>), FormatSet>,
    styles: BTreeMap<SmolStr, FormatSet>,
    /// The formats with forms by which objects refer to themselves.
    self_names: FormatSet,
    keywords: BTreeMap<SmolStr, FormatSet>,
    templates: BTreeMap<(LexiconTable, TextNodeKind), EntryList<OverridingTemplate>>,
    /// The templates of sequences of statements.
    sequences: EntryList<OverridingTemplate>,
    /// The number of statements of the longest of these sequences.
    longest_sequence: usize,
    /// All formats that add or replace something.
    all: FormatSet,
    marked: Cell<FormatSet>,
}

impl FormatOverrides {
    /// Adds an entry of a text item that these formats have.
    pub(in crate::text) fn add(&mut self, entry: &ParsedEntry, formats: FormatSet) {
        let insert = |known: &mut FormatSet| *known = known.union(formats);
        match entry {
            ParsedEntry::Name(name, forms) => {
                insert(self.names.entry(name.clone()).or_default());
                let noun = forms.first().filter(|_| forms.len() > 1).cloned();
                insert(self.nouns.entry((name.clone(), noun)).or_default());
            }
            ParsedEntry::Style(name, _) => insert(self.styles.entry(name.clone()).or_default()),
            ParsedEntry::SelfName(..) => insert(&mut self.self_names),
            // No text of a card contains it.
            ParsedEntry::Rule(..) => {}
            ParsedEntry::Template(table, entry) => {
                let made = OverridingTemplate { entry: Rc::clone(entry), formats };
                if entry.is_sequence() {
                    self.longest_sequence = self.longest_sequence.max(entry.pattern.kids.len());
                    self.sequences.insert(&entry.pattern, made);
                } else {
                    self.templates.entry((*table, entry.pattern.kind)).or_default().insert(&entry.pattern, made);
                }
            }
        }
        self.all = self.all.union(formats);
    }

    /// Adds a keyword that these formats declare or replace.
    pub(in crate::text) fn add_keyword(&mut self, name: &SmolStr, formats: FormatSet) {
        let known = self.keywords.entry(name.clone()).or_default();
        *known = known.union(formats);
        self.all = self.all.union(formats);
    }

    /// Takes the formats that lookups have marked since the last call.
    pub(in crate::text) fn take_marked(&self) -> FormatSet {
        self.marked.take()
    }

    fn mark(&self, formats: FormatSet) {
        self.marked.set(self.marked.get().union(formats));
    }

    /// Whether a lookup can mark one of these formats that is not marked yet.
    fn can_mark(&self, formats: FormatSet) -> bool {
        formats.0 & !self.marked.get().0 != 0
    }

    /// Marks the formats that name a word.
    pub(in crate::text) fn mark_name(&self, word: &str) {
        self.names.get(word).into_iter().for_each(|formats| self.mark(*formats));
    }

    /// Marks the formats by which a search among the names of countable things can find another one. `base`: the forms that the game has for a name.
    pub(in crate::text) fn mark_nouns<'l>(&self, base: impl Fn(&str) -> Option<&'l str>, test: &dyn Fn(&str, &str) -> bool) {
        for ((word, form), formats) in &self.nouns {
            let is_found = |form: &str| test(word, form);
            if self.can_mark(*formats) && form.as_deref().is_some_and(is_found) != base(word).is_some_and(is_found) {
                self.mark(*formats);
            }
        }
    }

    /// Marks the formats that have a setting.
    pub(in crate::text) fn mark_style(&self, name: &str) {
        self.styles.get(name).into_iter().for_each(|formats| self.mark(*formats));
    }

    /// Marks the formats with forms by which objects refer to themselves.
    pub(in crate::text) fn mark_self_names(&self) {
        self.mark(self.self_names);
    }

    /// Marks the formats that have a keyword of their own.
    pub(in crate::text) fn mark_keyword(&self, name: &str) {
        self.keywords.get(name).into_iter().for_each(|formats| self.mark(*formats));
    }

    /// Marks the formats with a template whose pattern matches a node.
    pub(in crate::text) fn mark_node(&self, table: LexiconTable, node: &TextNode) {
        if !self.can_mark(self.all) {
            return;
        }
        let of_kind = self.templates.get(&(table, node.kind)).into_iter().flat_map(|templates| templates.candidates([node]));
        let holes = self.templates.get(&(table, TextNodeKind::Hole)).into_iter().flat_map(EntryList::iter);
        for template in of_kind.chain(holes) {
            let pattern = &template.entry.pattern;
            if self.can_mark(template.formats) && !is_post(pattern) && fits(pattern, node, &mut Vec::new()) {
                self.mark(template.formats);
            }
        }
    }

    /// Marks the formats with a template whose pattern matches the first of these statements.
    pub(in crate::text) fn mark_sequence(&self, statements: &[TextNode]) {
        if self.longest_sequence == 0 || !self.can_mark(self.all) {
            return;
        }
        for template in self.sequences.candidates(statements.iter().take(self.longest_sequence)) {
            if self.can_mark(template.formats) && matches_sequence(&template.entry.pattern, statements).is_some() {
                self.mark(template.formats);
            }
        }
    }

    /// Marks the formats with a template for a phrase that has only this filter.
    pub(in crate::text) fn mark_post(&self, post: &TextNode) {
        let Some(templates) = self.templates.get(&(LexiconTable::Value, TextNodeKind::Phrase)) else { return };
        for template in templates.candidates([post]) {
            let pattern = &template.entry.pattern;
            if self.can_mark(template.formats) && is_post(pattern) && fits(pattern.kid(2), post, &mut Vec::new()) {
                self.mark(template.formats);
            }
        }
    }
}
