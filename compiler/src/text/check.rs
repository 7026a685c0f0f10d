//! Checks the text items of a game: languages, names, settings and state rules here, patterns in [`patterns`].

mod patterns;

use super::normalize::Builder;
use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{self, MAX_TEMPLATE_CHARS, MAX_TEMPLATE_HOLES};
use crate::names::NameTable;
use crate::text::inputs::LANGUAGES;
use fizzle_grammar::ast::{DifferenceKind, Item, ItemKind, Name, TextItem, TextPattern};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Words that a text item may name although nothing declares them.
const UNDECLARED_NAMES: [&str; 11] =
    ["card", "player", "players", "opponent", "object", "owner", "controller", "name", "turn", "game", "nothing"];

/// The names of the settings that a language has.
pub const STYLES: &[&str] = &[
    "added",
    "added_both",
    "added_quality",
    "added_with",
    "again",
    "all",
    "alone",
    "among",
    "amount",
    "and",
    "any",
    "any_player",
    "anyones",
    "anywhere",
    "apart",
    "bullet",
    "called",
    "cannot",
    "cannot_if",
    "choose",
    "counter",
    "each",
    "each_of",
    "either",
    "either_event",
    "end",
    "event_before",
    "event_while",
    "every",
    "facts",
    "first",
    "gain",
    "gets",
    "gets_each",
    "governed_at",
    "governed_each",
    "governed_each_player",
    "governed_either",
    "governed_first",
    "governed_if",
    "governed_times",
    "governed_whether",
    "have",
    "head_may",
    "head_order",
    "heads",
    "if_not_done",
    "if_they_do",
    "may_have",
    "own_things",
    "if_you_do",
    "in",
    "itself",
    "keywords",
    "last",
    "limit",
    "limited",
    "limited_by_name",
    "limited_by_name_per_game",
    "limited_by_player",
    "limited_per_game",
    "limits",
    "lines",
    "list",
    "made",
    "made_noun",
    "may",
    "may_twice",
    "modes",
    "modes_both",
    "modes_both_repeats",
    "modes_or_more",
    "modes_or_more_repeats",
    "modes_range",
    "modes_range_repeats",
    "modes_repeats",
    "modes_up_to",
    "modes_up_to_repeats",
    "moved_self",
    "mutual",
    "named_limit",
    "next",
    "nor",
    "not",
    "not_in",
    "note",
    "note_whether",
    "nothing",
    "nth_time",
    "numbers",
    "one",
    "one_of",
    "one_or_more",
    "opponents",
    "or",
    "other",
    "otherwise",
    "otherwise_done",
    "otherwise_first",
    "paid_first",
    "picked",
    "prices",
    "quality",
    "quoted",
    "quoted_self",
    "quoted_sets",
    "random",
    "reduced",
    "rest",
    "restricting",
    "share",
    "shared_limit",
    "status_less",
    "status_more",
    "status_off",
    "status_on",
    "status_set",
    "still",
    "target",
    "target_again",
    "target_reference",
    "target_up_to",
    "targets",
    "their",
    "then",
    "then_again",
    "they",
    "this_turn",
    "times_before",
    "title",
    "together",
    "token",
    "token_and",
    "token_self",
    "tokens",
    "total_above",
    "total_below",
    "total_equal",
    "total_least",
    "total_most",
    "undotted",
    "unplaced",
    "until_first",
    "up_to",
    "when_you_do",
    "where",
    "where_x",
    "with",
    "without",
    "works_in",
    "you",
    "you_do",
    "you_may",
    "your",
];

fn text_of(item: &ItemKind) -> Option<&TextItem> {
    match item {
        ItemKind::Text(text) => Some(text),
        _ => None,
    }
}

/// Reports what is wrong with the text items of a game, including those of its formats.
pub fn check(items: &[&Item], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    // the text items of formats count too
    let texts = || {
        items.iter().flat_map(move |item| {
            let differences = match &item.kind {
                ItemKind::Format { differences, .. } => differences.as_slice(),
                _ => &[],
            };
            let added = differences.iter().filter_map(move |difference| match &difference.kind {
                DifferenceKind::Add(item) => text_of(&item.kind),
                _ => None,
            });
            text_of(&item.kind).into_iter().chain(added)
        })
    };
    if texts().next().is_none() {
        return;
    }
    let builder = Builder { names, is_pattern: true, quoted_words: None, keywords: None, cards_by_word: None };
    let known = patterns::PatternVocabulary::new(names);
    let mut signs = BTreeSet::new();
    texts().for_each(|text| patterns::collect_signs(text, &mut signs));
    let mut first_entries = BTreeMap::new();
    for text in texts() {
        patterns::check(text, &known, &signs, builder, &mut first_entries, diagnostics);
        if !LANGUAGES.contains(&text.language.text.as_str()) {
            let message = format!("the language `{}` is not supported", text.language.text);
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, text.language.span, message);
            diagnostics.push(problem.did_you_mean(&text.language.text, LANGUAGES).help("supported languages are `en` and `ja`"));
        }
        for entry in &text.entries {
            diagnostics.extend(entry.templates.iter().filter_map(too_long));
            match &entry.pattern {
                TextPattern::Name(name) => check_name(name, names, diagnostics),
                TextPattern::SelfName(Some(name)) => check_name(name, names, diagnostics),
                TextPattern::Rule(name) => check_rule_name(name, names, diagnostics),
                TextPattern::Style(name) if !STYLES.contains(&name.text.as_str()) => {
                    let message = format!("a text has no setting `{}`", name.text);
                    let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message);
                    diagnostics.push(problem.did_you_mean(&name.text, STYLES.iter().copied()));
                }
                _ => {}
            }
        }
    }
}

/// The diagnostic of a template that exceeds a limit.
fn too_long(template: &Name) -> Option<Diagnostic> {
    let (chars, holes) = (template.text.chars().count(), template.text.matches('{').count());
    let message = if chars > MAX_TEMPLATE_CHARS {
        format!("a template has at most {MAX_TEMPLATE_CHARS} characters, and this one has {chars}")
    } else if holes > MAX_TEMPLATE_HOLES {
        format!("a template has at most {MAX_TEMPLATE_HOLES} holes, and this one has {holes}")
    } else {
        return None;
    };
    Some(limits::exceeded(template.span, message, "write a shorter template, or several entries"))
}

fn check_rule_name(name: &Name, names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let rules = || names.state_rules();
    if rules().all(|rule| rule != name.text) {
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("the game has no state rule `{}`", name.text));
        diagnostics.push(problem.did_you_mean(&name.text, rules()));
    }
}

fn check_name(name: &Name, names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let word = &name.text;
    let known = name.is_quoted()
        || UNDECLARED_NAMES.contains(&word.as_str())
        || names.words.contains_key(word)
        || names.actions.contains_key(word)
        || names.plays.contains_key(word)
        || names.keywords.contains_key(word)
        || names.functions.contains_key(word)
        || names.periods.keys().any(|path| path == word.as_str() || path.ends_with(&format!(".{word}")))
        || names.traits.iter().any(|set| set.words.iter().flatten().chain(&set.initial_words).any(|known| known == word));
    if known {
        return;
    }
    let message = format!("the game declares no `{word}`");
    let all = names.words.keys().chain(names.actions.keys()).chain(names.keywords.keys()).map(SmolStr::as_str);
    diagnostics.push(Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message).did_you_mean(word, all));
}
