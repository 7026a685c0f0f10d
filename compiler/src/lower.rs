//! Lowering: compiles the syntax tree of a game into IR functions, choice sites, abilities and tables.
//!
//! One [`Lowering`] builds the library of one game. A [`LoweringSnapshot`] holds the result of the declarations; [`Lowering::resume`]
//! continues from it, so that single items can be lowered again.

pub mod ability;
mod ability_bundles;
pub mod call;
pub mod card;
pub mod choice;
pub mod constant;
pub mod constraint;
pub mod control;
mod copy;
mod cost;
mod declaration_clause;
pub mod delayed_ability;
pub mod effect;
pub mod expr;
mod form_hints;
pub mod function_builder;
mod functions;
mod kind_check;
pub mod local;
mod memory;
mod nonnegative_operand;
pub mod operand;
pub mod pattern;
pub mod phrase;
pub mod play;
pub mod predicate;
mod relation;
pub mod remap;
mod rematerialize;
pub mod selection;
mod shorthand;
pub mod statement;
mod taken_cards;
mod text_change;
mod total;
pub mod turn;
pub mod type_narrowing;
mod usage_hints;
pub mod value;
pub mod word_value;
pub mod would_act;

use crate::diagnostics::{Code, Diagnostic};
use crate::limits::{self, MAX_GAME_OPERATIONS, MAX_ITEM_OPERATIONS, MAX_LOWERING_DEPTH};
use crate::maps::IndexMap;
use crate::names::NameTable;
use crate::phrase_syntax::is_word;
use crate::sources::Sources;
use fizzle_grammar::ast::{Ability, AbilityKind, Expr, Span};
use fizzle_ir::op::Function;
use fizzle_ir::{AbilityBundleId, AbilityId, ActionId, FnId, KeywordId, Library, ListId, Op, Payment, Play, Type};
use function_builder::FunctionBuilder;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// An ability bundle before it is expanded. What a keyword stands for can differ by format, so the abilities follow when all formats are
/// resolved.
#[derive(Clone, Debug)]
pub enum BundleKind {
    /// A keyword with its arguments.
    Keyword(KeywordId, Vec<i32>),
    /// A single ability.
    Single(Vec<AbilityId>),
}

/// The item that is being lowered.
#[derive(Clone, Debug, Default)]
pub struct Owner {
    /// Its name: `card "NAME"`, `keyword NAME`, `setup`, …. Functions and abilities are named after it.
    pub name: String,
    /// Its place in the source, where a diagnostic depends on the item as a whole.
    pub span: Span,
    /// The number of its operations so far.
    pub operations: u64,
    /// Whether an exceeded limit of it was reported. Its remaining texts are not lowered.
    pub is_refused: bool,
}

impl Owner {
    /// An item without operations. A name of many characters is cut, since each of its functions has a copy.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let mut name = name.into();
        if let Some((end, _)) = name.char_indices().nth(MAX_OWNER_CHARS) {
            name.truncate(end);
        }
        Self { name, ..Self::default() }
    }
}

/// The greatest number of characters of the name of a function.
const MAX_OWNER_CHARS: usize = 256;

/// The bundles of one keyword that other bundles led to.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeywordVersions {
    /// Their number.
    pub count: usize,
    /// The number of operations of all its bundles.
    pub operations: u64,
    /// Whether an exceeded limit was reported.
    pub is_reported: bool,
}

