//! Foreign terms: words of other games, and phrases of printed texts in quotes, with the word of this game for them. They have no meaning, and
//! only improve diagnostics and searches.

use crate::diagnostics::{Code, Diagnostic, Severity, codes};
use crate::maps::IndexMap;
use crate::names::{ForeignTerms, NameTable, duplicate_declaration};
use crate::packs::GameItems;
use crate::sources::Sources;
use crate::verb_forms::{base_names, is_inflected_form, is_third_person_of};
use fizzle_grammar::ast::{Item, ItemKind, Name, Span};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Codes of diagnostics about a word that the game does not declare.
const UNKNOWN_NAME_CODES: &[&Code] = &[
    &codes::UNKNOWN_NAME,
    &codes::UNKNOWN_TYPE,
    &codes::UNKNOWN_VERB,
    &codes::UNKNOWN_FACT,
    &codes::UNKNOWN_PERIOD,
    &codes::BAD_ADVERB,
    &codes::BAD_SCENARIO,
];

/// Collects the foreign words of a game. Reports words that the game has itself, words declared twice, and translations that the game does
/// not declare. A pack may declare words that only packs building on it use as names.
pub fn collect(game: &GameItems<'_>, added: &[&Item], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) -> ForeignTerms {
    let mut terms = ForeignTerms::default();
    let mut first: IndexMap<&SmolStr, Span> = IndexMap::default();
    for item in added {
        if matches!(item.kind, ItemKind::Foreign(_)) {
            diagnostics.push(
                Diagnostic::new(&codes::MISPLACED_FORM, item.span, "foreign words apply to all formats of a game")
                    .help("write it outside of the format"),
            );
        }
    }
    let items = game.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Foreign(words) => Some(words),
        _ => None,
    });
    let places = names.places_by_name();
    let known: BTreeSet<&str> = names.all_words().collect();
    for (word, here, note) in items.flatten() {
        let member = |span: Span| game.scopes.pack_of(span.file).unwrap_or_default();
        let declared = places.get(word.text.as_str()).map_or(&[][..], Vec::as_slice);
        let own = declared.iter().copied().find(|span| member(*span) <= member(word.span));
        let built_in = known.contains(word.text.as_str()) && declared.is_empty();
        if own.is_some() || built_in {
            let message = format!("`{}` is a word of this game", word.text);
            let mut problem = Diagnostic::new(&codes::DUPLICATE, word.span, message);
            if let Some(own) = own {
                problem = problem.also(own, "declared here");
            }
            diagnostics.push(problem.help("remove it: the game understands this word"));
        } else if let Some(earlier) = first.get(&word.text) {
            diagnostics.push(duplicate_declaration("foreign word", &word.text, word.span, *earlier));
        } else if known.contains(here.text.as_str()) {
            terms.insert(word.text.clone(), (here.text.clone(), note.as_ref().map(|note| note.text.clone())));
        } else {
            diagnostics.push(unknown(names, here));
        }
        first.entry(&word.text).or_insert(word.span);
    }
    terms
}

fn unknown(names: &NameTable<'_>, here: &Name) -> Diagnostic {
    let known = names.all_words();
    Diagnostic::new(&codes::UNKNOWN_NAME, here.span, format!("nothing is called `{}` in this game", here.text))
        .did_you_mean(&here.text, known)
        .or_help("after the colon write a name of the game: a noun, trait word, property, zone, keyword, action, play or step")
}

impl NameTable<'_> {
    /// Replaces the help of a diagnostic about a foreign word by the word of this game.
    #[must_use]
    pub fn add_foreign_term_help(&self, problem: Diagnostic, word: &str) -> Diagnostic {
        if self.foreign.is_empty() || !UNKNOWN_NAME_CODES.iter().any(|code| code.code == problem.code.code) {
            return problem;
        }
        let small = word.to_lowercase();
        let found = self.foreign.get_full(small.as_str()).or_else(|| {
            let form = |known: &SmolStr| is_third_person_of(known, &small) || is_inflected_form(known, &small, true);
            let names = base_names(&small);
            let known = names.iter().filter_map(|name| self.foreign.get_full(name.as_str()));
            known.filter(|(_, known, _)| form(known)).min_by_key(|(number, ..)| *number)
        });
        let Some((_, known, (here, note))) = found else { return problem };
        let exact = *known == word;
        let mut problem = problem;
        // a word with a note is only similar, so it is no fix
        if let Some(note) = note {
            problem.help = vec![format!("the closest word to `{known}` in this game is `{here}`: {note}")];
            problem.fixes.clear();
            return problem;
        }
        problem.help = vec![format!("`{known}` is called `{here}` in this game")];
        problem.fixes.clear();
        if exact { problem.fix(word, here.as_str()) } else { problem }
    }

    /// Replaces the help of an error in whose line a foreign phrase is written. A phrase has no meaning anywhere, so it is wrong there.
    #[must_use]
    pub fn add_foreign_phrase_help(&self, problem: Diagnostic, sources: &Sources) -> Diagnostic {
        match self.foreign_phrase_help(&problem, sources) {
            Some(help) => Diagnostic { help: vec![help], fixes: Vec::new(), ..problem },
            None => problem,
        }
    }

    /// The word of this game for a foreign phrase in the line of an error.
    #[must_use]
    pub fn foreign_phrase_help(&self, problem: &Diagnostic, sources: &Sources) -> Option<String> {
        if problem.code.severity != Severity::Error || self.foreign_phrases.0.is_empty() {
            return None;
        }
        let line = normalized(line_around(sources.text(problem.span.file), problem.span));
        let found = self.foreign_phrases.longest_in(&line).and_then(|number| self.foreign.get_index(number));
        let (phrase, (here, note)) = found?;
        Some(match note {
            Some(note) => format!("for `{phrase}` write {note}"),
            None => format!("`{phrase}` is called `{here}` in this game"),
        })
    }
}

