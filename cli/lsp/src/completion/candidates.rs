//! Completion candidates: lists the names and words that fit an [`Expected`] class.

use super::context::Context;
use super::expected::Expected;
use super::operand_type::meaning_type;
use super::snippets::{self, Snippet};
use super::words::{ABILITIES, PLAYERS, QUANTIFIERS, SEATS, STATEMENTS};
use crate::docs::first_paragraph;
use crate::hover::type_name;
use crate::resolve::{find_action, meaning_kind};
use crate::server_state::ServerState;
use crate::shipped_copies;
use fizzle_compiler::names::Meaning;
use fizzle_compiler::session::Game;
use fizzle_grammar::ast::{DeckRule, Item, ItemKind, Span};
use fizzle_grammar::item_splitter::ITEM_KEYWORDS;
use fizzle_grammar::visit::DeclKind;
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::scenario::third_person;
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use lsp_types::{CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The rank of the first group of names that only rules use. Internal names follow at twice this rank.
const LAST_RANK: usize = 100;
/// The most words of patterns before the cursor whose parameters are offered.
const MAX_EVENT_WORDS: usize = 64;
/// From so many uses on cards on, a word is a frequent one.
const OFTEN: u32 = 60;
/// From so many uses on cards on, a word is not a rare one.
const SOMETIMES: u32 = 8;

/// Collects completion items, each label once.
pub struct Candidates<'w> {
    game: Option<&'w Game<'w>>,
    context: &'w Context,
    state: &'w ServerState,
    documented_items: BTreeMap<(DeclKind, &'w str), &'w Item>,
    items: Vec<CompletionItem>,
    labels: BTreeSet<String>,
    rank: usize,
    card_words: Rc<BTreeMap<SmolStr, u32>>,
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
                ItemKind::Play(play) => match &play.name {
                    Some(name) => (DeclKind::Play, name),
                    None => continue,
                },
                ItemKind::Rule { name, .. } => (DeclKind::Rule, name),
                ItemKind::StateRule { name, .. } => (DeclKind::StateRule, name),
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
        Self {
            game,
            context,
            state,
            documented_items,
            items: Vec::new(),
            labels: BTreeSet::new(),
            rank: 0,
            card_words: state.card_words(),
        }
    }

    /// The collected items.
    pub fn into_items(self) -> Vec<CompletionItem> {
        self.items
    }

    /// Adds the candidates for an expected class. They are sorted after those of earlier calls.
    pub fn add(&mut self, expected: &Expected) {
        match expected {
            Expected::Item => self.add_forms(snippets::ITEMS, &ITEM_KEYWORDS),
            Expected::Fact => {
                self.add_meanings(|kind| matches!(kind, DeclKind::TraitWord | DeclKind::Traits | DeclKind::Property));
                self.add_meanings(|kind| kind == DeclKind::Keyword);
            }
            Expected::Ability => self.add_forms(snippets::ABILITIES, ABILITIES),
            Expected::Statement => {
                self.add_actions(false);
                self.add_forms(snippets::STATEMENTS, STATEMENTS);
                self.add_locals();
                self.add_event_parameters(|_| true);
                self.add_meanings(|kind| matches!(kind, DeclKind::Status | DeclKind::Player | DeclKind::Global));
            }
            Expected::Value(ty) => self.add_values(*ty),
            Expected::Noun => {
                self.add_words(&["card", "player", "opponent", "other"]);
                self.add_meanings(|kind| matches!(kind, DeclKind::Noun | DeclKind::TraitWord));
            }
            Expected::Quality => {
                self.add_meanings(|kind| matches!(kind, DeclKind::Noun | DeclKind::TraitWord));
                self.add_typed(|ty| ty == Type::Bool);
                self.add_words(&["not", "player", "object", "opponent", "you", "active", "this", "it"]);
            }
            Expected::Keyword => self.add_meanings(|kind| matches!(kind, DeclKind::Keyword | DeclKind::TraitWord)),
            Expected::Possession => {
                self.add_meanings(|kind| kind == DeclKind::Zone);
                self.add_words(&["owner", "controller", "name", "zone"]);
                self.add_meanings(|kind| matches!(kind, DeclKind::Property | DeclKind::Status | DeclKind::Player));
            }
            Expected::Condition => {
                self.add_meanings(|kind| matches!(kind, DeclKind::Property | DeclKind::Status | DeclKind::Traits));
                self.add_meanings(|kind| kind == DeclKind::Keyword);
                self.add_locals();
            }
            Expected::Change => {
                self.add_meanings(|kind| matches!(kind, DeclKind::Keyword | DeclKind::TraitWord | DeclKind::Property));
                self.add_words(&["no abilities", "no", "not", "every"]);
            }
            Expected::Event => self.add_actions(true),
            Expected::Subject => {
                self.add_words(&["this", "you", "opponent", "it", "card", "player"]);
                self.add_locals();
                self.add_meanings(|kind| matches!(kind, DeclKind::Noun | DeclKind::TraitWord));
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
            Expected::Local => self.add_locals(),
            Expected::Play => self.add_plays(),
            Expected::Seat => self.add_words(SEATS),
            Expected::Section => self.add_sections(),
            Expected::Period => self.add_periods(),
            Expected::Words(words) => self.add_words(words),
            Expected::Accepted(words) => {
                self.begin_group();
                for word in words {
                    self.push(word, CompletionItemKind::KEYWORD, String::new(), None);
                }
            }
        }
    }

    /// What is added next is sorted after what was added before.
    fn begin_group(&mut self) {
        self.rank += 1;
    }

    /// Whether a name is for the rules of a game: no card uses it, and it is declared in no file of the author.
    fn is_for_rules(&self, kind: DeclKind, name: &str) -> bool {
        if !matches!(self.context.item.as_str(), "card" | "token") {
            return false;
        }
        let is_own = self.documented_items.get(&(kind, name)).is_some_and(|item| !self.is_shipped(item.span));
        !is_own && self.uses_on_cards(name) == 0
    }

    /// How often cards use a word, in its base form and in the third person.
    fn uses_on_cards(&self, name: &str) -> u32 {
        let count = |word: &str| self.card_words.get(word).copied().unwrap_or(0);
        let third = third_person(name);
        if third == name { count(name) } else { count(name) + count(&third) }
    }

    fn is_shipped(&self, span: Span) -> bool {
        let (session, store) = (&self.state.session, self.state.session.store());
        let document = session.place(span).and_then(|place| store.document(place.file));
        document.is_some_and(|document| shipped_copies::is_shipped(&document.path))
    }

    /// The order of a word inside of its group: words that cards use often come first.
    fn frequency(&self, label: &str) -> char {
        let is_verb = !self.card_words.contains_key(label);
        let uses = if is_verb { self.uses_on_cards(label) } else { self.card_words.get(label).copied().unwrap_or(0) };
        if uses >= OFTEN {
            'a'
        } else if uses >= SOMETIMES {
            'b'
        } else {
            'c'
        }
    }

    fn push(&mut self, label: &str, kind: CompletionItemKind, detail: String, docs: Option<String>) {
        self.push_ranked(label, kind, detail, docs, false);
    }

    /// Adds an item. Internal names, and `last` ones, are sorted after all others.
    fn push_ranked(&mut self, label: &str, kind: CompletionItemKind, detail: String, docs: Option<String>, last: bool) {
        if !self.labels.insert(label.to_owned()) {
            return;
        }
        let is_internal = label.split(['.', ' ']).any(|part| part.starts_with('_'));
        let rank = self.rank + if is_internal { 2 * LAST_RANK } else { usize::from(last) * LAST_RANK };
        let value = docs.map(|docs| first_paragraph(&docs)).filter(|docs| !docs.is_empty());
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: Some(detail).filter(|detail| !detail.is_empty()),
            documentation: value.map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })),
            sort_text: Some(format!("{rank:03}{}{label}", self.frequency(label))),
            ..CompletionItem::default()
        });
    }

    fn add_words(&mut self, words: &[&str]) {
        self.begin_group();
        for word in words {
            self.push(word, CompletionItemKind::KEYWORD, String::new(), None);
        }
    }

    /// Adds words, those with a form as a snippet if the editor accepts snippets.
    fn add_forms(&mut self, forms: &[Snippet], words: &[&str]) {
        self.add_words(words);
        if !self.state.snippets {
            return;
        }
        for form in forms {
            let Some(item) = self.items.iter_mut().find(|item| item.label == form.word) else { continue };
            item.insert_text = Some(form.text.to_owned());
            item.insert_text_format = Some(InsertTextFormat::SNIPPET);
            item.kind = Some(CompletionItemKind::SNIPPET);
            item.detail = Some(form.shown());
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
        self.begin_group();
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
            let last = self.documented_items.contains_key(&(kind, word)) && self.is_for_rules(kind, word);
            self.push_ranked(word, shown, detail, docs, last);
        }
    }

    /// Adds actions in the base form, as statements use them; or, if `third`, actions and plays in the third person, for event patterns.
    fn add_actions(&mut self, third: bool) {
        self.begin_group();
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
            let last = self.is_for_rules(DeclKind::Action, &name);
            let detail = format!("{}({})", if row.is_some() { "verb" } else { "action" }, all.join(", "));
            if third {
                let words: &[&str] = row.map_or(&[], |row| row.pattern_words);
                for word in words {
                    self.push(word, CompletionItemKind::EVENT, detail.clone(), docs.clone());
                }
                self.push_ranked(&third_person(&name), CompletionItemKind::EVENT, detail, docs, last);
            } else {
                self.push_spoken(&name, &detail, docs.as_deref());
                self.push_ranked(&name, CompletionItemKind::METHOD, detail, docs, last);
            }
        }
        if third {
            self.add_words(&["enters", "leaves", "is"]);
        }
    }

    /// Adds the spoken form of an action `VERB_REST` that cards write with an operand between the two: `deal … damage`.
    fn push_spoken(&mut self, name: &str, detail: &str, docs: Option<&str>) {
        let Some((first, rest)) = name.split_once('_') else { return };
        if self.uses_on_cards(first) == 0 || self.uses_on_cards(name) > 0 || !self.card_words.contains_key(rest) {
            return;
        }
        let from = self.items.len();
        self.push(&format!("{first} … {rest}"), CompletionItemKind::METHOD, detail.to_owned(), docs.map(str::to_owned));
        if let Some(item) = self.items.get_mut(from) {
            item.insert_text = Some(first.to_owned());
            item.filter_text = Some(first.to_owned());
        }
    }

    /// Adds local names.
    fn add_locals(&mut self) {
        self.begin_group();
        for name in self.context.locals.clone() {
            self.push(&name, CompletionItemKind::VARIABLE, "local".to_owned(), None);
        }
    }

    /// Adds the parameters of the events that are in scope.
    fn add_event_parameters(&mut self, wanted: impl Fn(Type) -> bool) {
        self.begin_group();
        let Some(game) = self.game else { return };
        for verb in self.context.events.iter().rev().take(MAX_EVENT_WORDS) {
            let Some((action, params)) = find_action(&game.names, verb, true) else { continue };
            for (name, ty) in params.into_iter().filter(|(_, ty)| wanted(*ty)) {
                let detail = format!("{} of `{action}`", type_name(game, ty));
                self.push(&name, CompletionItemKind::VARIABLE, detail, None);
            }
        }
    }

    fn add_values(&mut self, ty: Option<Type>) {
        match ty {
            None => {
                self.add_locals();
                self.add_words(&["count of", "sum of", "highest", "lowest", "true", "false", "random"]);
                self.add_words(PLAYERS);
                self.add_words(QUANTIFIERS);
                self.add_event_parameters(|_| true);
                self.add_meanings(|_| true);
                self.add_builtins(|_| true);
            }
            Some(Type::Object | Type::Objects | Type::Thing | Type::Things) => {
                self.add_locals();
                self.add_words(QUANTIFIERS);
                self.add_event_parameters(|ty| matches!(ty, Type::Object | Type::Objects | Type::Thing));
                self.add_typed(|ty| matches!(ty, Type::Object | Type::Objects));
                self.add_builtins(|ty| matches!(ty, Type::Object | Type::Objects));
                if matches!(ty, Some(Type::Thing | Type::Things)) {
                    self.add_words(PLAYERS);
                }
            }
            Some(Type::Player | Type::Players) => {
                self.add_locals();
                self.add_words(PLAYERS);
                self.add_event_parameters(|ty| matches!(ty, Type::Player | Type::Thing));
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
                self.add_words(&["1", "2", "3", "count of", "sum of", "highest", "lowest", "random"]);
                self.add_event_parameters(|ty| ty == Type::Number);
                self.add_typed(|ty| ty == Type::Number);
                self.add_builtins(|ty| ty == Type::Number);
            }
            Some(Type::Bool) => {
                self.add_words(&["true", "false", "not", "some", "no"]);
                self.add_locals();
                self.add_event_parameters(|ty| ty == Type::Bool);
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
                self.add_event_parameters(|ty| ty == Type::Price);
                self.add_typed(|ty| ty == Type::Price);
                self.add_builtins(|ty| ty == Type::Price);
            }
            Some(Type::Shares) => self.add_locals(),
        }
    }

    fn add_builtins(&mut self, wanted: impl Fn(Type) -> bool) {
        self.begin_group();
        for row in BUILTINS.iter().filter(|row| wanted(row.result)) {
            let detail = match self.game {
                Some(game) => {
                    let params: Vec<String> = row.params.iter().map(|ty| type_name(game, *ty)).collect();
                    format!("({}): {}", params.join(", "), type_name(game, row.result))
                }
                None => String::new(),
            };
            let last = self.is_for_rules(DeclKind::Function, row.name);
            self.push_ranked(row.name, CompletionItemKind::FUNCTION, detail, Some(row.doc.to_owned()), last);
        }
    }

    /// Adds the zones that each player has, with a possessive (`your hand`).
    fn add_zones(&mut self) {
        self.begin_group();
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
        self.begin_group();
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
        self.begin_group();
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
        let rank = self.rank;
        if let Some(item) = self.items.get_mut(from) {
            item.sort_text = Some(format!("{rank:03}{place}{name}"));
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
            self.begin_group();
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
                        self.push(name, CompletionItemKind::METHOD, "play".to_owned(), self.docs_of(DeclKind::Play, name));
                    }
                }
                DeclKind::Payment => self.add_names(game.names.payments.keys(), "payment", *kind),
                DeclKind::Position => self.add_names(game.names.positions.keys(), "position", *kind),
                DeclKind::Rule => self.add_names(game.models.iter().flat_map(|model| model.rules.keys()), "rule", *kind),
                DeclKind::StateRule => {
                    self.add_names(game.models.iter().flat_map(|model| model.state_rules.keys()), "state rule", *kind);
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

    fn add_names<'n>(&mut self, names: impl Iterator<Item = &'n SmolStr>, detail: &str, kind: DeclKind) {
        for name in names {
            self.push(name, CompletionItemKind::FIELD, detail.to_owned(), self.docs_of(kind, name));
        }
    }

    /// Adds what a player of a scenario does: plays, actions that players declare, and the use of an activated ability.
    fn add_plays(&mut self) {
        self.begin_group();
        let Some(game) = self.game else { return };
        let declared: BTreeSet<&SmolStr> = game.declared_actions().collect();
        let plays = game.names.plays.keys().map(|name| (name, DeclKind::Play));
        for (name, kind) in plays.chain(declared.into_iter().map(|name| (name, DeclKind::Action))) {
            let detail = if kind == DeclKind::Play { "play" } else { "declaration" };
            self.push(&third_person(name), CompletionItemKind::METHOD, detail.to_owned(), self.docs_of(kind, name));
        }
        self.push("activates", CompletionItemKind::METHOD, "use of an activated ability".to_owned(), None);
    }

    /// Adds the sections of the decks of all formats.
    fn add_sections(&mut self) {
        self.begin_group();
        let models = self.game.map(|game| game.models.as_slice()).unwrap_or_default();
        let rules = models.iter().filter_map(|model| model.deck).flatten();
        for rule in rules {
            if let DeckRule::Size { section, .. } = rule {
                self.push(&section.text, CompletionItemKind::FIELD, "section".to_owned(), None);
            }
        }
        self.add_words(&["main", "side"]);
    }

    /// Adds the phases and steps by the shortest path from the turn that means them alone.
    fn add_periods(&mut self) {
        self.begin_group();
        let Some(game) = self.game else { return };
        for path in game.names.periods.keys().filter(|path| path.contains('.')) {
            let last = path.rsplit('.').next().unwrap_or(path);
            let short = format!("turn.{last}");
            let label = if game.names.find_period(&short).len() == 1 { &short } else { path };
            self.push(label, CompletionItemKind::FIELD, path.clone(), None);
        }
    }

    /// Adds the parts that can follow a path such as `turn.` or `action.`; without a path, the first parts.
    fn add_path_parts(&mut self, before: &str) {
        self.begin_group();
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
                "zone" => names.zone_names().map(str::to_owned).collect(),
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