/// Lowers the items of one game into a library.
pub struct Lowering<'a> {
    /// The names of the game and their meanings.
    pub names: &'a NameTable<'a>,
    /// The source files, for positions and texts.
    pub sources: &'a Sources,
    /// The library that is being built.
    pub library: Library,
    /// The decks of the game.
    pub decks: Vec<fizzle_ir::Deck>,
    /// The diagnostics reported so far.
    pub diagnostics: Vec<Diagnostic>,
    /// Functions under construction, innermost last.
    pub funs: Vec<FunctionBuilder>,
    /// The source span that the next operation is attributed to.
    pub at: Span,
    /// The item that is being lowered.
    pub owner: Owner,
    /// The number of operations of the library so far.
    pub operations: u64,
    /// Whether the limit of operations of the game was reported. No further text is lowered.
    pub is_refused: bool,
    /// The nesting of the expressions and statements of the declaration that is being lowered.
    pub depth: u32,
    /// The nesting of the expressions and statements of all declarations that are being lowered.
    pub stack_depth: u32,
    /// The words of each trait set with their numbers. Open sets grow as their words are met.
    pub words: Vec<IndexMap<SmolStr, u16>>,
    /// Ability bundles by number.
    pub bundles: Vec<BundleKind>,
    /// The bundle number of each keyword with its arguments.
    pub keyword_bundles: IndexMap<(KeywordId, Vec<i32>), AbilityBundleId>,
    /// Declared functions that something calls; each is lowered at its first use.
    pub declared_functions: IndexMap<SmolStr, FnId>,
    /// While this is not 0, local names are hidden: the meaning of a noun does not see the names of the text that uses it.
    pub hidden_locals_depth: u32,
    /// Shared functions of at most two operations: their registers and code, and their number.
    small_functions: IndexMap<(Vec<Type>, Vec<String>), FnId>,
    lists: IndexMap<Vec<i32>, ListId>,
    /// The number of keywords that are being expanded, each in the one before.
    pub keyword_depth: u32,
    /// The bundles of each keyword that other bundles led to.
    pub keyword_versions: BTreeMap<KeywordId, KeywordVersions>,
    /// The number of changeable words for which the versions of a keyword were added, by keyword and arguments other than those words.
    pub added_versions: BTreeMap<(KeywordId, Vec<i32>), usize>,
    /// The values of constants, by number: `None` if it is not constant.
    pub constant_values: BTreeMap<u32, Option<i64>>,
    /// Abilities and keywords that a keyword stands for, by version of the keyword and arguments.
    pub lowered_keywords: IndexMap<(usize, Vec<i32>), Vec<KeywordPart>>,
    /// The functions that say when an action can be a cost, by the body of the action.
    pub cost_conditions: BTreeMap<FnId, Vec<FnId>>,
    /// Where a keyword has an argument that is a word of another set than its parameter's.
    pub foreign_arguments: BTreeMap<(KeywordId, Vec<i32>), Span>,
    /// Lowered plays, by the address of their syntax node. Formats that share a play share its code.
    pub plays: BTreeMap<usize, Play>,
    /// The span of the first optional cost, additional cost or announced number. They require a stage of the announcement policy.
    pub first_value: Option<Span>,
    /// Lowered payments, by the address of their syntax node.
    pub payments: BTreeMap<usize, Payment>,
    /// Where `opponent` means a single player; games of more than two players reject that.
    pub single_opponents: BTreeSet<Span>,
    /// How often `this` was lowered as a value.
    pub uses_of_this: usize,
    /// The last subject that was written in the sentence before a `then`: that of a verb in the third person without its own.
    pub(crate) sentence_subject: Option<operand::Subject<'a>>,
    /// In the text of an object that resolves: the number of open functions.
    pub paragraph_level: Option<usize>,
    /// Actions of `declare` statements.
    pub declared_actions: BTreeSet<ActionId>,
    /// Actions of the game (not built-in ones) that triggers wait for, with the span of the verb.
    pub awaited_actions: Vec<(usize, Span)>,
    /// Names of plays that scenarios use. They are checked when all plays are known.
    pub scripted_verbs: Vec<fizzle_grammar::ast::Name>,
    /// The declared action of each declaration clause, by the span of its verb.
    pub clause_actions: BTreeMap<Span, ActionId>,
    /// The span of each choice site, by its number; prompts are made of the words there.
    pub choice_spans: BTreeMap<u32, Span>,
    /// The conditions on announced costs around the current statement, each with the number of the function that tests it and whether it
    /// must not hold.
    pub option_guards: Vec<(usize, &'a Expr, bool)>,
    /// The span of the choice that is being lowered.
    pub choice_span: Span,
    /// Whether a stage is being lowered, in whose position `this` is its card.
    pub in_stage: bool,
    /// Whether the phrase whose selection is lowered next may have a condition on a total.
    pub takes_total: bool,
    /// The number of entries of named positions that scenarios have repeated.
    pub repeated_entries: usize,
}

