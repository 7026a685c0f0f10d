//! Collects the names that a game and its formats declare into the name table, and reports names that conflict.

use crate::action_effects::ActionEffects;
use crate::dependencies;
use crate::diagnostics::{Diagnostic, codes};
use crate::limits::{
    self, MAX_ACTION_PARAMS, MAX_KEYWORD_PARAMS, MAX_RELATED, MAX_RELATIONS, MAX_TRAIT_SETS, MAX_VARIABLES, MAX_VERBS, MAX_WORDS,
};
use crate::names::{
    FACTS, FunctionDecl, KeywordDecl, Meaning, NameTable, Signature, TraitSetDecl, dotted, duplicate_declaration,
};
use crate::packs::GameItems;
use crate::phrase_syntax::awaited_event;
use crate::text_resolvers::TextResolvers;
use fizzle_grammar::ast::{
    Ability, AbilityKind, Action, DifferenceKind, Item, ItemKind, Name, Param, RestrictedPool, Span, TurnEntry, UnlabelledFact,
    Variable, VariableKind, WordsAndAbilities, WordsOfUnits,
};
use fizzle_ir::verbs::VERBS;
use fizzle_ir::{ActionId, KeywordId, TraitSetId, Type, ZoneKindId};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl<'a> NameTable<'a> {
    /// Collects what a game and its formats declare.
    pub fn collect(game: &GameItems<'a>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        crate::diagnostics::reset_comparisons();
        let mut names = Self { scopes: Arc::new(game.scopes.clone()), ..Self::default() };
        names.declare_built_ins();
        names.relations = game.shorthands.relations.clone();
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
        // Trait sets come first, since their names are types; then the words that other packs add to them.
        for item in game.items.iter().chain(&added) {
            if let ItemKind::Traits { name, adds: false, open, changeable, abilities, words, .. } = &item.kind {
                names.declare_traits(name, (*open, *changeable, *abilities), words, diagnostics);
            }
        }
        let mut further: BTreeMap<TraitSetId, Vec<&'a Name>> = BTreeMap::new();
        for item in game.items.iter().chain(&added) {
            if let ItemKind::Traits { name, adds: true, words, .. } = &item.kind
                && let Some(id) = names.find_extended_traits(name, &game.items, diagnostics)
            {
                further.entry(id).or_default().extend(words);
            }
        }
        for (id, words) in further {
            names.add_trait_words(id, &words, diagnostics);
        }
        for item in &game.items {
            names.add_option_statuses(item);
            names.declare_item(item, true, diagnostics);
            if let ItemKind::Card(card) = &item.kind {
                names.unparsed_words.extend(card.unread.iter().flatten().cloned());
            }
        }
        for item in &added {
            names.declare_item(item, false, diagnostics);
        }
        for item in &replaced {
            names.check_replacement(item, diagnostics);
        }
        names.collect_print_rules();
        names.unlabelled_price = names.check_shorthands(&game.items, diagnostics);
        names.check_relations(diagnostics);
        names.check_param_counts(diagnostics);
        names.resolve_parents(game, &added, diagnostics);
        names.dependencies = dependencies::resolve(&mut names, &game.items, diagnostics);
        names.check_param_zones(game, &added, diagnostics);
        names.collect_periods(game);
        crate::renamed_words::check(&game.items, &names, diagnostics);
        names.text_resolvers = TextResolvers::of(game.items.iter().copied());
        if let Some(field) = names.field_zone() {
            let zones: Vec<&SmolStr> = names.zones.iter().map(|(name, _)| &name.text).collect();
            names.action_effects = ActionEffects::of(game.items.iter().copied(), field, &zones);
        }
        crate::name_conflicts::report(&names, &names.declarations, diagnostics);
        names.foreign = crate::foreign_terms::collect(game, &added, &names, diagnostics);
        names.foreign_phrases = crate::foreign_terms::ForeignPhrases::of(&names.foreign);
        names
    }

    /// Collects the rules of kinds without repetitions.
    fn collect_print_rules(&mut self) {
        let mut known = BTreeSet::new();
        for (kind, parts) in &self.kinds {
            let key = (kind.is_quoted(), kind.text.as_str());
            let (_, rules) = self.print_rules.entry(key).or_insert((*kind, Vec::new()));
            for part in *parts {
                let words: Vec<(bool, &str)> = part.words.iter().map(|word| (word.is_quoted(), word.text.as_str())).collect();
                if known.insert((key, part.excluded, words)) {
                    rules.push(part);
                }
            }
        }
    }

    fn declare_built_ins(&mut self) {
        for verb in VERBS {
            let params = verb.params.iter().map(|param| (SmolStr::new(param.name), param.ty)).collect();
            self.actions.insert(
                SmolStr::new(verb.name),
                Signature {
                    name: SmolStr::new(verb.name),
                    params,
                    zones: Vec::new(),
                    acting_param: matches!(verb.name, "erase" | "start_resolving").then_some(0),
                    parent: None,
                    looks_back: false,
                    reported_in: None,
                    span: Span::default(),
                },
            );
        }
        self.periods.insert("turn".to_owned(), Span::default());
        self.cards.insert(SmolStr::default(), None);
    }

    fn declare(&mut self, kind: &'static str, name: &Name, strict: bool, diagnostics: &mut Vec<Diagnostic>) -> bool {
        if FACTS.contains(&name.text.as_str())
            && !matches!(kind, "action" | "play" | "rule" | "state rule" | "card" | "deck" | "format" | "position")
        {
            diagnostics.push(
                Diagnostic::new(&codes::DUPLICATE, name.span, format!("`{}` is a built-in property", name.text))
                    .label("this declaration can never be used")
                    .help("give it another name"),
            );
        }
        if !matches!(kind, "card" | "deck") {
            // Those are lowered one by one, and their names with them.
            diagnostics.extend(limits::long_name(name));
        }
        let Some(earlier) = self.declarations.get(&(kind, name.text.clone())) else {
            self.declarations.insert((kind, name.text.clone()), name.span);
            return true;
        };
        // Two formats may each add an item of the same name. Both share its number.
        if strict {
            let problem = duplicate_declaration(kind, &name.text, name.span, *earlier);
            diagnostics.push(match self.scopes.different_packs(name.span, *earlier) {
                Some((pack, other)) => problem.help(format!(
                    "`{pack}` and `{other}` share all words of the game; only their cards may have the same names"
                )),
                None => problem,
            });
        }
        false
    }

    fn add_meaning(&mut self, word: &SmolStr, meaning: Meaning) {
        self.words.entry(word.clone()).or_default().push(meaning);
    }

    fn declare_traits(
        &mut self,
        name: &'a Name,
        (open, changeable, abilities): (bool, bool, WordsAndAbilities),
        words: &'a [Name],
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if !self.declare("traits item", name, true, diagnostics) {
            return;
        }
        if self.traits.len() >= MAX_TRAIT_SETS {
            if !std::mem::replace(&mut self.has_too_many_trait_sets, true) {
                let message = format!("the game has more than {MAX_TRAIT_SETS} trait sets");
                diagnostics.push(limits::exceeded(name.span, message, "declare the words of several sets in one"));
            }
            return;
        }
        let id = TraitSetId(self.traits.len() as u32);
        self.add_meaning(&name.text, Meaning::Traits(id));
        let closed_words = if open { None } else { Some(Vec::new()) };
        let initial_words = Vec::new();
        self.traits.push(TraitSetDecl { name: name.text.clone(), words: closed_words, initial_words, changeable, abilities });
        self.add_trait_words(id, &words.iter().collect::<Vec<_>>(), diagnostics);
    }

    /// The set to which `traits NAME adds { … }` adds words.
    fn find_extended_traits(&self, name: &Name, items: &[&Item], diagnostics: &mut Vec<Diagnostic>) -> Option<TraitSetId> {
        let found = self.traits_id(&name.text);
        if found.is_none() {
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no trait set is called `{}`", name.text));
            let variable = items.iter().find_map(|item| match &item.kind {
                ItemKind::Variable(variable) if variable.name.text == name.text => Some(variable),
                _ => None,
            });
            diagnostics.push(match variable {
                Some(variable) => problem.also(variable.name.span, "this is a variable").help(
                    "a variable has the words of its declaration, and no pack adds any: declare another variable for further words, `global NAME: one of WORD, WORD`",
                ),
                None => problem
                    .did_you_mean(&name.text, self.traits.iter().map(|set| set.name.as_str()))
                    .or_help("to declare it, leave `adds` out"),
            });
        }
        found
    }

    /// Adds words to a trait set.
    fn add_trait_words(&mut self, id: TraitSetId, words: &[&'a Name], diagnostics: &mut Vec<Diagnostic>) {
        let Some(set) = self.traits.get(id.index()) else { return };
        let open = set.words.is_none();
        let name = set.name.clone();
        let mut texts = set.words.clone().unwrap_or_else(|| set.initial_words.clone());
        let mut known: BTreeSet<SmolStr> = texts.iter().cloned().collect();
        for word in words.iter().copied() {
            if texts.len() >= MAX_WORDS {
                let message = format!("`{name}` has more than {MAX_WORDS} words");
                diagnostics.push(limits::exceeded(word.span, message, "leave some out"));
                break;
            }
            // The words of an open set are quoted and declare no names. A quoted word of a closed set has a meaning only where a word of
            // this set is expected.
            if open || word.is_quoted() {
                if known.insert(word.text.clone()) {
                    texts.push(word.text.clone());
                } else if !open {
                    let message = format!("`{}` is declared twice", word.text);
                    diagnostics.push(Diagnostic::new(&codes::DUPLICATE, word.span, message).help("leave one of them out"));
                }
            } else if self.declare("trait word", word, true, diagnostics) {
                self.add_meaning(&word.text, Meaning::Word(id, texts.len() as u16));
                known.insert(word.text.clone());
                texts.push(word.text.clone());
            }
        }
        let Some(set) = self.traits.get_mut(id.index()) else { return };
        match &mut set.words {
            Some(words) => *words = texts,
            None => set.initial_words = texts,
        }
    }

    fn declare_item(&mut self, item: &'a Item, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
        match &item.kind {
            ItemKind::Variable(variable) => self.declare_variable(variable, strict, diagnostics),
            ItemKind::Constant { name, value } if self.declare("constant", name, strict, diagnostics) => {
                self.add_meaning(&name.text, Meaning::Constant(self.constants.len() as u32));
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
                self.add_meaning(&name.text, Meaning::Zone(ZoneKindId(self.zones.len() as u32)));
                self.zones.push((name, settings));
            }
            ItemKind::ZoneAdds { name, settings } => self.zone_additions.push((name, settings)),
            ItemKind::Kind { word, parts } => self.kinds.push((word, parts)),
            ItemKind::Noun { name, meaning } if self.declare("noun", name, strict, diagnostics) => {
                self.add_meaning(&name.text, Meaning::Noun);
                self.nouns.insert(name.text.clone(), meaning);
            }
            ItemKind::Function { name, params, result, body } if self.declare("function", name, strict, diagnostics) => {
                self.add_meaning(&name.text, Meaning::Function);
                let params = self.params(params, diagnostics);
                let result = self.type_of(result, diagnostics);
                self.functions.insert(name.text.clone(), FunctionDecl { params, result, body, span: name.span });
            }
            ItemKind::Action(action) => self.declare_action(action, strict, diagnostics),
            ItemKind::Keyword { name, params, with_body, abilities } if self.declare("keyword", name, strict, diagnostics) => {
                self.add_meaning(&name.text, Meaning::Keyword(KeywordId(self.keywords.len() as u32)));
                let params = self.params(params, diagnostics);
                let events =
                    abilities.iter().filter_map(awaited_event).map(|verb| (verb.verb.text.clone(), verb.passive)).collect();
                let declared = KeywordDecl { params, with_body: *with_body, events, span: name.span };
                self.keywords.insert(name.text.clone(), declared);
            }
            ItemKind::Rule { name, .. } => {
                self.declare("rule", name, strict, diagnostics);
            }
            ItemKind::StateRule { name, .. } => {
                self.declare("state rule", name, strict, diagnostics);
            }
            ItemKind::Play(play) => {
                if let Some(name) = &play.name
                    && self.has_room_for_verb(name, diagnostics)
                    && self.declare("play", name, strict, diagnostics)
                {
                    self.plays.insert(name.text.clone(), play);
                }
            }
            ItemKind::Payment(payment) if self.declare("payment", &payment.name, strict, diagnostics) => {
                self.payments.insert(payment.name.text.clone(), &payment.kinds);
                payment.restricted.iter().for_each(|pool| self.declare_pool(pool, diagnostics));
            }
            ItemKind::PaymentAdds { pools, .. } => pools.iter().for_each(|pool| self.declare_pool(pool, diagnostics)),
            ItemKind::Card(card) if self.declare("card", &card.name, strict, diagnostics) => {
                self.cards.insert(card.name.text.clone(), Some(card));
                for face in &card.faces {
                    if self.declare("card", &face.card.name, strict, diagnostics) {
                        self.cards.insert(face.card.name.text.clone(), Some(&face.card));
                        self.faces.insert(face.card.name.text.clone());
                    }
                }
            }
            ItemKind::Deck(deck) => {
                self.declare("deck", &deck.name, strict, diagnostics);
            }
            ItemKind::Position(named) if self.declare("position", &named.name, strict, diagnostics) => {
                self.positions.insert(named.name.text.clone(), named);
            }
            ItemKind::Format { name, .. } => {
                self.format_items += 1;
                self.declare("format", name, strict, diagnostics);
            }
            _ => {}
        }
    }

    fn declare_pool(&mut self, pool: &'a RestrictedPool, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(earlier) = self.pools.insert(pool.name.text.clone(), pool) {
            diagnostics.push(duplicate_declaration("pool", &pool.name.text, pool.name.span, earlier.name.span));
        }
    }

    fn declare_variable(&mut self, variable: &'a Variable, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
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
        if table.len() >= MAX_VARIABLES {
            // the first one that is too many is reported
            if table.len() == MAX_VARIABLES && self.types[row].len() == MAX_VARIABLES {
                self.types[row].push(ty);
                let message = format!("the game has more than {MAX_VARIABLES} variables of this kind");
                diagnostics.push(limits::exceeded(variable.name.span, message, "leave some out"));
            }
            return;
        }
        table.push(variable);
        self.types[row].push(ty);
        let meaning = match variable.kind {
            VariableKind::Property => Meaning::Property(number),
            VariableKind::Status => Meaning::Status(number),
            VariableKind::Player => Meaning::Player(number),
            VariableKind::Global => Meaning::Global(number),
        };
        self.add_meaning(&variable.name.text, meaning);
    }

    /// Whether the game may declare one more action or play; reports the first one that is too many.
    fn has_room_for_verb(&mut self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> bool {
        let has_room = self.actions.len() + self.plays.len() < MAX_VERBS;
        if !has_room && !std::mem::replace(&mut self.has_too_many_verbs, true) {
            let message = format!("the game has more than {MAX_VERBS} actions and plays");
            diagnostics.push(limits::exceeded(name.span, message, "leave some out"));
        }
        has_room
    }

    fn declare_action(&mut self, action: &'a Action, strict: bool, diagnostics: &mut Vec<Diagnostic>) {
        if VERBS.iter().any(|verb| verb.name == action.name.text) {
            diagnostics.push(
                Diagnostic::new(&codes::DUPLICATE, action.name.span, format!("the verb `{}` is built in", action.name.text))
                    .help("give the action another name"),
            );
            return;
        }
        if !self.has_room_for_verb(&action.name, diagnostics) || !self.declare("action", &action.name, strict, diagnostics) {
            return;
        }
        let mut params = self.params(&action.params, diagnostics);
        reject_list_params(&action.params, &mut params, diagnostics);
        if let Some(acting_param) = &action.acting_param
            && !params.iter().any(|(name, ty)| *name == acting_param.text && *ty == Type::Object)
        {
            diagnostics.push(
                Diagnostic::new(
                    &codes::BAD_PATTERN,
                    acting_param.span,
                    format!("`{}` is not a parameter of type `object`", acting_param.text),
                )
                .help("write `by NAME` with the parameter of type `object` that acts"),
            );
        }
        let acting_param = action.acting_param.as_ref().and_then(|doer| params.iter().position(|(name, _)| *name == doer.text));
        let name = action.name.text.clone();
        self.actions.insert(
            name.clone(),
            Signature {
                name,
                params,
                zones: action.params.iter().map(|param| param.zone.clone()).collect(),
                acting_param,
                parent: None,
                looks_back: action.looks_back,
                reported_in: reported_in(action),
                span: action.name.span,
            },
        );
    }

    /// Checks that a replacement has the parameters of the original. [`crate::formats`] reports a missing original.
    fn check_replacement(&mut self, item: &'a Item, diagnostics: &mut Vec<Diagnostic>) {
        match &item.kind {
            ItemKind::Action(action) => {
                if let Some(signature) = self.actions.get(&action.name.text) {
                    let (expected, span) = (signature.params.clone(), signature.span);
                    let mut params = self.params(&action.params, diagnostics);
                    reject_list_params(&action.params, &mut params, diagnostics);
                    self.check_same_params(&action.name, &expected, &params, span, diagnostics);
                    let declared = self.actions.get(&action.name.text).map_or(&[][..], |signature| &signature.zones);
                    for (param, declared) in action.params.iter().zip(declared) {
                        let Some(zone) =
                            param.zone.as_ref().filter(|zone| declared.as_ref().is_none_or(|old| old.text != zone.text))
                        else {
                            continue;
                        };
                        let message = "a replacement must take its object from the same zone as the original";
                        let problem = Diagnostic::new(&codes::OTHER_SIGNATURE, zone.span, message).also(span, "declared here");
                        diagnostics.push(problem.help("leave the zone out here"));
                    }
                }
            }
            ItemKind::Keyword { name, params, with_body, .. } => {
                if let Some(declaration) = self.keywords.get(&name.text) {
                    if *with_body || declaration.with_body {
                        let message = "a keyword with a body is the same in all formats";
                        let problem = Diagnostic::new(&codes::OTHER_SIGNATURE, name.span, message);
                        let help = "declare another keyword `with body`, and write it on the cards of this format";
                        diagnostics.push(problem.also(declaration.span, "declared here").help(help));
                        return;
                    }
                    let (expected, span) = (declaration.params.clone(), declaration.span);
                    let params = self.params(params, diagnostics);
                    self.check_same_params(name, &expected, &params, span, diagnostics);
                }
            }
            _ => {}
        }
    }

    fn check_same_params(
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

    /// Reports relations of what is neither an object nor a player, and of too many of them.
    fn check_relations(&self, diagnostics: &mut Vec<Diagnostic>) {
        if let Some((_, first)) = self.relations.get_index(MAX_RELATIONS) {
            let message = format!("the game has more than {MAX_RELATIONS} relations");
            diagnostics.push(limits::exceeded(first.name.span, message, "leave some out"));
        }
        for (name, relation) in &self.relations {
            if let Some(end) = relation.ends.get(MAX_RELATED) {
                let message = format!("`{name}` relates more than {MAX_RELATED} objects and players");
                diagnostics.push(limits::exceeded(end.name.span, message, "declare several relations"));
            }
            for end in &relation.ends {
                let ty = &end.ty;
                if ty.list || ty.word || !matches!(ty.name.text.as_str(), "object" | "player" | "thing") {
                    let message = format!("`{}` is neither an object nor a player", end.name.text);
                    diagnostics.push(Diagnostic::new(&codes::TYPE_MISMATCH, end.name.span, message).help(format!(
                        "a relation is one of objects, players or things; declare other values in its braces: `relation {name}(…) {{ {}: {} }}`",
                        end.name.text, ty.name.text
                    )));
                }
            }
        }
    }

    /// Reports keywords and actions with too many parameters.
    fn check_param_counts(&self, diagnostics: &mut Vec<Diagnostic>) {
        for (name, keyword) in self.keywords.iter().filter(|(_, keyword)| keyword.params.len() > MAX_KEYWORD_PARAMS) {
            let message = format!("`{name}` has more than {MAX_KEYWORD_PARAMS} parameters");
            diagnostics.push(limits::exceeded(keyword.span, message, "declare several keywords"));
        }
        for (name, action) in self.actions.iter().filter(|(_, action)| action.params.len() > MAX_ACTION_PARAMS) {
            let message = format!("`{name}` has more than {MAX_ACTION_PARAMS} parameters");
            diagnostics.push(limits::exceeded(action.span, message, "store the other values in statuses or variables before"));
        }
    }

    /// Reports declarations of shorthand forms that mean nothing, or something else already. Returns the property that a price without a word is.
    fn check_shorthands(&self, items: &[&'a Item], diagnostics: &mut Vec<Diagnostic>) -> Option<SmolStr> {
        let (mut symbols, mut pair): (BTreeMap<&str, Span>, Option<Span>) = (BTreeMap::new(), None);
        let (mut unlabelled_price, mut unlabelled_words): (Option<&Name>, Option<&Name>) = (None, None);
        for item in items {
            match &item.kind {
                ItemKind::Traits { from: Some(from), .. } => self.check_words_of_units(from, diagnostics),
                ItemKind::CostSymbol(written) => {
                    let name = &written.symbol;
                    let is_unit = name.text.chars().all(|c| c.is_ascii_digit()) || !self.meanings(&name.text).is_empty();
                    let text = format!("`{{{}}}`", name.text);
                    if let Some(first) = symbols.insert(&name.text, name.span) {
                        let problem =
                            Diagnostic::new(&codes::DUPLICATE, name.span, format!("the symbol {text} is declared twice"));
                        diagnostics.push(problem.also(first, "first declared here").help("leave one of them out"));
                    } else if is_unit || name.text.contains('/') {
                        let problem = Diagnostic::new(&codes::DUPLICATE, name.span, format!("{text} is a unit of prices"));
                        diagnostics.push(problem.help("choose a symbol that no price contains"));
                    }
                    if written.cost.as_ref().is_none_or(|cost| cost.statements.is_empty()) {
                        let problem = Diagnostic::new(&codes::MISSING_OPERAND, item.span, format!("{text} costs nothing"));
                        diagnostics.push(
                            problem.help(format!("write what it stands for: `symbol {{{}}} {{ cost {{ … }} }}`", name.text)),
                        );
                    }
                }
                ItemKind::Unlabelled(facts) => {
                    for UnlabelledFact { name, words } in facts {
                        let is_price = self.properties.iter().any(|it| it.name.text == name.text && it.ty.name.text == "price");
                        let is_open = self.traits.iter().any(|set| set.words.is_none() && set.name == name.text);
                        let known = || self.traits.iter().flat_map(|set| set.words.iter().flatten()).map(SmolStr::as_str);
                        for word in words.iter().filter(|word| !known().any(|known| known == word.text)) {
                            let message = format!("`{}` is no word of a set of traits", word.text);
                            diagnostics.push(
                                Diagnostic::new(&codes::UNKNOWN_NAME, word.span, message).did_you_mean(&word.text, known()),
                            );
                        }
                        let first = if is_price { &mut unlabelled_price } else { &mut unlabelled_words };
                        if !words.is_empty() && (is_price || is_open) {
                            continue;
                        }
                        if !is_price && !is_open {
                            self.report_unlabelled(name, diagnostics);
                        } else if let Some(first) = first.replace(name) {
                            let form = if is_price { "a price" } else { "a quoted word" };
                            let problem = Diagnostic::new(
                                &codes::DUPLICATE,
                                name.span,
                                format!("{form} without a word has a meaning already"),
                            );
                            diagnostics.push(problem.also(first.span, "first declared here").help("leave one of them out"));
                        }
                    }
                }
                ItemKind::StatPair(first, second) => {
                    if let Some(earlier) = pair.replace(item.span) {
                        let problem = Diagnostic::new(&codes::DUPLICATE, item.span, "a game has one pair of properties");
                        diagnostics.push(problem.also(earlier, "first declared here").help("leave one of them out"));
                    }
                    for name in [first, second] {
                        let numbers = self.properties.iter().filter(|property| property.ty.name.text == "number");
                        if !numbers.clone().any(|property| property.name.text == name.text) {
                            let message = format!("`{}` is no property that is a number", name.text);
                            diagnostics.push(
                                Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message)
                                    .did_you_mean(&name.text, numbers.map(|property| property.name.text.as_str()))
                                    .or_help(format!("declare it: `property {}: number`", name.text)),
                            );
                        }
                    }
                }
                ItemKind::PaymentAdds { name, .. } if !self.payments.contains_key(&name.text) => {
                    let message = format!("no payment is called `{}`", name.text);
                    let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message);
                    diagnostics.push(problem.did_you_mean(&name.text, self.payments.keys().map(SmolStr::as_str)));
                }
                _ => {}
            }
        }
        unlabelled_price.map(|name| name.text.clone())
    }

    /// Keeps the statuses of the additional and alternative costs that an item has.
    fn add_option_statuses(&mut self, item: &'a Item) {
        let mut add = |abilities: &'a [Ability]| {
            for ability in abilities {
                if let AbilityKind::Option { status, .. } = &ability.kind {
                    self.option_statuses.insert(&status.text);
                }
            }
        };
        match &item.kind {
            ItemKind::Keyword { abilities, .. } | ItemKind::Rule { abilities, .. } => add(abilities),
            ItemKind::Card(card) => {
                add(&card.abilities);
                card.faces.iter().for_each(|face| add(&face.card.abilities));
            }
            _ => {}
        }
    }

    /// Reports a name of `unlabelled` that is neither a property with prices nor an open set of traits.
    fn report_unlabelled(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) {
        let prices = self.properties.iter().filter(|property| property.ty.name.text == "price").map(|it| it.name.text.as_str());
        let known = prices.chain(self.traits.iter().filter(|set| set.words.is_none()).map(|set| set.name.as_str()));
        let message = format!("`{}` is neither a property that is a price nor an open set of traits", name.text);
        diagnostics.push(
            Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message)
                .did_you_mean(&name.text, known)
                .or_help(format!("declare it: `property {}: price` or `traits {} open`", name.text, name.text)),
        );
    }

    /// Reports a property that is no price, and symbols that are no units.
    fn check_words_of_units(&self, from: &WordsOfUnits, diagnostics: &mut Vec<Diagnostic>) {
        let property = self.properties.iter().find(|property| property.name.text == from.property.text);
        if property.is_none_or(|property| property.ty.name.text != "price") {
            let prices = self.properties.iter().filter(|property| property.ty.name.text == "price");
            let message = format!("`{}` is no property that is a price", from.property.text);
            diagnostics.push(
                Diagnostic::new(&codes::UNKNOWN_NAME, from.property.span, message)
                    .did_you_mean(&from.property.text, prices.map(|property| property.name.text.as_str()))
                    .or_help("write the property whose printed symbols give the words: `traits hue from cost { red {R} }`"),
            );
        }
        for (word, symbol) in &from.units {
            if self.meanings(&symbol.text).is_empty() {
                let message = format!("`{{{}}}` is no unit of a price", symbol.text);
                let help = format!("declare it: `noun {} = …`, or leave `{}` out", symbol.text, word.text);
                diagnostics.push(Diagnostic::new(&codes::UNKNOWN_NAME, symbol.span, message).help(help));
            }
        }
    }

    fn resolve_parents(&mut self, game: &GameItems<'a>, added: &[&'a Item], diagnostics: &mut Vec<Diagnostic>) {
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

    /// Checks the zones of parameters (`it: object in ZONE`): the zone exists, and the parameter is an object of an action.
    fn check_param_zones(&self, game: &GameItems<'a>, added: &[&'a Item], diagnostics: &mut Vec<Diagnostic>) {
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
                    Diagnostic::new(
                        &codes::MISPLACED_FORM,
                        zone.span,
                        format!("the parameter `{}` cannot have a zone", param.name.text),
                    )
                    .help("only an object parameter of an action has a zone: `action NAME(it: object in ZONE)`")
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

    fn collect_periods(&mut self, game: &GameItems<'a>) {
        for item in &game.items {
            match &item.kind {
                ItemKind::Turn(entries) => {
                    self.turn = Some(entries);
                    self.collect_nested_periods("turn", entries);
                }
                ItemKind::Format { differences, .. } => {
                    for difference in differences {
                        match &difference.kind {
                            DifferenceKind::Replace(item) | DifferenceKind::Add(item) => {
                                if let ItemKind::Turn(entries) = &item.kind {
                                    self.collect_nested_periods("turn", entries);
                                }
                            }
                            DifferenceKind::ReplacePeriod { path, entries } => {
                                let path = dotted(path.parts.iter().map(|part| part.text.as_str()));
                                if let Some(path) = self.find_period(&path).first().cloned() {
                                    self.collect_nested_periods(&path, entries);
                                }
                            }
                            DifferenceKind::Insert { path, period: span, .. } => {
                                let sibling = dotted(path.parts.iter().map(|part| part.text.as_str()));
                                if let Some(sibling) = self.find_period(&sibling).first().cloned() {
                                    let parent = sibling.rsplit_once('.').map_or("turn", |(parent, _)| parent).to_owned();
                                    let path = format!("{parent}.{}", span.name.text);
                                    self.periods.entry(path.clone()).or_insert(span.name.span);
                                    if span.is_phase {
                                        self.phases.insert(path.clone());
                                    }
                                    self.collect_nested_periods(&path, &span.entries);
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

    fn collect_nested_periods(&mut self, parent: &str, entries: &'a [TurnEntry]) {
        for entry in entries {
            match entry {
                TurnEntry::Period(span) => {
                    let path = format!("{parent}.{}", span.name.text);
                    self.periods.entry(path.clone()).or_insert(span.name.span);
                    if span.is_phase {
                        self.phases.insert(path.clone());
                    }
                    self.collect_nested_periods(&path, &span.entries);
                }
                TurnEntry::Repeat { entries, .. } => self.collect_nested_periods(parent, entries),
                TurnEntry::Statement(_) | TurnEntry::Each { .. } => {}
            }
        }
    }
}

/// Reports parameters of actions that are lists. An event outlives the lists of the statement that proposes it, so it holds single values.
fn reject_list_params(written: &[Param], params: &mut [(SmolStr, Type)], diagnostics: &mut Vec<Diagnostic>) {
    for (param, (_, ty)) in written.iter().zip(params) {
        let (single, word) = match ty {
            Type::Objects => (Type::Object, "object"),
            Type::Players => (Type::Player, "player"),
            Type::Things => (Type::Thing, "thing"),
            Type::Price => (Type::Number, "number"),
            _ => continue,
        };
        let help = match ty {
            Type::Price => format!("write `{}: number`, and build the price where it is paid", param.name.text),
            _ => format!(
                "write `{}: {word}`: a call with several values creates one event for each, all in one batch",
                param.name.text
            ),
        };
        diagnostics.push(
            Diagnostic::new(
                &codes::LIST_PARAMETER,
                param.ty.name.span,
                format!("`{}` is a list, but an event has single values", param.name.text),
            )
            .help(help),
        );
        *ty = single;
    }
}

/// The zone of the first parameter of an action that only reports what happened.
fn reported_in(action: &Action) -> Option<SmolStr> {
    let does_nothing = action.body.as_ref().is_none_or(|body| body.statements.is_empty());
    action.params.first()?.zone.as_ref().filter(|_| does_nothing).map(|zone| zone.text.clone())
}
