//! Lint W0716: cards that do not print what their kind does. Also checks the declarations `kind … prints …` themselves.

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes, has_details};
use crate::maps::IndexMap;
use crate::names::Meaning;
use crate::phrase_syntax::{as_phrase, awaited_event};
use fizzle_grammar::ast::{AbilityKind, Card, Fact, Head, ModificationKind, Name, PrintRule, Span};
use fizzle_ir::scenario::third_person;
use fizzle_ir::{ActionId, Definition, Type};

/// Kinds that are no printed words: every card that is not a token and not a face of another one, and every token.
const WHOLE_CARD_KINDS: [&str; 2] = ["card", "token"];

/// The most errors of a card that are searched for a fact.
const MAX_SEARCHED_ERRORS: usize = 64;

/// What a card prints of a word.
#[derive(Clone, Copy)]
struct PrintedWord {
    /// Whether a card can print it.
    is_printable: bool,
    /// Where this card does.
    printed: Option<Span>,
}

/// The words of kinds that one card prints: each is searched once.
#[derive(Default)]
struct PrintedPlaces<'a>(IndexMap<(bool, &'a str), PrintedWord>);

impl<'a> PrintedPlaces<'a> {
    fn find(&mut self, lower: &Lowering<'_>, card: &Card, definition: &Definition, word: &'a Name) -> PrintedWord {
        let found =
            || PrintedWord { is_printable: lower.can_be_printed(word), printed: lower.printed_at(card, definition, word) };
        *self.0.entry((word.is_quoted(), word.text.as_str())).or_insert_with(found)
    }
}

impl<'a> Lowering<'a> {
    /// Reports declarations about words that no card can print.
    pub fn check_kinds(&mut self) {
        let names = self.names;
        for (kind, parts) in &names.kinds {
            let kind = Some(*kind).filter(|kind| !WHOLE_CARD_KINDS.contains(&kind.text.as_str()));
            for word in kind.into_iter().chain(parts.iter().flat_map(|part| &part.words)) {
                if !self.can_be_printed(word) {
                    let sets = names.traits.iter().map(|set| set.name.as_str());
                    let words = names.words.iter().filter(|(_, meanings)| meanings.iter().any(is_printable));
                    let known: Vec<&str> = words.map(|(word, _)| word.as_str()).chain(sets).chain(WHOLE_CARD_KINDS).collect();
                    let mut problem =
                        Diagnostic::new(&codes::UNKNOWN_FACT, word.span, format!("`{}` cannot be printed on a card", word.text))
                            .did_you_mean(&word.text, known);
                    if problem.help.is_empty() {
                        problem = problem.help(
                            "a card prints trait words, words of trait sets, properties, keywords, and triggers on an action",
                        );
                    }
                    self.report(problem);
                }
            }
        }
    }

    /// Reports words that a card lacks although its kinds print them, and words that it prints although its kinds exclude them.
    pub fn lint_kinds(&mut self, card: &'a Card, definition: &Definition) {
        let names = self.names;
        // A misspelt word may be the one that seems to be missing.
        let read = |fact: &Fact| !names.meanings(&fact.word.text).is_empty() || self.open_word(&fact.word.text).is_some();
        let known = card.unread.is_none() && card.facts.iter().all(read);
        let mut places = PrintedPlaces::default();
        let mut counted: Option<usize> = None;
        for (kind, parts) in names.print_rules.values() {
            let Some(at) = places.find(self, card, definition, kind).printed else { continue };
            for part in parts {
                // Words that no card can print were reported by `check_kinds`.
                let mut printed: Option<(&Name, Span)> = None;
                let mut is_known = true;
                for word in &part.words {
                    let place = places.find(self, card, definition, word);
                    is_known &= place.is_printable;
                    printed = printed.or(place.printed.map(|place| (word, place)));
                }
                if !is_known || printed.is_some() != part.excluded || printed.is_none() && !known {
                    continue;
                }
                // Those that are not listed are only counted: there can be as many as kinds times cards.
                if !has_details()
                    && let Some(first) = counted.and_then(|first| self.diagnostics.get_mut(first))
                {
                    first.more = first.more.saturating_add(1);
                    continue;
                }
                // A fact that was read as something else is not missing.
                let is_misread = |problem: &Diagnostic| {
                    let span = problem.span;
                    problem.is_error()
                        && (span.file, true) == (card.span.file, card.span.start <= span.start && span.end <= card.span.end)
                        && part.words.iter().any(|word| self.sources.slice(span) == word.text)
                };
                if printed.is_none() && self.diagnostics.iter().rev().take(MAX_SEARCHED_ERRORS).any(is_misread) {
                    continue;
                }
                let problem = match printed {
                    None => self.missing_word_diagnostic(card, kind, at, part),
                    Some((word, place)) => {
                        let message = format!("`{}` prints `{}` and `{}`", card.name.text, kind.text, word.text);
                        Diagnostic::new(&codes::KIND_MISMATCH, place, message)
                            .label(format!("not on a card with `{}`", kind.text))
                            .also(part.span, "declared here")
                            .help("leave one of them out")
                    }
                };
                if !has_details() {
                    counted = Some(self.diagnostics.len());
                }
                self.report(problem);
            }
        }
    }

