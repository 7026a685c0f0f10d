//! Renamed words: the old words of declarations (`renamed action dole to deal_damage`), which texts may still use.
//!
//! An item that uses an old word is parsed again, with the new word in its place, before anything else reads it. So the rest of the compiler
//! knows no old words, and suggests none. Old words that something declares are not renamed.

use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{self, MAX_RENAMED_WORDS};
use crate::names::{NameTable, duplicate_declaration};
use crate::verb_forms::{inflect_like, is_inflected_form, is_third_person_of};
use fizzle_grammar::ast::{
    DifferenceKind, Expr, ExprKind, Head, Item, ItemKind, Name, Path, Phrase, Quantifier, Span, Statement, StatementKind,
};
use fizzle_grammar::visit::mutate::{self, MutVisitor};
use fizzle_grammar::visit::{self, DeclKind, NameRole, Visitor};
use fizzle_ir::verbs::VERBS;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use typed_arena::Arena;

/// The kinds of declarations that can be renamed: their word, and the kind under which the name table knows them.
const KINDS: &[(&str, DeclKind, &str)] = &[
    ("action", DeclKind::Action, "action"),
    ("constant", DeclKind::Constant, "constant"),
    ("function", DeclKind::Function, "function"),
    ("global", DeclKind::Global, "global variable"),
    ("keyword", DeclKind::Keyword, "keyword"),
    ("noun", DeclKind::Noun, "noun"),
    ("phase", DeclKind::Period, ""),
    ("play", DeclKind::Play, "play"),
    ("player", DeclKind::Player, "player variable"),
    ("property", DeclKind::Property, "property"),
    ("status", DeclKind::Status, "status"),
    ("step", DeclKind::Period, ""),
    ("traits", DeclKind::Traits, "traits item"),
    ("word", DeclKind::TraitWord, "trait word"),
    ("zone", DeclKind::Zone, "zone"),
];

/// A name space: names of one space never mean something of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    /// Actions and plays.
    Verbs,
    /// What expressions name, phases and steps included.
    Words,
}

/// The name space of a kind of declarations that can be renamed.
fn space_of(kind: DeclKind) -> Option<Space> {
    match kind {
        DeclKind::Action | DeclKind::Play => Some(Space::Verbs),
        _ => KINDS.iter().any(|(_, known, _)| *known == kind).then_some(Space::Words),
    }
}

/// An old word.
#[derive(Clone, Debug)]
struct OldWord {
    kind: DeclKind,
    /// The word of its kind.
    kind_word: SmolStr,
    old: SmolStr,
    new: SmolStr,
    /// The place of its declaration.
    span: Span,
    /// Another declaration has its name and is never called: only calls mean the old one.
    only_called: bool,
}

/// A use of an old word in an item.
#[derive(Clone, Debug)]
struct OldUse<'r> {
    word: &'r OldWord,
    span: Span,
    /// What is written at its place.
    written: String,
    /// What is to be written there.
    with: String,
}

/// The old words of a game.
#[derive(Clone, Debug, Default)]
pub struct RenamedWords {
    words: Vec<OldWord>,
    /// The names of actions and plays.
    verbs: Vec<SmolStr>,
    /// Old words that are names of parameters of actions, which patterns can mention.
    event_params: BTreeSet<SmolStr>,
}

impl RenamedWords {
    /// Collects the old words of a game that nothing declares.
    pub fn collect(items: &[&Item]) -> Self {
        let mut words: Vec<OldWord> = Vec::new();
        for item in items {
            if let ItemKind::Renaming { kind, old, new } = &item.kind
                && let Some((_, known, _)) = KINDS.iter().find(|(word, ..)| *word == kind.text)
                && words.len() < MAX_RENAMED_WORDS
            {
                let (kind_word, old, new, span) = (kind.text.clone(), old.text.clone(), new.text.clone(), item.span);
                words.push(OldWord { kind: *known, kind_word, old, new, span, only_called: false });
            }
        }
        if words.is_empty() {
            return Self::default();
        }
        let mut declared = Declarations::default();
        for item in items.iter().filter(|item| !matches!(item.kind, ItemKind::Card(_) | ItemKind::Deck(_))) {
            declared.is_action = matches!(item.kind, ItemKind::Action(_));
            declared.with_body = matches!(item.kind, ItemKind::Keyword { with_body: true, .. });
            visit::item(item, &mut declared);
        }
        words.retain_mut(|word| {
            let mut others = declared.names.iter().filter(|(kind, name, _)| {
                *name == word.old && space_of(*kind).is_some() && space_of(*kind) == space_of(word.kind)
            });
            let is_free = others.clone().next().is_none();
            // A keyword with a block is called nowhere.
            word.only_called = !is_free && word.kind == DeclKind::Function && others.all(|(.., with_body)| *with_body);
            is_free || word.only_called
        });
        let verbs = declared.names.iter().filter(|(kind, ..)| space_of(*kind) == Some(Space::Verbs));
        let verbs = verbs.map(|(_, name, _)| name.clone()).collect();
        let event_params = declared.params.into_iter().filter(|param| words.iter().any(|word| word.old == *param)).collect();
        Self { words, verbs, event_params }
    }

