//! Lowering: from the syntax tree to functions, sites, abilities and tables. One [`Lowering`] makes the library of one game.

pub mod ability;
pub mod call;
pub mod card;
pub mod choice;
pub mod constant;
pub mod constraint;
pub mod control;
mod copy;
mod count_operand;
mod declaration_clause;
pub mod delayed_ability;
pub mod effect;
pub mod expr;
pub mod function_builder;
mod kind_check;
pub mod local;
pub mod operand;
pub mod pattern;
pub mod phrase;
pub mod play;
pub mod predicate;
pub mod remap;
pub mod selection;
pub mod statement;
mod suggestions;
mod text_change;
pub mod turn;
pub mod type_narrowing;
pub mod value;
pub mod word_value;

use crate::diagnostics::{Code, Diagnostic};
use crate::maps::IndexMap;
use crate::names::NameTable;
use crate::sources::Sources;
use fizzle_grammar::ast::{Ability, Span};
use fizzle_runtime::ir::op::Function;
use fizzle_runtime::ir::{AbilityBundleId, AbilityId, ActionId, FnId, KeywordId, Library, ListId, Op, Payment, Play, Type};
use function_builder::FunctionBuilder;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// A unit under way: what it stands for is known when all formats are.
#[derive(Clone, Debug)]
pub enum BundleKind {
    /// A keyword with its arguments.
    Keyword(KeywordId, Vec<i32>),
    /// A single ability.
    Single(Vec<AbilityId>),
}

/// The state of a declared function.
#[derive(Clone, Copy, Debug)]
pub enum FunctionState {
    /// Its body is being lowered.
    Open,
    /// It is done.
    Done(FnId),
}

/// Lowers the items of one game into a library.
pub struct Lowering<'a> {
    /// What words mean.
    pub names: &'a NameTable<'a>,
    /// For places and texts.
    pub sources: &'a Sources,
    /// Under construction.
    pub library: Library,
    /// The decks of the game.
    pub decks: Vec<fizzle_runtime::ir::Deck>,
    /// Found on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// Functions under construction, innermost last.
    pub funs: Vec<FunctionBuilder>,
    /// Place of the operation being made.
    pub at: Span,
    /// What is being lowered, for names of functions and abilities.
    pub owner: String,
    /// Words of trait sets, open ones as they are met.
    pub words: Vec<IndexMap<SmolStr, u16>>,
    /// Units by number.
    pub units: Vec<BundleKind>,
    /// Keywords with arguments that have a number.
    pub keyword_units: IndexMap<(KeywordId, Vec<i32>), AbilityBundleId>,
    /// Declared functions that were needed.
    pub declared: IndexMap<SmolStr, FunctionState>,
    /// Locals are out of sight (the meaning of a noun is its own).
    pub hidden_locals_depth: u32,
    /// Functions of one or two operations, shared.
    small: IndexMap<(Vec<Type>, Vec<String>), FnId>,
    lists: IndexMap<Vec<i32>, ListId>,
    /// Abilities of keywords that stand in a circle are told once.
    pub keyword_stack: Vec<(KeywordId, Vec<i32>)>,
    /// Abilities lowered for (keyword version, arguments).
    pub spelled: IndexMap<(usize, Vec<i32>), Vec<KeywordPart>>,
    /// Nouns being expanded.
    pub noun_stack: Vec<SmolStr>,
    /// Plays and payments that are lowered, by the place of their text in the tree.
    pub plays: BTreeMap<usize, Play>,
    /// The first option, further cost or value that was met.
    pub first_value: Option<Span>,
    /// Payments likewise.
    pub payments: BTreeMap<usize, Payment>,
    /// Where `opponent` is one player.
    pub single_opponents: BTreeSet<Span>,
    /// Actions that something declares.
    pub declares: BTreeSet<ActionId>,
    /// Declared actions on which something triggers, and where.
    pub awaited: Vec<(usize, Span)>,
    /// Verbs of what players do in scenarios, to be found among all plays in the end.
    pub scripted: Vec<fizzle_grammar::ast::Name>,
    /// Where clauses say something about declarations of which action.
    pub clauses: BTreeMap<Span, ActionId>,
    /// Where each choice is written, for its words.
    pub asked: BTreeMap<u32, Span>,
    /// Where the choice under way is.
    pub asking: Span,
}

/// A part of what a keyword stands for.
#[derive(Clone, Debug)]
pub enum KeywordPart {
    /// An ability.
    Ability(AbilityId),
    /// Another keyword with its arguments.
    Keyword(KeywordId, Vec<i32>),
}

/// A value in a register of the innermost function. Without a type it stands for something that was already complained about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedRegister {
    /// Where it is.
    pub reg: u16,
    /// What it is.
    pub ty: Option<Type>,
    /// The list that it is the only element of, when it was chosen as one.
    pub list: Option<u16>,
}

impl TypedRegister {
    /// A value of a known type.
    #[must_use]
    pub fn new(reg: u16, ty: Type) -> Self {
        Self { reg, ty: Some(ty), list: None }
    }
}

/// What lowering a card needs of the declarations: kept, so that single cards can be lowered again.
#[derive(Clone, Debug, Default)]
pub struct LoweringSnapshot {
    library: Library,
    /// Words of trait sets.
    pub words: Vec<IndexMap<SmolStr, u16>>,
    lists: IndexMap<Vec<i32>, ListId>,
}

