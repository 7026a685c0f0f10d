//! The words that a card prints.

use fizzle_grammar::ast::{Card, Fact, Head, Name};
use smol_str::SmolStr;

/// The words that a card prints, and the quoted words among its values.
pub(in crate::text) fn printed_words(card: &Card) -> Vec<SmolStr> {
    let mut made = Vec::new();
    for fact in &card.facts {
        made.push(fact.word.text.clone());
    }
    made.extend(quoted_words(card).into_iter().map(|(word, _)| word));
    made
}

/// The quoted words that a card prints, each with the property that it is printed for.
pub(in crate::text) fn quoted_words(card: &Card) -> Vec<(SmolStr, SmolStr)> {
    let quoted = |fact: &Fact| Some((quoted_word(fact)?.text.clone(), fact.word.text.clone()));
    card.facts.iter().filter_map(quoted).collect()
}

/// The word in quotes that a printed fact consists of.
pub(in crate::text) fn quoted_word(fact: &Fact) -> Option<&Name> {
    match &crate::phrase_syntax::as_phrase(fact.value.as_ref()?)?.head {
        Head::Quoted(name) => Some(name),
        _ => None,
    }
}
