//! Words of other games: what each of them is called in this one. They mean nothing; they are told where somebody writes them.

use crate::diagnostics::{Code, Diagnostic, codes};
use crate::lower::pattern::{is_inflected_form, is_third_person_of};
use crate::maps::IndexMap;
use crate::names::{NameTable, twice};
use crate::packs::GameItems;
use fizzle_grammar::ast::{Item, ItemKind, Name, Span};
use smol_str::SmolStr;

/// What tells of a word that the game does not know.
const UNKNOWN_NAME_CODES: &[&Code] = &[
    &codes::UNKNOWN_NAME,
    &codes::UNKNOWN_TYPE,
    &codes::UNKNOWN_VERB,
    &codes::UNKNOWN_FACT,
    &codes::UNKNOWN_SPAN,
    &codes::BAD_ADVERB,
    &codes::BAD_SCENARIO,
];

/// What each foreign word is called here, and what more is said of it.
pub type ForeignTerms = IndexMap<SmolStr, (SmolStr, Option<SmolStr>)>;

/// The foreign words of a game. Told are words that the game has itself, words declared twice, and what nothing is called here. A pack
/// that builds on another one may declare what is foreign to that.
pub fn collect(game: &GameItems<'_>, added: &[&Item], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) -> ForeignTerms {
    let mut made = ForeignTerms::default();
    let mut first: IndexMap<&SmolStr, Span> = IndexMap::default();
    for item in added {
        if matches!(item.kind, ItemKind::Foreign(_)) {
            diagnostics.push(
                Diagnostic::new(&codes::NOT_HERE, item.span, "what is foreign is foreign to all formats of a game")
                    .help("write it outside of the format"),
            );
        }
    }
    let items = game.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Foreign(words) => Some(words),
        _ => None,
    });
    for (word, here, note) in items.flatten() {
        let member = |span: Span| game.members.get(&span.file).copied().unwrap_or_default();
        let own = names.places(&word.text).find(|span| member(*span) <= member(word.span));
        let built_in = names.knows(&word.text) && names.places(&word.text).next().is_none();
        if own.is_some() || built_in {
            let message = format!("`{}` is a word of this game itself", word.text);
            let mut problem = Diagnostic::new(&codes::DUPLICATE, word.span, message);
            if let Some(own) = own {
                problem = problem.also(own, "declared here");
            }
            diagnostics.push(problem.help("take it out: whoever writes it is understood"));
        } else if let Some(earlier) = first.get(&word.text) {
            diagnostics.push(twice("foreign word", &word.text, word.span, *earlier));
        } else if names.knows(&here.text) {
            made.insert(word.text.clone(), (here.text.clone(), note.as_ref().map(|note| note.text.clone())));
        } else {
            diagnostics.push(unknown(names, here));
        }
        first.entry(&word.text).or_insert(word.span);
    }
    made
}

fn unknown(names: &NameTable<'_>, here: &Name) -> Diagnostic {
    let known = names.all_words();
    Diagnostic::new(&codes::UNKNOWN_NAME, here.span, format!("nothing is called `{}` in this game", here.text))
        .did_you_mean(&here.text, known)
        .or_help("behind the colon stands what the game has: a noun, trait word, property, zone, keyword, action, play or step")
}

impl NameTable<'_> {
    /// Says of a problem about a word of another game what that is called here.
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
        // what only comes close is no plain change of a word
        if let Some(note) = note {
            problem.help = vec![format!("`{here}` comes closest to `{known}` in this game: {note}")];
            problem.fixes.clear();
            return problem;
        }
        problem.help = vec![format!("`{known}` is called `{here}` in this game")];
        problem.fixes.clear();
        if exact { problem.fix(word, here.as_str()) } else { problem }
    }
}
