//! The lexicon of a language: the `text` items of a game as tables of names, settings, and templates by pattern.
//!
//! Each table of templates ([`LexiconTable`]) holds the entries of one word of `text` items: `do` (statements), `cost`, `event`, `value`, `until`
//! (durations and moments), `change` and `ability`. `render.rs` decides which table a node is looked up in. The texts of the built-in verbs are in
//! their rows, in the IR's `verbs.rs`.

pub(in crate::text) mod entry_list;

use super::format_overrides::FormatOverrides;
use super::normalize::{ADVERBS, BINDING, Builder, Keyword, MAY, OPERANDS, SUBJECT};
use super::tree::{TextNode, TextNodeKind};
use crate::limits::{MAX_TEMPLATE_CHARS, MAX_TEMPLATE_HOLES};
use entry_list::EntryList;
use fizzle_grammar::ast::{Span, TextEntry, TextItem, TextPattern};
use fizzle_ir::Type;
use fizzle_ir::verbs::VERBS;
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// Literal text.
    Text(String),
    /// What a hole is bound to, in a form: `{X}`, `{X's}`, `{N card}`, `{X:one|several}`.
    Slot(SmolStr, String),
}

/// A pattern with the template for the nodes that it matches.
#[derive(Clone, Debug)]
pub struct LexiconEntry {
    /// The form of the nodes that it matches.
    pub pattern: TextNode,
    /// The template.
    pub parts: Vec<TemplatePart>,
    /// Templates of further forms, such as the reminder of a verb or the second form of an event.
    pub more_forms: Vec<Vec<TemplatePart>>,
    /// Whether the pattern or the template of a verb names its subject.
    pub(super) prints_subject: bool,
}

/// The table that an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named after the words of the language")]
pub enum LexiconTable {
    Do,
    Cost,
    Event,
    Value,
    Until,
    Change,
    Ability,
}

/// An entry of a text item, parsed once for all lexicons that it is added to.
#[derive(Clone, Debug)]
pub enum ParsedEntry {
    /// The forms of a name.
    Name(SmolStr, Rc<[String]>),
    /// How objects that print a word refer to themselves; without a word, all objects.
    SelfName(Option<SmolStr>, Rc<str>),
    /// The text of a state rule.
    Rule(SmolStr, Rc<str>),
    /// The forms of a setting.
    Style(SmolStr, Rc<[String]>),
    /// A template, and the table that it belongs to.
    Template(LexiconTable, Rc<LexiconEntry>),
}

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

/// The nodes that the holes of a pattern are bound to.
pub type HoleBindings = Vec<(SmolStr, TextNode)>;

impl LexiconEntry {
    /// Whether the template of a verb prints its subject, or begins with something other than the verb.
    pub(super) fn names_subject(&self) -> bool {
        self.prints_subject || !matches!(self.parts.first(), Some(TemplatePart::Text(_)))
    }

    /// Whether its pattern is a sequence of statements.
    pub(super) fn is_sequence(&self) -> bool {
        self.pattern.kind == TextNodeKind::Block && self.pattern.kids.len() > 1
    }
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

