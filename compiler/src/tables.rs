//! Builds the tables of a game: columns and zones from declarations, definitions from cards, and the tables of each format over them.

use crate::dependency_graph::{Node, circle};
use crate::diagnostics::{self, Diagnostic, codes};
use crate::formats::{ActionAliasDecl, KeywordBody, ResolvedFormat};
use crate::limits::MAX_KEYWORD_PARAMS;
use crate::lower::turn::{SharedProcedures, statements_of};
use crate::lower::would_act::would_act;
use crate::lower::{BundleKind, KeywordPart, Lowering, Owner};
use crate::maps::IndexMap;
use crate::phrase_syntax::{as_phrase, is_word};
use crate::relation_zones;
use crate::settings;
use fizzle_grammar::ast::{
    AnnouncePolicy as WrittenAnnounce, DeckRule, Expr, ExprKind, Head, ItemKind, Name, Span, Variable as Written, VariableKind,
};
use fizzle_ir::encoding_limits::MAX_PLAYERS;
use fizzle_ir::format::LEAVE_GAME_ACTION;
use fizzle_ir::op::Source;
use fizzle_ir::verbs::VERBS;
use fizzle_ir::{
    AbilityBundle, AbilityId, Action, ActionId, AnnouncePolicy, AnnounceStage, DeckProhibition, DeckRules, DefId, FnId, Format,
    KeywordId, NO_PLAYER, Rule, StateRule, TraitSet, Type, Variable, Visibility, WindowRules,
};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// The number of players of a game without a `players` item.
const DEFAULT_PLAYERS: u8 = 2;