    /// The old words of names, each with the new one.
    pub fn pairs(&self) -> impl Iterator<Item = (&SmolStr, &SmolStr)> {
        self.words.iter().map(|word| (&word.old, &word.new))
    }

    /// The item with the new words: itself if it uses no old one, else a copy in the arena.
    pub fn rewritten<'i>(&self, item: &'i Item, text: &str, arena: &'i Arena<Item>) -> &'i Item {
        if !self.may_be_in(item, text) {
            return item;
        }
        let uses = self.uses_of_names(item);
        let names = uses.iter().map(|used| (used.span.start, SmolStr::new(&used.with))).collect();
        let mut again = if uses.is_empty() { None } else { fizzle_grammar::parse_item_with_names(item.span.file, text, names) };
        let mut counting = CountedVerbs { by: self, text, uses: Vec::new() };
        let mut counted = again.as_ref().unwrap_or(item).clone();
        mutate::item_mut(&mut counted, &mut counting);
        if !counting.uses.is_empty() {
            again = Some(counted);
        }
        again.map_or(item, |again| arena.alloc(again))
    }

    /// The warnings for the old words that an item uses.
    pub fn report(&self, item: &Item, text: &str) -> Vec<Diagnostic> {
        if !self.may_be_in(item, text) {
            return Vec::new();
        }
        let mut uses = self.uses_of_names(item);
        let mut counting = CountedVerbs { by: self, text, uses: Vec::new() };
        mutate::item_mut(&mut item.clone(), &mut counting);
        uses.append(&mut counting.uses);
        uses.into_iter().map(diagnostic).collect()
    }

    /// A quick test. An old verb of several words can be written with a number between them.
    fn may_be_in(&self, item: &Item, text: &str) -> bool {
        let is_in = |word: &OldWord| word.old.split('_').filter(|part| !part.is_empty()).all(|part| text.contains(stem(part)));
        !matches!(item.kind, ItemKind::Renaming { .. } | ItemKind::Foreign(_)) && self.words.iter().any(is_in)
    }

    fn uses_of_names<'r>(&'r self, item: &Item) -> Vec<OldUse<'r>> {
        let mut finder = Finder { by: self, scopes: vec![Scope::default()], uses: Vec::new() };
        visit::item(item, &mut finder);
        finder.uses
    }

    /// The old word that a name is, among those of a name space.
    fn word(&self, name: &str, space: Space, is_called: bool) -> Option<&OldWord> {
        let fits = |word: &&OldWord| space_of(word.kind) == Some(space) && (is_called || !word.only_called);
        self.words.iter().filter(fits).find(|word| word.old == name)
    }

    /// The old verb that a written verb is a form of.
    fn verb(&self, written: &str) -> Option<&OldWord> {
        let mut verbs = self.words.iter().filter(|word| space_of(word.kind) == Some(Space::Verbs));
        let found = verbs.find(|word| is_inflected_form(&word.old, written, true))?;
        let built_in = VERBS.iter().any(|verb| verb.pattern_words.contains(&written));
        (!built_in && !self.verbs.iter().any(|verb| is_inflected_form(verb, written, true))).then_some(found)
    }
}

/// The part of a word that all of its forms begin with.
fn stem(word: &str) -> &str {
    let short = word.strip_suffix(['y', 'e']).unwrap_or(word);
    if short.is_empty() { word } else { short }
}

fn diagnostic(used: OldUse<'_>) -> Diagnostic {
    let OldUse { word, span, written, with } = used;
    Diagnostic::new(&codes::RENAMED_WORD, span, format!("`{}` was renamed to `{}`", word.old, word.new))
        .label(format!("the old word of this {}", word.kind_word))
        .also(word.span, "renamed here")
        .help(format!("write `{with}`"))
        .fix(written, with)
}

