//! Text gaps: parts of cards without rules text in a language. Texts show them as source, between `⟦` and `⟧`; notes on stderr list them.

use crate::load::plural;
use crate::output;
use fizzle_compiler::Compilation;
use std::collections::{BTreeMap, BTreeSet};

/// The most gaps that are listed.
const MAX_PLACES_LISTED: usize = 12;
/// The most characters of source that are shown for a gap.
const MAX_SOURCE_CHARS: usize = 70;

/// A part of a card without rules text in a language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UntranslatedPart {
    language: String,
    card: String,
    /// File, line, column; `None` for cards of a compiled pack.
    place: Option<(String, u32, u32)>,
    source: String,
}

/// The name of a phase or step in its path.
fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

impl UntranslatedPart {
    /// The gaps of a compilation.
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

    /// The gaps that are marked in the lines of a card's text.
    fn marked_in_text(language: &str, card: &str, lines: &[String]) -> Vec<Self> {
        let marked = lines.iter().flat_map(|line| line.split('⟦').skip(1)).filter_map(|rest| rest.split('⟧').next());
        let part =
            |source: &str| Self { language: language.to_owned(), card: card.to_owned(), place: None, source: source.to_owned() };
        marked.map(part).collect()
    }
}

/// Prints the gaps in the texts of cards, given by name with their lines. `known`: gaps with their
/// locations; they are used in place of those that are marked in the lines. A call that is written with the name of its action has no mark.
pub fn report(known: &[UntranslatedPart], language: &str, cards: &[(&str, Vec<String>)]) {
    let mut reported = BTreeSet::new();
    let mut known_of_card: BTreeMap<&str, Vec<&UntranslatedPart>> = BTreeMap::new();
    for gap in known.iter().filter(|gap| gap.language == language) {
        known_of_card.entry(gap.card.as_str()).or_default().push(gap);
    }
    for (name, lines) in cards {
        let written = UntranslatedPart::marked_in_text(language, name, lines);
        // cards of one name have their gaps in common
        match known_of_card.get(name) {
            None => reported.extend(written),
            Some(placed) => reported.extend(placed.iter().copied().cloned()),
        }
    }
    for gap in reported.iter().take(MAX_PLACES_LISTED) {
        let place = gap.place.as_ref().map_or_else(String::new, |(file, line, column)| format!("{file}:{line}:{column}: "));
        let short: String = gap.source.chars().take(MAX_SOURCE_CHARS).collect();
        let dots = if short.len() < gap.source.len() { "…" } else { "" };
        output::note(format!(
            "{place}no `{language}` rules text for `{short}{dots}` in `{}`: shown by its name, or as source",
            gap.card
        ));
    }
    if reported.len() > MAX_PLACES_LISTED {
        output::note(format!("… and {} more", plural(reported.len() - MAX_PLACES_LISTED, "place")));
    }
    let is_period = |gap: &&&UntranslatedPart| {
        gap.source.contains('.') && gap.source.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '.'))
    };
    if let Some(period) = reported.iter().find(|gap| is_period(&gap)) {
        output::note(format!(
            "  help: name a phase or step in a pack: `text {language} {{ name {}: \"…\" }}`",
            last_part(&period.source)
        ));
    }
    if reported.iter().any(|gap| !is_period(&&gap)) {
        output::note(format!(
            "  help: add a template to a pack: `text {language} {{ do STATEMENT: \"…\" }}`; write `value` in place of `do` for a condition or \
             number (docs: rules texts)"
        ));
    }
}