    /// Finds the entry that hides a condition from players, and returns its bindings. `None` if no entry hides it, or if a heavier one
    /// prints it.
    #[must_use]
    pub fn find_hidden(&self, node: &TextNode, builder: Builder<'_>) -> Option<HoleBindings> {
        self.find_first(LexiconTable::Value, node, builder, &|_| true)
            .and_then(|(entry, found)| entry.parts.is_empty().then_some(found))
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
            let fit = fit && !self.splits_announced_target(&found) && !counts_by_computed(&entry.pattern, &found);
            fit.then(|| (entry, std::mem::take(&mut found)))
        })
    }

    /// Whether an entry takes over the place of a target that the language announces before the sentence. Such an entry does not match,
    /// since the target keeps its place.
    fn splits_announced_target(&self, found: &HoleBindings) -> bool {
        let cut = |node: &TextNode| {
            node.kind == TextNodeKind::Phrase
                && node.kid(0).text.starts_with("target")
                && node.kids.iter().skip(2).any(|post| post.kind == TextNodeKind::Other)
        };
        self.style("target").is_some_and(|style| !style.is_empty()) && found.iter().any(|(_, node)| cut(node))
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
        Some(match &entry.pattern {
            TextPattern::Name(name) => ParsedEntry::Name(name.text.clone(), forms.into()),
            TextPattern::SelfName(word) => ParsedEntry::SelfName(word.as_ref().map(|word| word.text.clone()), first()),
            TextPattern::Rule(name) => ParsedEntry::Rule(name.text.clone(), first()),
            TextPattern::Style(name) => ParsedEntry::Style(name.text.clone(), forms.into()),
            _ => {
                let (table, pattern) = pattern_of(entry, builder)?;
                ParsedEntry::Template(table, Rc::new(build_entry(pattern, &forms, builder)))
            }
        })
    };
    text.entries.iter().filter_map(parse).collect()
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

/// Whether a pattern leaves a child open: it is not written, or is the list of exceptions of a copy that has none.
fn is_unwritten(pattern: &TextNode, at: usize) -> bool {
    let is_copy = matches!(pattern.kind, TextNodeKind::Becomes | TextNodeKind::CreateCopy);
    let child = pattern.kid(at);
    child.is_nil() || is_copy && child.kind == TextNodeKind::List && child.kids.is_empty()
}

/// Whether a pattern matches a filter of any phrase, as `X with power <= N` does.
pub(super) fn is_post(pattern: &TextNode) -> bool {
    pattern.kind == TextNodeKind::Phrase
        && pattern.kids.len() == 3
        && pattern.kid(1).kind == TextNodeKind::Hole
        && pattern.kid(0).is_nil()
        && pattern.text.is_empty()
}

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

/// Whether a statement says who does it, or that a player chooses if it is done, and the pattern does not: the text of several statements has no
/// place for it.
fn drops_doer(pattern: &TextNode, node: &TextNode) -> bool {
    let [pattern, node] = [pattern, node].map(|statement| statement.kid(0));
    let is_act = pattern.kind == TextNodeKind::Do && node.kind == TextNodeKind::Do;
    let is_dropped = |at: usize| pattern.kid(at).is_nil() && !node.kid(at).is_nil();
    is_act && (is_dropped(MAY) || is_dropped(SUBJECT) && !node.kid(SUBJECT).is_word("you"))
}

/// Whether a pattern for a statement of a sequence would drop the link of the statement that it matches: a hole takes it over as a whole.
fn drops_link(pattern: &TextNode, node: &TextNode) -> bool {
    pattern.kind == TextNodeKind::Hole
        && node.kind == TextNodeKind::Statement
        && matches!(node.text.as_str(), "if_you_do" | "otherwise")
}

/// The bindings of a pattern of several statements that matches the first ones of these.
pub(super) fn matches_sequence(pattern: &TextNode, statements: &[TextNode]) -> Option<HoleBindings> {
    let mut found = Vec::new();
    let fit = pattern.kids.len() <= statements.len()
        && pattern.kids.iter().zip(statements).enumerate().all(|(at, (pattern, node))| {
            if drops_doer(pattern, node) {
                false
            } else if at == 0
                && pattern.kind == TextNodeKind::Statement
                && node.kind == TextNodeKind::Statement
                && pattern.text.is_empty()
            {
                fits(pattern.kid(0), node.kid(0), &mut found)
            } else {
                !drops_link(pattern, node) && fits(pattern, node, &mut found)
            }
        });
    fit.then_some(found)
}

/// Whether two nodes are equal except for their places in the source.
pub(super) fn equal_ignoring_spans(a: &TextNode, b: &TextNode) -> bool {
    a.kind == b.kind
        && a.text == b.text
        && a.kids.len() == b.kids.len()
        && a.kids.iter().zip(&b.kids).all(|(a, b)| equal_ignoring_spans(a, b))
}

