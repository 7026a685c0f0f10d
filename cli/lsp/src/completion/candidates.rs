//! Completion candidates: lists the names and words that fit an [`Expected`] class.

use super::context::{Context, Expected, meaning_type};
use crate::hover::type_name;
use crate::resolve::{find_action, meaning_kind};
use crate::server_state::ServerState;
use crate::shipped_copies;
use fizzle_compiler::names::Meaning;
use fizzle_compiler::session::Game;
use fizzle_grammar::ast::{Item, ItemKind};
use fizzle_grammar::item_splitter::ITEM_KEYWORDS;
use fizzle_grammar::visit::DeclKind;
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::scenario::third_person;
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind};
use std::collections::{BTreeMap, BTreeSet};

const ABILITIES: &[&str] = &[
    "when",
    "whenever",
    "at start of",
    "at end of",
    "while",
    "always",
    "does",
    "activated",
    "cost",
    "additional cost",
    "alternative cost",
    "off list",
    "missable",
    "defines",
    "if",
    "in",
    "as soon as",
    "face",
    "back",
];
const STATEMENTS: &[&str] = &[
    "let",
    "if",
    "for each",
    "choose",
    "may",
    "you may",
    "then",
    "if you do",
    "otherwise",
    "simultaneously",
    "repeat while",
    "divide",
    "until",
    "when",
    "whenever",
    "at end of turn",
    "trigger",
    "window",
    "copy",
    "declare",
    "each player",
    "each opponent",
    "opponent",
    "you",
    "its owner",
];
const QUANTIFIERS: &[&str] = &["each", "1", "2", "up to 1", "any number of", "target", "all", "random 1", "top 1", "this", "it"];
const PLAYERS: &[&str] =
    &["you", "opponent", "active", "each player", "each opponent", "its owner", "its controller", "owner of", "controller of"];

/// Collects completion items, each label once.
pub struct Candidates<'w> {
    game: Option<&'w Game<'w>>,
    context: &'w Context,
    state: &'w ServerState,
    documented_items: BTreeMap<(DeclKind, &'w str), &'w Item>,
    items: Vec<CompletionItem>,
    labels: BTreeSet<String>,
    rank: usize,
}

impl<'w> Candidates<'w> {
    /// Creates an empty collection and indexes the declarations of the game by kind and name for their documentation.
    pub fn new(state: &'w ServerState, game: Option<&'w Game<'w>>, context: &'w Context) -> Self {
        let mut documented_items = BTreeMap::new();
        for item in game.iter().flat_map(|game| &game.declarations) {
            let (kind, name) = match &item.kind {
                ItemKind::Action(action) => (DeclKind::Action, &action.name),
                ItemKind::Keyword { name, .. } => (DeclKind::Keyword, name),
                ItemKind::Function { name, .. } => (DeclKind::Function, name),
                ItemKind::Zone { name, .. } => (DeclKind::Zone, name),
                ItemKind::Noun { name, .. } => (DeclKind::Noun, name),
                ItemKind::Constant { name, .. } => (DeclKind::Constant, name),
                ItemKind::Traits { name, .. } => (DeclKind::Traits, name),
                ItemKind::Variable(variable) => {
                    let kind = match variable.kind {
                        fizzle_grammar::ast::VariableKind::Property => DeclKind::Property,
                        fizzle_grammar::ast::VariableKind::Status => DeclKind::Status,
                        fizzle_grammar::ast::VariableKind::Player => DeclKind::Player,
                        fizzle_grammar::ast::VariableKind::Global => DeclKind::Global,
                    };
                    (kind, &variable.name)
                }
                _ => continue,
            };
            documented_items.entry((kind, name.text.as_str())).or_insert(*item);
        }
        Self { game, context, state, documented_items, items: Vec::new(), labels: BTreeSet::new(), rank: 0 }
    }

    /// The collected items.
    pub fn into_items(self) -> Vec<CompletionItem> {
        self.items
    }

