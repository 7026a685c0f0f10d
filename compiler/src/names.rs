//! The name table of a game: numbers everything that its packs and formats declare. All formats of a game share these numbers.

mod collection;

use crate::card_scopes::CardScopes;
use crate::dependency_graph::Dependencies;
use crate::diagnostics::{Diagnostic, codes};
use crate::maps::IndexMap;
use crate::shorthand::relations::Relations;
use fizzle_grammar::ast::{
    Card, Expr, ExprKind, Head, Name, NamedPosition, Play, PrintRule, RestrictedPool, Span, TurnEntry, Variable,
    WordsAndAbilities,
};
use fizzle_ir::{ActionId, KeywordId, TraitSetId, Type, ZoneKindId};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The built-in attributes of an object, such as its owner.
pub const FACTS: &[&str] = &["owner", "controller", "zone", "name", "source", "host", "face"];

/// What a word can mean in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A word of a trait set.
    Word(TraitSetId, u16),
    /// A trait set.
    Traits(TraitSetId),
    /// A printed property.
    Property(u16),
    /// A status: a mutable value of an object.
    Status(u16),
    /// A variable of players.
    Player(u16),
    /// A variable of the game.
    Global(u16),
    /// A constant.
    Constant(u32),
    /// A zone kind.
    Zone(ZoneKindId),
    /// A noun: a name for a selection.
    Noun,
    /// A keyword.
    Keyword(KeywordId),
    /// A declared function.
    Function,
}

/// A declared trait set.
#[derive(Clone, Debug)]
pub struct TraitSetDecl {
    /// Its name.
    pub name: SmolStr,
    /// Its words, if it is closed.
    pub words: Option<Vec<SmolStr>>,
    /// The words that the declaration of an open set lists. Cards add others.
    pub initial_words: Vec<SmolStr>,
    /// Whether effects can change its words in texts.
    pub changeable: bool,
    /// What its words are to the abilities of an object.
    pub abilities: WordsAndAbilities,
}

/// The signature of an action.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name of the action.
    pub name: SmolStr,
    /// Names and types of its parameters.
    pub params: Vec<(SmolStr, Type)>,
    /// For each parameter: the zone from which its object is taken (`it: object in hand`).
    pub zones: Vec<Option<Name>>,
    /// The object parameter that acts (`by it`).
    pub acting_param: Option<usize>,
    /// The parent action. Patterns of the parent match this action too.
    pub parent: Option<ActionId>,
    /// Whether its triggers are determined in the state before the event (CR 603.10).
    pub looks_back: bool,
    /// The zone in which the object of the first parameter is when the action is reported: that of the parameter, if the action has no body and so
    /// moves nothing. A trigger on `this` works there without naming it.
    pub reported_in: Option<SmolStr>,
    /// Where it is declared.
    pub span: Span,
}

/// A declared function.
#[derive(Clone, Debug)]
pub struct FunctionDecl<'a> {
    /// Its parameters.
    pub params: Vec<(SmolStr, Type)>,
    /// The type of its value; `None` if the declared type is unknown.
    pub result: Option<Type>,
    /// The expression that computes its value.
    pub body: &'a Expr,
    /// The place of its name.
    pub span: Span,
}

/// A declared keyword.
#[derive(Clone, Debug)]
pub struct KeywordDecl {
    /// Its parameters.
    pub params: Vec<(SmolStr, Type)>,
    /// It is declared `with body`: each use has a block.
    pub with_body: bool,
    /// The verbs of the events that its abilities wait for; whether each is in the passive.
    pub events: Vec<(SmolStr, bool)>,
    /// The place of its name.
    pub span: Span,
}

/// Foreign words, each with the word of this game for it and an optional note.
pub type ForeignTerms = IndexMap<SmolStr, (SmolStr, Option<SmolStr>)>;

