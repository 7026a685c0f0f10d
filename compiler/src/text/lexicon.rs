//! The lexicon of a language: the `text` items of a game as tables of names, settings, and templates by pattern.
//!
//! Each table of templates ([`LexiconTable`]) holds the entries of one word of `text` items: `do` (statements), `cost`, `event`, `value`, `until`
//! (durations and moments), `change` and `ability`. `render.rs` decides which table a node is looked up in. The texts of the built-in verbs are in
//! their rows, in the IR's `verbs.rs`.

pub(in crate::text) mod entry_list;

use super::format_overrides::FormatOverrides;
use super::normalize::{ADVERBS, Builder, Keyword, OPERANDS, SUBJECT};
use super::pattern_match::{
    HoleBindings, LexiconEntry, LexiconTable, ParsedEntry, TemplatePart, fits, is_post, is_unwritten, matches_sequence,
};
use super::tree::{TextNode, TextNodeKind};
use crate::limits::{MAX_TEMPLATE_CHARS, MAX_TEMPLATE_HOLES};
use entry_list::EntryList;
use fizzle_grammar::ast::{Span, TextEntry, TextItem, TextPattern};
use fizzle_ir::Type;
use fizzle_ir::verbs::VERBS;
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The names, settings and templates of one language. Copies share the entries.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    names: BTreeMap<SmolStr, Rc<[String]>>,
    /// The texts of state rules, by their names.
    pub rules: BTreeMap<SmolStr, Rc<str>>,
    styles: BTreeMap<SmolStr, Rc<[String]>>,
    self_names: Vec<(Option<SmolStr>, Rc<str>)>,
    entries: BTreeMap<(LexiconTable, TextNodeKind), EntryList<Rc<LexiconEntry>>>,
    /// Entries whose pattern is a sequence of statements.
    sequences: EntryList<Rc<LexiconEntry>>,
    /// The number of statements of the longest of these sequences.
    longest_sequence: usize,
    /// What formats add to this lexicon or replace in it. Lookups mark the formats that could answer them differently.
    overrides: Rc<FormatOverrides>,
}

impl Lexicon {
    /// Adds the templates that the table of verbs has for a language (`en` or `ja`). Every game has them; its own entries go before them.
    pub fn add_verbs(&mut self, language: &str, builder: Builder<'_>) {
        let builder = Builder { is_pattern: true, ..builder };
        for verb in VERBS {
            let template = if language == "ja" { verb.japanese } else { verb.english };
            if !template.is_empty() {
                let nothing = |n: usize| std::iter::repeat_with(TextNode::nil).take(n);
                let adverbs = TextNode::new(TextNodeKind::List, "", Vec::new(), Span::default());
                let kids = nothing(ADVERBS).chain([adverbs]).chain(nothing(OPERANDS - ADVERBS - 1 + verb.params.len())).collect();
                let pattern = TextNode::new(TextNodeKind::Do, verb.name, kids, Span::default());
                let entry = build_entry(pattern, &[template.to_owned()], builder);
                self.add_entry(&ParsedEntry::Template(LexiconTable::Do, Rc::new(entry)));
            }
        }
    }

    /// Adds an entry of a text item. Of two patterns of equal weight the later one is found first.
    pub fn add_entry(&mut self, entry: &ParsedEntry) {
        match entry {
            ParsedEntry::Name(name, forms) => drop(self.names.insert(name.clone(), Rc::clone(forms))),
            ParsedEntry::SelfName(word, form) => self.self_names.insert(0, (word.clone(), Rc::clone(form))),
            ParsedEntry::Rule(name, text) => drop(self.rules.insert(name.clone(), Rc::clone(text))),
            ParsedEntry::Style(name, forms) => drop(self.styles.insert(name.clone(), Rc::clone(forms))),
            ParsedEntry::Template(_, entry) if entry.is_sequence() => {
                self.longest_sequence = self.longest_sequence.max(entry.pattern.kids.len());
                self.sequences.insert(&entry.pattern, Rc::clone(entry));
            }
            ParsedEntry::Template(table, entry) => {
                let entries = self.entries.entry((*table, entry.pattern.kind)).or_default();
                entries.insert(&entry.pattern, Rc::clone(entry));
            }
        }
    }