fn bind(hole: &SmolStr, node: TextNode, found: &mut HoleBindings) -> bool {
    if let Some((_, known)) = found.iter().find(|(name, _)| name == hole) {
        return equal_ignoring_spans(known, &node);
    }
    found.push((hole.clone(), node));
    true
}

/// Whether a node matches a pattern. Binds the holes in `found`.
pub fn fits(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings) -> bool {
    fits_whole(pattern, node, found, true)
}

/// Whether a node matches a pattern. Children that the outermost pattern leaves open are left to [`unbound_holes`]. Nested patterns must
/// match all of them.
fn fits_whole(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings, outermost: bool) -> bool {
    match pattern.kind {
        TextNodeKind::Hole => return !node.is_nil() && bind(&pattern.text, node.clone(), found),
        TextNodeKind::Phrase => return fits_phrase(pattern, node, found),
        TextNodeKind::Block | TextNodeKind::List
            if pattern.kids.len() == 1 && pattern.kid(0).kind == TextNodeKind::Hole && node.kind == pattern.kind =>
        {
            return !(node.kind == TextNodeKind::List && node.kids.is_empty()) && bind(&pattern.kid(0).text, node.clone(), found);
        }
        _ => {}
    }
    if pattern.kind != node.kind {
        return false;
    }
    if pattern.kind == TextNodeKind::Binary
        && pattern.text == "and"
        && let Some(fit) = fits_conjunction(pattern, node, found)
    {
        return fit;
    }
    if super::tree::is_hole(&pattern.text) && pattern.text != node.text {
        if !bind(&pattern.text, TextNode::word(&node.text, node.span), found) {
            return false;
        }
    } else if pattern.text != node.text
        && !(pattern.text.is_empty()
            && matches!(pattern.kind, TextNodeKind::When | TextNodeKind::At | TextNodeKind::Activated | TextNodeKind::Trigger))
    {
        return false;
    }
    if pattern.kind == TextNodeKind::Block
        && (pattern.kids.len() != node.kids.len()
            || pattern.kids.iter().zip(&node.kids).any(|(one, other)| drops_link(one, other)))
    {
        return false;
    }
    let length = pattern.kids.len().max(node.kids.len());
    let open = outermost
        && matches!(
            pattern.kind,
            TextNodeKind::Do
                | TextNodeKind::Call
                | TextNodeKind::Keyword
                | TextNodeKind::Gets
                | TextNodeKind::Becomes
                | TextNodeKind::CreateCopy
                | TextNodeKind::CopyListed
                | TextNodeKind::Cannot
                | TextNodeKind::Clause
                | TextNodeKind::DelayedWhen
                | TextNodeKind::When
                | TextNodeKind::At
                | TextNodeKind::Activated
                | TextNodeKind::Option
                | TextNodeKind::Event
                | TextNodeKind::Divide
                | TextNodeKind::Moment
        );
    (0..length).all(|at| {
        let (want, kid) = (pattern.kid(at), node.kid(at));
        if is_unwritten(pattern, at) {
            // [`unbound_holes`] checks the children that are left open
            return open || kid.is_nil() || kid.kind == TextNodeKind::List && kid.kids.is_empty();
        }
        if want.kind == TextNodeKind::List
            && want.kids.is_empty()
            && (want.text == "zones" || (pattern.kind == TextNodeKind::Do && kid.kids.is_empty()))
        {
            return true;
        }
        if pattern.kind == TextNodeKind::Do && at == BINDING && kid.is_nil() {
            return false;
        }
        if pattern.kind == TextNodeKind::Do && at == MAY && kid.is_nil() {
            return false;
        }
        // `draw(you, 2)` is the same as `draw 2`
        if pattern.kind == TextNodeKind::Do && at == SUBJECT && kid.is_nil() && want.is_word("you") {
            return true;
        }
        if want.kind == TextNodeKind::List
            && want.kids.len() != kid.kids.len()
            && !(want.kids.len() == 1 && want.kid(0).kind == TextNodeKind::Hole)
        {
            return false;
        }
        fits_whole(want, kid, found, false)
    })
}