/// One element of what a keyword stands for.
#[derive(Clone, Debug)]
pub enum KeywordPart {
    /// An ability.
    Ability(AbilityId),
    /// Another keyword with its arguments.
    Keyword(KeywordId, Vec<i32>),
}

/// A value in a register of the innermost function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedRegister {
    /// The register.
    pub reg: u16,
    /// The type. `None` if lowering the value has failed and was reported: no further error is reported about it.
    pub ty: Option<Type>,
    /// The register of the list that the value is the only element of, if it was selected as a list.
    pub list: Option<u16>,
    /// Whether it is what a statement or a cost has moved. Its values are those that it had as it left (CR 608.2h), see
    /// [`Lowering::as_it_left`].
    pub is_moved: bool,
}

impl TypedRegister {
    /// Returns a value of a known type.
    #[must_use]
    pub fn new(reg: u16, ty: Type) -> Self {
        Self { reg, ty: Some(ty), list: None, is_moved: false }
    }
}

/// The results of the declarations that lowering a card requires. [`Lowering::resume`] starts from a copy of it.
#[derive(Clone, Debug, Default)]
pub struct LoweringSnapshot {
    library: Library,
    /// The words of each trait set with their numbers.
    pub words: Vec<IndexMap<SmolStr, u16>>,
    lists: IndexMap<Vec<i32>, ListId>,
}

/// The number of diagnostics of an item that say what a foreign phrase is called.
const MAX_DIAGNOSTICS_WITH_PHRASES: usize = 1_000;

impl<'a> Lowering<'a> {
    /// Returns the snapshot for [`Lowering::resume`]; to be taken when the declarations are lowered.
    #[must_use]
    pub fn snapshot(&self) -> LoweringSnapshot {
        let library = Library { files: Vec::new(), ..self.library.clone() };
        LoweringSnapshot { library, words: self.words.clone(), lists: self.lists.clone() }
    }

    /// Continues after the declarations, from a copy of their snapshot.
    #[must_use]
    pub fn resume(names: &'a NameTable<'a>, sources: &'a Sources, snapshot: &LoweringSnapshot) -> Self {
        let mut lower = Self::new(names, sources);
        lower.library = snapshot.library.clone();
        lower.words.clone_from(&snapshot.words);
        lower.lists.clone_from(&snapshot.lists);
        lower
    }