/// The most bytes of a line before and after an error that are searched for phrases.
const MAX_SEARCHED_BYTES: usize = 400;

/// Whether a foreign term is a phrase; all others are single words.
fn is_phrase(term: &SmolStr) -> bool {
    term.contains(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The line in which a span begins, or the part of it that is near.
fn line_around(text: &str, span: Span) -> &str {
    let at = text.floor_char_boundary(span.start as usize);
    let (before, after) = text.split_at_checked(at).unwrap_or(("", text));
    let near = before.ceil_char_boundary(before.len().saturating_sub(MAX_SEARCHED_BYTES));
    let begin = before.get(near..).and_then(|part| part.rfind('\n')).map_or(near, |newline| near + newline + 1);
    let length = after.find('\n').unwrap_or(after.len()).min(after.floor_char_boundary(MAX_SEARCHED_BYTES));
    text.get(begin..at + length).unwrap_or("")
}

/// A text in small letters, with `n` for each number and one blank between words.
fn normalized(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' ' | '\t' if out.ends_with(' ') => {}
            '\t' => out.push(' '),
            '0'..='9' if out.ends_with('\u{1}') => {}
            '0'..='9' => out.push('\u{1}'),
            _ => out.extend(c.to_lowercase()),
        }
    }
    out.replace('\u{1}', "n")
}

/// The foreign phrases of a game, sorted by their normalized texts. All phrases with which a text begins are the last one that is not greater than the
/// text, and those with which that one begins; so a line needs a binary search for each of its words, however many phrases there are.
#[derive(Clone, Debug, Default)]
pub struct ForeignPhrases(Vec<ForeignPhrase>);

#[derive(Clone, Debug)]
struct ForeignPhrase {
    normalized: String,
    /// The length as written, and the number of the term. The longest phrase says most.
    rank: (usize, usize),
    /// The longest other phrase with which this one begins.
    shorter: Option<usize>,
}

impl ForeignPhrases {
    /// Sorts the phrases among foreign terms.
    pub fn of(terms: &ForeignTerms) -> Self {
        let mut texts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (number, phrase) in terms.keys().enumerate().filter(|(_, term)| is_phrase(term)) {
            let rank = texts.entry(normalized(phrase)).or_default();
            *rank = (*rank).max((phrase.len(), number));
        }
        let mut phrases: Vec<ForeignPhrase> = Vec::with_capacity(texts.len());
        for (normalized, rank) in texts {
            let mut shorter = phrases.len().checked_sub(1);
            while let Some(other) = shorter.and_then(|shorter| phrases.get(shorter))
                && !normalized.starts_with(&other.normalized)
            {
                shorter = other.shorter;
            }
            phrases.push(ForeignPhrase { normalized, rank, shorter });
        }
        Self(phrases)
    }

    /// Returns the number of the longest phrase in a normalized line that does not begin or end within a word.
    fn longest_in(&self, line: &str) -> Option<usize> {
        let mut longest: Option<(usize, usize)> = None;
        let mut before = None;
        for (at, first) in line.char_indices() {
            let begins_word = !is_letter(before.replace(first));
            let rest = line.get(at..).filter(|_| begins_word).unwrap_or("");
            let mut next = self.0.partition_point(|phrase| phrase.normalized.as_str() <= rest).checked_sub(1);
            while let Some(phrase) = next.and_then(|next| self.0.get(next)) {
                if rest.strip_prefix(phrase.normalized.as_str()).is_some_and(ends_word) {
                    longest = longest.max(Some(phrase.rank));
                }
                next = phrase.shorter;
            }
        }
        longest.map(|(_, number)| number)
    }
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a word ends before a text, perhaps with an `s`.
fn ends_word(behind: &str) -> bool {
    !is_letter(behind.chars().next()) || behind.starts_with('s') && !is_letter(behind.chars().nth(1))
}

#[cfg(test)]
mod tests {
    use super::{ForeignPhrases, ForeignTerms, ends_word, is_letter, normalized};

    #[test]
    fn the_longest_phrase_of_a_line_is_found() {
        let written = [
            "draw a card",
            "draw a",
            "draw a card for each",
            "deal 3 damage",
            "deal 12 damage",
            "カードを 引く",
            "a card",
            "x y",
        ];
        let terms: ForeignTerms = written.iter().map(|phrase| ((*phrase).into(), ("draw".into(), None))).collect();
        let phrases = ForeignPhrases::of(&terms);
        for line in [
            "Draw a card",
            "draw a cards",
            "draw a cardss",
            "redraw a card",
            "a card for each",
            "deal 5 damage now",
            "draw  a card for each, deal 7 damage",
            "カードを 引く",
            "x",
            "",
            "draw a",
        ] {
            let line = normalized(line);
            let fits = |phrase: &str| {
                line.match_indices(&normalized(phrase))
                    .any(|(at, found)| !is_letter(line[..at].chars().next_back()) && ends_word(&line[at + found.len()..]))
            };
            let expected = written
                .iter()
                .enumerate()
                .filter(|(_, phrase)| fits(phrase))
                .max_by_key(|(number, phrase)| (phrase.len(), *number));
            assert_eq!(phrases.longest_in(&line), expected.map(|(number, _)| number), "{line}");
        }
    }
}
