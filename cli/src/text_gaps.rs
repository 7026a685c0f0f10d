//! Parts of cards for which a language has no words: they stand in the text as they are written, and are told beside it.

use crate::load::plural;
use crate::output;
use fizzle_compiler::Compilation;
use std::collections::BTreeSet;

/// So many places are named.
const SHOWN: usize = 12;
/// So much of a place is shown.
const LENGTH: usize = 70;

/// A part of a card that a language cannot say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UntranslatedPart {
    language: String,
    card: String,
    /// File, line, column; nothing of a compiled pack.
    place: Option<(String, u32, u32)>,
    source: String,
}

impl UntranslatedPart {
    /// What a compilation could not say.
    pub fn of(compilation: &Compilation) -> Vec<Self> {
        let sources = &compilation.sources;
        let gap = |(language, card, span): &fizzle_compiler::text::TextGap| {
            let at = sources.place(span.file, span.start);
            let place = Some((sources.path(span.file).to_owned(), at.line, at.column));
            let source = sources.slice(*span).split_whitespace().collect::<Vec<_>>().join(" ");
            Self { language: (*language).to_owned(), card: card.clone(), place, source }
        };
        compilation.gaps.iter().map(gap).collect()
    }

    /// What stands in a text as it was written.
    fn in_text(language: &str, card: &str, lines: &[String]) -> Vec<Self> {
        let marked = lines.iter().flat_map(|line| line.split('⟦').skip(1)).filter_map(|rest| rest.split('⟧').next());
        let made =
            |source: &str| Self { language: language.to_owned(), card: card.to_owned(), place: None, source: source.to_owned() };
        marked.map(made).collect()
    }
}

/// Tells what could not be said of cards, given by name with their lines. Only what stands in the lines is told.
pub fn report(known: &[UntranslatedPart], language: &str, cards: &[(&str, Vec<String>)]) {
    let mut told = BTreeSet::new();
    for (name, lines) in cards {
        let written = UntranslatedPart::in_text(language, name, lines);
        if written.is_empty() {
            continue;
        }
        let placed: Vec<&UntranslatedPart> = known.iter().filter(|gap| gap.language == language && gap.card == *name).collect();
        if placed.is_empty() {
            told.extend(written);
        } else {
            told.extend(placed.into_iter().cloned());
        }
    }
    for gap in told.iter().take(SHOWN) {
        let place = gap.place.as_ref().map_or_else(String::new, |(file, line, column)| format!("{file}:{line}:{column}: "));
        let short: String = gap.source.chars().take(LENGTH).collect();
        let dots = if short.len() < gap.source.len() { "…" } else { "" };
        output::note(format!(
            "{place}`{}` has no words in `{language}` for `{short}{dots}`: it is shown as it is written",
            gap.card
        ));
    }
    if told.len() > SHOWN {
        output::note(format!("… and {} more", plural(told.len() - SHOWN, "place")));
    }
    if !told.is_empty() {
        output::note(format!("  help: a pack gives them: `text {language} {{ do STATEMENT: \"…\" }}` (docs: rules texts)"));
    }
}
