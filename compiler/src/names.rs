//! The names of a game: everything that its packs and formats declare, numbered. All formats of a game share these numbers.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::phrase::FACTS;
use crate::maps::IndexMap;
use crate::packs::GameItems;
use fizzle_grammar::ast::{
    Action, Card, DifferenceKind, Expr, Item, ItemKind, Name, Param, Play, PrintRule, Span, TurnEntry, Variable, VariableKind,
};
use fizzle_runtime::ir::verbs::VERBS;
use fizzle_runtime::ir::{ActionId, KeywordId, TraitSetId, Type, ZoneKindId};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// What a word can mean in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A word of a trait set.
    Word(TraitSetId, u16),
    /// A trait set.
    Traits(TraitSetId),
    /// A printed property.
    Property(u16),
    /// A mutable fact of an object.
    Status(u16),
    /// A mutable fact of a player.
    Player(u16),
    /// A mutable fact of the game.
    Global(u16),
    /// A named number.
    Constant(u32),
    /// A zone kind.
    Zone(ZoneKindId),
    /// Another name for a selection.
    Noun,
    /// A keyword.
    Keyword(KeywordId),
    /// A declared function.
    Function,
}

/// A trait set as declared.
#[derive(Clone, Debug)]
pub struct TraitSetDecl {
    /// Its name.
    pub name: SmolStr,
    /// Its words, when it is closed.
    pub words: Option<Vec<SmolStr>>,
    /// Words that an open one has before any card brings some.
    pub first: Vec<SmolStr>,
    /// Effects can change its words in texts.
    pub changeable: bool,
}

/// The parameters of an action.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The name of the action.
    pub name: SmolStr,
    /// Names and types.
    pub params: Vec<(SmolStr, Type)>,
    /// Where the objects that are given to parameters are taken from: `it: object in hand`.
    pub zones: Vec<Option<Name>>,
    /// The parameter, an object, that acts: `by it`.
    pub doer: Option<usize>,
    /// The action whose patterns match it too.
    pub parent: Option<ActionId>,
    /// Triggers are found in the state before it.
    pub looks_back: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A declared function.
#[derive(Clone, Debug)]
pub struct FunctionDecl<'a> {
    /// Its parameters.
    pub params: Vec<(SmolStr, Type)>,
    /// Type of its value.
    pub result: Option<Type>,
    /// Its value.
    pub body: &'a Expr,
    /// Where.
    pub span: Span,
}

/// A declared keyword.
#[derive(Clone, Debug)]
pub struct KeywordDecl {
    /// Its parameters.
    pub params: Vec<(SmolStr, Type)>,
    /// Where.
    pub span: Span,
}

/// All names of a game.
#[derive(Debug, Default)]
pub struct NameTable<'a> {
    /// Meanings of words in expressions.
    pub words: IndexMap<SmolStr, Vec<Meaning>>,
    /// Trait sets.
    pub traits: Vec<TraitSetDecl>,
    /// Layers in order.
    pub layers: Vec<SmolStr>,
    /// Properties, statuses, variables.
    pub properties: Vec<&'a Variable>,
    /// Mutable facts of objects.
    pub statuses: Vec<&'a Variable>,
    /// Mutable facts of players.
    pub players: Vec<&'a Variable>,
    /// Mutable facts of the game.
    pub globals: Vec<&'a Variable>,
    /// Types of these four tables, in their order.
    pub types: [Vec<Type>; 4],
    /// Zone kinds with their settings.
    pub zones: Vec<(&'a Name, &'a [Vec<Name>])>,
    /// What kinds of cards print.
    pub kinds: Vec<(&'a Name, &'a [PrintRule])>,
    /// Nouns.
    pub nouns: IndexMap<SmolStr, &'a Expr>,
    /// Functions.
    pub functions: IndexMap<SmolStr, FunctionDecl<'a>>,
    /// Actions by name, built-in verbs first.
    pub actions: IndexMap<SmolStr, Signature>,
    /// Keywords.
    pub keywords: IndexMap<SmolStr, KeywordDecl>,
    /// Plays.
    pub plays: IndexMap<SmolStr, &'a Play>,
    /// Who carries out the texts of objects.
    pub carriers: crate::lints::TextRunners<'a>,
    /// What words of other games are called here.
    pub foreign: crate::foreign_terms::ForeignTerms,
    /// Payments with the trait set of their kinds.
    pub payments: IndexMap<SmolStr, &'a Name>,
    /// Constants with their first value.
    pub constants: IndexMap<SmolStr, &'a Expr>,
    /// Paths of phases and steps; the turn is the first one.
    pub spans: IndexMap<String, Span>,
    /// Those of them that are phases.
    pub phases: BTreeSet<String>,
    /// Cards and tokens; the nameless definition is the first one.
    pub cards: IndexMap<SmolStr, Option<&'a Card>>,
    /// Quoted names in what cannot be read of cards: they may be words that these print.
    pub unread: BTreeSet<SmolStr>,
    /// Names of cards that are faces of others.
    pub parts: std::collections::BTreeSet<SmolStr>,
    declared: IndexMap<(&'static str, SmolStr), Span>,
}

