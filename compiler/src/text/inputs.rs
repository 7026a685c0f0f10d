//! What the texts of a game are rendered from: languages, the text items in a lexicon, keywords and cards.

use super::lexicon::{Lexicon, parse_entries};
use super::normalize::{Builder, Keywords};
use fizzle_grammar::ast::{Card, DifferenceKind, Item, ItemKind, TextItem};

/// The codes of the languages whose grammar is implemented.
pub const LANGUAGES: [&str; 2] = ["en", "ja"];

/// Text items that apply to every game, by language.
const COMMON: [(&str, &str); 2] = [("en", include_str!("common/en.fz")), ("ja", include_str!("common/ja.fz"))];

/// Builds the lexicon of a language: the texts of verbs, of all games, and of this game. `None` if the game has no text item in that language.
pub(in crate::text) fn build_lexicon(language: &str, items: &[&Item], builder: Builder<'_>) -> Option<Lexicon> {
    let own = items.iter().filter_map(|item| match &item.kind {
        ItemKind::Text(text) if text.language.text == language => Some(text),
        _ => None,
    });
    own.clone().next()?;
    let mut lexicon = Lexicon::default();
    lexicon.add_verbs(language, builder);
    let mut add = |text: &TextItem| parse_entries(text, builder).iter().for_each(|entry| lexicon.add_entry(entry));
    for (_, source) in COMMON.iter().filter(|(name, _)| *name == language) {
        for item in &fizzle_grammar::parse_file(u32::MAX, source).items {
            if let ItemKind::Text(text) = &item.kind {
                add(text);
            }
        }
    }
    own.for_each(add);
    Some(lexicon)
}

/// The parameters and abilities of all keywords of a game. The first declaration of a name counts.
pub(in crate::text) fn collect_keywords<'a>(items: &[&'a Item]) -> Keywords<'a> {
    let mut made = Keywords::new();
    let mut add = |item: &'a Item| {
        if let ItemKind::Keyword { name, params, abilities, .. } = &item.kind {
            made.entry(name.text.clone()).or_insert((params, abilities));
        }
    };
    for item in items {
        add(item);
        if let ItemKind::Format { differences, .. } = &item.kind {
            for difference in differences {
                if let DifferenceKind::Add(item) = &difference.kind {
                    add(item);
                }
            }
        }
    }
    made
}

/// All cards and tokens, each followed by its further faces.
pub(in crate::text) fn cards_of<'a>(items: &[&'a Item]) -> Vec<&'a Card> {
    let mut made = Vec::new();
    for item in items {
        if let ItemKind::Card(card) = &item.kind {
            made.push(card);
            made.extend(card.faces.iter().map(|face| &face.card));
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::COMMON;

    #[test]
    fn common_texts_parse() {
        for (language, source) in COMMON {
            let parsed = fizzle_grammar::parse_file(0, source);
            assert!(parsed.errors.is_empty(), "{language}: {:?}", parsed.errors);
        }
    }
}