/// Collects the names that the items of a game declare.
#[derive(Default)]
struct Declarations {
    /// The kind and the name, and whether it is a keyword with a block.
    names: Vec<(DeclKind, SmolStr, bool)>,
    /// The names of the parameters of actions.
    params: BTreeSet<SmolStr>,
    is_action: bool,
    with_body: bool,
}

impl Visitor for Declarations {
    fn name(&mut self, role: NameRole, name: &Name) {
        match role {
            NameRole::Declares(kind) => self.names.push((kind, name.text.clone(), self.with_body && kind == DeclKind::Keyword)),
            NameRole::Parameter if self.is_action => drop(self.params.insert(name.text.clone())),
            _ => {}
        }
    }

    fn path(&mut self, _: &Path) {}

    fn period(&mut self, name: &Name) {
        self.names.push((DeclKind::Period, name.text.clone(), false));
    }

    fn enter(&mut self) {}

    fn event(&mut self, _: &Name) {}

    fn leave(&mut self) {}
}

/// A scope of local names.
#[derive(Default)]
struct Scope {
    locals: BTreeSet<SmolStr>,
    /// The parameters of an event are known in it.
    has_event: bool,
}

/// Finds the uses of old words that are single names.
struct Finder<'r> {
    by: &'r RenamedWords,
    scopes: Vec<Scope>,
    uses: Vec<OldUse<'r>>,
}

impl<'r> Finder<'r> {
    fn add(&mut self, word: Option<&'r OldWord>, name: &Name) {
        if let Some(word) = word {
            let with = match space_of(word.kind) {
                Some(Space::Verbs) => inflect_like(&word.old, &name.text, &word.new),
                _ => word.new.to_string(),
            };
            self.uses.push(OldUse { word, span: name.span, written: name.text.to_string(), with });
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.locals.contains(name) || scope.has_event && self.by.event_params.contains(name))
    }
}

impl Visitor for Finder<'_> {
    fn name(&mut self, role: NameRole, name: &Name) {
        if name.is_quoted() {
            return;
        }
        let word = match role {
            NameRole::Binds | NameRole::Parameter => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.locals.insert(name.text.clone());
                }
                None
            }
            NameRole::Word if self.is_local(&name.text) => None,
            NameRole::Word | NameRole::Fact | NameRole::Changed | NameRole::Type => self.by.word(&name.text, Space::Words, false),
            NameRole::Called => self.by.word(&name.text, Space::Words, true),
            NameRole::Verb => self.by.verb(&name.text),
            NameRole::Replaces(kind) | NameRole::RefersTo(kind) => match space_of(kind) {
                Some(Space::Verbs) => self.by.verb(&name.text),
                Some(Space::Words) => self.by.word(&name.text, Space::Words, false).filter(|word| word.kind == kind),
                None => None,
            },
            NameRole::Declares(_) | NameRole::Quoted | NameRole::Seat | NameRole::Setting => None,
        };
        self.add(word, name);
    }

    fn path(&mut self, path: &Path) {
        let is_single = path.parts.len() == 1;
        let is_verb =
            is_single || path.parts.first().is_some_and(|kind| matches!(kind.text.as_str(), "action" | "play" | "treat"));
        for part in path.parts.iter().filter(|part| !part.is_quoted()) {
            let verb = if is_verb { self.by.word(&part.text, Space::Verbs, false) } else { None };
            let word = verb.or_else(|| self.by.word(&part.text, Space::Words, false));
            self.add(word, part);
        }
    }

    fn period(&mut self, _: &Name) {
        self.enter();
    }

    fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn event(&mut self, _: &Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.has_event = true;
        }
    }

    fn leave(&mut self) {
        self.scopes.pop();
    }
}

/// Finds and rewrites old verbs of several words with a number between them: `deal 3 harm` for `deal_harm`.
struct CountedVerbs<'r, 't> {
    by: &'r RenamedWords,
    text: &'t str,
    uses: Vec<OldUse<'r>>,
}