impl<'a> NameTable<'a> {
    /// Collects what a game and its formats declare.
    pub fn collect(game: &GameItems<'a>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut names = Self::default();
        names.built_in();
        let mut added: Vec<&'a Item> = Vec::new();
        let mut replaced: Vec<&'a Item> = Vec::new();
        for item in &game.items {
            if let ItemKind::Format { differences, .. } = &item.kind {
                for difference in differences {
                    match &difference.kind {
                        DifferenceKind::Add(item) => added.push(item),
                        DifferenceKind::Replace(item) => replaced.push(item),
                        _ => {}
                    }
                }
            }
        }
        // Trait sets first: their names are types.
        for item in game.items.iter().chain(&added) {
            if let ItemKind::Traits { name, open, changeable, words } = &item.kind {
                let known = names.traits.len();
                names.traits_item(name, *open, words, diagnostics);
                for set in names.traits.iter_mut().skip(known) {
                    set.changeable = *changeable;
                }
            }
        }
        for item in &game.items {
            names.item(item, true, diagnostics);
            if let ItemKind::Card(card) = &item.kind {
                names.unread.extend(card.unread.iter().flatten().cloned());
            }
        }
        for item in &added {
            names.item(item, false, diagnostics);
        }
        for item in &replaced {
            names.replaced(item, diagnostics);
        }
        names.parents(game, &added, diagnostics);
        names.param_zones(game, &added, diagnostics);
        names.turn_names(game);
        names.carriers = crate::lints::TextRunners::of(game.items.iter().copied());
        crate::name_conflicts::report(&names, &names.declared, diagnostics);
        names.foreign = crate::foreign_terms::collect(game, &added, &names, diagnostics);
        names
    }

    /// Where something that texts name is declared under a name.
    pub fn places(&self, name: &str) -> impl Iterator<Item = Span> {
        let kinds =
            self.declared.iter().filter(|((kind, _), _)| !["card", "deck", "format", "rule", "state rule"].contains(kind));
        let spans = self.spans.iter().filter(move |(path, _)| path.rsplit('.').next() == Some(name));
        kinds.filter(move |((_, known), _)| known == name).map(|(_, span)| *span).chain(spans.map(|(_, span)| *span))
    }

    /// The names of state rules, those of formats too.
    pub fn state_rules(&self) -> impl Iterator<Item = &str> {
        self.declared.keys().filter(|(kind, _)| *kind == "state rule").map(|(_, rule)| rule.as_str())
    }

    /// All words that texts can name: what stands in expressions, actions, plays, phases and steps.
    pub fn all_words(&self) -> impl Iterator<Item = &str> {
        let spans = self.spans.keys().map(|path| path.rsplit('.').next().unwrap_or(path));
        let verbs = self.actions.keys().chain(self.plays.keys());
        self.words.keys().chain(verbs).map(SmolStr::as_str).chain(spans)
    }

    /// Whether a word is one of these.
    #[must_use]
    pub fn knows(&self, word: &str) -> bool {
        self.all_words().any(|known| known == word)
    }