    /// Adds the candidates for an expected class. They are sorted after those of earlier calls.
    pub fn add(&mut self, expected: &Expected) {
        self.rank += 1;
        match expected {
            Expected::Item => self.add_words(&ITEM_KEYWORDS),
            Expected::Fact => self.add_meanings(|kind| {
                matches!(kind, DeclKind::TraitWord | DeclKind::Traits | DeclKind::Property | DeclKind::Keyword)
            }),
            Expected::Ability => self.add_words(ABILITIES),
            Expected::Statement => {
                self.add_actions(false);
                self.add_locals();
                self.add_meanings(|kind| matches!(kind, DeclKind::Status | DeclKind::Player | DeclKind::Global));
                self.add_words(STATEMENTS);
            }
            Expected::Value(ty) => self.add_values(*ty),
            Expected::Noun => {
                self.add_meanings(|kind| matches!(kind, DeclKind::Noun | DeclKind::TraitWord));
                self.add_words(&["card", "player", "opponent", "other"]);
            }
            Expected::Quality => {
                self.add_meanings(|kind| matches!(kind, DeclKind::Noun | DeclKind::TraitWord));
                self.add_typed(|ty| ty == Type::Bool);
                self.add_words(&["not", "player", "object", "opponent", "you", "active", "this", "it"]);
            }
            Expected::Keyword => self.add_meanings(|kind| matches!(kind, DeclKind::Keyword | DeclKind::TraitWord)),
            Expected::Possession(_) => {
                self.add_meanings(|kind| {
                    matches!(kind, DeclKind::Zone | DeclKind::Property | DeclKind::Status | DeclKind::Player)
                });
                self.add_words(&["owner", "controller", "name", "zone"]);
            }
            Expected::Condition => {
                self.add_meanings(|kind| {
                    matches!(kind, DeclKind::Property | DeclKind::Status | DeclKind::Traits | DeclKind::Keyword)
                });
                self.add_locals();
            }
            Expected::Change => {
                self.add_meanings(|kind| matches!(kind, DeclKind::Keyword | DeclKind::TraitWord | DeclKind::Property));
                self.add_words(&["no abilities", "no", "not", "every"]);
            }
            Expected::Event => self.add_actions(true),
            Expected::Subject => {
                self.add_words(&["this", "you", "opponent", "it"]);
                self.add_meanings(|kind| matches!(kind, DeclKind::Noun | DeclKind::TraitWord));
                self.add_words(&["card", "player"]);
                self.add_locals();
            }
            Expected::Quoted(set) => self.add_quoted(*set),
            Expected::Declared(kinds) => self.add_declared(kinds),
            Expected::Path(before) => self.add_path_parts(before),
            Expected::Type => {
                self.add_words(&[
                    "number", "bool", "player", "object", "thing", "zone", "card", "price", "period", "list of", "word of",
                ]);
                self.add_meanings(|kind| kind == DeclKind::Traits);
            }
            Expected::Words(words) => self.add_words(words),
        }
    }