impl<'a> Lowering<'a> {
    /// What [`Lowering::resume`] begins with, once the declarations are done.
    #[must_use]
    pub fn keep(&self) -> LoweringSnapshot {
        let library = Library { files: Vec::new(), ..self.library.clone() };
        LoweringSnapshot { library, words: self.words.clone(), lists: self.lists.clone() }
    }

    /// Goes on after the declarations.
    #[must_use]
    pub fn resume(names: &'a NameTable<'a>, sources: &'a Sources, kept: &LoweringSnapshot) -> Self {
        let mut lower = Self::new(names, sources);
        lower.library = kept.library.clone();
        lower.words.clone_from(&kept.words);
        lower.lists.clone_from(&kept.lists);
        lower
    }

    /// Begins a library with the declared names.
    pub fn new(names: &'a NameTable<'a>, sources: &'a Sources) -> Self {
        let mut lower = Self {
            names,
            sources,
            library: Library::default(),
            decks: Vec::new(),
            diagnostics: Vec::new(),
            funs: Vec::new(),
            at: Span::default(),
            owner: String::new(),
            words: Vec::new(),
            units: Vec::new(),
            keyword_units: IndexMap::default(),
            declared: IndexMap::default(),
            hidden_locals_depth: 0,
            small: IndexMap::default(),
            lists: IndexMap::default(),
            keyword_stack: Vec::new(),
            spelled: IndexMap::default(),
            noun_stack: Vec::new(),
            plays: BTreeMap::new(),
            first_value: None,
            payments: BTreeMap::new(),
            single_opponents: BTreeSet::new(),
            declares: BTreeSet::new(),
            awaited: Vec::new(),
            scripted: Vec::new(),
            clauses: BTreeMap::new(),
            asked: BTreeMap::new(),
            asking: Span::default(),
        };
        lower.words = names
            .traits
            .iter()
            .map(|set| {
                set.words.iter().flatten().chain(&set.first).enumerate().map(|(n, word)| (word.clone(), n as u16)).collect()
            })
            .collect();
        lower
    }

    /// Tells a problem.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let word = self.sources.slice(diagnostic.span);
        self.diagnostics.push(self.names.add_foreign_term_help(diagnostic, word));
    }

    /// Tells a problem in one line.
    pub fn error(&mut self, code: &'static Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Adds code to the library; very small functions are shared.
    pub fn add_function(&mut self, function: Function) -> FnId {
        let small = function.ops.len() <= 2
            && function.slots.is_empty()
            && function.params == 2
            && function.ops.iter().all(|op| matches!(op, Op::Const { .. } | Op::Return { .. } | Op::List { .. }));
        let key = small.then(|| {
            let ops = function.ops.iter().map(|op| format!("{op:?}")).collect::<Vec<_>>();
            (function.registers.clone(), ops)
        });
        if let Some(known) = key.as_ref().and_then(|key| self.small.get(key)) {
            return *known;
        }
        let id = FnId(self.library.functions.len() as u32);
        self.library.functions.push(function);
        if let Some(key) = key {
            self.small.insert(key, id);
        }
        id
    }

    /// The number of a constant list.
    pub fn list(&mut self, values: Vec<i32>) -> ListId {
        if let Some(id) = self.lists.get(&values) {
            return *id;
        }
        let id = ListId(self.library.lists.len() as u32);
        self.library.lists.push(values.clone());
        self.lists.insert(values, id);
        id
    }

    /// The number of a keyword with its arguments.
    pub fn keyword_unit(&mut self, keyword: KeywordId, args: Vec<i32>) -> AbilityBundleId {
        if let Some(id) = self.keyword_units.get(&(keyword, args.clone())) {
            return *id;
        }
        let id = AbilityBundleId(self.units.len() as u32);
        self.units.push(BundleKind::Keyword(keyword, args.clone()));
        self.keyword_units.insert((keyword, args), id);
        id
    }

    /// The keywords that something has or gives.
    #[must_use]
    pub fn used_keywords(&self) -> BTreeSet<KeywordId> {
        self.keyword_units.keys().map(|(keyword, _)| *keyword).collect()
    }

    /// A new unit of single abilities.
    pub fn single_unit(&mut self, abilities: Vec<AbilityId>) -> AbilityBundleId {
        let id = AbilityBundleId(self.units.len() as u32);
        self.units.push(BundleKind::Single(abilities));
        id
    }

    /// The zones in which an ability works: the named ones, else the field.
    pub fn ability_zones(&mut self, ability: &Ability) -> u32 {
        let mut mask = 0;
        for zone in &ability.zones {
            match self.names.zone_id(&zone.text) {
                Some(id) => mask |= 1 << id.0,
                None => self.unknown_zone(zone),
            }
        }
        if ability.zones.is_empty() { self.field_mask() } else { mask }
    }

    /// The bits of the field; of all zones when the game has none.
    pub fn field_mask(&self) -> u32 {
        let field = self.library.zones.iter().position(|zone| zone.field);
        field.map_or(u32::MAX, |index| 1 << index)
    }

    /// Tells that a word is no zone.
    pub fn unknown_zone(&mut self, zone: &fizzle_grammar::ast::Name) {
        let names: Vec<String> = self.library.zones.iter().map(|zone| zone.name.clone()).collect();
        self.report(
            Diagnostic::new(&crate::diagnostics::codes::UNKNOWN_NAME, zone.span, format!("there is no zone `{}`", zone.text))
                .did_you_mean(&zone.text, names.iter().map(String::as_str))
                .or_help(format!(
                    "the zones are {}",
                    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )),
        );
    }
}