    /// Puts another card under a name, or takes the name away. Whether it is a face of another card is said, too.
    pub fn set_card(&mut self, name: &SmolStr, card: Option<(&'a Card, bool)>) {
        match card {
            Some((card, part)) => {
                self.cards.insert(name.clone(), Some(card));
                if part {
                    self.parts.insert(name.clone());
                } else {
                    self.parts.remove(name);
                }
            }
            None => {
                self.cards.swap_remove(name);
                self.parts.remove(name);
            }
        }
    }

    /// Says whether a quoted name stands in what cannot be read of a card.
    pub fn set_unread(&mut self, word: &SmolStr, unread: bool) {
        if unread {
            self.unread.insert(word.clone());
        } else {
            self.unread.remove(word);
        }
    }

    fn built_in(&mut self) {
        for verb in VERBS {
            let params = verb.params.iter().map(|param| (SmolStr::new(param.name), param.ty)).collect();
            self.actions.insert(
                SmolStr::new(verb.name),
                Signature {
                    name: SmolStr::new(verb.name),
                    params,
                    zones: Vec::new(),
                    doer: matches!(verb.name, "erase" | "start_resolving").then_some(0),
                    parent: None,
                    looks_back: false,
                    span: Span::default(),
                },
            );
        }
        self.spans.insert("turn".to_owned(), Span::default());
        self.cards.insert(SmolStr::default(), None);
    }

    fn declare(&mut self, kind: &'static str, name: &Name, strict: bool, diagnostics: &mut Vec<Diagnostic>) -> bool {
        if FACTS.contains(&name.text.as_str())
            && !matches!(kind, "action" | "play" | "rule" | "state rule" | "card" | "deck" | "format")
        {
            diagnostics.push(
                Diagnostic::new(&codes::DUPLICATE, name.span, format!("`{}` is a built-in property", name.text))
                    .label("it would never be read")
                    .help("give it another name"),
            );
        }
        let Some(earlier) = self.declared.get(&(kind, name.text.clone())) else {
            self.declared.insert((kind, name.text.clone()), name.span);
            return true;
        };
        // Two formats may each add something of the same name; they share its number.
        if strict {
            diagnostics.push(twice(kind, &name.text, name.span, *earlier));
        }
        false
    }

    fn mean(&mut self, word: &SmolStr, meaning: Meaning) {
        self.words.entry(word.clone()).or_default().push(meaning);
    }

    fn traits_item(&mut self, name: &'a Name, open: bool, words: &'a [Name], diagnostics: &mut Vec<Diagnostic>) {
        if !self.declare("traits item", name, true, diagnostics) {
            return;
        }
        let id = TraitSetId(self.traits.len() as u32);
        self.mean(&name.text, Meaning::Traits(id));
        let mut texts = Vec::new();
        for word in words {
            // The words of an open set are quoted where they stand, and so no names.
            if open && !texts.contains(&word.text) {
                texts.push(word.text.clone());
            } else if !open && word.is_quoted() {
                // A word in quotes means something only where a word of this set is wanted.
                if texts.contains(&word.text) {
                    diagnostics.push(Diagnostic::new(&codes::DUPLICATE, word.span, format!("`{}` is declared twice", word.text)));
                } else {
                    texts.push(word.text.clone());
                }
            } else if self.declare("trait word", word, true, diagnostics) {
                self.mean(&word.text, Meaning::Word(id, texts.len() as u16));
                texts.push(word.text.clone());
            }
        }
        let (words, first) = if open { (None, texts) } else { (Some(texts), Vec::new()) };
        self.traits.push(TraitSetDecl { name: name.text.clone(), words, first, changeable: false });
    }

    fn item(&mut self, item: &'a Item, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
        match &item.kind {
            ItemKind::Variable(variable) => self.variable(variable, strict, diagnostics),
            ItemKind::Constant { name, value } if self.declare("constant", name, strict, diagnostics) => {
                self.mean(&name.text, Meaning::Constant(self.constants.len() as u32));
                self.constants.insert(name.text.clone(), value);
            }
            ItemKind::Layers(layers) => {
                if self.layers.is_empty() {
                    self.layers = layers.iter().map(|layer| layer.text.clone()).collect();
                } else if let Some(first) = layers.first() {
                    diagnostics.push(Diagnostic::new(&codes::DUPLICATE, first.span, "the layers are declared twice"));
                }
            }
            ItemKind::Zone { name, settings } if self.declare("zone", name, strict, diagnostics) => {
                self.mean(&name.text, Meaning::Zone(ZoneKindId(self.zones.len() as u32)));
                self.zones.push((name, settings));
            }
            ItemKind::Kind { word, parts } => self.kinds.push((word, parts)),
            ItemKind::Noun { name, meaning } if self.declare("noun", name, strict, diagnostics) => {
                self.mean(&name.text, Meaning::Noun);
                self.nouns.insert(name.text.clone(), meaning);
            }
            ItemKind::Function { name, params, result, body } if self.declare("function", name, strict, diagnostics) => {
                self.mean(&name.text, Meaning::Function);
                let params = self.params(params, diagnostics);
                let result = self.type_of(result, diagnostics);
                self.functions.insert(name.text.clone(), FunctionDecl { params, result, body, span: name.span });
            }
            ItemKind::Action(action) => self.action(action, strict, diagnostics),
            ItemKind::Keyword { name, params, .. } if self.declare("keyword", name, strict, diagnostics) => {
                self.mean(&name.text, Meaning::Keyword(KeywordId(self.keywords.len() as u32)));
                let params = self.params(params, diagnostics);
                self.keywords.insert(name.text.clone(), KeywordDecl { params, span: name.span });
            }
            ItemKind::Rule { name, .. } => {
                self.declare("rule", name, strict, diagnostics);
            }
            ItemKind::StateRule { name, .. } => {
                self.declare("state rule", name, strict, diagnostics);
            }
            ItemKind::Play(play) => {
                if let Some(name) = &play.name
                    && self.declare("play", name, strict, diagnostics)
                {
                    self.plays.insert(name.text.clone(), play);
                }
            }
            ItemKind::Payment(payment) if self.declare("payment", &payment.name, strict, diagnostics) => {
                self.payments.insert(payment.name.text.clone(), &payment.kinds);
            }
            ItemKind::Card(card) if self.declare("card", &card.name, strict, diagnostics) => {
                self.cards.insert(card.name.text.clone(), Some(card));
                for face in &card.faces {
                    if self.declare("card", &face.card.name, strict, diagnostics) {
                        self.cards.insert(face.card.name.text.clone(), Some(&face.card));
                        self.parts.insert(face.card.name.text.clone());
                    }
                }
            }
            ItemKind::Deck(deck) => {
                self.declare("deck", &deck.name, strict, diagnostics);
            }
            ItemKind::Format { name, .. } => {
                self.declare("format", name, strict, diagnostics);
            }
            _ => {}
        }
    }

    fn variable(&mut self, variable: &'a Variable, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
        let kind = match variable.kind {
            VariableKind::Property => "property",
            VariableKind::Status => "status",
            VariableKind::Player => "player variable",
            VariableKind::Global => "global variable",
        };
        if !self.declare(kind, &variable.name, strict, diagnostics) {
            return;
        }
        let ty = self.type_of(&variable.ty, diagnostics).unwrap_or(Type::Number);
        let (row, table) = match variable.kind {
            VariableKind::Property => (0, &mut self.properties),
            VariableKind::Status => (1, &mut self.statuses),
            VariableKind::Player => (2, &mut self.players),
            VariableKind::Global => (3, &mut self.globals),
        };
        let number = table.len() as u16;
        table.push(variable);
        self.types[row].push(ty);
        let meaning = match variable.kind {
            VariableKind::Property => Meaning::Property(number),
            VariableKind::Status => Meaning::Status(number),
            VariableKind::Player => Meaning::Player(number),
            VariableKind::Global => Meaning::Global(number),
        };
        self.mean(&variable.name.text, meaning);
    }

    fn action(&mut self, action: &'a Action, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
        if VERBS.iter().any(|verb| verb.name == action.name.text) {
            diagnostics.push(
                Diagnostic::new(&codes::DUPLICATE, action.name.span, format!("the verb `{}` is built in", action.name.text))
                    .help("give the action another name"),
            );
            return;
        }
        if !self.declare("action", &action.name, strict, diagnostics) {
            return;
        }
        let mut params = self.params(&action.params, diagnostics);
        single_params(&action.params, &mut params, diagnostics);
        if let Some(doer) = &action.acting_param
            && !params.iter().any(|(name, ty)| *name == doer.text && *ty == Type::Object)
        {
            diagnostics.push(
                Diagnostic::new(&codes::BAD_PATTERN, doer.span, format!("`{}` is no parameter that is an object", doer.text))
                    .help("`by NAME` says which parameter, an object, is the one that acts"),
            );
        }
        let doer = action.acting_param.as_ref().and_then(|doer| params.iter().position(|(name, _)| *name == doer.text));
        let name = action.name.text.clone();
        self.actions.insert(
            name.clone(),
            Signature {
                name,
                params,
                zones: action.params.iter().map(|param| param.zone.clone()).collect(),
                doer,
                parent: None,
                looks_back: action.looks_back,
                span: action.name.span,
            },
        );
    }

    /// A replacement must fit what it replaces; its names count where nothing is replaced (that is told when formats are made).
    fn replaced(&mut self, item: &'a Item, diagnostics: &mut Vec<Diagnostic>) {
        match &item.kind {
            ItemKind::Action(action) => {
                if let Some(signature) = self.actions.get(&action.name.text) {
                    let (expected, span) = (signature.params.clone(), signature.span);
                    let mut params = self.params(&action.params, diagnostics);
                    single_params(&action.params, &mut params, diagnostics);
                    self.same_params(&action.name, &expected, &params, span, diagnostics);
                    let declared = self.actions.get(&action.name.text).map_or(&[][..], |signature| &signature.zones);
                    for (param, declared) in action.params.iter().zip(declared) {
                        let Some(zone) =
                            param.zone.as_ref().filter(|zone| declared.as_ref().is_none_or(|old| old.text != zone.text))
                        else {
                            continue;
                        };
                        let message = "a replacement takes its object from where the original does";
                        let problem = Diagnostic::new(&codes::OTHER_SIGNATURE, zone.span, message).also(span, "declared here");
                        diagnostics.push(problem.help("leave the zone out here"));
                    }
                }
            }
            ItemKind::Keyword { name, params, .. } => {
                if let Some(declaration) = self.keywords.get(&name.text) {
                    let (expected, span) = (declaration.params.clone(), declaration.span);
                    let params = self.params(params, diagnostics);
                    self.same_params(name, &expected, &params, span, diagnostics);
                }
            }
            _ => {}
        }
    }

    fn same_params(
        &self,
        name: &Name,
        expected: &[(SmolStr, Type)],
        found: &[(SmolStr, Type)],
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if expected.iter().map(|(_, ty)| *ty).ne(found.iter().map(|(_, ty)| *ty)) {
            diagnostics.push(
                Diagnostic::new(&codes::OTHER_SIGNATURE, name.span, format!("`{}` is replaced with other parameters", name.text))
                    .also(span, "declared with these parameters")
                    .help("keep the number and the types of the parameters"),
            );
        }
    }

    fn parents(&mut self, game: &GameItems<'a>, added: &[&'a Item], diagnostics: &mut Vec<Diagnostic>) {
        for item in game.items.iter().chain(added) {
            let ItemKind::Action(action) = &item.kind else { continue };
            let Some(parent) = &action.parent else { continue };
            match self.actions.get_index_of(&parent.text) {
                Some(id) => {
                    if let Some(signature) = self.actions.get_mut(&action.name.text) {
                        signature.parent = Some(ActionId(id as u32));
                    }
                }
                None => diagnostics.push(
                    Diagnostic::new(&codes::UNKNOWN_VERB, parent.span, format!("there is no action `{}`", parent.text))
                        .did_you_mean(&parent.text, self.actions.keys().map(SmolStr::as_str)),
                ),
            }
        }
    }

