//! Checks declarations that no rule and no card references: lowers them like the others for their diagnostics, and discards the code.

use crate::diagnostics::{Diagnostic, allow_comparisons, codes};
use crate::formats::ResolvedFormat;
use crate::lower::Lowering;
use crate::names::NameTable;
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Name, Span};
use fizzle_ir::KeywordId;
use std::collections::BTreeSet;

impl<'a> Lowering<'a> {
    /// Checks something by lowering it, and removes all entries that this adds to the library.
    pub fn discard_code<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let library = &self.library;
        let (functions, sites, abilities) = (library.functions.len(), library.sites.len(), library.abilities.len());
        let (mods, lists, windows) = (library.modifications.len(), library.lists.len(), library.windows.len());
        let (shown_functions, shown_lists) = (library.shown_functions, library.shown_lists);
        let result = check(self);
        let library = &mut self.library;
        library.functions.truncate(functions);
        library.sites.truncate(sites);
        library.abilities.truncate(abilities);
        library.modifications.truncate(mods);
        library.lists.truncate(lists);
        library.windows.truncate(windows);
        (library.shown_functions, library.shown_lists) = (shown_functions, shown_lists);
        result
    }

    /// Checks functions, nouns and keywords that no card or rule references, within [`Self::discard_code`].
    /// Returns the actions that all code proposes, and the zones that it fills, including the code that is discarded.
    pub fn check_unreferenced(&mut self, models: &[ResolvedFormat<'a>]) -> (BTreeSet<usize>, BTreeSet<usize>) {
        self.lower_unreferenced(models);
        let functions = &self.library.functions;
        (crate::lints::proposed_actions(functions.entries_from(0)), crate::lints::filled_zones(functions.entries_from(0)))
    }

    fn lower_unreferenced(&mut self, models: &[ResolvedFormat<'a>]) {
        let names = self.names;
        for (name, function) in &names.functions {
            let written = Name { text: name.clone(), span: function.span };
            let _ = self.declared_function(&written);
        }
        for meaning in names.nouns.values() {
            let owner = std::mem::take(&mut self.owner);
            self.begin_context(false);
            match as_phrase(meaning) {
                Some(phrase) if !self.is_symbol(phrase) => {
                    self.hidden_locals_depth += 1;
                    if let Some(selection) = self.selection(phrase, meaning.span) {
                        let ty = selection.list_type();
                        self.begin_child(true, Some(ty));
                        self.candidates(&selection);
                        self.end_child();
                    }
                    self.hidden_locals_depth -= 1;
                }
                _ => {}
            }
            self.end_context();
            self.owner = owner;
        }
        for model in models {
            for (name, text) in &model.keywords {
                let Some(first) = text.abilities.first() else { continue };
                let version = std::ptr::from_ref(first) as usize;
                let (Some(index), Some(declared)) = (names.keywords.get_index_of(name), names.keywords.get(name)) else {
                    continue;
                };
                let known = self.lowered_keywords.keys().any(|(spelled, _)| *spelled == version);
                if !known && declared.params.len() == text.params.len() {
                    let args = vec![0; declared.params.len()];
                    self.lower_keyword(version, KeywordId(index as u32), &args, text.params, text.abilities);
                }
            }
        }
    }

    /// Whether a noun only names a trait word in quotes, for symbols of prices.
    fn is_symbol(&self, phrase: &fizzle_grammar::ast::Phrase) -> bool {
        matches!(&phrase.head, fizzle_grammar::ast::Head::Quoted(name) if phrase.filters.is_empty() && self.names.card_id(name).is_none())
    }
}

/// The verbs of scenario steps: the plays of a game, and the activated abilities with the given names.
pub fn plays(names: &NameTable<'_>, labels: impl Iterator<Item = String>) -> BTreeSet<String> {
    labels.chain(["activate".to_owned()]).chain(names.plays.keys().map(ToString::to_string)).collect()
}

/// The diagnostic of a verb of a scenario step that is none of the plays.
pub fn unknown_play(names: &NameTable<'_>, plays: &BTreeSet<String>, verb: &str, span: Span) -> Option<Diagnostic> {
    if plays.iter().any(|name| fizzle_ir::scenario::is_verb(verb, name)) {
        return None;
    }
    // a game of thousands of plays: the first messages have suggestions
    let is_listed = allow_comparisons(plays.len());
    let plays = plays.iter().filter(|_| is_listed);
    let third: Vec<String> = plays.filter(|name| !name.is_empty()).map(|name| format!("{name}s")).collect();
    let mut problem = Diagnostic::new(&codes::BAD_SCENARIO, span, format!("no play is called `{verb}`"));
    // `plays` is the usual word of players and no typing error.
    if !["play", "plays"].contains(&verb) {
        problem = problem.did_you_mean(verb, third.iter().map(String::as_str));
    }
    let problem =
        problem.or_help("a step of a scenario is `A PLAYs OBJECT`, `A passes`, `A chooses X`, `A says yes`, `expect COND`, …");
    let known: Vec<String> = names.plays.keys().filter(|_| is_listed).map(|name| format!("`{name}`")).collect();
    let known = known.join(", ");
    let problem =
        if known.is_empty() { problem } else { problem.help(format!("the plays of the game are {known}, also with an `s`")) };
    Some(names.add_foreign_term_help(problem, verb))
}