    fn missing_word_diagnostic(&self, card: &Card, kind: &Name, at: Span, part: &PrintRule) -> Diagnostic {
        let quoted: Vec<String> = part.words.iter().map(|word| self.printed_part(word)).collect();
        let whole = WHOLE_CARD_KINDS.contains(&kind.text.as_str());
        let of = if whole { String::new() } else { format!(" `{}` and", kind.text) };
        let none = match quoted.as_slice() {
            [one] => format!("no {one}"),
            several => format!("neither {}", several.join(" nor ")),
        };
        let written: Vec<String> = part.words.iter().map(|word| format!("`{}`", self.printed_form(word))).collect();
        let wanted = quoted.join(" or ");
        let label =
            if whole { format!("every card prints {wanted}") } else { format!("a card with `{}` prints {wanted}", kind.text) };
        Diagnostic::new(&codes::KIND_MISMATCH, at, format!("`{}` prints{of} {none}", card.name.text))
            .label(label)
            .also(part.span, "declared here")
            .help(format!("write {} on the card", written.join(" or ")))
            .for_whole_item(card.span)
    }

    /// Whether a card can have a word or an ability that a kind names.
    fn can_be_printed(&self, word: &Name) -> bool {
        word.is_quoted() || self.printed_meaning(word).is_some() || self.trigger_on(word).is_some()
    }

    /// The action of a word without a printed meaning: cards print triggers on it.
    fn trigger_on(&self, word: &Name) -> Option<ActionId> {
        let action = self.names.actions.get_index_of(&word.text).filter(|_| self.printed_meaning(word).is_none());
        action.map(|action| ActionId(action as u32))
    }

    /// Names what a card prints: a word, or a trigger.
    fn printed_part(&self, word: &Name) -> String {
        match self.trigger_on(word) {
            Some(_) => format!("`{}`", self.printed_form(word)),
            None => format!("`{}`", word.text),
        }
    }

    /// Returns an example of how a card prints a word.
    fn printed_form(&self, word: &Name) -> String {
        let name = &word.text;
        if word.is_quoted()
            && let Some((set, _)) = self.open_word(name)
            && let Some(set) = self.names.traits.get(set.index())
        {
            return format!("{} \"{name}\"", set.name);
        }
        match self.printed_meaning(word) {
            Some(Meaning::Property(number)) => match self.library.properties.get(usize::from(number)).map(|known| known.ty) {
                Some(Type::Price) => format!("{name} {{1}}"),
                Some(Type::Bool) => name.to_string(),
                _ => format!("{name} 1"),
            },
            Some(Meaning::Traits(id)) => match self.names.traits.get(id.index()).and_then(|set| set.words.as_ref()) {
                Some(words) => words.join("` or `"),
                None => format!("{name} \"…\""),
            },
            Some(Meaning::Keyword(id)) => match self.names.keywords.get_index(id.index()) {
                Some((_, declared)) if declared.with_body => format!("{name} 1: …"),
                Some((_, declared)) if !declared.params.is_empty() => {
                    let argument = |ty: &Type| if *ty == Type::Card { "\"…\"" } else { "1" };
                    let arguments: Vec<&str> = declared.params.iter().map(|(_, ty)| argument(ty)).collect();
                    format!("{name}({})", arguments.join(", "))
                }
                _ => name.to_string(),
            },
            None if let Some((_, action)) = self.names.actions.get_key_value(name) => match action.acting_param {
                Some(_) => format!("when this {} {{ … }}", third_person(name)),
                None => format!("when this is {} {{ … }}", self.names.participle_of_action(name)),
            },
            _ => name.to_string(),
        }
    }