    /// `it: object in ZONE`: the zone must be there, and only what is given to an action is taken from somewhere.
    fn param_zones(&self, game: &GameItems<'a>, added: &[&'a Item], diagnostics: &mut Vec<Diagnostic>) {
        for item in game.items.iter().chain(added) {
            let (params, action) = match &item.kind {
                ItemKind::Action(action) => (&action.params, Some(action)),
                ItemKind::Function { params, .. } | ItemKind::Keyword { params, .. } => (params, None),
                ItemKind::Play(play) => (&play.params, None),
                _ => continue,
            };
            for param in params {
                let Some(zone) = &param.zone else { continue };
                let object = param.ty.name.text == "object" && !param.ty.list;
                diagnostics.push(if action.is_none() || !object {
                    Diagnostic::new(&codes::NOT_HERE, zone.span, format!("`{}` is taken from no zone", param.name.text))
                        .help("only what an action is given says so: `action NAME(it: object in ZONE)`")
                } else if self.zone_id(&zone.text).is_none() {
                    let zones = self.zones.iter().map(|(name, _)| name.text.as_str());
                    Diagnostic::new(&codes::UNKNOWN_NAME, zone.span, format!("no zone is called `{}`", zone.text))
                        .did_you_mean(&zone.text, zones)
                        .or_help(format!("declare it: `zone {} {{ … }}`", zone.text))
                } else {
                    continue;
                });
            }
        }
    }

    fn turn_names(&mut self, game: &GameItems<'a>) {
        for item in &game.items {
            match &item.kind {
                ItemKind::Turn(entries) => self.span_names("turn", entries),
                ItemKind::Format { differences, .. } => {
                    for difference in differences {
                        match &difference.kind {
                            DifferenceKind::Replace(item) | DifferenceKind::Add(item) => {
                                if let ItemKind::Turn(entries) = &item.kind {
                                    self.span_names("turn", entries);
                                }
                            }
                            DifferenceKind::ReplaceSpan { path, entries } => {
                                let path = dotted(path.parts.iter().map(|part| part.text.as_str()));
                                if let Some(path) = self.find_span(&path).first().cloned() {
                                    self.span_names(&path, entries);
                                }
                            }
                            DifferenceKind::Insert { path, span, .. } => {
                                let beside = dotted(path.parts.iter().map(|part| part.text.as_str()));
                                if let Some(beside) = self.find_span(&beside).first().cloned() {
                                    let parent = beside.rsplit_once('.').map_or("turn", |(parent, _)| parent).to_owned();
                                    let path = format!("{parent}.{}", span.name.text);
                                    self.spans.entry(path.clone()).or_insert(span.name.span);
                                    if span.phase {
                                        self.phases.insert(path.clone());
                                    }
                                    self.span_names(&path, &span.entries);
                                }
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn span_names(&mut self, parent: &str, entries: &'a [TurnEntry]) {
        for entry in entries {
            match entry {
                TurnEntry::Span(span) => {
                    let path = format!("{parent}.{}", span.name.text);
                    self.spans.entry(path.clone()).or_insert(span.name.span);
                    if span.phase {
                        self.phases.insert(path.clone());
                    }
                    self.span_names(&path, &span.entries);
                }
                TurnEntry::Repeat { entries, .. } => self.span_names(parent, entries),
                TurnEntry::Statement(_) | TurnEntry::Each { .. } => {}
            }
        }
    }
}

/// A name is declared a second time.
pub fn twice(kind: &str, name: &str, span: Span, earlier: Span) -> Diagnostic {
    let help = match kind {
        "traits item" => {
            "the words of a set are declared in one place: write yours there, or make a set of your own under another name"
        }
        "card" => "give one of them another name; another text under one format is an `errata` of the format",
        _ => "give one of them another name",
    };
    Diagnostic::new(&codes::DUPLICATE, span, format!("the {kind} `{name}` is declared twice"))
        .label("declared again")
        .also(earlier, "first declared here")
        .help(help)
}

/// An event outlives the lists of the statement that proposes it, so its parameters are single values.
fn single_params(written: &[Param], params: &mut [(SmolStr, Type)], diagnostics: &mut Vec<Diagnostic>) {
    for (param, (_, ty)) in written.iter().zip(params) {
        let (single, word) = match ty {
            Type::Objects => (Type::Object, "object"),
            Type::Players => (Type::Player, "player"),
            Type::Things => (Type::Thing, "thing"),
            Type::Price => (Type::Number, "number"),
            _ => continue,
        };
        let way_out = match ty {
            Type::Price => format!("write `{}: number` and make the price of it where it is paid", param.name.text),
            _ => format!("write `{}: {word}`: a call with several makes one event of each, all at once", param.name.text),
        };
        diagnostics.push(
            Diagnostic::new(
                &codes::LIST_PARAMETER,
                param.ty.name.span,
                format!("`{}` is a list, but an event holds single values", param.name.text),
            )
            .help(way_out),
        );
        *ty = single;
    }
}

/// Joins the parts of a path; a leading `turn` stays.
pub fn dotted<'n>(parts: impl Iterator<Item = &'n str>) -> String {
    parts.collect::<Vec<_>>().join(".")
}