/// All names that a game declares.
#[derive(Debug, Default)]
pub struct NameTable<'a> {
    /// What the names of cards mean in each pack.
    pub scopes: Arc<CardScopes>,
    /// The meanings of each word in expressions.
    pub words: IndexMap<SmolStr, Vec<Meaning>>,
    /// Trait sets.
    pub traits: Vec<TraitSetDecl>,
    /// Layers in the order of application.
    pub layers: Vec<SmolStr>,
    /// Properties.
    pub properties: Vec<&'a Variable>,
    /// The property that a price without a word on a card is (`unlabelled mana_cost`).
    pub unlabelled_price: Option<SmolStr>,
    /// Statuses.
    pub statuses: Vec<&'a Variable>,
    /// Variables of players.
    pub players: Vec<&'a Variable>,
    /// Variables of the game.
    pub globals: Vec<&'a Variable>,
    /// The types of the entries of these four tables, in the order of the tables.
    pub types: [Vec<Type>; 4],
    /// Zone kinds with their settings.
    pub zones: Vec<(&'a Name, &'a [Vec<Name>])>,
    /// Settings that packs add to zones of their game.
    pub zone_additions: Vec<(&'a Name, &'a [Vec<Name>])>,
    /// The statuses that costs of options set as a play is announced: `additional cost kicked { … }`.
    pub option_statuses: BTreeSet<&'a str>,
    /// The rules of `kind … prints …`.
    pub kinds: Vec<(&'a Name, &'a [PrintRule])>,
    /// The same by kind, each once: packs may repeat a rule, and each card is compared with each.
    pub print_rules: IndexMap<(bool, &'a str), (&'a Name, Vec<&'a PrintRule>)>,
    /// Nouns.
    pub nouns: IndexMap<SmolStr, &'a Expr>,
    /// Relations.
    pub relations: Relations<'a>,
    /// Functions.
    pub functions: IndexMap<SmolStr, FunctionDecl<'a>>,
    /// Actions by name, built-in verbs first.
    pub actions: IndexMap<SmolStr, Signature>,
    /// Keywords.
    pub keywords: IndexMap<SmolStr, KeywordDecl>,
    /// Plays.
    pub plays: IndexMap<SmolStr, &'a Play>,
    /// The plays that resolve the texts of cards.
    pub text_resolvers: crate::text_resolvers::TextResolvers<'a>,
    /// What the actions do to their object.
    pub action_effects: crate::action_effects::ActionEffects,
    /// Words of other games, with the words of this game for them.
    pub foreign: ForeignTerms,
    /// The phrases among them.
    pub foreign_phrases: crate::foreign_terms::ForeignPhrases,
    /// Payments, each with the trait set of its kinds.
    pub payments: IndexMap<SmolStr, &'a Name>,
    /// The pools whose units pay only for some objects, by their variable. The payment of prices has all of them.
    pub pools: IndexMap<SmolStr, &'a RestrictedPool>,
    /// Constants with the value of the game.
    pub constants: IndexMap<SmolStr, &'a Expr>,
    /// Paths of the turn, phases and steps, with the place of each name. The turn is the first.
    pub periods: IndexMap<String, Span>,
    /// The turn of the game.
    pub turn: Option<&'a [TurnEntry]>,
    /// The paths that are phases.
    pub phases: BTreeSet<String>,
    /// Cards and tokens. The first entry is the nameless definition.
    pub cards: IndexMap<SmolStr, Option<&'a Card>>,
    /// How many `format` items there are.
    pub format_items: usize,
    /// Quoted names in the unparsed text of cards. The cards may print them as words.
    pub unparsed_words: BTreeSet<SmolStr>,
    /// Named positions of scenarios.
    pub positions: IndexMap<SmolStr, &'a NamedPosition>,
    /// What constants, nouns, functions and actions use.
    pub dependencies: Dependencies,
    /// Names of faces of other cards.
    pub faces: std::collections::BTreeSet<SmolStr>,
    declarations: IndexMap<(&'static str, SmolStr), Span>,
    /// Whether [`MAX_VERBS`] was reported.
    has_too_many_verbs: bool,
    /// Whether [`MAX_TRAIT_SETS`] was reported.
    has_too_many_trait_sets: bool,
}

impl<'a> NameTable<'a> {
    /// The type of a declared constant: `bool` if its value is `true`, `false`, a negation, or another constant of that type.
    #[must_use]
    pub fn constant_type(&self, constant: u32) -> Type {
        let mut value = self.constants.get_index(constant as usize).map(|(_, value)| *value);
        for _ in 0..=self.constants.len() {
            match value.map(|value| &value.kind) {
                Some(ExprKind::Not(_)) => return Type::Bool,
                Some(ExprKind::Phrase(phrase)) => match &phrase.head {
                    Head::Bool(_) => return Type::Bool,
                    Head::Word(name) if phrase.filters.is_empty() => value = self.constants.get(&name.text).copied(),
                    Head::Group(inner) if phrase.filters.is_empty() => value = Some(inner),
                    _ => return Type::Number,
                },
                _ => return Type::Number,
            }
        }
        Type::Number
    }

    /// The name of the zone that nouns search when no zone is named.
    #[must_use]
    pub fn field_zone(&self) -> Option<&'a str> {
        self.zone_with("field")
    }

    /// The zone where announced objects wait.
    #[must_use]
    pub fn list_zone(&self) -> Option<&'a str> {
        self.zone_with("list")
    }

    /// The first zone with a setting of one word.
    fn zone_with(&self, setting: &str) -> Option<&'a str> {
        let has =
            |settings: &[Vec<Name>]| settings.iter().any(|words| matches!(words.as_slice(), [word] if word.text == setting));
        self.zones.iter().find(|(_, settings)| has(settings)).map(|(name, _)| name.text.as_str())
    }

    /// The places of declarations that code can mention, by name.
    #[must_use]
    pub fn places_by_name(&self) -> BTreeMap<&str, Vec<Span>> {
        let kinds = self
            .declarations
            .iter()
            .filter(|((kind, _), _)| !["card", "deck", "format", "position", "rule", "state rule"].contains(kind));
        let declared = kinds.map(|((_, name), span)| (name.as_str(), *span));
        let periods = self.periods.iter().map(|(path, span)| (path.rsplit('.').next().unwrap_or(path), *span));
        let mut places: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
        for (name, span) in declared.chain(periods) {
            places.entry(name).or_default().push(span);
        }
        places
    }

    /// The place of the declaration of a name, by its kind (`noun`).
    #[must_use]
    pub fn span_of(&self, kind: &'static str, name: &SmolStr) -> Span {
        self.declarations.get(&(kind, name.clone())).copied().unwrap_or_default()
    }

    /// The names of declarations of a kind (`noun`).
    pub fn names_of<'n>(&'n self, kind: &'n str) -> impl Iterator<Item = &'n SmolStr> {
        self.declarations.keys().filter(move |(known, _)| *known == kind).map(|(_, name)| name)
    }

    /// The names of state rules, including those that formats add.
    pub fn state_rules(&self) -> impl Iterator<Item = &str> {
        self.declarations.keys().filter(|(kind, _)| *kind == "state rule").map(|(_, rule)| rule.as_str())
    }

    /// All words that code can mention: words of expressions, actions, plays, phases and steps.
    pub fn all_words(&self) -> impl Iterator<Item = &str> {
        let spans = self.periods.keys().map(|path| path.rsplit('.').next().unwrap_or(path));
        let verbs = self.actions.keys().chain(self.plays.keys());
        // A word with a blank is the internal name of a zone.
        let words = self.words.keys().filter(|word| !word.contains(' '));
        words.chain(verbs).map(SmolStr::as_str).chain(spans)
    }

    /// Sets or removes the card of a name. The flag: whether the card is a face of another card.
    pub fn set_card(&mut self, name: &SmolStr, card: Option<(&'a Card, bool)>) {
        match card {
            Some((card, part)) => {
                self.cards.insert(name.clone(), Some(card));
                if part {
                    self.faces.insert(name.clone());
                } else {
                    self.faces.remove(name);
                }
            }
            None => {
                self.cards.swap_remove(name);
                self.faces.remove(name);
            }
        }
    }

    /// Records whether the unparsed text of a card contains a quoted name.
    pub fn set_unparsed_word(&mut self, word: &SmolStr, is_unparsed: bool) {
        if is_unparsed {
            self.unparsed_words.insert(word.clone());
        } else {
            self.unparsed_words.remove(word);
        }
    }
}

/// The diagnostic of a second declaration of a name.
pub fn duplicate_declaration(kind: &str, name: &str, span: Span, earlier: Span) -> Diagnostic {
    let help = match kind {
        "traits item" => "declare all words of a set in one place: add yours there, or declare another set under another name",
        "card" => "give one of them another name; to change a card in one format, write `errata` in the format",
        _ => "give one of them another name",
    };
    Diagnostic::new(&codes::DUPLICATE, span, format!("the {kind} `{name}` is declared twice"))
        .label("declared again")
        .also(earlier, "first declared here")
        .help(help)
}

/// Joins the parts of a path with dots. A leading `turn` is kept.
pub fn dotted<'n>(parts: impl Iterator<Item = &'n str>) -> String {
    parts.collect::<Vec<_>>().join(".")
}