/// Whether a conjunction of three or more conditions matches a pattern of two of which one is a hole: the hole takes the others. `None`
/// for other patterns and conjunctions.
fn fits_conjunction(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings) -> Option<bool> {
    let (hole, wanted) = match (pattern.kid(0).kind, pattern.kid(1).kind) {
        (TextNodeKind::Hole, TextNodeKind::Hole) => return None,
        (TextNodeKind::Hole, _) => (pattern.kid(0), pattern.kid(1)),
        (_, TextNodeKind::Hole) => (pattern.kid(1), pattern.kid(0)),
        _ => return None,
    };
    let mut conditions = Vec::new();
    collect_conditions(node, &mut conditions);
    if conditions.len() < 3 || wanted.text == "and" {
        return None;
    }
    let at = conditions.iter().position(|condition| fits_whole(wanted, condition, &mut found.clone(), false));
    let Some(at) = at else { return Some(false) };
    fits_whole(wanted, conditions.remove(at), found, false);
    let both = |one: TextNode, other: TextNode| TextNode { kids: vec![one, other], ..node.clone() };
    let others = conditions.into_iter().cloned().reduce(both);
    Some(others.is_some_and(|others| bind(&hole.text, others, found)))
}

/// Collects the operands of `a and b and c`.
pub(in crate::text) fn collect_conditions<'n>(node: &'n TextNode, out: &mut Vec<&'n TextNode>) {
    if node.kind == TextNodeKind::Binary && node.text == "and" {
        node.kids.iter().for_each(|kid| collect_conditions(kid, out));
    } else {
        out.push(node);
    }
}

fn fits_phrase(pattern: &TextNode, node: &TextNode, found: &mut HoleBindings) -> bool {
    if node.kind != TextNodeKind::Phrase {
        return false;
    }
    let open = pattern.kid(1).kind == TextNodeKind::Hole;
    let mut left: Vec<TextNode> = node.kids.iter().skip(2).filter(|post| post.kind != TextNodeKind::Other).cloned().collect();
    for post in pattern.kids.iter().skip(2) {
        let fit = left.iter().position(|other| {
            let mut trial = found.clone();
            let fit = fits(post, other, &mut trial);
            if fit {
                *found = trial;
            }
            fit
        });
        match fit {
            Some(at) => {
                left.remove(at);
            }
            None => return false,
        }
    }
    if pattern.text == "other" && node.text != "other" || !open && pattern.text != node.text {
        return false;
    }
    let quantified = !pattern.kid(0).is_nil();
    if quantified && !fits(pattern.kid(0), node.kid(0), found) {
        return false;
    }
    if !open {
        return left.is_empty() && (quantified || node.kid(0).is_nil()) && fits(pattern.kid(1), node.kid(1), found);
    }
    let quantifier = if quantified { TextNode::nil() } else { node.kid(0).clone() };
    let other = if pattern.text == "other" { "" } else { node.text.as_str() };
    let placed = pattern.kids.iter().skip(2).any(|post| post.kind == TextNodeKind::In);
    let rest = if quantifier.is_nil() && left.is_empty() && other.is_empty() && !placed {
        node.kid(1).clone()
    } else {
        let mut kids = vec![quantifier, node.kid(1).clone()];
        kids.append(&mut left);
        // the filter says where it is, so the place is not printed again
        if pattern.kids.iter().skip(2).any(|post| matches!(post.kind, TextNodeKind::Of | TextNodeKind::In)) {
            let where_it_is = pattern.kids.iter().skip(2).filter(|post| post.kind == TextNodeKind::In).cloned().collect();
            kids.push(TextNode::new(TextNodeKind::Other, "", where_it_is, node.span));
        }
        TextNode::new(TextNodeKind::Phrase, other, kids, node.span)
    };
    bind(&pattern.kid(1).text, rest, found)
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