impl<'a> Lowering<'a> {
    /// Fills the tables that do not depend on a format, except for definitions.
    pub fn declarations(&mut self, items: &[&'a fizzle_grammar::ast::Item]) {
        self.library.files = self.sources.file_paths();
        self.library.layers = self.names.layers.iter().map(ToString::to_string).collect();
        self.library.windows.push(WindowRules { name: "priority".to_owned(), ..WindowRules::default() });
        for item in items {
            self.intern_item(item);
        }
        for set in &self.names.traits {
            let layer = self.names.layers.iter().position(|layer| *layer == set.name);
            let layer = layer.or_else(|| self.names.layers.iter().position(|layer| layer == "traits")).unwrap_or(0) as u8;
            self.library.traits.push(TraitSet {
                name: set.name.to_string(),
                words: Vec::new(),
                layer,
                changeable: set.changeable,
                open: set.words.is_none(),
            });
        }
        let conceals = self.names.statuses.iter().any(|status| status.conceals && status.disguise.is_none());
        for (name, words) in &self.names.zones {
            let mut zone = fizzle_ir::ZoneKind { name: name.text.to_string(), ..fizzle_ir::ZoneKind::default() };
            settings::zone(&mut zone, words, self.names, &mut self.diagnostics);
            let ended = self.names.relations.values().find(|relation| relation_zones::zone_of(&relation.name.text) == name.text);
            zone.lifetime = ended.and_then(|relation| relation.lifetime.as_ref()).and_then(|name| self.lifetime(name));
            for (_, added) in self.names.zone_additions.iter().filter(|(added, _)| added.text == name.text) {
                settings::zone_additions(&mut zone, added, self.names, &mut self.diagnostics);
            }
            if !zone.possible_words.is_empty() && zone.visibility == Visibility::Public && !conceals {
                let at = words.iter().flatten().find(|word| word.text == "are").map_or(name.span, |word| word.span);
                self.report(
                    Diagnostic::new(&codes::BAD_SETTING, at, format!("nothing can be hidden in the zone `{}`", name.text))
                        .label("it is public, and no status conceals objects")
                        .help("leave `hidden cards are` out, or make the zone `hidden` or `visible to owner`"),
                );
            }
            self.library.zones.push(zone);
        }
        self.check_zone_additions();
        self.check_field_zone();
        for (table, variables) in
            [&self.names.properties, &self.names.statuses, &self.names.players, &self.names.globals].into_iter().enumerate()
        {
            for (number, variable) in variables.iter().enumerate() {
                let ty = self.names.types[table].get(number).copied().unwrap_or(Type::Number);
                let lowered = self.variable(variable, ty);
                match table {
                    0 => self.library.properties.push(lowered),
                    1 => self.library.statuses.push(lowered),
                    2 => self.library.player_variables.push(lowered),
                    _ => self.library.globals.push(lowered),
                }
            }
        }
        self.library.keywords = self
            .names
            .keywords
            .iter()
            .map(|(name, declared)| {
                // More parameters are reported.
                let numbered = || (0..=u8::MAX).zip(&declared.params).take(MAX_KEYWORD_PARAMS);
                let words = numbered().filter_map(|(number, (_, ty))| match ty {
                    Type::Words(traits) => Some((number, *traits)),
                    _ => None,
                });
                let prices = numbered().filter(|(_, (_, ty))| *ty == Type::Price).map(|(number, _)| number);
                let params = numbered().count() as u8;
                fizzle_ir::Keyword { name: name.to_string(), params, words: words.collect(), prices: prices.collect() }
            })
            .collect();
        self.check_kinds();
    }

    fn check_field_zone(&mut self) {
        let fields: Vec<usize> =
            self.library.zones.iter().enumerate().filter(|(_, zone)| zone.field).map(|(index, _)| index).collect();
        if let [_, second, ..] = fields.as_slice()
            && let Some((name, _)) = self.names.zones.get(*second)
        {
            self.report(
                Diagnostic::new(&codes::DUPLICATE, name.span, "only one zone can be the field")
                    .help("remove `field` from one of them"),
            );
        }
        let lists: Vec<usize> =
            self.library.zones.iter().enumerate().filter(|(_, zone)| zone.list).map(|(index, _)| index).collect();
        if let [_, second, ..] = lists.as_slice()
            && let Some((name, _)) = self.names.zones.get(*second)
        {
            self.report(
                Diagnostic::new(&codes::DUPLICATE, name.span, "only one zone can be the list")
                    .help("remove `list` from one of them"),
            );
        }
        if self.library.zones.len() > 32 {
            self.error(&codes::LIMIT, self.names.zones[32].0.span, "a game has at most 32 zones");
        }
    }

    /// Reports additions to zones that the game does not have.
    fn check_zone_additions(&mut self) {
        let names = self.names;
        for (name, _) in names.zone_additions.iter().filter(|(name, _)| names.zone_id(&name.text).is_none()) {
            let known = names.zone_names();
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no zone is called `{}`", name.text));
            self.report(problem.did_you_mean(&name.text, known).or_help("to declare it, leave `adds` out"));
        }
    }

    /// Numbers the words of open trait sets that cards print in quotes.
    fn intern_item(&mut self, item: &'a fizzle_grammar::ast::Item) {
        match &item.kind {
            ItemKind::Card(card) => self.intern_facts(card),
            ItemKind::Format { differences, .. } => {
                for difference in differences {
                    match &difference.kind {
                        fizzle_grammar::ast::DifferenceKind::Errata(card) => self.intern_facts(card),
                        fizzle_grammar::ast::DifferenceKind::Add(item) => self.intern_item(item),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The number of the word that is the initial value of a variable of words.
    fn initial_word(&self, value: &Expr, ty: Type) -> Option<i32> {
        let Type::Word(traits) = ty else { return None };
        let name = match &as_phrase(value)?.head {
            Head::Word(name) | Head::Quoted(name) => name,
            _ => return None,
        };
        self.words.get(traits.index())?.get(&name.text).map(|word| i32::from(*word) + 1)
    }

    fn variable(&mut self, written: &'a Written, ty: Type) -> Variable {
        let initial = match &written.default {
            // The default is another property of the same card. [`Lowering::card`] prints its value.
            Some(value) if written.kind == VariableKind::Property && self.default_source(value, ty).is_some() => 0,
            Some(value) if let Some(word) = self.initial_word(value, ty) => word,
            Some(value)
                if let Type::Word(traits) = ty
                    && !is_word(value, "nothing") =>
            {
                let words = self.words.get(traits.index()).into_iter().flat_map(IndexMap::keys).map(SmolStr::as_str);
                let text = self.sources.slice(value.span);
                let problem = Diagnostic::new(
                    &codes::TYPE_MISMATCH,
                    value.span,
                    format!("`{text}` is no value of `{}`", written.name.text),
                );
                let problem = problem.did_you_mean(text, words.clone());
                let known: Vec<String> = words.take(8).map(|word| format!("`{word}`")).collect();
                self.report(problem.or_help(format!("its words are {}", known.join(", "))));
                0
            }
            Some(value) => {
                if ty.is_list() && ty != Type::Price {
                    self.error(&codes::NOT_CONSTANT, value.span, "a list has no initial value: it starts empty");
                    0
                } else {
                    self.must_be_constant(value, ty) as i32
                }
            }
            None => match ty {
                Type::Price => self.intern_list(Vec::new()).0 as i32,
                Type::Player => NO_PLAYER as i32,
                _ => 0,
            },
        };
        let layer = match &written.layer {
            Some(layer) => match self.names.layers.iter().position(|known| *known == layer.text) {
                Some(index) => index as u8,
                None => {
                    let names = self.names;
                    let problem =
                        Diagnostic::new(&codes::UNKNOWN_NAME, layer.span, format!("no layer is called `{}`", layer.text))
                            .did_you_mean(&layer.text, names.layers.iter().map(SmolStr::as_str))
                            .or_help(format!(
                                "declare it among the layers, in the order of application: `layers {{ …, {} }}`",
                                layer.text
                            ));
                    self.report(problem);
                    0
                }
            },
            None => {
                let own = self.names.layers.iter().position(|layer| *layer == written.name.text);
                own.unwrap_or(self.names.layers.len().saturating_sub(1)) as u8
            }
        };
        let lifetime = written.lifetime.as_ref().and_then(|name| self.lifetime(name));
        if let Some(memory) = written.memory.as_ref().filter(|_| written.kind == VariableKind::Property) {
            self.report_not_here(
                memory.span,
                "a property is printed, so it records no events",
                "declare a `status` of objects, a variable of each `player`, or a `global`",
            );
        }
        if written.conceals && (written.kind != VariableKind::Status || ty != Type::Bool) {
            self.report_not_here(
                written.name.span,
                "only a status of type `bool` can have `conceals`",
                "leave `conceals` out, or write `status NAME: bool conceals`",
            );
        }
        if written.kept_on_field && written.kind != VariableKind::Status {
            self.report_not_here(
                written.name.span,
                "only a status can be `kept on field`",
                "leave `kept on field` out, or write `status NAME: number kept on field`",
            );
        }
        if written.updates_timestamp && written.kind != VariableKind::Status {
            self.report_not_here(
                written.name.span,
                "only a status can have `updates timestamp`",
                "leave `updates timestamp` out",
            );
        }
        if written.clears_effects && (written.kind != VariableKind::Status || ty != Type::Bool) {
            self.report_not_here(
                written.name.span,
                "only a status of type `bool` can have `clears effects`",
                "leave `clears effects` out, or write `status NAME: bool clears effects`",
            );
        }
        if written.kind != VariableKind::Property {
            for layer in [&written.layer, &written.add_layer, &written.switch_layer].into_iter().flatten() {
                self.report_not_here(layer.span, "only a property can have a layer", "leave `in layer` out");
            }
        }
        for layer in [&written.add_layer, &written.switch_layer].into_iter().flatten() {
            self.written_layer(layer);
        }
        let keys = written.keys.as_ref().and_then(|traits| self.key_traits(written, traits, ty));
        Variable {
            name: written.name.text.to_string(),
            ty,
            initial,
            layer,
            lifetime,
            keys,
            conceals: written.conceals,
            kept_on_field: written.kept_on_field,
            disguise: written.disguise.as_ref().and_then(|card| self.disguise(card)),
            nameless: written.nameless,
            revealed_on_leaving: written.revealed_on_leaving,
            updates_timestamp: written.updates_timestamp,
            clears_effects: written.clears_effects,
        }
    }

    /// `conceals as "CARD"`: the definition whose values a concealed object has.
    fn disguise(&mut self, card: &Name) -> Option<DefId> {
        let found = self.names.card_id(card);
        if found.is_none() {
            let message = format!("no card or token is called `{}`", card.text);
            let known = self.names.cards.keys().skip(1).map(SmolStr::as_str);
            self.report(Diagnostic::new(&codes::UNKNOWN_NAME, card.span, message).did_you_mean(&card.text, known));
        }
        found
    }

    /// `for each TRAITS`: the trait set for whose words a variable has one number each.
    fn key_traits(&mut self, written: &'a Written, traits: &Name, ty: Type) -> Option<fizzle_ir::TraitSetId> {
        let fits = matches!(written.kind, VariableKind::Status | VariableKind::Player)
            && ty == Type::Number
            && written.default.is_none()
            && written.lifetime.is_none()
            && !written.conceals
            && !written.kept_on_field;
        if !fits {
            self.report_not_here(
                traits.span,
                "only a number of an object or player can have a value for each word, and it starts at 0",
                "write `status NAME: number for each TRAITS` or `player NAME: number for each TRAITS`",
            );
        }
        let found = self.names.traits_id(&traits.text);
        if found.is_none() {
            let known: Vec<&str> = self.names.traits.iter().map(|set| set.name.as_str()).collect();
            let message = format!("no traits item is called `{}`", traits.text);
            self.report(Diagnostic::new(&codes::UNKNOWN_NAME, traits.span, message).did_you_mean(&traits.text, known));
        }
        found.filter(|_| fits)
    }

    fn lifetime(&mut self, name: &Name) -> Option<String> {
        if matches!(name.text.as_str(), "turn" | "step" | "phase") {
            return Some(name.text.to_string());
        }
        let span = self.period_of_path(&name.text, name.span)?;
        self.names.periods.get_index(span.index()).map(|(path, _)| path.clone())
    }

    /// Adds the definitions of cards, tokens and errata. Returns the definitions of errata, by the address of their card.
    pub fn definitions(&mut self, models: &[ResolvedFormat<'a>]) -> BTreeMap<usize, DefId> {
        let nameless = self.nameless_definition();
        self.library.definitions.push(nameless);
        let cards: Vec<_> = self.names.cards.values().skip(1).copied().collect();
        for card in cards {
            let definition = match card {
                Some(card) => self.card(card),
                None => self.nameless_definition(),
            };
            self.library.definitions.push(definition);
            diagnostics::keep_listed(&mut self.diagnostics);
        }
        let errata = self.errata_definitions(models);
        self.join_faces();
        errata
    }

    /// Adds the definitions of errata. Returns them by the address of their card.
    pub fn errata_definitions(&mut self, models: &[ResolvedFormat<'a>]) -> BTreeMap<usize, DefId> {
        let mut errata = BTreeMap::new();
        for model in models {
            for card in &model.errata {
                let key = std::ptr::from_ref(*card) as usize;
                if errata.contains_key(&key) {
                    continue;
                }
                errata.insert(key, DefId(self.library.definitions.len() as u32));
                let definition = self.card(card);
                self.library.definitions.push(definition);
                if self.names.is_face(&card.name) {
                    self.report_not_here(
                        card.name.span,
                        "a face of a card cannot have an errata",
                        "ban the card, or declare another card",
                    );
                }
                let faced = self.names.card_at(&card.name.text, card.name.span).is_some_and(|old| !old.faces.is_empty());
                if faced || !card.faces.is_empty() {
                    self.report_not_here(
                        card.name.span,
                        "a card with several faces cannot have an errata",
                        "ban the card, or declare another card",
                    );
                }
            }
        }
        errata
    }

    /// Sets the faces of cards, and adds the combined definition of a card where all its faces are visible.
    fn join_faces(&mut self) {
        let names = self.names;
        for (index, card) in names.cards.values().enumerate() {
            let Some(card) = card else { continue };
            if names.faces.contains(&card.name.text) {
                self.library.definitions[index].part = true;
                continue;
            }
            let faces: Vec<DefId> = card.faces.iter().filter_map(|face| names.card_id(&face.card.name)).collect();
            if faces.is_empty() {
                continue;
            }
            let mut joined = self.library.definitions[index].clone();
            for (id, face) in faces.iter().zip(&card.faces) {
                if !face.joined {
                    continue;
                }
                let other = self.library.definitions[id.index()].clone();
                for (words, more) in joined.words.iter_mut().zip(other.words) {
                    words.extend(more);
                    crate::lower::card::keep_first(words);
                }
                joined
                    .bundles
                    .extend(other.bundles.into_iter().filter(|unit| !joined.bundles.contains(unit)).collect::<Vec<_>>());
            }
            let any = card.faces.iter().any(|face| face.joined);
            let id = DefId(self.library.definitions.len() as u32);
            self.library.definitions[index].faces = faces;
            if any {
                joined.part = true;
                self.library.definitions[index].combined_faces = Some(id);
                self.library.definitions.push(joined);
            }
        }
    }

    /// Lowers all formats of the game. `announces`: the announcement policies of all formats, by name.
    pub fn formats(
        &mut self,
        models: &[ResolvedFormat<'a>],
        errata: &BTreeMap<usize, DefId>,
        announces: &BTreeMap<SmolStr, Option<&'a WrittenAnnounce>>,
    ) -> Vec<Format> {
        let mut shared = SharedProcedures::new();
        let mut formats: Vec<Format> = Vec::with_capacity(models.len());
        let memories = self.memory_rules();
        for model in models {
            formats.push(self.format(model, errata, announces, &memories, &mut shared));
            diagnostics::keep_listed(&mut self.diagnostics);
        }
        self.expand_bundles(models, &mut formats);
        self.check_opponents(models);
        self.check_values_stage(models, &formats);
        self.layouts(models, &mut formats);
        for (words, set) in self.words.iter().zip(&mut self.library.traits) {
            set.words = words.keys().map(ToString::to_string).collect();
        }
        formats
    }

    /// Fills the bundles of all formats. Expanding keywords can add keywords with new arguments, which are expanded as well.
    fn expand_bundles(&mut self, models: &[ResolvedFormat<'a>], formats: &mut [Format]) {
        let mut expanded: Vec<Vec<AbilityBundle>> = vec![Vec::new(); models.len()];
        while expanded.iter().any(|bundles| bundles.len() < self.bundles.len()) {
            for (model, bundles) in models.iter().zip(&mut expanded) {
                while let Some(bundle) = self.bundles.get(bundles.len()).cloned() {
                    bundles.push(match bundle {
                        BundleKind::Single(abilities) => AbilityBundle { keyword: None, abilities },
                        BundleKind::Keyword(keyword, args) => {
                            let abilities = self.keyword_abilities(model, keyword, &args);
                            AbilityBundle { keyword: Some((keyword, args)), abilities }
                        }
                    });
                }
            }
        }
        for (format, bundles) in formats.iter_mut().zip(expanded) {
            format.bundles = bundles.into();
        }
    }

    pub(crate) fn keyword_abilities(&mut self, model: &ResolvedFormat<'a>, keyword: KeywordId, args: &[i32]) -> Vec<AbilityId> {
        let Some((name, _)) = self.names.keywords.get_index(keyword.index()) else { return Vec::new() };
        let Some(KeywordBody { params, abilities }) = model.keywords.get(name).copied() else { return Vec::new() };
        // [`crate::dependencies`] has emptied keywords that include themselves
        self.keyword_depth += 1;
        let version = abilities.first().map_or(0, |first| std::ptr::from_ref(first) as usize);
        let parts = if abilities.is_empty() { Vec::new() } else { self.lower_keyword(version, keyword, args, params, abilities) };
        let flat = self.flatten(model, &parts);
        self.keyword_depth -= 1;
        flat
    }

    fn flatten(&mut self, model: &ResolvedFormat<'a>, parts: &[KeywordPart]) -> Vec<AbilityId> {
        let mut abilities = Vec::new();
        for part in parts {
            match part {
                KeywordPart::Ability(id) => abilities.push(*id),
                KeywordPart::Keyword(keyword, args) => abilities.extend(self.keyword_abilities(model, *keyword, args)),
            }
        }
        abilities
    }

    /// The minimal and the maximal number of players of a format.
    fn player_range(&mut self, model: &ResolvedFormat<'a>) -> (u8, u8) {
        let Some((least, most, at)) = model.players else { return (DEFAULT_PLAYERS, DEFAULT_PLAYERS) };
        let fits = |number: u32| u8::try_from(number).ok().filter(|n| (1..=MAX_PLAYERS).contains(n));
        match (fits(least), fits(most)) {
            (Some(least), Some(most)) if least <= most => (least, most),
            _ => {
                self.report(
                    Diagnostic::new(&codes::BAD_SETTING, at, format!("the number of players cannot be {least} to {most}"))
                        .help(format!("write one number or two, the smaller one first, from 1 to {MAX_PLAYERS}")),
                );
                (DEFAULT_PLAYERS, DEFAULT_PLAYERS)
            }
        }
    }

    /// Reports `opponent` as a single player in formats with more than two players.
    pub(crate) fn check_opponents(&mut self, models: &[ResolvedFormat<'a>]) {
        let spans: Vec<Span> = self.single_opponents.iter().copied().collect();
        let Some(first) = spans.first().copied() else { return };
        let allows_more =
            |model: &&ResolvedFormat<'a>| model.players.is_some_and(|(_, most, _)| most > u32::from(DEFAULT_PLAYERS));
        let help = "write `each opponent`, `1 opponent` (a choice) or `target opponent`, or name the player";
        let help_for_one = "write `1 opponent` (a choice) or `target opponent`, or name the player";
        // In a game of several players each place is wrong. If a format allows more players than its game, the format is wrong.
        if models.first().filter(allows_more).is_some() {
            for span in spans {
                // `join_attack(x, opponent)`: an argument behind another one is one player
                let is_second = self.text_before(span).trim_end().ends_with(',');
                let problem = Diagnostic::new(&codes::MANY_OPPONENTS, span, "`opponent` may be several players in this game");
                let of_statement = self.suggest_subject(span).filter(|_| !is_second);
                let of_statement = of_statement.or_else(|| self.suggest_condition_on_opponent(span));
                let help = if is_second { help_for_one } else { help };
                self.report(problem.help(of_statement.unwrap_or_else(|| help.to_owned())));
            }
            return;
        }
        for model in models.iter().filter(allows_more) {
            let Some((_, most, at)) = model.players else { continue };
            let message = format!("`{}` is written for one opponent, not for {}", models[0].name, most - 1);
            let also = format!("`opponent` is one player here and in {} other places", spans.len() - 1);
            self.report(Diagnostic::new(&codes::MANY_OPPONENTS, at, message).also(first, also).help(help));
        }
    }

    fn format(
        &mut self,
        model: &ResolvedFormat<'a>,
        corrected: &BTreeMap<usize, DefId>,
        announces: &BTreeMap<SmolStr, Option<&'a WrittenAnnounce>>,
        memories: &[Rule],
        shared: &mut SharedProcedures,
    ) -> Format {
        let (least, players) = self.player_range(model);
        let mut format = Format {
            name: model.name.to_string(),
            title: model.title.clone(),
            base: model.base.as_ref().map(ToString::to_string),
            min_players: least,
            max_players: players,
            ..Format::default()
        };
        for zone in model.absent_zones.iter().filter_map(|name| self.names.zone_id(name)) {
            format.absent_zones |= 1u32 << zone.0.min(31);
        }
        format.actions = self.format_actions(model, shared);
        if let Some((action, _)) = model.actions.get(LEAVE_GAME_ACTION)
            && !format
                .actions
                .iter()
                .any(|action| action.name == LEAVE_GAME_ACTION && matches!(action.params.as_slice(), [(_, Type::Player)]))
        {
            self.report(
                Diagnostic::new(
                    &codes::OTHER_SIGNATURE,
                    action.name.span,
                    format!("`{LEAVE_GAME_ACTION}` needs one parameter, a player"),
                )
                .help(format!("declare `action {LEAVE_GAME_ACTION}(who: player) {{ … }}`")),
            );
        }
        for (name, abilities) in &model.rules {
            let abilities = self.rule_abilities(model, name, abilities);
            format.rules.push(Rule { name: name.to_string(), abilities });
        }
        format.rules.extend(memories.iter().cloned());
        for (name, body) in &model.state_rules {
            let body = self.procedure(&format!("state rule {name}"), &statements_of(body), shared);
            let check = self.library.functions.get(body.index()).and_then(would_act);
            let acts = check.map(|check| self.add_function(check));
            format.state_rules.push(StateRule { name: name.to_string(), body, acts });
        }
        for treat in model.action_aliases.values() {
            format.action_aliases.extend(self.action_alias(*treat, shared));
        }
        self.format_plays(model, &mut format);
        if let Some(timing) = model.timing {
            settings::timing(&mut format.timing, timing, &mut self.diagnostics);
        }
        format.announce = self.announce_policy(model.announce, announces);
        if !model.setup.is_empty() {
            let statements: Vec<_> = model.setup.iter().flat_map(|block| statements_of(block)).collect();
            format.setup = Some(self.procedure("setup", &statements, shared));
        }
        match &model.turn {
            Some(turn) => format.periods = self.turn(turn, shared),
            None => self.report(
                Diagnostic::new(&codes::MISSING_PART, model.span, format!("`{}` has no turn", model.name))
                    .help("declare it: `turn { … }`"),
            ),
        }
        format.evaluate = model.evaluate.map(|evaluate| self.condition("evaluate", evaluate, Type::Number, shared));
        for (number, (name, first)) in self.names.constants.iter().enumerate() {
            let value = model.constants.get(name).copied().unwrap_or(first);
            let ty = self.names.constant_type(number as u32);
            let value = match self.report_other_kind_of_constant(name, value, ty) {
                true => 0,
                false => self.must_be_constant(value, ty) as i32,
            };
            format.constants.push((name.to_string(), value));
        }
        for card in &model.errata {
            match (self.names.card_id(&card.name), corrected.get(&(std::ptr::from_ref(*card) as usize))) {
                (Some(old), Some(new)) => format.errata.push((old, *new)),
                _ => self.report_unknown_card(&card.name),
            }
        }
        format.deck = self.deck_rules(model, shared);
        if let Some(written) = model.match_rules {
            format.match_rules = self.match_rules(written, &format.deck);
        }
        format
    }

    /// Reports a constant of a format that is a number where the game declares `true` or `false`, or the other way about.
    fn report_other_kind_of_constant(&mut self, name: &SmolStr, value: &'a Expr, ty: Type) -> bool {
        let is_switch =
            matches!(value.kind, ExprKind::Not(_)) || as_phrase(value).is_some_and(|it| matches!(it.head, Head::Bool(_)));
        let is_number = as_phrase(value).is_some_and(|phrase| matches!(phrase.head, Head::Number(_)));
        let (found, wanted, help) = match ty {
            Type::Bool if is_number => ("a number", "`true` or `false`", "true"),
            Type::Number if is_switch => ("`true` or `false`", "a number", "1"),
            _ => return false,
        };
        let declared = self.names.span_of("constant", name);
        let message = format!("`{name}` is {wanted}, but this is {found}");
        self.report(
            Diagnostic::new(&codes::TYPE_MISMATCH, value.span, message)
                .also(declared, "declared here")
                .help(format!("write a value of the same kind: `replace constant {name} = {help}`")),
        );
        true
    }

    /// `treat ACTION as ACTION when COND`: both actions must have the same types of parameters.
    fn action_alias(&mut self, treat: ActionAliasDecl<'a>, shared: &mut SharedProcedures) -> Option<fizzle_ir::ActionAlias> {
        let action = self.action_named(treat.action)?;
        let into = self.action_named(treat.into)?;
        let params = |id: ActionId| {
            let signature = self.names.actions.get_index(id.index()).map(|(_, signature)| signature);
            signature.map_or_else(Vec::new, |signature| signature.params.iter().map(|(_, ty)| *ty).collect::<Vec<_>>())
        };
        if params(action) != params(into) {
            let message = format!("`{}` and `{}` have different parameters", treat.action.text, treat.into.text);
            self.report(
                Diagnostic::new(&codes::OTHER_SIGNATURE, treat.into.span, message)
                    .help("both actions need the same types of parameters"),
            );
            return None;
        }
        let condition = treat.condition.map(|condition| {
            let key = std::ptr::from_ref(condition) as usize;
            if let Some(known) = shared.get(&vec![key]) {
                return *known;
            }
            let id = self.event_condition(action, condition);
            shared.insert(vec![key], id);
            id
        });
        Some(fizzle_ir::ActionAlias { action, into, condition })
    }

    /// Lowers a condition on an event. Parameters: 0, no player, the event's arguments, its cause.
    fn event_condition(&mut self, action: ActionId, condition: &'a Expr) -> FnId {
        self.begin_context(true);
        self.begin_event(action, true);
        let holds = self.bool(condition);
        self.emit(fizzle_ir::Op::Return { value: Some(holds) });
        let child = self.end_child();
        let id = self.close(child, &[]);
        self.end_context();
        id
    }

    fn action_named(&mut self, name: &fizzle_grammar::ast::Name) -> Option<ActionId> {
        let found = self.names.action_id(&name.text);
        if found.is_none() {
            let known = self.names.actions.keys().map(SmolStr::as_str);
            let problem = Diagnostic::new(&codes::UNKNOWN_VERB, name.span, format!("no action is called `{}`", name.text));
            self.report(problem.did_you_mean(&name.text, known));
        }
        found
    }

    fn format_actions(&mut self, model: &ResolvedFormat<'a>, shared: &mut SharedProcedures) -> Vec<Action> {
        let mut actions = Vec::new();
        for index in 0..self.names.actions.len() {
            let Some((name, signature)) = self.names.actions.get_index(index) else { continue };
            let params: Vec<(String, Type)> = signature.params.iter().map(|(name, ty)| (name.to_string(), *ty)).collect();
            let source = if index < VERBS.len() { Source::default() } else { self.sources.source(signature.span) };
            let mut action = Action {
                name: name.to_string(),
                params,
                parent: signature.parent,
                looks_back: signature.looks_back,
                unstoppable: false,
                selective: false,
                timing_neutral: false,
                acting_param: signature.acting_param.map(|param| param as u16),
                body: None,
                cost_conditions: Vec::new(),
                source,
            };
            if let Some((written, appended)) = model.actions.get(name) {
                let mut statements = written.body.as_ref().map_or_else(Vec::new, statements_of);
                for block in appended {
                    statements.extend(statements_of(block));
                }
                if !statements.is_empty() {
                    let params: Vec<(SmolStr, Type)> = written
                        .params
                        .iter()
                        .zip(&signature.params)
                        .map(|(param, (_, ty))| (param.name.text.clone(), *ty))
                        .collect();
                    let body = self.action_body(name, &params, &statements, shared);
                    action.body = Some(body);
                    action.cost_conditions = self.cost_conditions.get(&body).cloned().unwrap_or_default();
                }
                action.unstoppable = written.unstoppable;
                action.selective = written.selective;
                action.timing_neutral = written.timing_neutral;
                action.source = self.sources.source(written.name.span);
            }
            actions.push(action);
        }
        actions
    }

    fn action_body(
        &mut self,
        name: &str,
        params: &[(SmolStr, Type)],
        statements: &[&'a fizzle_grammar::ast::Statement],
        shared: &mut SharedProcedures,
    ) -> fizzle_ir::FnId {
        let key: Vec<usize> = statements.iter().map(|statement| std::ptr::from_ref(*statement) as usize).collect();
        if let Some(known) = shared.get(&key) {
            return *known;
        }
        let span = match statements {
            [first, .., last] => first.span.to(last.span),
            [only] => only.span,
            [] => Span::default(),
        };
        let before = std::mem::replace(&mut self.owner, Owner { span, ..Owner::new(format!("action {name}")) });
        self.begin(false, None, params);
        self.fun().has_no_source = true;
        if params.first().is_some_and(|(_, ty)| *ty == Type::Object) {
            self.fun().chosen_by.insert(2, fizzle_ir::op::ChosenBy::Inherited);
        }
        self.statements(statements);
        let args: Vec<fizzle_ir::Reg> = (2..).take(params.len()).collect();
        let mut body = std::mem::take(self.fun());
        let conditions = self.taken_card_conditions(&mut body, &args);
        *self.fun() = body;
        let id = self.end();
        self.cost_conditions.insert(id, conditions);
        self.owner = before;
        shared.insert(key, id);
        id
    }

    fn rule_abilities(
        &mut self,
        model: &ResolvedFormat<'a>,
        name: &str,
        abilities: &'a [fizzle_grammar::ast::Ability],
    ) -> Vec<AbilityId> {
        let Some(first) = abilities.first() else { return Vec::new() };
        let version = std::ptr::from_ref(first) as usize;
        let parts = match self.lowered_keywords.get(&(version, Vec::new())) {
            Some(parts) => parts.clone(),
            None => {
                let span = abilities.last().map_or(first.span, |last| first.span.to(last.span));
                let before = std::mem::replace(&mut self.owner, Owner { span, ..Owner::new(format!("rule {name}")) });
                self.begin_context(true);
                let parts = self.abilities(abilities);
                self.end_context();
                self.owner = before;
                self.lowered_keywords.insert((version, Vec::new()), parts.clone());
                parts
            }
        };
        self.flatten(model, &parts)
    }

    fn format_plays(&mut self, model: &ResolvedFormat<'a>, format: &mut Format) {
        let names = self.names;
        for name in names.plays.keys() {
            let before = std::mem::replace(&mut self.owner, Owner::new(format!("play {name}")));
            let play = match model.plays.get(name) {
                Some(play) => self.play(play),
                None => self.absent_play(name),
            };
            self.owner = before;
            format.plays.push(play);
        }
        for (name, payment) in &model.payments {
            let before = std::mem::replace(&mut self.owner, Owner::new(format!("payment {name}")));
            let payment_rules = self.payment(payment);
            self.owner = before;
            format.payments.push(payment_rules);
        }
    }

    /// Reports formats whose announcements have no stage `values` after `list`, if a card has additional costs or numbers to announce.
    pub(crate) fn check_values_stage(&mut self, models: &[ResolvedFormat<'a>], formats: &[Format]) {
        let Some(used) = self.first_value else { return };
        for (model, format) in models.iter().zip(formats) {
            let stages = &format.announce.stages;
            let place = |stage: AnnounceStage| stages.iter().position(|found| *found == stage);
            if place(AnnounceStage::Values).is_none_or(|values| place(AnnounceStage::List).is_none_or(|list| list > values)) {
                let message = format!("`{}` has no stage `values` after `list`, which this needs", model.name);
                let problem = Diagnostic::new(&codes::MISSING_PART, used, message);
                self.report(
                    problem.help("let a format of the game have the stage: `announce { stages list, values, choices, pay … }`"),
                );
                return;
            }
        }
    }

    fn announce_policy(
        &mut self,
        written: Option<&'a WrittenAnnounce>,
        announces: &BTreeMap<SmolStr, Option<&'a WrittenAnnounce>>,
    ) -> AnnouncePolicy {
        let mut found = written;
        let mut path: Vec<&Name> = Vec::new();
        while let Some(like) = found.and_then(|announce| announce.like.as_ref()) {
            if let Some(start) = path.iter().position(|name| name.text == like.text) {
                let node =
                    |name: &&Name| Node { kind: "announcement", name: name.text.clone(), span: name.span, ..Node::default() };
                let nodes: Vec<Node> = path.iter().skip(start).map(node).collect();
                self.report(circle(&nodes.iter().collect::<Vec<_>>()));
                return AnnouncePolicy::default();
            }
            path.push(like);
            match announces.get(&like.text) {
                Some(other) => found = *other,
                None => {
                    let known: Vec<&str> = announces.keys().map(SmolStr::as_str).collect();
                    self.report(
                        Diagnostic::new(&codes::UNKNOWN_FORMAT, like.span, format!("there is no format `{}`", like.text))
                            .did_you_mean(&like.text, known),
                    );
                    return AnnouncePolicy::default();
                }
            }
        }
        let mut policy = AnnouncePolicy::default();
        if let Some(announce) = found {
            let borrowed = written.is_some_and(|written| written.like.is_some());
            let names = self.names;
            let action = |name: &Name| names.action_id(&name.text);
            let mut unknown: Vec<&Name> = Vec::new();
            settings::announce(&mut policy, announce, &action, &mut unknown, &mut self.diagnostics);
            if !borrowed {
                for name in unknown {
                    let known = names.actions.keys().map(SmolStr::as_str);
                    let problem =
                        Diagnostic::new(&codes::UNKNOWN_VERB, name.span, format!("no action is called `{}`", name.text))
                            .did_you_mean(&name.text, known);
                    self.report(problem);
                }
            }
        }
        policy
    }

    fn deck_rules(&mut self, model: &ResolvedFormat<'a>, shared: &mut SharedProcedures) -> DeckRules {
        let mut rules = DeckRules::default();
        for rule in model.deck.unwrap_or(&[]) {
            match rule {
                DeckRule::Size { section, min, max } => rules.sizes.push((section.text.to_string(), *min, *max)),
                DeckRule::Copies { max: most, of: Some(cards), .. } => {
                    let id = self.deck_condition(cards, shared);
                    rules.limits.push((id, *most));
                }
                DeckRule::Copies { max: most, of: None, except } => {
                    rules.copies = Some(*most);
                    rules.unlimited = except.as_ref().map(|cards| self.deck_condition(cards, shared));
                }
                DeckRule::Refuse { cards, message, sections } => rules.prohibitions.push(DeckProhibition {
                    cards: self.deck_condition(cards, shared),
                    message: message.text.to_string(),
                    sections: sections.iter().map(|section| section.text.to_string()).collect(),
                }),
            }
        }
        for rule in model.deck.unwrap_or(&[]) {
            if let DeckRule::Refuse { sections, .. } = rule {
                for section in sections {
                    self.check_section(section, &rules);
                }
            }
        }
        for name in &model.banned {
            match self.names.card_id(name) {
                Some(card) => rules.banned.push(card),
                None => self.report_unknown_card(name),
            }
        }
        for name in &model.restricted {
            match self.names.card_id(name) {
                Some(card) => rules.restricted.push(card),
                None => self.report_unknown_card(name),
            }
        }
        rules
    }

    /// Lowers a selection of cards to a function of an object: whether the selection contains it.
    fn deck_condition(&mut self, cards: &'a Expr, shared: &mut SharedProcedures) -> FnId {
        let key = vec![std::ptr::from_ref(cards) as usize];
        if let Some(id) = shared.get(&key) {
            return *id;
        }
        let before = std::mem::replace(&mut self.owner, Owner::new("deck rules"));
        self.begin(true, Some(Type::Bool), &[(SmolStr::new("card"), Type::Object)]);
        self.fun().has_no_source = true;
        self.fun().locals.clear();
        self.fun().candidate = Some(crate::lower::function_builder::Candidate::new(2, Type::Object));
        let holds = self.predicate(crate::lower::TypedRegister::new(2, Type::Object), cards);
        self.emit(fizzle_ir::Op::Return { value: Some(holds) });
        let id = self.end();
        self.owner = before;
        shared.insert(key, id);
        id
    }

    /// The number of an action.
    #[must_use]
    pub fn action_number(&self, name: &str) -> Option<ActionId> {
        self.names.action_id(name)
    }
}