    /// The lexicon with further entries, as one that they are added to behind all others.
    #[must_use]
    pub fn extended<'e>(&self, entries: impl IntoIterator<Item = &'e ParsedEntry>) -> Self {
        let mut made = Self { overrides: Rc::default(), ..self.clone() };
        entries.into_iter().for_each(|entry| made.add_entry(entry));
        made
    }

    /// Lets lookups mark the formats that could answer them differently.
    pub(in crate::text) fn track(&mut self, overrides: FormatOverrides) {
        self.overrides = Rc::new(overrides);
    }

    /// What formats add or replace, with the formats that lookups have marked.
    pub(in crate::text) fn overrides(&self) -> &FormatOverrides {
        &self.overrides
    }

    /// A keyword of the game or format that the builder belongs to.
    pub(in crate::text) fn keyword<'n>(&self, name: &str, builder: Builder<'n>) -> Option<Keyword<'n>> {
        self.overrides.mark_keyword(name);
        builder.keywords?.get(name).copied()
    }

    /// The forms of a name.
    #[must_use]
    pub fn name(&self, word: &str) -> Option<&[String]> {
        self.overrides.mark_name(word);
        self.names.get(word).map(|forms| &**forms)
    }

    /// Whether a test holds for the name of some countable thing and its singular form.
    pub fn has_noun(&self, test: &dyn Fn(&str, &str) -> bool) -> bool {
        fn singular(forms: &Rc<[String]>) -> Option<&str> {
            forms.first().filter(|_| forms.len() > 1).map(String::as_str)
        }
        self.overrides.mark_nouns(|word| self.names.get(word).and_then(singular), test);
        self.names.iter().any(|(word, forms)| singular(forms).is_some_and(|form| test(word, form)))
    }

    /// The first form of a setting.
    #[must_use]
    pub fn style(&self, name: &str) -> Option<&str> {
        self.styles(name).first().map(String::as_str)
    }

    /// All forms of a setting.
    #[must_use]
    pub fn styles(&self, name: &str) -> &[String] {
        self.overrides.mark_style(name);
        self.styles.get(name).map_or(&[], |forms| &**forms)
    }

    /// How an object that prints these words refers to itself.
    #[must_use]
    pub fn self_name_for(&self, words: &[SmolStr]) -> Option<&str> {
        self.overrides.mark_self_names();
        let named = self.self_names.iter().find(|(word, _)| word.as_ref().is_some_and(|word| words.contains(word)));
        named.or_else(|| self.self_names.iter().find(|(word, _)| word.is_none())).map(|(_, form)| &**form)
    }

    /// All forms by which objects refer to themselves.
    pub fn self_names(&self) -> impl Iterator<Item = &str> {
        self.overrides.mark_self_names();
        self.self_names.iter().map(|(_, form)| &**form)
    }

    /// Finds the matching entry with the heaviest pattern. Entries of values with an empty template are skipped, because a value must be
    /// printed. They hide conditions ([`Self::find_hidden`]).
    #[must_use]
    pub fn find(&self, table: LexiconTable, node: &TextNode, builder: Builder<'_>) -> Option<(&LexiconEntry, HoleBindings)> {
        self.find_first(table, node, builder, &|entry| table != LexiconTable::Value || !entry.parts.is_empty())
    }

    /// Finds the entry that hides a condition from players, and returns its bindings, and whether it hides only conditions of use: it has a
    /// second form, which is printed elsewhere. `None` if no entry hides it, or if a heavier one prints it.
    #[must_use]
    pub fn find_hidden(&self, node: &TextNode, builder: Builder<'_>) -> Option<(HoleBindings, bool)> {
        self.find_first(LexiconTable::Value, node, builder, &|_| true)
            .and_then(|(entry, found)| entry.parts.is_empty().then_some((found, !entry.more_forms.is_empty())))
    }

    fn find_first(
        &self,
        table: LexiconTable,
        node: &TextNode,
        builder: Builder<'_>,
        wanted: &dyn Fn(&LexiconEntry) -> bool,
    ) -> Option<(&LexiconEntry, HoleBindings)> {
        self.overrides.mark_node(table, node);
        let of_kind = self.entries.get(&(table, node.kind)).into_iter().flat_map(|entries| entries.candidates([node]));
        let holes = self.entries.get(&(table, TextNodeKind::Hole)).into_iter().flat_map(EntryList::iter);
        let mut found = Vec::new();
        of_kind.chain(holes).map(|entry| &**entry).find_map(|entry| {
            if is_post(&entry.pattern) || !wanted(entry) {
                return None;
            }
            found.clear();
            let fit = fits(&entry.pattern, node, &mut found) && unbound_holes(entry, node, &mut found, builder);
            let fit = fit && !self.splits_announced_target(&entry.pattern, &found) && !counts_by_computed(&entry.pattern, &found);
            fit.then(|| (entry, std::mem::take(&mut found)))
        })
    }

    /// Whether an entry takes over the place of a target that the language announces before the sentence. Such an entry does not match,
    /// since the target keeps its place. Neither does an entry that takes over several of its filters, which are announced with it.
    fn splits_announced_target(&self, pattern: &TextNode, found: &HoleBindings) -> bool {
        let takes_filters = |hole: &SmolStr| {
            pattern.kind == TextNodeKind::Phrase
                && pattern.kids.len() > 3
                && pattern.kid(0).is_nil()
                && pattern.kid(1).text == *hole
        };
        let cut = |hole: &SmolStr, node: &TextNode| {
            node.kind == TextNodeKind::Phrase
                && node.kid(0).text.starts_with("target")
                && (takes_filters(hole) || node.kids.iter().skip(2).any(|post| post.kind == TextNodeKind::Other))
        };
        self.style("target").is_some_and(|style| !style.is_empty()) && found.iter().any(|(hole, node)| cut(hole, node))
    }

    /// Finds the entry that matches the first statements of a sequence. Returns the entry, its bindings, and the number of statements.
    #[must_use]
    pub fn find_sequence(&self, statements: &[TextNode]) -> Option<(&LexiconEntry, HoleBindings, usize)> {
        self.overrides.mark_sequence(statements);
        let mut candidates = self.sequences.candidates(statements.iter().take(self.longest_sequence));
        candidates.find_map(|entry| Some((&**entry, matches_sequence(&entry.pattern, statements)?, entry.pattern.kids.len())))
    }

    /// Finds the entry for a phrase that has only this filter.
    #[must_use]
    pub fn find_post(&self, post: &TextNode) -> Option<(&LexiconEntry, HoleBindings)> {
        self.overrides.mark_post(post);
        self.entries.get(&(LexiconTable::Value, TextNodeKind::Phrase))?.candidates([post]).find_map(|entry| {
            let pattern = &entry.pattern;
            if !is_post(pattern) {
                return None;
            }
            let mut found = Vec::new();
            fits(pattern.kid(2), post, &mut found).then_some((&**entry, found))
        })
    }

    /// The hole for the phrase itself in the entry of a filter.
    #[must_use]
    pub fn head_hole(entry: &LexiconEntry) -> &SmolStr {
        &entry.pattern.kid(1).text
    }
}

