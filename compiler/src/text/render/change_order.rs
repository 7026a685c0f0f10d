//! The order of the changes that an object gets: words and numbers that make it another thing are phrased together.

use crate::text::pattern_match::LexiconTable;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

impl Renderer<'_> {
    /// A copy of a change of values in which the changes that make something another thing follow each other: `no abilities, green only,
    /// subtype = "Elk", power = 3, toughness = 3`. The language phrases them as one (`becomes a green Elk with base power …`).
    pub(in crate::text) fn with_gathered_changes(&self, node: &TextNode) -> TextNode {
        let mut made = node.clone();
        let Some(list) = made.kids.get_mut(1) else { return made };
        list.kids = list.kids.iter().map(|change| self.as_only_word(change)).collect();
        let is_of_game = |change: &TextNode| self.is_made_word(change) || is_made_number(change);
        let has_noun = list.kids.iter().any(|change| self.is_made_word(change) && self.is_kind(change.kid(0)));
        let has_entry = self.lexicon.find(LexiconTable::Change, list, self.builder).is_some();
        let changes = list.kids.clone();
        if has_entry || !has_noun || changes.iter().filter(|change| is_of_game(change)).count() < 2 {
            return made;
        }
        let first = changes.iter().position(is_of_game).unwrap_or(0);
        let (own, others): (Vec<_>, Vec<_>) = changes.into_iter().enumerate().partition(|(_, change)| is_of_game(change));
        let start = others.iter().take_while(|(at, _)| *at < first).count();
        let mut own: Vec<TextNode> = own.into_iter().map(|(_, change)| change).collect();
        own.sort_by_key(is_made_number);
        let mut kids: Vec<TextNode> = others.into_iter().map(|(_, change)| change).collect();
        kids.splice(start..start, own);
        list.kids = kids;
        made
    }

    /// Whether objects that are chosen, or chosen before, get the changes: they become something, while all objects of a kind are it.
    pub(in crate::text) fn is_changed_once(&self, subject: &TextNode) -> bool {
        match subject.kind {
            TextNodeKind::Phrase => {
                matches!(subject.kid(0).text.as_str(), "target" | "target_up_to" | "target_range" | "exactly" | "up_to")
            }
            TextNodeKind::Word => self.local(&subject.text).is_some_and(|local| self.is_changed_once(&local.value)),
            _ => false,
        }
    }

    /// Whether words of the sets `added` need no remark that they are added to the others: what replaces words of another set, `replaced`,
    /// says so (setting `added_with`).
    pub(in crate::text) fn is_addition_clear(&self, added: &[String], replaced: &[String]) -> bool {
        let pairs = self.lexicon.styles("added_with").iter().filter_map(|pair| pair.split_once(' '));
        let mut pairs = pairs.filter(|(_, by)| replaced.iter().any(|set| set == by));
        pairs.any(|(set, _)| added.iter().all(|own| own == set))
    }

    /// `subtype = "Elk"` as `"Elk" only`.
    fn as_only_word(&self, change: &TextNode) -> TextNode {
        let (set, word) = (change.kid(0), change.kid(1));
        let is_word = word.kind == TextNodeKind::Word && self.local(&word.text).is_none();
        match change.text == "=" && is_word && self.set_of(&word.text) == Some(set.text.as_str()) {
            true => TextNode { text: "only".into(), kids: vec![word.clone()], ..change.clone() },
            false => change.clone(),
        }
    }

    fn is_made_word(&self, change: &TextNode) -> bool {
        let word = change.kid(0);
        matches!(change.text.as_str(), "word" | "only")
            && change.kids.len() == 1
            && !self.builder.names.keywords.contains_key(&word.text)
            && self.local(&word.text).is_none()
            && self.set_of(&word.text).is_some()
    }

    /// Whether a word is a kind of thing, which the phrase for what something becomes has as its noun.
    fn is_kind(&self, word: &TextNode) -> bool {
        let qualities = self.lexicon.styles("made").get(1..).unwrap_or_default();
        match self.is_japanese() {
            true => self.set_of(&word.text).is_some_and(|set| !qualities.iter().any(|quality| quality == set)),
            false => self.names_thing(word),
        }
    }

    /// Whether a word names a thing, and not only a quality of one.
    pub(in crate::text) fn names_thing(&self, word: &TextNode) -> bool {
        self.lexicon.name(&word.text).map_or(!self.is_noun(&word.text), |forms| forms.len() > 1)
    }
}

fn is_made_number(change: &TextNode) -> bool {
    change.text == "=" && change.kid(1).kind == TextNodeKind::Number
}