    /// Starts an empty library. Words of closed trait sets have their numbers already.
    pub fn new(names: &'a NameTable<'a>, sources: &'a Sources) -> Self {
        crate::diagnostics::reset_comparisons();
        let mut lower = Self {
            names,
            sources,
            library: Library::default(),
            decks: Vec::new(),
            diagnostics: Vec::new(),
            funs: Vec::new(),
            at: Span::default(),
            owner: Owner::default(),
            operations: 0,
            is_refused: false,
            depth: 0,
            stack_depth: 0,
            words: Vec::new(),
            bundles: Vec::new(),
            keyword_bundles: IndexMap::default(),
            declared_functions: IndexMap::default(),
            hidden_locals_depth: 0,
            small_functions: IndexMap::default(),
            lists: IndexMap::default(),
            keyword_depth: 0,
            keyword_versions: BTreeMap::new(),
            added_versions: BTreeMap::new(),
            constant_values: BTreeMap::new(),
            lowered_keywords: IndexMap::default(),
            cost_conditions: BTreeMap::new(),
            foreign_arguments: BTreeMap::new(),
            plays: BTreeMap::new(),
            first_value: None,
            payments: BTreeMap::new(),
            single_opponents: BTreeSet::new(),
            uses_of_this: 0,
            sentence_subject: None,
            paragraph_level: None,
            declared_actions: BTreeSet::new(),
            awaited_actions: Vec::new(),
            scripted_verbs: Vec::new(),
            clause_actions: BTreeMap::new(),
            choice_spans: BTreeMap::new(),
            option_guards: Vec::new(),
            choice_span: Span::default(),
            in_stage: false,
            takes_total: false,
            repeated_entries: 0,
        };
        lower.words = names
            .traits
            .iter()
            .map(|set| {
                set.words
                    .iter()
                    .flatten()
                    .chain(&set.initial_words)
                    .enumerate()
                    .map(|(n, word)| (word.clone(), n as u16))
                    .collect()
            })
            .collect();
        lower
    }