/// Parses the entries of a text item. Those whose pattern has no form are left out.
pub fn parse_entries(text: &TextItem, builder: Builder<'_>) -> Vec<ParsedEntry> {
    let builder = Builder { is_pattern: true, ..builder };
    let parse = |entry: &TextEntry| {
        let forms: Vec<String> = entry.templates.iter().map(|name| name.text.to_string()).collect();
        let first = || forms.first().map_or("", String::as_str).into();
        Some(vec![match &entry.pattern {
            TextPattern::Name(name) => ParsedEntry::Name(name.text.clone(), forms.into()),
            TextPattern::SelfName(word) => ParsedEntry::SelfName(word.as_ref().map(|word| word.text.clone()), first()),
            TextPattern::Rule(name) => ParsedEntry::Rule(name.text.clone(), first()),
            TextPattern::Style(name) => ParsedEntry::Style(name.text.clone(), forms.into()),
            _ => {
                let (table, pattern) = pattern_of(entry, builder)?;
                let made =
                    |pattern, forms: &[String]| ParsedEntry::Template(table, Rc::new(build_entry(pattern, forms, builder)));
                // a condition that is hidden where it is one of use: the entry that prints it elsewhere is behind the one that hides it
                if let ([hidden, printed @ ..], LexiconTable::Value) = (forms.as_slice(), table)
                    && hidden.is_empty()
                    && !printed.is_empty()
                {
                    return Some(vec![made(pattern.clone(), printed), made(pattern, &forms)]);
                }
                made(pattern, &forms)
            }
        }])
    };
    text.entries.iter().filter_map(parse).flatten().collect()
}

