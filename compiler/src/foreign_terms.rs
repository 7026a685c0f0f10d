//! Foreign terms: words of other games, and phrases of printed texts in quotes, with the word of this game for them. They have no meaning, and
//! only improve diagnostics and searches.

use crate::diagnostics::{Code, Diagnostic, Severity, codes};
use crate::maps::IndexMap;
use crate::names::{ForeignTerms, NameTable, duplicate_declaration};
use crate::packs::GameItems;
use crate::sources::Sources;
use crate::verb_forms::{is_inflected_form, is_third_person_of};
use fizzle_grammar::ast::{Item, ItemKind, Name, Span};
use smol_str::SmolStr;
use std::collections::BTreeSet;

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
        let is = |known: &SmolStr| *known == small;
        let found = self.foreign.iter().find(|(known, _)| is(known)).or_else(|| {
            let form = |known: &SmolStr| is_third_person_of(known, &small) || is_inflected_form(known, &small, true);
            self.foreign.iter().find(|(known, _)| form(known))
        });
        let Some((known, (here, note))) = found else { return problem };
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
        if problem.code.severity != Severity::Error || !self.foreign.keys().any(is_phrase) {
            return problem;
        }
        let line = normalized(line_around(sources.text(problem.span.file), problem.span));
        let phrases = self.foreign.iter().filter(|(phrase, _)| is_phrase(phrase));
        // The longest one says most.
        let found =
            phrases.filter(|(phrase, _)| contains_words(&line, &normalized(phrase))).max_by_key(|(phrase, _)| phrase.len());
        let Some((phrase, (here, note))) = found else { return problem };
        let help = match note {
            Some(note) => format!("for `{phrase}` write {note}"),
            None => format!("`{phrase}` is called `{here}` in this game"),
        };
        Diagnostic { help: vec![help], fixes: Vec::new(), ..problem }
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

/// Whether a text contains another one that does not begin or end within a word.
fn contains_words(text: &str, words: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(words).any(|(at, found)| {
        let behind = text.get(at + found.len()..).unwrap_or("");
        !is_letter(text.get(..at).and_then(|before| before.chars().next_back()))
            && (!is_letter(behind.chars().next()) || behind.starts_with('s') && !is_letter(behind.chars().nth(1)))
    })
}