    /// Returns the meaning of a word on a card; `None` if no card can print it.
    fn printed_meaning(&self, word: &Name) -> Option<Meaning> {
        self.names.meanings(&word.text).iter().find(|meaning| is_printable(meaning)).copied()
    }

    /// Returns the span at which a card prints a word, or the span of its name if the place is not known. `None` if it does not print the
    /// word.
    fn printed_at(&self, card: &Card, definition: &Definition, word: &Name) -> Option<Span> {
        let facts = || {
            let keyword = card.abilities.iter().filter_map(|ability| match &ability.kind {
                AbilityKind::Keyword(fact) => Some(&**fact),
                _ => None,
            });
            card.facts.iter().chain(keyword)
        };
        let of = |name: &str| facts().find(|fact| fact.word.text == name).map(|fact| fact.span);
        let has = |set: usize, index: u16| definition.words.get(set).is_some_and(|words| words.contains(&index));
        if word.is_quoted() {
            return facts().find(|fact| has_quoted_word(fact, &word.text)).map(|fact| fact.span);
        }
        match self.printed_meaning(word) {
            Some(Meaning::Word(set, index)) => has(set.index(), index).then(|| of(&word.text).unwrap_or(card.name.span)),
            Some(Meaning::Traits(set)) => {
                let some = definition.words.get(set.index()).is_some_and(|words| !words.is_empty());
                let words = self.names.traits.get(set.index()).and_then(|set| set.words.as_deref()).unwrap_or_default();
                let place = || of(&word.text).or_else(|| words.iter().find_map(|word| of(word)));
                some.then(|| place().unwrap_or(card.name.span))
            }
            Some(Meaning::Property(_)) => of(&word.text).or_else(|| defining_span(card, &word.text)),
            Some(Meaning::Keyword(_)) => {
                let expanded = || card.abilities.iter().filter_map(|ability| ability.keyword.as_ref());
                of(&word.text).or_else(|| expanded().find(|keyword| keyword.text == word.text).map(|keyword| keyword.span))
            }
            None if let Some(action) = self.trigger_on(word) => {
                let waits = |verb: &str, passive: bool| self.names.action_of_form(verb, passive) == Some(action);
                let own = card
                    .abilities
                    .iter()
                    .find(|ability| awaited_event(ability).is_some_and(|pattern| waits(&pattern.verb.text, pattern.passive)));
                let keyword = || {
                    facts().find(|fact| {
                        let declared = self.names.keywords.get(&fact.word.text);
                        declared.is_some_and(|keyword| keyword.events.iter().any(|(verb, passive)| waits(verb, *passive)))
                    })
                };
                own.map(|ability| ability.span).or_else(|| keyword().map(|fact| fact.span))
            }
            _ => {
                let part = self.names.faces.contains(&card.name.text);
                let whole = if word.text == "token" { card.is_token } else { word.text == "card" && !card.is_token && !part };
                whole.then_some(card.name.span)
            }
        }
    }
}

fn is_printable(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Word(..) | Meaning::Traits(_) | Meaning::Property(_) | Meaning::Keyword(_))
}

/// Whether a fact has a quoted word: `race "Dragon"`.
fn has_quoted_word(fact: &Fact, word: &str) -> bool {
    let value = fact.value.as_deref().and_then(as_phrase);
    value.is_some_and(|value| matches!(&value.head, Head::Quoted(name) if name.text == word))
}

/// Returns the span of the ability that defines a property: `defines { power = … }`.
fn defining_span(card: &Card, property: &str) -> Option<Span> {
    card.abilities.iter().find_map(|ability| {
        let AbilityKind::Defines(mods) = &ability.kind else { return None };
        let sets = |kind: &ModificationKind| matches!(kind, ModificationKind::Set { property: set, .. } if set.text == property);
        mods.iter().any(|change| sets(&change.kind)).then_some(ability.span)
    })
}