    /// Adds a diagnostic, with help if its word is a term of another game.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        // What is not lowered any more, because a limit is exceeded, seems to be missing or unused elsewhere.
        if self.is_refused || self.owner.is_refused {
            return;
        }
        let word = self.sources.slice(diagnostic.span);
        let diagnostic = self.names.add_foreign_term_help(diagnostic, word);
        // The line of an error is searched for phrases, so an item with thousands of errors in one line would take long.
        let is_one_of_many = self.diagnostics.len() >= MAX_DIAGNOSTICS_WITH_PHRASES;
        let phrase = if is_one_of_many { None } else { self.names.foreign_phrase_help(&diagnostic, self.sources) };
        let Some(help) = phrase else { return self.diagnostics.push(diagnostic) };
        // A phrase is one error, though several of its words are unknown.
        let line = |span: Span| (span.file, self.sources.place(span.file, span.start).line);
        let is_same_phrase = |last: &Diagnostic| last.help.first() == Some(&help) && line(last.span) == line(diagnostic.span);
        if !self.diagnostics.last().is_some_and(is_same_phrase) {
            self.diagnostics.push(Diagnostic { help: vec![help], fixes: Vec::new(), ..diagnostic });
        }
    }

    /// Drops the problems of what was lowered as a trial, or is reported elsewhere. A limit that it exceeds stays: nothing else is reported after it.
    pub fn forget_problems_since(&mut self, known: usize) {
        let new = self.diagnostics.split_off(known);
        self.diagnostics.extend(new.into_iter().filter(|problem| problem.code.code == crate::diagnostics::codes::LIMIT.code));
    }

    /// Reports an error that has a message only.
    pub fn error(&mut self, code: &'static Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Reports a name that is too long.
    pub fn check_name(&mut self, name: &fizzle_grammar::ast::Name) {
        if let Some(problem) = limits::long_name(name) {
            self.report(problem);
        }
    }

    /// Adds a function to the library. Functions of at most two operations that only return a constant are shared.
    pub fn add_function(&mut self, function: Function) -> FnId {
        let small = function.ops.len() <= 2
            && function.text_slots.is_empty()
            && function.params == 2
            && function.ops.iter().all(|op| matches!(op, Op::Const { .. } | Op::Return { .. } | Op::List { .. }));
        let key = small.then(|| {
            let ops = function.ops.iter().map(|op| format!("{op:?}")).collect::<Vec<_>>();
            (function.registers.clone(), ops)
        });
        if let Some(known) = key.as_ref().and_then(|key| self.small_functions.get(key)) {
            return *known;
        }
        let id = FnId(self.library.functions.len() as u32);
        self.library.functions.push(function);
        if let Some(key) = key {
            self.small_functions.insert(key, id);
        }
        id
    }

    /// Returns the number of a constant list; equal lists share one.
    pub fn intern_list(&mut self, values: Vec<i32>) -> ListId {
        if let Some(id) = self.lists.get(&values) {
            return *id;
        }
        let id = ListId(self.library.lists.len() as u32);
        self.library.lists.push(values.clone());
        self.lists.insert(values, id);
        id
    }

    /// Counts operations of the item that is being lowered. Reports it if they are too many.
    pub fn count_operations(&mut self, count: u64) {
        self.operations += count;
        self.owner.operations += count;
        if self.owner.operations > MAX_ITEM_OPERATIONS {
            let message = format!("this text needs more than {MAX_ITEM_OPERATIONS} operations");
            self.refuse_owner(message, "write it as several cards, rules or actions");
        } else if self.operations > MAX_GAME_OPERATIONS && !std::mem::replace(&mut self.is_refused, true) {
            self.refuse(limits::too_many_operations(self.at));
        }
    }

    /// Reports a limit that the item exceeds, once. The rest of its text is not lowered.
    pub fn refuse_owner(&mut self, message: String, help: &str) {
        self.refuse(limits::exceeded(self.at, message, help));
    }

    fn refuse(&mut self, problem: Diagnostic) {
        if !std::mem::replace(&mut self.owner.is_refused, true) {
            self.diagnostics.push(problem);
        }
    }

    /// Runs `lower` one level deeper. Returns `None` if the nesting is too deep, or if the item exceeds a limit; that was reported.
    pub fn nested<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.owner.is_refused || self.is_refused {
            return None;
        }
        if self.depth >= MAX_LOWERING_DEPTH {
            let message = format!("nested more than {MAX_LOWERING_DEPTH} levels deep, with nouns written out");
            self.refuse_owner(message, "name a part of it with `let`, or by a `function`");
            return None;
        }
        self.depth += 1;
        self.stack_depth += 1;
        let value = lower(self);
        self.stack_depth -= 1;
        self.depth -= 1;
        Some(value)
    }

    /// Returns the bits of the zones in which an ability works: the named ones, or those in which it works without a name.
    pub fn ability_zones(&mut self, ability: &Ability) -> u32 {
        let mut mask = 0;
        for zone in &ability.zones {
            match self.names.zone_id(&zone.text) {
                Some(id) => mask |= 1 << id.0,
                None => self.report_unknown_zone(zone),
            }
        }
        if ability.zones.is_empty() { self.unnamed_zone(ability) } else { mask }
    }

    /// The bit of the zone in which an ability works that names none: the field, or the zone in which what a trigger on `this` waits for is reported.
    fn unnamed_zone(&self, ability: &Ability) -> u32 {
        let AbilityKind::When { pattern, .. } = &ability.kind else { return self.field_mask() };
        if !is_word(&pattern.subject, "this") {
            return self.field_mask();
        }
        let action = self
            .names
            .action_of_form(&pattern.verb.text, pattern.passive)
            .and_then(|id| self.names.actions.get_index(id.index()));
        let zone = action.and_then(|(_, action)| self.names.zone_id(action.reported_in.as_ref()?));
        zone.map_or_else(|| self.field_mask(), |zone| 1 << zone.0)
    }

    /// Returns the bit of the field, or all bits if the game has no field.
    pub fn field_mask(&self) -> u32 {
        let field = self.library.zones.iter().position(|zone| zone.field);
        field.map_or(u32::MAX, |index| 1 << index)
    }

    /// Reports a word that is not a zone.
    pub fn report_unknown_zone(&mut self, zone: &fizzle_grammar::ast::Name) {
        let names: Vec<&str> = self.names.zone_names().collect();
        self.report(
            Diagnostic::new(&crate::diagnostics::codes::UNKNOWN_NAME, zone.span, format!("there is no zone `{}`", zone.text))
                .did_you_mean(&zone.text, names.iter().copied())
                .or_help(format!(
                    "the zones are {}",
                    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )),
        );
    }
}