/// The table of an entry and the form that it matches. `None` for names and settings. A block of one statement becomes that statement.
#[must_use]
pub fn pattern_of(entry: &TextEntry, builder: Builder<'_>) -> Option<(LexiconTable, TextNode)> {
    let (table, pattern) = match &entry.pattern {
        TextPattern::Name(_) | TextPattern::SelfName(_) | TextPattern::Style(_) | TextPattern::Rule(_) => return None,
        TextPattern::Do(block) => (LexiconTable::Do, builder.block(block)),
        TextPattern::Cost(block) => (LexiconTable::Cost, builder.block(block)),
        TextPattern::Event(pattern) => (LexiconTable::Event, builder.event(pattern)),
        TextPattern::Value(value) => (LexiconTable::Value, builder.expr(value)),
        TextPattern::Until(until) => (LexiconTable::Until, builder.until(until)),
        TextPattern::Change(changes) => (LexiconTable::Change, builder.changes(changes, entry.span)),
        TextPattern::Ability(ability) => (LexiconTable::Ability, builder.ability(ability)),
    };
    if pattern.kind != TextNodeKind::Block || pattern.kids.len() != 1 {
        return Some((table, pattern));
    }
    let inner = pattern.kid(0).clone();
    Some((table, if inner.kind == TextNodeKind::Statement { inner.kid(0).clone() } else { inner }))
}

fn build_entry(pattern: TextNode, templates: &[String], builder: Builder<'_>) -> LexiconEntry {
    let holes = holes_of(&pattern, builder);
    let known = |name: &str| holes.iter().any(|hole| hole == name);
    let mut forms = templates.iter().map(|template| parse_template(template, &known));
    let first = forms.next().unwrap_or_default();
    let subjects = slots(&pattern, builder).into_iter().filter(|(_, at)| pattern.kind == TextNodeKind::Do && *at == SUBJECT);
    let is_named = |name: &SmolStr| first.iter().any(|part| matches!(part, TemplatePart::Slot(slot, _) if slot == name));
    let prints_subject = !pattern.kid(SUBJECT).is_nil() || subjects.into_iter().any(|(name, _)| is_named(&name));
    LexiconEntry { pattern, parts: first, more_forms: forms.collect(), prints_subject }
}

