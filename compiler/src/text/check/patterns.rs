//! Checks the patterns of text items. It reports unknown words, template parts that the pattern lacks, patterns that match nothing or
//! everything, and patterns that occur twice.

use crate::diagnostics::{Diagnostic, codes};
use crate::names::NameTable;
use crate::text::lexicon;
use crate::text::normalize::Builder;
use crate::text::tree::{TextNode, TextNodeKind, is_hole};
use fizzle_grammar::ast::{AbilityKind, Name, TextEntry, TextItem, TextPattern};
use fizzle_ir::verbs::{BUILTINS, VERBS};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Words of the language itself.
const LANGUAGE_WORDS: &[&str] = &[
    "active",
    "alternatively",
    "bottom",
    "candidate",
    "card",
    "cause",
    "cause_player",
    "controller",
    "copy",
    "cost",
    "effect",
    "rule",
    "face",
    "false",
    "free",
    "game",
    "host",
    "instead",
    "it",
    "may",
    "name",
    "nothing",
    "number",
    "object",
    "opponent",
    "owner",
    "passive",
    "player",
    "players",
    "rules",
    "source",
    "static",
    "thing",
    "this",
    "top",
    "true",
    "turn",
    "who",
    "word",
    "you",
    "zone",
    "zones",
];

/// The names that patterns may use.
pub struct PatternVocabulary<'n> {
    names: &'n NameTable<'n>,
    words: BTreeSet<&'n str>,
    segments: BTreeSet<&'n str>,
}

impl<'n> PatternVocabulary<'n> {
    /// Collects everything that a game declares.
    pub fn new(names: &'n NameTable<'n>) -> Self {
        let mut words: BTreeSet<&str> = LANGUAGE_WORDS.iter().copied().collect();
        words.extend(names.words.keys().map(SmolStr::as_str));
        words.extend(names.nouns.keys().chain(names.plays.keys()).chain(names.payments.keys()).map(SmolStr::as_str));
        words.extend(names.constants.keys().chain(names.cards.keys()).chain(&names.layers).map(SmolStr::as_str));
        for signature in names.actions.values() {
            words.insert(&signature.name);
            words.extend(signature.params.iter().map(|(name, _)| name.as_str()));
        }
        for (name, function) in &names.functions {
            words.insert(name);
            words.extend(function.params.iter().map(|(name, _)| name.as_str()));
        }
        for (name, keyword) in &names.keywords {
            words.insert(name);
            words.extend(keyword.params.iter().map(|(name, _)| name.as_str()));
        }
        for set in &names.traits {
            words.insert(&set.name);
            words.extend(set.words.iter().flatten().chain(&set.initial_words).map(SmolStr::as_str));
        }
        words.extend(names.zone_names());
        words.extend(BUILTINS.iter().map(|builtin| builtin.name));
        words.extend(VERBS.iter().flat_map(|verb| verb.pattern_words.iter().copied().chain([verb.name])));
        let segments = names.periods.keys().flat_map(|path| path.split('.')).collect();
        Self { names, words, segments }
    }

    /// Whether the word is known. A word with a capital letter, a digit without `_`, or a letter outside of ASCII passes: only cards print
    /// such words, in quotes.
    fn contains(&self, word: &str) -> bool {
        word.chars().any(|c| c.is_uppercase() || !c.is_ascii() || c.is_ascii_digit() && !word.contains('_'))
            || self.words.contains(word)
            || self.segments.contains(word)
            || self.names.periods.contains_key(word)
            || self.names.periods.keys().any(|path| path.ends_with(word) && path[..path.len() - word.len()].ends_with('.'))
    }
}

/// Collects the one-letter symbols that a game prints in braces, such as `{T}`: from names, settings, costs and keywords without
/// arguments.
pub fn collect_signs(text: &TextItem, signs: &mut BTreeSet<String>) {
    for entry in &text.entries {
        let plain = match &entry.pattern {
            TextPattern::Name(_) | TextPattern::Style(_) | TextPattern::Cost(_) => true,
            TextPattern::Ability(ability) => matches!(&ability.kind, AbilityKind::Keyword(fact) if fact.value.is_none()),
            _ => false,
        };
        if plain {
            signs.extend(entry.templates.iter().flat_map(braced_parts).filter(|inner| is_hole(inner)).map(str::to_owned));
        }
    }
}