    fn push(&mut self, label: &str, kind: CompletionItemKind, detail: String, docs: Option<String>) {
        if !self.labels.insert(label.to_owned()) {
            return;
        }
        let value = docs.filter(|docs| !docs.is_empty());
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: Some(detail).filter(|detail| !detail.is_empty()),
            documentation: value.map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })),
            sort_text: Some(format!("{:02}{label}", self.rank)),
            ..CompletionItem::default()
        });
    }

    fn add_words(&mut self, words: &[&str]) {
        for word in words {
            self.push(word, CompletionItemKind::KEYWORD, String::new(), None);
        }
    }

    fn docs_of(&self, kind: DeclKind, name: &str) -> Option<String> {
        self.documented_items.get(&(kind, name)).map(|item| item.docs.clone())
    }

    /// Adds the words that have a meaning of a wanted kind.
    fn add_meanings(&mut self, wanted: impl Fn(DeclKind) -> bool) {
        self.add_meanings_where(|_, kind, _| wanted(kind));
    }

    /// Adds the words whose value has a wanted type.
    fn add_typed(&mut self, wanted: impl Fn(Type) -> bool) {
        self.add_meanings_where(|_, _, ty| ty.is_some_and(&wanted));
    }

    fn add_meanings_where(&mut self, wanted: impl Fn(&str, DeclKind, Option<Type>) -> bool) {
        let Some(game) = self.game else { return };
        let mut found: Vec<(&str, DeclKind, Option<Type>, Meaning)> = Vec::new();
        for (word, meanings) in &game.names.words {
            for meaning in meanings {
                let ty = match meaning {
                    Meaning::Function => game.names.functions.get(word).and_then(|function| function.result),
                    other => meaning_type(&game.names, *other),
                };
                if wanted(word, meaning_kind(*meaning), ty) {
                    found.push((word, meaning_kind(*meaning), ty, *meaning));
                }
            }
        }
        for (word, kind, ty, meaning) in found {
            let ty = ty.map(|ty| type_name(game, ty)).unwrap_or_default();
            let params = |params: &[(smol_str::SmolStr, Type)]| {
                let all: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {}", type_name(game, *ty))).collect();
                format!("({})", all.join(", "))
            };
            let (shown, detail) = match meaning {
                Meaning::Word(set, _) => (
                    CompletionItemKind::ENUM_MEMBER,
                    game.names.traits.get(set.index()).map_or(String::new(), |set| set.name.to_string()),
                ),
                Meaning::Traits(_) => (CompletionItemKind::ENUM, "traits".to_owned()),
                Meaning::Property(_) => (CompletionItemKind::PROPERTY, format!("property: {ty}")),
                Meaning::Status(_) => (CompletionItemKind::FIELD, format!("status: {ty}")),
                Meaning::Player(_) => (CompletionItemKind::VARIABLE, format!("player: {ty}")),
                Meaning::Global(_) => (CompletionItemKind::VARIABLE, format!("global: {ty}")),
                Meaning::Constant(_) => (CompletionItemKind::CONSTANT, "constant".to_owned()),
                Meaning::Zone(_) => (CompletionItemKind::MODULE, "zone".to_owned()),
                Meaning::Noun => (CompletionItemKind::CLASS, "noun".to_owned()),
                Meaning::Keyword(_) => {
                    let declared = game.names.keywords.get(word).map_or(String::new(), |keyword| params(&keyword.params));
                    (CompletionItemKind::INTERFACE, format!("keyword{}", if declared == "()" { "" } else { &declared }))
                }
                Meaning::Function => {
                    let declared = game.names.functions.get(word).map_or(String::new(), |function| params(&function.params));
                    (CompletionItemKind::FUNCTION, format!("function{declared}: {ty}"))
                }
            };
            let docs = self.docs_of(kind, word);
            self.push(word, shown, detail, docs);
        }
    }

    /// Adds actions in the base form, as statements use them; or, if `third`, actions and plays in the third person, for event patterns.
    fn add_actions(&mut self, third: bool) {
        let Some(game) = self.game else {
            for verb in VERBS {
                self.push(verb.name, CompletionItemKind::METHOD, "verb".to_owned(), Some(verb.doc.to_owned()));
            }
            return;
        };
        let names: Vec<_> = game.names.actions.iter().map(|(name, signature)| (name.clone(), signature.params.clone())).collect();
        let plays: Vec<_> = game.names.plays.keys().filter(|_| third).map(|name| (name.clone(), Vec::new())).collect();
        for (name, params) in names.into_iter().chain(plays) {
            let row = VERBS.iter().find(|verb| verb.name == name);
            let all: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {}", type_name(game, *ty))).collect();
            let docs = row
                .map(|row| row.doc.split_whitespace().collect::<Vec<_>>().join(" "))
                .or_else(|| self.docs_of(DeclKind::Action, &name));
            let detail = format!("{}({})", if row.is_some() { "verb" } else { "action" }, all.join(", "));
            if third {
                let words: &[&str] = row.map_or(&[], |row| row.pattern_words);
                for word in words {
                    self.push(word, CompletionItemKind::EVENT, detail.clone(), docs.clone());
                }
                self.push(&third_person(&name), CompletionItemKind::EVENT, detail, docs);
            } else {
                self.push(&name, CompletionItemKind::METHOD, detail, docs);
            }
        }
        if third {
            self.add_words(&["enters", "leaves", "is"]);
        }
    }

    /// Adds local names, and the parameters of the events that are in scope.
    fn add_locals(&mut self) {
        for name in self.context.locals.clone() {
            self.push(&name, CompletionItemKind::VARIABLE, "local".to_owned(), None);
        }
        let Some(game) = self.game else { return };
        for verb in &self.context.events {
            let Some((action, params)) = find_action(&game.names, verb, true) else { continue };
            for (name, ty) in params {
                let detail = format!("{} of `{action}`", type_name(game, ty));
                self.push(&name, CompletionItemKind::VARIABLE, detail, None);
            }
        }
    }

    fn add_values(&mut self, ty: Option<Type>) {
        match ty {
            None => {
                self.add_locals();
                self.add_meanings(|_| true);
                self.add_builtins(|_| true);
                self.add_words(QUANTIFIERS);
                self.add_words(PLAYERS);
                self.add_words(&["count of", "sum of", "highest", "lowest", "true", "false", "random"]);
            }
            Some(Type::Object | Type::Objects | Type::Thing | Type::Things) => {
                self.add_words(QUANTIFIERS);
                self.add_locals();
                self.add_typed(|ty| matches!(ty, Type::Object | Type::Objects));
                self.add_builtins(|ty| matches!(ty, Type::Object | Type::Objects));
                if matches!(ty, Some(Type::Thing | Type::Things)) {
                    self.add_words(PLAYERS);
                }
            }
            Some(Type::Player | Type::Players) => {
                self.add_words(PLAYERS);
                self.add_locals();
                self.add_typed(|ty| matches!(ty, Type::Player | Type::Players));
                self.add_builtins(|ty| matches!(ty, Type::Player | Type::Players));
            }
            Some(Type::Zone) => {
                self.add_zones();
                self.add_meanings(|kind| kind == DeclKind::Zone);
                self.add_words(&["your", "its owner's", "opponent's"]);
            }
            Some(Type::Number) => {
                self.add_locals();
                self.add_typed(|ty| ty == Type::Number);
                self.add_builtins(|ty| ty == Type::Number);
                self.add_words(&["count of", "sum of", "highest", "lowest", "random"]);
            }
            Some(Type::Bool) => {
                self.add_words(&["true", "false", "not", "some", "no"]);
                self.add_locals();
                self.add_typed(|ty| ty == Type::Bool);
                self.add_builtins(|ty| ty == Type::Bool);
            }
            Some(Type::Word(set) | Type::Words(set)) => {
                self.add_trait_words(set.index());
                self.add_locals();
                self.add_typed(|ty| ty == Type::Word(set) || ty == Type::Words(set));
            }
            Some(Type::Card) => self.add_declared(&[DeclKind::Card]),
            Some(Type::Period) => self.add_declared(&[DeclKind::Period]),
            Some(Type::Price) => {
                self.add_locals();
                self.add_typed(|ty| ty == Type::Price);
                self.add_builtins(|ty| ty == Type::Price);
            }
            Some(Type::Shares) => self.add_locals(),
        }
    }

    fn add_builtins(&mut self, wanted: impl Fn(Type) -> bool) {
        for row in BUILTINS.iter().filter(|row| wanted(row.result)) {
            let detail = match self.game {
                Some(game) => {
                    let params: Vec<String> = row.params.iter().map(|ty| type_name(game, *ty)).collect();
                    format!("({}): {}", params.join(", "), type_name(game, row.result))
                }
                None => String::new(),
            };
            self.push(row.name, CompletionItemKind::FUNCTION, detail, Some(row.doc.to_owned()));
        }
    }

    /// Adds the zones that each player has, with a possessive (`your hand`).
    fn add_zones(&mut self) {
        let Some(game) = self.game else { return };
        for (name, settings) in &game.names.zones {
            let each = settings.iter().any(|words| words.iter().any(|word| word.text == "each"));
            if each {
                let docs = self.docs_of(DeclKind::Zone, &name.text);
                self.push(&format!("your {}", name.text), CompletionItemKind::MODULE, "zone".to_owned(), docs);
            }
        }
    }

    fn add_trait_words(&mut self, set: usize) {
        let Some(game) = self.game else { return };
        let Some(declared) = game.names.traits.get(set) else { return };
        let open = declared.words.is_none();
        let name = declared.name.to_string();
        for word in game.words(set) {
            let label = if open { format!("\"{word}\"") } else { word.to_string() };
            self.push(&label, CompletionItemKind::ENUM_MEMBER, name.clone(), None);
        }
    }

    /// Adds quoted names: words of a trait set, or cards. The replaced text includes the opening quote.
    fn add_quoted(&mut self, set: Option<usize>) {
        let Some(game) = self.game else { return };
        let words: Vec<(String, CompletionItemKind, String)> = match set {
            Some(set) => {
                let name = game.names.traits.get(set).map_or(String::new(), |set| set.name.to_string());
                game.words(set).iter().map(|word| (word.to_string(), CompletionItemKind::ENUM_MEMBER, name.clone())).collect()
            }
            None => game
                .names
                .cards
                .keys()
                .skip(1)
                .map(|name| (name.to_string(), CompletionItemKind::CLASS, "card".to_owned()))
                .collect(),
        };
        for (word, kind, detail) in words {
            let (open, close) = self.quotes_for(&word);
            let from = self.items.len();
            self.push(&word, kind, detail, None);
            if let Some(item) = self.items.get_mut(from) {
                item.insert_text = Some(format!("{open}{word}{close}"));
                item.filter_text = Some(format!("{open}{word}"));
            }
            if set.is_none() {
                self.rank_card(from, &word);
            }
        }
    }

    /// Sorts cards of the author's own files before shipped ones.
    fn rank_card(&mut self, from: usize, name: &str) {
        let card = self.game.and_then(|game| *game.names.cards.get(name)?);
        let (session, store) = (&self.state.session, self.state.session.store());
        let document = card.and_then(|card| store.document(session.place(card.name.span)?.file));
        let shipped = document.filter(|document| shipped_copies::is_shipped(&document.path));
        let place = shipped.map_or(0, |document| 1 + u8::from(fizzle_compiler::packs::is_fixture_path(&document.path)));
        if let Some(item) = self.items.get_mut(from) {
            item.sort_text = Some(format!("{:02}{place}{name}", self.rank));
        }
    }

    /// The quotes for a name: those already opened, else `"…"` for ASCII names and `《…》` for others.
    fn quotes_for(&self, name: &str) -> (char, char) {
        let quote = self.context.opening_quote;
        match quote {
            Some('《') => ('《', '》'),
            Some(_) => ('"', '"'),
            None if name.is_ascii() => ('"', '"'),
            None => ('《', '》'),
        }
    }

    fn add_declared(&mut self, kinds: &[DeclKind]) {
        let Some(game) = self.game else { return };
        for kind in kinds {
            match kind {
                DeclKind::Card => {
                    let names: Vec<String> = game.names.cards.keys().skip(1).map(ToString::to_string).collect();
                    for name in names {
                        let (open, close) = self.quotes_for(&name);
                        let from = self.items.len();
                        self.push(&format!("{open}{name}{close}"), CompletionItemKind::CLASS, "card".to_owned(), None);
                        self.rank_card(from, &name);
                    }
                }
                DeclKind::Action => self.add_actions(false),
                DeclKind::Play => {
                    for name in game.names.plays.keys() {
                        self.push(name, CompletionItemKind::METHOD, "play".to_owned(), None);
                    }
                }
                DeclKind::Period => {
                    for path in game.names.periods.keys() {
                        let short = path.rsplit('.').next().unwrap_or(path);
                        let label = if game.names.find_period(short).len() == 1 { short } else { path.as_str() };
                        self.push(label, CompletionItemKind::FIELD, path.clone(), None);
                    }
                }
                DeclKind::Format => {
                    for model in &game.models {
                        self.push(&model.name, CompletionItemKind::MODULE, model.title.clone(), None);
                    }
                    for name in fizzle::shipped::names() {
                        self.push(name, CompletionItemKind::MODULE, "shipped".to_owned(), None);
                    }
                }
                DeclKind::Pack => {
                    for other in self.state.session.analysis().into_iter().flat_map(|analysis| &analysis.games) {
                        self.push(&other.name, CompletionItemKind::MODULE, "game".to_owned(), None);
                    }
                }
                DeclKind::Layer => {
                    for name in &game.names.layers {
                        self.push(name, CompletionItemKind::ENUM_MEMBER, "layer".to_owned(), None);
                    }
                }
                other => self.add_meanings(|kind| kind == *other),
            }
        }
    }

    /// Adds the parts that can follow a path such as `turn.` or `action.`; without a path, the first parts.
    fn add_path_parts(&mut self, before: &str) {
        let Some(game) = self.game else { return };
        let names = &game.names;
        let keys = |kind: &str| -> Option<Vec<String>> {
            Some(match kind {
                "action" | "treat" => names.actions.keys().map(ToString::to_string).collect(),
                "keyword" => names.keywords.keys().map(ToString::to_string).collect(),
                "play" => names.plays.keys().map(ToString::to_string).collect(),
                "payment" => names.payments.keys().map(ToString::to_string).collect(),
                "constant" => names.constants.keys().map(ToString::to_string).collect(),
                "layout" => ["seat", "middle", "left", "right"].map(str::to_owned).to_vec(),
                "layout.seat" | "layout.middle" | "layout.left" | "layout.right" => {
                    let paths = game.models.iter().filter_map(|model| model.layout.as_ref()).flat_map(|layout| layout.paths());
                    paths.filter_map(|path| path.strip_prefix(kind)?.strip_prefix('.').map(str::to_owned)).collect()
                }
                "zone" => names.zones.iter().map(|(name, _)| name.text.to_string()).collect(),
                "rule" => game.models.iter().flat_map(|model| model.rules.keys()).map(ToString::to_string).collect(),
                "state" => game.models.iter().flat_map(|model| model.state_rules.keys()).map(ToString::to_string).collect(),
                _ => return None,
            })
        };
        if before.is_empty() {
            self.add_words(&[
                "action.",
                "keyword.",
                "rule.",
                "state.",
                "play.",
                "payment.",
                "constant.",
                "zone.",
                "treat.",
                "turn.",
                "timing",
                "announce",
                "setup",
                "match",
                "layout",
                "layout.",
            ]);
            return;
        }
        if let Some(found) = keys(before) {
            for name in found {
                self.push(&name, CompletionItemKind::FIELD, before.to_owned(), None);
            }
            return;
        }
        for parent in names.find_period(before) {
            for path in names.periods.keys() {
                if let Some(child) = path.strip_prefix(&parent).and_then(|rest| rest.strip_prefix('.'))
                    && !child.contains('.')
                {
                    self.push(child, CompletionItemKind::FIELD, path.clone(), None);
                }
            }
        }
    }
}