/// Optional parts that a template may name although its pattern does not, with their index among the children. They exist for all nodes of
/// a kind.
fn slots(node: &TextNode, builder: Builder<'_>) -> Vec<(SmolStr, usize)> {
    let named = |names: &[(&str, usize)]| names.iter().map(|(name, at)| (SmolStr::new(name), *at)).collect();
    match node.kind {
        TextNodeKind::Do => {
            let (params, subject) = builder.parameters(&node.text);
            let place = |at: usize| if subject == Some(at) { SUBJECT } else { at + OPERANDS };
            let operands = params.into_iter().enumerate().map(|(at, (name, _))| (name, place(at)));
            operands.chain([(SmolStr::new("who"), SUBJECT)]).collect()
        }
        TextNodeKind::Call => {
            let params = builder.names.functions.get(&node.text).map(|function| &function.params);
            params.into_iter().flatten().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect()
        }
        TextNodeKind::Keyword => {
            let params = builder.names.keywords.get(&node.text).map(|keyword| &keyword.params);
            params.into_iter().flatten().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect()
        }
        TextNodeKind::Gets => named(&[("until", 2)]),
        TextNodeKind::Becomes => named(&[("except", 2), ("until", 3)]),
        TextNodeKind::CreateCopy => named(&[("except", 1), ("into", 2), ("under", 3), ("adverbs", 5)]),
        TextNodeKind::Cannot => named(&[("until", 1)]),
        TextNodeKind::Clause => named(&[("where", 3), ("until", node.kids.len().saturating_sub(1))]),
        TextNodeKind::DelayedWhen => named(&[("until", 2)]),
        TextNodeKind::When | TextNodeKind::At => named(&[("limit", 3)]),
        TextNodeKind::Activated => named(&[("when", 0), ("price", 1), ("cost", 2), ("effect", 3), ("yields", 4), ("limit", 5)]),
        TextNodeKind::Option => named(&[("status", 0), ("when", 2), ("price", 3), ("cost", 4)]),
        TextNodeKind::Event => named(&[("object", 1), ("from", 2), ("where", 3)]),
        TextNodeKind::Divide => named(&[("least", 3)]),
        TextNodeKind::Moment => named(&[("whose", 1)]),
        _ => Vec::new(),
    }
}

/// All parts that a template for this pattern may name.
pub(super) fn holes_of(pattern: &TextNode, builder: Builder<'_>) -> Vec<SmolStr> {
    let mut holes = Vec::new();
    pattern.collect_holes(&mut holes);
    collect_verb_holes(pattern, &mut holes);
    // what the pattern writes is no open part
    holes.extend(slots(pattern, builder).into_iter().filter(|(_, at)| is_unwritten(pattern, *at)).map(|(name, _)| name));
    holes
}

/// The objects that every call of an action has and that neither the pattern nor a template names. An entry without operands that does not
/// print such an object matches no call.
pub(super) fn unprinted_operands(entry: &TextEntry, pattern: &TextNode, builder: Builder<'_>) -> Vec<SmolStr> {
    let is_own_action = builder.names.actions.contains_key(&pattern.text) && !VERBS.iter().any(|verb| verb.name == pattern.text);
    let has_operands = pattern.kids.iter().enumerate().any(|(at, kid)| at != ADVERBS && !kid.is_nil());
    if pattern.kind != TextNodeKind::Do || !is_own_action || has_operands {
        return Vec::new();
    }
    // an action of an object has its words for events, too: `this blocks`
    let (params, subject) = builder.parameters(&pattern.text);
    let is_object = |at: usize| params.get(at - OPERANDS).is_some_and(|(_, ty)| *ty == Some(Type::Object) && subject.is_none());
    let made =
        build_entry(pattern.clone(), &entry.templates.iter().map(|name| name.text.to_string()).collect::<Vec<_>>(), builder);
    let is_printed = |name: &SmolStr| made.parts.iter().any(|part| matches!(part, TemplatePart::Slot(slot, _) if slot == name));
    let operands = slots(pattern, builder).into_iter().filter(|(_, at)| *at >= OPERANDS && is_object(*at));
    operands.map(|(name, _)| name).filter(|name| !is_printed(name)).collect()
}

fn collect_verb_holes(pattern: &TextNode, holes: &mut Vec<SmolStr>) {
    if pattern.kind != TextNodeKind::Hole && super::tree::is_hole(&pattern.text) {
        holes.push(pattern.text.clone());
    }
    for kid in &pattern.kids {
        collect_verb_holes(kid, holes);
    }
}