impl MutVisitor for CountedVerbs<'_, '_> {
    fn statements(&mut self, all: &mut Vec<Statement>) {
        for statement in all {
            let StatementKind::Calls(calls) = &mut statement.kind else { continue };
            for call in calls {
                let Some(operand) = call.operands.first_mut() else { continue };
                let Some((count, noun)) = counted(operand) else { continue };
                let mut actions = self.by.words.iter().filter(|word| word.kind == DeclKind::Action);
                let Some((word, verb)) = actions.find_map(|word| {
                    let verb = word.old.strip_suffix(noun.as_str())?.strip_suffix('_')?;
                    let is_form = verb == call.verb.text || is_third_person_of(verb, &call.verb.text);
                    is_form.then_some((word, verb))
                }) else {
                    continue;
                };
                let with = inflect_like(verb, &call.verb.text, &word.new);
                let span = Span { end: operand.span.end, ..call.verb.span };
                let slice = |span: Span| self.text.get(span.start as usize..span.end as usize).unwrap_or("").to_owned();
                let (written, number) = (slice(span), slice(count.span));
                self.uses.push(OldUse { word, span, written, with: format!("{with} {number}") });
                call.verb.text = with.into();
                *operand = count;
            }
        }
    }
}

/// The number and the noun of `3 harm`.
fn counted(operand: &Expr) -> Option<(Expr, SmolStr)> {
    let ExprKind::Phrase(Phrase { quantifier: Some(Quantifier::Exactly(count)), other: false, head: Head::Word(noun), filters }) =
        &operand.kind
    else {
        return None;
    };
    filters.is_empty().then(|| (count.as_ref().clone(), noun.text.clone()))
}

/// Reports renamings whose kind is unknown, whose new word the game does not declare, or whose old word it still does.
pub fn check(items: &[&Item], names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let (mut first, mut count): (BTreeMap<(&str, &str), Span>, usize) = (BTreeMap::new(), 0);
    for item in items {
        match &item.kind {
            ItemKind::Renaming { kind, old, new } => {
                if let Some(earlier) = first.insert((&kind.text, &old.text), old.span) {
                    diagnostics.push(duplicate_declaration("old word", &old.text, old.span, earlier));
                }
                count += 1;
                if count == MAX_RENAMED_WORDS + 1 {
                    let message = format!("the game has more than {MAX_RENAMED_WORDS} old words");
                    diagnostics.push(limits::exceeded(item.span, message, "leave the oldest ones out"));
                }
                check_one(kind, old, new, names, diagnostics);
            }
            ItemKind::Format { differences, .. } => {
                for difference in differences {
                    if let DifferenceKind::Add(added) = &difference.kind
                        && matches!(added.kind, ItemKind::Renaming { .. })
                    {
                        let message = "renamed words apply to all formats of a game";
                        let problem = Diagnostic::new(&codes::MISPLACED_FORM, added.span, message);
                        diagnostics.push(problem.help("write it outside of the format"));
                    }
                }
            }
            _ => {}
        }
    }
}

fn check_one(kind: &Name, old: &Name, new: &Name, names: &NameTable<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Some((_, known, table)) = KINDS.iter().find(|(word, ..)| *word == kind.text) else {
        let message = format!("`{}` is no kind of declaration that can be renamed", kind.text);
        let list = KINDS.iter().map(|(word, ..)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, kind.span, message);
        diagnostics
            .push(problem.did_you_mean(&kind.text, KINDS.iter().map(|(word, ..)| *word)).or_help(format!("write one of {list}")));
        return;
    };
    let last = |path: &str| path.rsplit('.').next().map(SmolStr::new);
    let declared: Vec<SmolStr> = match known {
        DeclKind::Period => names.periods.keys().filter_map(|path| last(path)).collect(),
        DeclKind::Action => names.actions.keys().cloned().collect(),
        _ => names.names_of(table).cloned().collect(),
    };
    if !declared.contains(&new.text) {
        let problem = Diagnostic::new(&codes::UNKNOWN_NAME, new.span, format!("no {} is called `{}`", kind.text, new.text));
        diagnostics.push(
            problem
                .did_you_mean(&new.text, declared.iter().map(SmolStr::as_str))
                .or_help("behind `to` write the word that the game declares now"),
        );
    } else if declared.contains(&old.text) && names.scopes.different_packs(names.span_of(table, &old.text), old.span).is_none() {
        let problem = Diagnostic::new(&codes::DUPLICATE, old.span, format!("the {} `{}` is still declared", kind.text, old.text));
        diagnostics.push(problem.also(names.span_of(table, &old.text), "declared here").help("leave the renaming out"));
    }
}