/// Reports what is wrong with the patterns of a text item. `first_entries` holds the entries so far, by file and by language and pattern.
pub fn check<'t>(
    text: &'t TextItem,
    known: &PatternVocabulary<'_>,
    signs: &BTreeSet<String>,
    builder: Builder<'_>,
    first_entries: &mut BTreeMap<(u32, String), &'t TextEntry>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for entry in &text.entries {
        let key = match &entry.pattern {
            TextPattern::Name(name) => format!("name {}", name.text),
            TextPattern::Style(name) => format!("style {}", name.text),
            TextPattern::Rule(name) => format!("state rule {}", name.text),
            TextPattern::SelfName(name) => format!("self {}", name.as_ref().map_or("", |name| &name.text)),
            _ => match check_pattern(entry, known, signs, builder, diagnostics) {
                Some(key) => key,
                None => continue,
            },
        };
        let key = (entry.span.file, format!("{} {key}", text.language.text));
        match first_entries.get(&key) {
            Some(first) => {
                let twice =
                    Diagnostic::new(&codes::DUPLICATE, entry.span, "this entry repeats an earlier one, which is never used");
                diagnostics.push(twice.also(first.span, "first written here").help("keep one of them"));
            }
            None => drop(first_entries.insert(key, entry)),
        }
    }
}

/// Checks one pattern. Returns its key, in which holes are numbered, so that equal patterns have equal keys. `None` if it has a problem.
fn check_pattern(
    entry: &TextEntry,
    known: &PatternVocabulary<'_>,
    signs: &BTreeSet<String>,
    builder: Builder<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<String> {
    let builder = Builder { is_pattern: true, ..builder };
    let (table, node) = lexicon::pattern_of(entry, builder)?;
    let before = diagnostics.len();
    if let Some(problem) = trivial_pattern(&node, entry) {
        diagnostics.push(problem);
        return None;
    }
    let mut unknown = Vec::new();
    find_unknown_words(&node, known, builder, &mut unknown);
    for (node, what) in unknown {
        let span = if node.span.end > node.span.start { node.span } else { entry.span };
        let message = format!("the game has no {what} `{}`, so this entry is never used", node.text);
        let all = known.words.iter().copied();
        diagnostics.push(
            Diagnostic::new(&codes::UNKNOWN_NAME, span, message)
                .did_you_mean(&node.text, all)
                .help("write a capital letter to match anything"),
        );
    }
    if diagnostics.len() == before {
        check_template_parts(&node, entry, signs, builder, diagnostics);
    }
    if let (true, Some(operand)) = (diagnostics.len() == before, lexicon::unprinted_operands(entry, &node, builder).first()) {
        let message = format!("no call of `{}` matches this entry: it does not print `{operand}`", node.text);
        let problem = Diagnostic::new(&codes::UNUSED_TEXT, entry.span, message);
        diagnostics.push(problem.help(format!("write `{{{operand}}}` in the text, or the operand in the pattern")));
        return None;
    }
    (diagnostics.len() == before).then(|| {
        let mut named = Vec::new();
        let mut key = format!("{table:?} ");
        write_pattern_key(&node, &mut named, &mut key);
        // optional parts: two entries may differ in which of them they name
        let is_optional_part =
            |part: &&SmolStr| !is_hole(part) && entry.templates.iter().any(|template| names_part(template, part));
        let parts: BTreeSet<SmolStr> = lexicon::holes_of(&node, builder).iter().filter(is_optional_part).cloned().collect();
        let _ = write!(key, "{parts:?}");
        key
    })
}

fn trivial_pattern(node: &TextNode, entry: &TextEntry) -> Option<Diagnostic> {
    let (message, help) = match node.kind {
        TextNodeKind::Hole => ("this pattern matches everything", "make it more specific: `X of you`, `do draw: …`"),
        TextNodeKind::Nil | TextNodeKind::Other => {
            ("this pattern matches no part of a text", "write a statement, a value or an ability as cards contain it")
        }
        TextNodeKind::Block | TextNodeKind::List if node.kids.is_empty() => {
            ("this pattern is empty and matches nothing", "write between the braces what the entry matches")
        }
        _ => return None,
    };
    Some(Diagnostic::new(&codes::EMPTY_TEXT, entry.span, message).help(help))
}

/// Collects the words that nothing declares, each with the kind of name that is expected.
fn find_unknown_words<'a>(
    node: &'a TextNode,
    known: &PatternVocabulary<'_>,
    builder: Builder<'_>,
    unknown: &mut Vec<(&'a TextNode, &'static str)>,
) {
    let word = node.text.as_str();
    let missing = match node.kind {
        _ if is_hole(word) || word.is_empty() => None,
        TextNodeKind::Word if !known.contains(word) => Some("word"),
        TextNodeKind::Call if !known.contains(word) => Some("function"),
        TextNodeKind::Keyword if !known.names.keywords.contains_key(word) && !known.contains(word) => Some("keyword"),
        TextNodeKind::Do | TextNodeKind::Event | TextNodeKind::Can if !builder.is_verb(word) && !known.contains(word) => {
            Some("verb")
        }
        TextNodeKind::Shares if !known.contains(word) => Some("trait set"),
        _ => None,
    };
    unknown.extend(missing.map(|what| (node, what)));
    for kid in &node.kids {
        find_unknown_words(kid, known, builder, unknown);
    }
}