/// Binds the children that the pattern leaves open. Returns `false` if a child is written that the template does not name.
fn unbound_holes(entry: &LexiconEntry, node: &TextNode, found: &mut HoleBindings, builder: Builder<'_>) -> bool {
    let pattern = &entry.pattern;
    if matches!(pattern.kind, TextNodeKind::Hole | TextNodeKind::Phrase) {
        return true;
    }
    let slots = slots(node, builder);
    for (at, kid) in node.kids.iter().enumerate() {
        if !is_unwritten(pattern, at)
            || kid.is_nil()
            || kid.kind == TextNodeKind::List && kid.kids.is_empty()
            || (kid.kind == TextNodeKind::Block && kid.kids.is_empty())
        {
            continue;
        }
        let is_named =
            |name: &SmolStr| entry.parts.iter().any(|part| matches!(part, TemplatePart::Slot(slot, _) if slot == name));
        match slots.iter().find(|(name, slot)| *slot == at && is_named(name)) {
            Some((name, _)) => found.push((name.clone(), kid.clone())),
            _ if node.kind == TextNodeKind::Do && at < OPERANDS => {}
            // the name of what is created is not printed
            _ if node.kind == TextNodeKind::CreateCopy && at == COPY_NAME => {}
            _ if node.kind == TextNodeKind::CopyListed && at == LISTED_COPY_NAME => {}
            _ if kid.kind == TextNodeKind::List && matches!(kid.text.as_str(), "zones" | "values") => {}
            _ => return false,
        }
    }
    true
}

/// The indices of the names that copies get: of an object, and of an object on the list.
const COPY_NAME: usize = 4;
const LISTED_COPY_NAME: usize = 1;

/// Whether an entry for a number of things, `count of X >= N`, would print another computed number before them: `the number of cards in your
/// hand or more creatures`.
fn counts_by_computed(pattern: &TextNode, found: &HoleBindings) -> bool {
    let number = pattern.kid(1);
    let is_computed =
        |node: &TextNode| matches!(node.kind, TextNodeKind::Aggregate | TextNodeKind::Binary | TextNodeKind::Phrase);
    pattern.kind == TextNodeKind::Binary
        && matches!(pattern.text.as_str(), "==" | "!=" | "<" | ">" | "<=" | ">=")
        && pattern.kid(0).kind == TextNodeKind::Aggregate
        && pattern.kid(0).text == "count"
        && number.kind == TextNodeKind::Hole
        && found.iter().any(|(hole, value)| *hole == number.text && is_computed(value))
}

/// Parses a template. Braces around something other than the name of a part are literal text. Nothing is printed of a template that exceeds a limit:
/// [`check`](super::check) reports it.
fn parse_template(template: &str, known: &dyn Fn(&str) -> bool) -> Vec<TemplatePart> {
    let is_long = template.chars().nth(MAX_TEMPLATE_CHARS).is_some();
    if is_long || template.matches('{').count() > MAX_TEMPLATE_HOLES {
        return vec![TemplatePart::Text("⟦…⟧".to_owned())];
    }
    let mut made: Vec<TemplatePart> = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let Some(end) = rest[at..].find('}').map(|end| at + end) else { break };
        let inner = &rest[at + 1..end];
        let name_end = inner.find([' ', ':', '\'']).unwrap_or(inner.len());
        let (name, mode) = inner.split_at(name_end);
        text.push_str(&rest[..at]);
        let own = name == "self" && mode.contains('|')
            || matches!(name, "facts" | "effects" | "prints" | "taken") && mode.starts_with(' ');
        if known(name) || own || matches!(inner, "this" | "name" | "line") {
            if !text.is_empty() {
                made.push(TemplatePart::Text(std::mem::take(&mut text)));
            }
            made.push(TemplatePart::Slot(name.into(), mode.to_owned()));
        } else {
            text.push_str(&rest[at..=end]);
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    if !text.is_empty() {
        made.push(TemplatePart::Text(text));
    }
    made
}