/// Reports the parts that a template names and its pattern lacks.
fn check_template_parts(
    node: &TextNode,
    entry: &TextEntry,
    signs: &BTreeSet<String>,
    builder: Builder<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let parts = lexicon::holes_of(node, builder);
    for template in &entry.templates {
        for inner in braced_parts(template) {
            let name = &inner[..inner.find([' ', ':', '\'']).unwrap_or(inner.len())];
            let word = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            let meant = if is_hole(name) { name.len() < inner.len() || !signs.contains(name) } else { word };
            // `{facts NAME}`, `{effects NAME}`: what that card prints and does
            if matches!(name, "facts" | "effects") {
                let card = inner[name.len()..].trim_start_matches([' ', ':']);
                if !builder.names.is_card_name(card, template.span) {
                    let message = format!("the game has no card `{card}`");
                    let problem = Diagnostic::new(&codes::UNKNOWN_NAME, template.span, message);
                    diagnostics.push(problem.did_you_mean(card, builder.names.cards.keys().map(SmolStr::as_str)));
                }
                continue;
            }
            // `{prints PROPERTY}`: what the card itself prints for that property
            if name == "prints" {
                let property = inner[name.len()..].trim_start_matches([' ', ':']).split('|').next().unwrap_or_default();
                let traits = builder.names.traits.iter().any(|set| set.name == property);
                if !traits && !builder.names.words.contains_key(property) {
                    let message = format!("the game has no property `{property}`");
                    let problem = Diagnostic::new(&codes::UNKNOWN_NAME, template.span, message);
                    let problem = problem.did_you_mean(property, builder.names.words.keys().map(SmolStr::as_str));
                    diagnostics
                        .push(problem.help("after `prints` write a trait set or property that cards print with a quoted word"));
                }
                continue;
            }
            let known = parts.iter().any(|part| part == name) || matches!(name, "this" | "name" | "line" | "self" | "their");
            if !meant || known || inner.contains('|') {
                continue;
            }
            let message = format!("the pattern has no part `{name}`");
            let problem = Diagnostic::new(&codes::UNKNOWN_PART, template.span, message);
            let all: Vec<&str> = parts.iter().map(SmolStr::as_str).collect::<BTreeSet<_>>().into_iter().collect();
            let listed = if all.is_empty() { "it has none".to_owned() } else { format!("it has `{}`", all.join("`, `")) };
            diagnostics
                .push(problem.did_you_mean(name, all).help(format!("{listed}; a template names parts of its pattern in braces")));
        }
    }
}

/// The texts between braces.
fn braced_parts(template: &Name) -> Vec<&str> {
    template.text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(inner, _)| inner).collect()
}

/// Appends a pattern to its key, with its holes numbered.
fn write_pattern_key(node: &TextNode, named: &mut Vec<SmolStr>, key: &mut String) {
    let text = if is_hole(&node.text) {
        let at = named.iter().position(|name| *name == node.text).unwrap_or_else(|| {
            named.push(node.text.clone());
            named.len() - 1
        });
        format!("?{at}")
    } else {
        node.text.to_string()
    };
    let _ = write!(key, "({:?} {text:?}", node.kind);
    for kid in &node.kids {
        write_pattern_key(kid, named, key);
    }
    key.push(')');
}

fn names_part(template: &Name, part: &str) -> bool {
    braced_parts(template).iter().any(|inner| inner.split([' ', ':', '\'']).next() == Some(part))
}
