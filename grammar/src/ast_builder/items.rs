//! Builds items, abilities and facts, turns, and differences of formats.

use super::{AstBuilder, BuildResult, Children, CstNode, missing_part};
use crate::ast::{
    Ability, AbilityKind, Action, AnnouncePolicy, AnnouncedChoices, Block, Card, CostSymbol, Deck, DeckRule, Difference,
    DifferenceKind, Expr, Face, Fact, Item, ItemKind, Link, MatchRules, Memory, MemoryKind, Name, Pack, Param, Pattern, Payment,
    PaymentClause, PeriodDecl, Play, PrintRule, Relation, RestrictedPool, Span, Statement, StatementKind, TriggerChange,
    TurnEntry, TypeRef, UnlabelledFact, UseLimit, Variable, VariableKind, WordsAndAbilities, WordsOfUnits,
};
use crate::parser::Rule;

/// The entries of a play that can be written once.
const SINGLE_PLAY_MEMBERS: &[Rule] = &[
    Rule::play_when,
    Rule::play_price,
    Rule::play_numbers,
    Rule::play_produces,
    Rule::play_cost,
    Rule::play_immediate,
    Rule::play_while_paying,
    Rule::limit,
    Rule::play_announced,
    Rule::play_does,
];

/// A clause of a payment under construction.
#[derive(Default)]
struct PaymentClauseDraft {
    from: Option<Expr>,
    produces: Option<Expr>,
    times: Option<Expr>,
    condition: Option<Expr>,
    by: Option<Block>,
}

impl PaymentClauseDraft {
    /// Whether the clause has the entry of a rule already.
    fn has(&self, part: Rule) -> bool {
        match part {
            Rule::pay_from => self.from.is_some(),
            Rule::pay_produces => self.produces.is_some(),
            Rule::pay_times => self.times.is_some(),
            Rule::pay_when => self.condition.is_some(),
            Rule::pay_by => self.by.is_some(),
            _ => false,
        }
    }
}

impl AstBuilder {
    /// A whole item. The caller sets its doc comment and spellings.
    pub(crate) fn item(&self, node: CstNode<'_>) -> BuildResult<Item> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut kids = self.children(node);
        let kind = match rule {
            Rule::pack => ItemKind::Pack(Box::new(self.pack(kids)?)),
            Rule::traits => {
                let name = self.name(&kids.find(Rule::name)?);
                let adds = kids.take_if(Rule::k_adds);
                let changeable = kids.take_if(Rule::k_changeable);
                let abilities = if kids.next_if(Rule::words_as_abilities).is_some() {
                    WordsAndAbilities::AreAbilities
                } else if kids.next_if(Rule::words_instead_of_abilities).is_some() {
                    WordsAndAbilities::ReplaceAbilities
                } else {
                    WordsAndAbilities::Apart
                };
                let open = kids.take_if(Rule::k_open);
                let from = if kids.take_if(Rule::k_from) { Some(self.words_of_units(&mut kids)?) } else { None };
                let words = match &from {
                    Some(from) => from.units.iter().map(|(word, _)| word.clone()).collect(),
                    None => kids.next_if(Rule::names_in_braces).map_or_else(Vec::new, |words| self.names(words)),
                };
                ItemKind::Traits { name, adds, open, changeable, abilities, words, from }
            }
            Rule::variable => ItemKind::Variable(Box::new(self.variable(kids)?)),
            Rule::constant => {
                ItemKind::Constant { name: self.name(&kids.find(Rule::name)?), value: self.expr(kids.find(Rule::expr)?)? }
            }
            Rule::layers => ItemKind::Layers(self.names(kids.find(Rule::names_in_braces)?)),
            Rule::zone => ItemKind::Zone { name: self.name(&kids.find(Rule::name)?), settings: self.zone_settings(kids) },
            Rule::zone_adds => {
                ItemKind::ZoneAdds { name: self.name(&kids.find(Rule::name)?), settings: self.zone_settings(kids) }
            }
            Rule::foreign => {
                let words = kids.filter(|kid| kid.as_rule() == Rule::foreign_word);
                let pairs = words.filter_map(|pair| match self.names(pair).as_slice() {
                    [word, here, note @ ..] => Some((word.clone(), here.clone(), note.first().cloned())),
                    _ => None,
                });
                ItemKind::Foreign(pairs.collect())
            }
            Rule::kind => {
                let word = self.name(&kids.find_label()?);
                let parts = kids.filter(|kid| kid.as_rule() == Rule::kind_part).map(|part| PrintRule {
                    excluded: part.into_inner().any(|kid| kid.as_rule() == Rule::k_not),
                    span: self.span(&part),
                    words: self.names(part),
                });
                ItemKind::Kind { word, parts: parts.collect() }
            }
            Rule::noun => {
                ItemKind::Noun { name: self.name(&kids.find(Rule::name)?), meaning: self.expr(kids.find(Rule::expr)?)? }
            }
            Rule::function => ItemKind::Function {
                name: self.name(&kids.find(Rule::name)?),
                params: self.params(kids.find(Rule::params)?)?,
                result: self.optional_type(&mut kids, "bool", span)?,
                body: self.expr(kids.find(Rule::expr)?)?,
            },
            Rule::action => ItemKind::Action(Box::new(self.action(kids)?)),
            Rule::keyword => {
                let name = self.name(&kids.find(Rule::name)?);
                let params = kids.next_if(Rule::params).map(|params| self.params(params)).transpose()?.unwrap_or_default();
                let with_body = kids.take_if(Rule::k_with_body);
                ItemKind::Keyword { name, params, with_body, abilities: self.abilities(kids.find(Rule::members)?)? }
            }
            Rule::cost_symbol => {
                let symbol = self.symbol(&kids.find(Rule::symbol)?);
                let (mut condition, mut cost) = (None, None);
                self.refuse_repeated_entries(&kids, &[Rule::play_when, Rule::play_cost])?;
                for kid in kids {
                    match kid.as_rule() {
                        Rule::play_when => condition = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                        Rule::play_cost => cost = Some(self.block(self.children(kid).find(Rule::block)?)?),
                        _ => {}
                    }
                }
                ItemKind::CostSymbol(Box::new(CostSymbol { symbol, condition, cost }))
            }
            Rule::stat_pair => ItemKind::StatPair(self.name(&kids.find(Rule::name)?), self.name(&kids.find(Rule::name)?)),
            Rule::unlabelled => {
                let fact = |kid: CstNode<'_>| {
                    let mut names = self.names(kid).into_iter();
                    names.next().map(|name| UnlabelledFact { name, words: names.collect() })
                };
                ItemKind::Unlabelled(kids.filter(|kid| kid.as_rule() == Rule::unlabelled_fact).filter_map(fact).collect())
            }
            Rule::renaming => ItemKind::Renaming {
                kind: self.name(&kids.find(Rule::word)?),
                old: self.name(&kids.find(Rule::name)?),
                new: self.name(&kids.find(Rule::name)?),
            },
            Rule::relation => ItemKind::Relation(Box::new(self.relation(kids)?)),
            Rule::rule_item => {
                ItemKind::Rule { name: self.name(&kids.find(Rule::name)?), abilities: self.abilities(kids.find(Rule::members)?)? }
            }
            Rule::state_rule => {
                ItemKind::StateRule { name: self.name(&kids.find(Rule::name)?), body: self.block(kids.find(Rule::block)?)? }
            }
            Rule::treat => ItemKind::Treat {
                action: self.name(&kids.find(Rule::name)?),
                into: self.name(&kids.find(Rule::name)?),
                condition: if kids.take_if(Rule::k_when) { Some(self.expr(kids.find(Rule::expr)?)?) } else { None },
            },
            Rule::play => {
                let name = self.name(&kids.find(Rule::name)?);
                let params = kids.next_if(Rule::params).map(|params| self.params(params)).transpose()?.unwrap_or_default();
                let mut play = self.play_body(kids.find(Rule::play_body)?)?;
                (play.name, play.params, play.span) = (Some(name), params, span);
                ItemKind::Play(Box::new(play))
            }
            Rule::payment => ItemKind::Payment(Box::new(self.payment(kids, span)?)),
            Rule::payment_adds => {
                let name = self.name(&kids.find(Rule::name)?);
                let pools = kids.filter(|kid| kid.as_rule() == Rule::pay_pool).map(|kid| {
                    let (pool, _, condition) = self.pool(kid)?;
                    let help = "write for what its units pay: `pool NAME when COND`";
                    let condition = condition.ok_or_else(|| missing_part(pool.span, "`when`", help))?;
                    Ok(RestrictedPool { name: pool, condition })
                });
                ItemKind::PaymentAdds { name, pools: pools.collect::<BuildResult<_>>()? }
            }
            Rule::timing => ItemKind::Timing(self.settings(kids)),
            Rule::text => ItemKind::Text(self.text(kids)?),
            Rule::layout => ItemKind::Layout(self.layout(kids, span)?),
            Rule::named_position => ItemKind::Position(Box::new(self.named_position(kids)?)),
            Rule::stage => ItemKind::Stage(Box::new(self.stage(kids)?)),
            Rule::announce => ItemKind::Announce(Box::new(self.announce(kids, span)?)),
            Rule::setup => ItemKind::Setup(self.block(kids.find(Rule::block)?)?),
            Rule::turn => ItemKind::Turn(self.turn_entries(kids.find(Rule::turn_body)?)?),
            Rule::evaluate => ItemKind::Evaluate(self.expr(kids.find(Rule::expr)?)?),
            Rule::players => {
                let node = kids.find(Rule::number)?;
                let at = self.span(&node);
                let least = self.small_number(&node)?;
                let most = if kids.take_if(Rule::k_to) { self.small_number(&kids.find(Rule::number)?)? } else { least };
                ItemKind::Players { min: least, max: most, at }
            }
            Rule::deck_rules => ItemKind::DeckRules(self.deck_rules(kids)?),
            Rule::match_rules => ItemKind::Match(Box::new(self.match_rules(kids, span)?)),
            Rule::ban => ItemKind::Ban(self.labels(kids)),
            Rule::restrict => ItemKind::Restrict(self.labels(kids)),
            Rule::card => {
                let token = kids.require()?.as_rule() == Rule::k_token;
                let name = self.name(&kids.require()?);
                ItemKind::Card(self.card(token, name, kids.find(Rule::card_members)?)?)
            }
            Rule::deck => ItemKind::Deck(Box::new(self.deck(kids)?)),
            Rule::format => {
                let name = self.name(&kids.find_label()?);
                let title = kids.next_if(Rule::quoted).map(|title| self.name(&title));
                let base = self.name(&kids.find_label()?);
                let differences = self.children(kids.find(Rule::differences)?);
                let differences = differences.map(|difference| self.difference(difference)).collect::<BuildResult<_>>()?;
                ItemKind::Format { name, title, base, differences }
            }
            _ => ItemKind::Scenario(Box::new(self.scenario(kids)?)),
        };
        Ok(Item { docs: String::new(), kind, span, spellings: Vec::new(), has_shorthand: self.has_shorthand.get() })
    }

    fn words_of_units(&self, kids: &mut Children<'_>) -> BuildResult<WordsOfUnits> {
        let property = self.name(&kids.find(Rule::name)?);
        let pairs = self.children(kids.find(Rule::words_of_units)?).filter(|kid| kid.as_rule() == Rule::word_of_unit);
        let unit = |pair| {
            let mut parts = self.children(pair);
            Ok((self.name(&parts.find(Rule::name)?), self.symbol(&parts.find(Rule::symbol)?)))
        };
        Ok(WordsOfUnits { property, units: pairs.map(unit).collect::<BuildResult<_>>()? })
    }

    fn pack(&self, mut kids: Children<'_>) -> BuildResult<Pack> {
        let mut pack = Pack {
            name: self.name(&kids.find_label()?),
            edition: None,
            title: None,
            base: None,
            uses: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
        };
        self.refuse_repeated_entries(&kids, &[Rule::pack_edition, Rule::pack_title, Rule::pack_extends])?;
        for entry in kids {
            match entry.as_rule() {
                Rule::pack_edition => {
                    let number = self.children(entry).find(Rule::number)?;
                    pack.edition = Some((self.small_number(&number)?, self.span(&number)));
                }
                Rule::pack_title => pack.title = self.names(entry).pop(),
                Rule::pack_extends => pack.base = self.names(entry).pop(),
                Rule::pack_uses => pack.uses.extend(self.names(entry)),
                Rule::pack_allow => pack.allow.extend(self.names(entry)),
                Rule::pack_deny => pack.deny.extend(self.names(entry)),
                _ => {}
            }
        }
        Ok(pack)
    }

    fn memory(&self, node: CstNode<'_>) -> BuildResult<Memory> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let kind = match kids.require()?.as_rule() {
            Rule::k_counts => MemoryKind::Counts,
            Rule::k_sums => MemoryKind::Sums(self.expr(kids.find(Rule::sum)?)?),
            _ => MemoryKind::Notes,
        };
        Ok(Memory { kind, pattern: *self.pattern(kids.find(Rule::pattern)?)?, span })
    }

    fn variable(&self, mut kids: Children<'_>) -> BuildResult<Variable> {
        let kind = match kids.require()?.as_rule() {
            Rule::k_property => VariableKind::Property,
            Rule::k_status => VariableKind::Status,
            Rule::k_player => VariableKind::Player,
            _ => VariableKind::Global,
        };
        let name = self.name(&kids.require()?);
        let ty = self.type_ref(kids.require()?)?;
        let mut variable = Variable::new(kind, name, ty);
        self.refuse_repeated_entries(&kids, &[Rule::for_keys, Rule::for_span, Rule::concealing])?;
        for kid in kids {
            match kid.as_rule() {
                Rule::expr => variable.default = Some(self.expr(kid)?),
                Rule::in_layer => {
                    let mut kids = self.children(kid);
                    let (add, switch) = (kids.take_if(Rule::k_add), kids.take_if(Rule::k_switch));
                    let name = Some(self.name(&kids.find(Rule::name)?));
                    let layer = match (add, switch) {
                        (true, _) => &mut variable.add_layer,
                        (_, true) => &mut variable.switch_layer,
                        _ => &mut variable.layer,
                    };
                    if layer.is_some() {
                        return Err(self.repeated_entry(&kid));
                    }
                    *layer = name;
                }
                Rule::memory => variable.memory = Some(Box::new(self.memory(kid)?)),
                Rule::concealing => {
                    variable.conceals = true;
                    for kid in self.children(kid) {
                        match kid.as_rule() {
                            Rule::quoted => variable.disguise = Some(self.name(&kid)),
                            Rule::k_without_name => variable.nameless = true,
                            Rule::revealed_on_leaving => variable.revealed_on_leaving = true,
                            _ => {}
                        }
                    }
                }
                Rule::kept_on_field => variable.kept_on_field = true,
                Rule::updates_timestamp => variable.updates_timestamp = true,
                Rule::clears_effects => variable.clears_effects = true,
                Rule::for_keys => variable.keys = Some(self.name(&self.children(kid).find(Rule::name)?)),
                Rule::for_span => variable.lifetime = Some(self.lifetime(kid)?),
                _ => {}
            }
        }
        Ok(variable)
    }

    fn relation(&self, mut kids: Children<'_>) -> BuildResult<Relation> {
        let name = self.name(&kids.find(Rule::name)?);
        let ends = self.children(kids.find(Rule::relation_ends)?).filter(|kid| kid.as_rule() == Rule::relation_end);
        let ends = ends.map(|end| self.relation_status(end)).collect::<BuildResult<_>>()?;
        let lifetime = kids.next_if(Rule::for_span).map(|span| self.lifetime(span)).transpose()?;
        let statuses = kids.next_if(Rule::relation_body).map_or_else(
            || Ok(Vec::new()),
            |body| {
                let statuses = self.children(body).filter(|kid| kid.as_rule() == Rule::relation_status);
                statuses.map(|status| self.relation_status(status)).collect()
            },
        )?;
        Ok(Relation { name, ends, lifetime, statuses })
    }

    /// An end of a relation, which is an object if no type is written, or one of its statuses.
    fn relation_status(&self, node: CstNode<'_>) -> BuildResult<Variable> {
        let mut kids = self.children(node);
        let name = self.name(&kids.find(Rule::name)?);
        let ty = self.optional_type(&mut kids, "object", name.span)?;
        let mut status = Variable::new(VariableKind::Status, name, ty);
        status.lifetime = kids.next_if(Rule::for_span).map(|span| self.lifetime(span)).transpose()?;
        Ok(status)
    }

    /// The period of `for PERIOD`.
    fn lifetime(&self, node: CstNode<'_>) -> BuildResult<Name> {
        Ok(self.trimmed_name(&self.children(node).find(Rule::path)?))
    }

    fn type_ref(&self, node: CstNode<'_>) -> BuildResult<TypeRef> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        if let Some(words) = kids.next_if(Rule::one_of) {
            let name = Name { text: "word".into(), span };
            return Ok(TypeRef { list: false, word: true, name, one_of: self.names(words), written: true });
        }
        let list = kids.take_if(Rule::k_list);
        let word = kids.take_if(Rule::k_word);
        let mut name = self.name(&kids.find(Rule::word)?);
        if let Some(renamed) = crate::edition::renamed_type(&name.text) {
            name.text = renamed.into();
        }
        Ok(TypeRef { list, word, name, one_of: Vec::new(), written: true })
    }

    /// The type that comes next, else the one that an unwritten type means.
    fn optional_type(&self, kids: &mut Children<'_>, unwritten: &str, place: Span) -> BuildResult<TypeRef> {
        match kids.next_if(Rule::type_ref) {
            Some(node) => self.type_ref(node),
            None => {
                let span = Span { start: place.end, ..place };
                let name = Name { text: unwritten.into(), span };
                Ok(TypeRef { list: false, word: false, name, one_of: Vec::new(), written: false })
            }
        }
    }

    fn params(&self, node: CstNode<'_>) -> BuildResult<Vec<Param>> {
        let param = |kid| {
            let mut parts = self.children(kid);
            let name = self.name(&parts.require()?);
            let ty = self.optional_type(&mut parts, "object", name.span)?;
            let zone = parts.next_if(Rule::param_zone).and_then(|zone| self.names(zone).pop());
            Ok(Param { name, ty, zone })
        };
        self.children(node).map(param).collect()
    }

    fn settings(&self, kids: Children<'_>) -> Vec<Vec<Name>> {
        kids.filter(|kid| kid.as_rule() == Rule::setting).map(|setting| self.names(setting)).collect()
    }

    /// The settings of a zone, with the words of the newest edition.
    fn zone_settings(&self, kids: Children<'_>) -> Vec<Vec<Name>> {
        let mut settings = self.settings(kids);
        for setting in &mut settings {
            *setting = setting
                .drain(..)
                .flat_map(|name| {
                    let words = crate::edition::renamed_zone_setting(&name.text).unwrap_or(&name.text);
                    let names = words.split(' ').map(|word| Name { text: word.into(), span: name.span });
                    names.collect::<Vec<_>>()
                })
                .collect();
        }
        settings
    }

    fn action(&self, mut kids: Children<'_>) -> BuildResult<Action> {
        let name = self.name(&kids.find(Rule::name)?);
        let mut action = Action {
            name,
            params: Vec::new(),
            acting_param: None,
            parent: None,
            looks_back: false,
            unstoppable: false,
            selective: false,
            timing_neutral: false,
            body: None,
        };
        for kid in kids {
            match kid.as_rule() {
                Rule::params => action.params = self.params(kid)?,
                Rule::doer => action.acting_param = self.children(kid).nth(1).map(|name| self.name(&name)),
                Rule::parent => action.parent = self.names(kid).pop(),
                Rule::looks_back => action.looks_back = true,
                Rule::k_unstoppable => action.unstoppable = true,
                Rule::k_selective => action.selective = true,
                Rule::timing_neutral => action.timing_neutral = true,
                Rule::block => action.body = Some(self.block(kid)?),
                _ => {}
            }
        }
        Ok(action)
    }

    /// The facts and the abilities between braces, separately.
    fn members(&self, node: CstNode<'_>) -> BuildResult<(Vec<Fact>, Vec<Ability>)> {
        self.refuse_unclear_label(node)?;
        let (mut facts, mut abilities) = (Vec::new(), Vec::new());
        for kid in self.children(node) {
            match kid.as_rule() {
                Rule::fact => facts.extend(self.facts(kid)?),
                Rule::ability => abilities.push(self.ability(kid)?),
                _ => {}
            }
        }
        Ok((facts, abilities))
    }

    /// The members between braces as abilities, in source order; a fact becomes a keyword ability.
    pub(super) fn abilities(&self, node: CstNode<'_>) -> BuildResult<Vec<Ability>> {
        self.refuse_unclear_label(node)?;
        let mut abilities = Vec::new();
        for kid in self.children(node) {
            match kid.as_rule() {
                Rule::fact => abilities.extend(self.facts(kid)?.into_iter().map(keyword_ability)),
                Rule::ability => abilities.push(self.ability(kid)?),
                _ => {}
            }
        }
        Ok(abilities)
    }

    /// A fact as a keyword ability.
    pub(super) fn fact_ability(&self, node: CstNode<'_>) -> BuildResult<Ability> {
        let span = self.span(&node);
        self.facts(node)?.into_iter().next().map(keyword_ability).ok_or_else(|| super::unexpected_tree(span))
    }

    pub(super) fn ability(&self, node: CstNode<'_>) -> BuildResult<Ability> {
        let span = self.span(&node);
        let (mut zones, mut immediately, mut off_list, mut can_miss_timing) = (Vec::new(), false, false, false);
        let mut concealed = false;
        let mut kids = self.children(node);
        let mut kind = loop {
            let kid = kids.require()?;
            match kid.as_rule() {
                Rule::in_zones => zones.extend(self.names(kid)),
                Rule::k_immediately => immediately = true,
                Rule::off_list => off_list = true,
                Rule::missable => can_miss_timing = true,
                Rule::k_concealed => concealed = true,
                _ => break self.ability_kind(kid)?,
            }
        };
        // `immediately activated "label" { … }` is the same as `immediately` in its block.
        if let AbilityKind::Activated(play) = &mut kind {
            play.immediate |= std::mem::take(&mut immediately);
        }
        Ok(Ability { zones, immediately, off_list, can_miss_timing, concealed, keyword: None, kind, span })
    }

    fn ability_kind(&self, node: CstNode<'_>) -> BuildResult<AbilityKind> {
        let span = self.span(&node);
        let rule = node.as_rule();
        if rule == Rule::prohibition {
            return Ok(AbilityKind::Cannot(self.pattern(node)?));
        }
        if rule == Rule::clause {
            return Ok(AbilityKind::Clause(Box::new(self.clause(node)?)));
        }
        if rule == Rule::fact {
            let fact = self.facts(node)?.into_iter().next().ok_or_else(|| super::unexpected_tree(span))?;
            return Ok(AbilityKind::Keyword(Box::new(fact)));
        }
        let mut kids = self.children(node);
        Ok(match rule {
            Rule::on_event => AbilityKind::When {
                pattern: self.counted_pattern(&mut kids)?,
                condition: self.inner_condition(&mut kids, Rule::intervening)?,
                limit: self.inner_limit(&mut kids)?,
                body: self.body(&mut kids)?,
            },
            Rule::causing => AbilityKind::TriggerChange {
                pattern: self.pattern(kids.find(Rule::pattern)?)?,
                whose: Box::new(self.expr(kids.find(Rule::plain_phrase)?)?),
                change: match kids.last().map(|kid| kid.as_rule()) {
                    Some(Rule::k_triggers_again) => TriggerChange::Again,
                    Some(Rule::k_cannot_trigger_optionally) => TriggerChange::NotOptionally,
                    _ => TriggerChange::Never,
                },
            },
            Rule::as_soon => {
                AbilityKind::AsSoon { condition: Box::new(self.expr(kids.find(Rule::expr)?)?), body: self.body(&mut kids)? }
            }
            Rule::on_moment => AbilityKind::At {
                moment: self.moment(kids.find(Rule::moment)?)?,
                condition: self.inner_condition(&mut kids, Rule::intervening)?,
                limit: self.inner_limit(&mut kids)?,
                body: self.body(&mut kids)?,
            },
            Rule::instead => {
                let pattern = self.pattern(kids.find(Rule::would_pattern)?)?;
                let condition = self.inner_condition(&mut kids, Rule::and_if)?;
                let optional = kids.take_if(Rule::k_may);
                AbilityKind::Instead { pattern, condition, optional, body: self.body(&mut kids)? }
            }
            Rule::static_while | Rule::static_always => {
                kids.require()?;
                let condition = kids.next_if(Rule::expr).map(|condition| self.expr(condition)).transpose()?;
                AbilityKind::Static { condition: condition.map(Box::new), clauses: self.body(&mut kids)?.statements }
            }
            Rule::defines => AbilityKind::Defines(self.all_modifications(kids.filter(|kid| kid.as_rule() == Rule::mod_))?),
            Rule::does => AbilityKind::Does(self.body(&mut kids)?),
            Rule::costed => AbilityKind::Costed(Box::new(self.costed(kids)?)),
            Rule::keyword_block => AbilityKind::KeywordBlock(Box::new(self.keyword_block(kids, span)?)),
            Rule::further_cost => AbilityKind::Cost(self.block(kids.find(Rule::block)?)?),
            Rule::option => {
                let alternative = kids.take_if(Rule::k_alternative_cost);
                let status = self.name(&kids.find(Rule::name)?);
                let instead = kids.take_if(Rule::k_instead) || alternative;
                let mut play = self.play_body(kids.find(Rule::play_body)?)?;
                play.span = span;
                AbilityKind::Option { status, instead, play: Box::new(play) }
            }
            _ => {
                kids.require()?;
                let label = kids.next_if(Rule::quoted).map(|label| self.name(&label));
                let mut play = self.play_body(kids.find(Rule::play_body)?)?;
                (play.name, play.span) = (label, span);
                AbilityKind::Activated(Box::new(play))
            }
        })
    }

    /// The statements of an ability: a block, or the rest of the line after a colon.
    pub(super) fn body(&self, kids: &mut Children<'_>) -> BuildResult<Block> {
        loop {
            let kid = kids.require()?;
            if matches!(kid.as_rule(), Rule::block | Rule::line) {
                return self.block(kid);
            }
        }
    }

    /// The condition in an optional part such as `, if COND`.
    pub(super) fn inner_condition(&self, kids: &mut Children<'_>, rule: Rule) -> BuildResult<Option<Box<crate::ast::Expr>>> {
        kids.next_if(rule).map(|part| Ok(Box::new(self.expr(self.children(part).find(Rule::expr)?)?))).transpose()
    }

    fn inner_limit(&self, kids: &mut Children<'_>) -> BuildResult<Option<Box<UseLimit>>> {
        kids.next_if(Rule::limited).map(|part| Ok(Box::new(self.limit(self.children(part).find(Rule::limit)?)?))).transpose()
    }

    /// The pattern of a trigger, with `, the second time each PERIOD`.
    fn counted_pattern(&self, kids: &mut Children<'_>) -> BuildResult<Box<Pattern>> {
        let mut pattern = self.pattern(kids.find(Rule::pattern)?)?;
        if let Some(nth) = kids.next_if(Rule::nth_time) {
            pattern.nth_time = Some(Box::new(self.nth_time(nth)?));
        }
        Ok(pattern)
    }

    pub(super) fn limit(&self, node: CstNode<'_>) -> BuildResult<UseLimit> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let count = self.small_number(&kids.find(Rule::number)?)?;
        let span_path = self.path(&kids.find(Rule::path)?)?;
        let by = if kids.take_if(Rule::k_by) { Some(self.name(&kids.find(Rule::word)?)) } else { None };
        Ok(UseLimit { count, period_path: span_path, by, span })
    }

    fn play_body(&self, node: CstNode<'_>) -> BuildResult<Play> {
        let span = self.span(&node);
        let end = Span { start: span.end.saturating_sub(1), ..span };
        let mut play = Play::new(Block { statements: Vec::new(), span: end }, span);
        let members = self.children(node);
        self.refuse_repeated_entries(&members, SINGLE_PLAY_MEMBERS)?;
        for kid in members {
            match kid.as_rule() {
                Rule::play_from => play.from.extend(self.names(kid)),
                Rule::play_when => play.condition = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::play_price => {
                    let mut parts = self.children(kid);
                    play.price = Some(self.expr(parts.find(Rule::expr)?)?);
                    play.price_condition = self.inner_condition(&mut parts, Rule::price_if)?;
                }
                Rule::play_numbers => play.numbers = Some(self.block(self.children(kid).find(Rule::block)?)?),
                Rule::play_produces => play.produces = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::play_cost => play.cost = Some(self.block(self.children(kid).find(Rule::block)?)?),
                Rule::play_immediate => play.immediate = true,
                Rule::play_while_paying => play.during_payment = true,
                Rule::limit => play.limit = Some(self.limit(kid)?),
                Rule::play_announced => play.announced = self.names(kid).pop(),
                Rule::play_class => play.classes.extend(self.names(kid)),
                Rule::play_does => play.body = self.block(self.children(kid).find(Rule::block)?)?,
                _ => {}
            }
        }
        Ok(play)
    }

    fn payment(&self, mut kids: Children<'_>, span: Span) -> BuildResult<Payment> {
        let name = self.name(&kids.find(Rule::name)?);
        let kinds = self.name(&kids.find(Rule::name)?);
        let mut open: Vec<PaymentClauseDraft> = Vec::new();
        let (mut pool, mut except, mut restricted) = (None, Vec::new(), Vec::new());
        for kid in kids {
            let rule = kid.as_rule();
            if rule == Rule::pay_pool {
                match self.pool(kid)? {
                    (name, _, Some(condition)) => restricted.push(RestrictedPool { name, condition }),
                    (_, _, None) if pool.is_some() => return Err(self.repeated_entry(&kid)),
                    (name, others, None) => (pool, except) = (Some(name), others),
                }
                continue;
            }
            if open.is_empty() || rule == Rule::pay_from && open.last().is_some_and(|clause| clause.from.is_some()) {
                open.push(PaymentClauseDraft::default());
            }
            let Some(clause) = open.last_mut() else { continue };
            if clause.has(rule) {
                return Err(self.repeated_entry(&kid));
            }
            match rule {
                Rule::pay_from => clause.from = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::pay_produces => clause.produces = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::pay_times => clause.times = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::pay_when => clause.condition = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::pay_by => clause.by = Some(self.block(self.children(kid).find(Rule::block)?)?),
                _ => {}
            }
        }
        if open.is_empty() {
            open.push(PaymentClauseDraft::default());
        }
        let clause = |open: PaymentClauseDraft| {
            Ok(PaymentClause {
                from: open.from.ok_or_else(|| missing_part(span, "`from`", "write what can pay: `from each card in your …`"))?,
                produces: open
                    .produces
                    .ok_or_else(|| missing_part(span, "`produces`", "write the units of one producer: `produces …`"))?,
                by: open.by.ok_or_else(|| missing_part(span, "`by`", "write what paying does: `by { … }`"))?,
                times: open.times,
                condition: open.condition,
            })
        };
        Ok(Payment { name, kinds, clauses: open.into_iter().map(clause).collect::<BuildResult<_>>()?, pool, except, restricted })
    }

    /// The name of a pool, the kinds that it does not hold, and its condition.
    fn pool(&self, node: CstNode<'_>) -> BuildResult<(Name, Vec<Name>, Option<Expr>)> {
        let mut kids = self.children(node);
        let name = self.name(&kids.find(Rule::name)?);
        let (mut except, mut condition) = (Vec::new(), None);
        for kid in kids {
            match kid.as_rule() {
                Rule::name => except.push(self.name(&kid)),
                Rule::expr => condition = Some(self.expr(kid)?),
                _ => {}
            }
        }
        Ok((name, except, condition))
    }

    fn announce(&self, kids: Children<'_>, span: Span) -> BuildResult<AnnouncePolicy> {
        let mut announce = AnnouncePolicy {
            like: None,
            stages: Vec::new(),
            announced: Vec::new(),
            without_choices: None,
            needs: Vec::new(),
            fizzle: Vec::new(),
            span,
        };
        self.refuse_repeated_entries(&kids, &[Rule::without_choices, Rule::fizzle])?;
        for kid in kids {
            match kid.as_rule() {
                Rule::announce_like => announce.like = self.names(kid).pop(),
                Rule::stages => announce.stages.extend(self.names(kid)),
                Rule::without_choices => announce.without_choices = self.names(kid).pop(),
                Rule::needed => announce.needs.extend(self.names(kid)),
                Rule::fizzle => announce.fizzle = self.names(kid),
                Rule::announced => {
                    let span = self.span(&kid);
                    let mut parts = self.children(kid);
                    let words = self.names(parts.find(Rule::announced_words)?);
                    let except = parts.next_if(Rule::except).map(|except| self.names(except)).unwrap_or_default();
                    announce.announced.push(AnnouncedChoices { words, except, span });
                }
                _ => {}
            }
        }
        Ok(announce)
    }

    /// The entries between the braces of a turn, phase or step.
    fn turn_entries(&self, node: CstNode<'_>) -> BuildResult<Vec<TurnEntry>> {
        let mut entries = Vec::new();
        let mut link = Link::Next;
        for kid in self.children(node) {
            let span = self.span(&kid);
            match kid.as_rule() {
                Rule::link => {
                    link = self.link(kid);
                    continue;
                }
                Rule::turn_span => entries.push(TurnEntry::Period(self.period(kid)?)),
                Rule::turn_repeat => entries.push(self.turn_repeat(kid)?),
                Rule::turn_each => {
                    let mut parts = self.children(kid);
                    parts.take_if(Rule::k_at);
                    let start = parts.take_if(Rule::k_start);
                    let what = self.name(&parts.find(Rule::name)?);
                    entries.push(TurnEntry::Each { start, what, body: self.block(parts.find(Rule::block)?)? });
                }
                Rule::statement => entries.push(TurnEntry::Statement(self.statement(kid, link)?)),
                Rule::linked_block => entries.push(TurnEntry::Statement(self.linked_block(kid, link)?)),
                _ => return Err(super::unexpected_tree(span)),
            }
            link = Link::Next;
        }
        Ok(entries)
    }

    pub(super) fn period(&self, node: CstNode<'_>) -> BuildResult<PeriodDecl> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let phase = kids.require()?.as_rule() == Rule::k_phase;
        let name = self.name(&kids.require()?);
        let condition = self.inner_condition(&mut kids, Rule::span_when)?;
        Ok(PeriodDecl { is_phase: phase, name, condition, entries: self.turn_entries(kids.find(Rule::turn_body)?)?, span })
    }

    /// A `repeat` in a turn. If it contains only statements, it becomes a statement.
    fn turn_repeat(&self, node: CstNode<'_>) -> BuildResult<TurnEntry> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let condition = self.expr(kids.find(Rule::expr)?)?;
        let body = kids.find(Rule::turn_body)?;
        let body_span = self.span(&body);
        let entries = self.turn_entries(body)?;
        let statements: Vec<Statement> = entries
            .iter()
            .filter_map(|entry| if let TurnEntry::Statement(statement) = entry { Some(statement.clone()) } else { None })
            .collect();
        if statements.len() == entries.len() {
            let kind = StatementKind::Repeat { condition: Box::new(condition), body: Block { statements, span: body_span } };
            return Ok(TurnEntry::Statement(Statement { link: Link::Next, kind, span }));
        }
        Ok(TurnEntry::Repeat { condition, entries, span })
    }

    fn deck_rules(&self, kids: Children<'_>) -> BuildResult<Vec<DeckRule>> {
        let mut rules = Vec::new();
        for kid in kids {
            let rule = kid.as_rule();
            let mut parts = self.children(kid);
            match rule {
                Rule::deck_copies => {
                    let most = self.small_number(&parts.find(Rule::number)?)?;
                    let only = parts.take_if(Rule::k_of);
                    let except = parts.take_if(Rule::k_except);
                    let cards = parts.next_if(Rule::operand).map(|cards| self.expr(cards)).transpose()?;
                    let (of, except) = if only { (cards, None) } else { (None, cards.filter(|_| except)) };
                    rules.push(DeckRule::Copies { max: most, of, except });
                }
                Rule::deck_refuse => rules.push(DeckRule::Refuse {
                    cards: self.expr(parts.find(Rule::operand)?)?,
                    message: self.name(&parts.find(Rule::quoted)?),
                    sections: parts.filter(|kid| kid.as_rule() == Rule::name).map(|name| self.name(&name)).collect(),
                }),
                Rule::deck_size => {
                    let section = self.name(&parts.find(Rule::name)?);
                    let min = self.small_number(&parts.find(Rule::number)?)?;
                    let max = if parts.take_if(Rule::k_to) { self.small_number(&parts.find(Rule::number)?)? } else { min };
                    rules.push(DeckRule::Size { section, min, max });
                }
                _ => {}
            }
        }
        Ok(rules)
    }

    pub(super) fn match_rules(&self, kids: Children<'_>, span: Span) -> BuildResult<MatchRules> {
        let mut rules = MatchRules { span, ..MatchRules::default() };
        for kid in kids {
            let at = self.span(&kid);
            let rule = kid.as_rule();
            let mut parts = self.children(kid);
            let again = match rule {
                Rule::match_best => {
                    let number = parts.find(Rule::number)?;
                    rules.best_of.replace((self.small_number(&number)?, self.span(&number))).is_some()
                }
                Rule::match_exchange => {
                    let names = parts.filter(|kid| kid.as_rule() == Rule::name).map(|name| self.name(&name)).collect();
                    !std::mem::replace(&mut rules.exchange, names).is_empty()
                }
                Rule::match_minutes => {
                    let least = self.small_number(&parts.find(Rule::number)?)?;
                    let most = if parts.take_if(Rule::k_to) { self.small_number(&parts.find(Rule::number)?)? } else { least };
                    rules.minutes.replace((least, most, at)).is_some()
                }
                Rule::match_aids => !std::mem::replace(&mut rules.aids, self.labels(parts)).is_empty(),
                _ => false,
            };
            if again {
                rules.repeated.push(at);
            }
        }
        Ok(rules)
    }

    fn card(&self, token: bool, name: Name, members: CstNode<'_>) -> BuildResult<Card> {
        let mut faces = Vec::new();
        for kid in self.children(members).filter(|kid| kid.as_rule() == Rule::face) {
            let mut parts = self.children(kid);
            let joined = parts.take_if(Rule::k_face);
            let name = self.name(&parts.find_label()?);
            let members = parts.find(Rule::members)?;
            let span = name.span.to(self.span(&members));
            let (facts, abilities) = self.members(members)?;
            faces.push(Face {
                joined,
                card: Card { is_token: token, name, facts, abilities, faces: Vec::new(), unread: None, span },
            });
        }
        let span = name.span.to(self.span(&members));
        let (facts, abilities) = self.members(members)?;
        Ok(Card { is_token: token, name, facts, abilities, faces, unread: None, span })
    }

    fn deck(&self, mut kids: Children<'_>) -> BuildResult<Deck> {
        let mut deck = Deck { name: self.name(&kids.find_label()?), format: None, sections: Vec::new() };
        self.refuse_repeated_entries(&kids, &[Rule::deck_format])?;
        for kid in kids {
            match kid.as_rule() {
                Rule::deck_format => deck.format = self.names(kid).pop(),
                Rule::deck_section => {
                    deck.sections.push(self.deck_section(kid)?);
                }
                _ => {}
            }
        }
        Ok(deck)
    }

    fn difference(&self, node: CstNode<'_>) -> BuildResult<Difference> {
        let span = self.span(&node);
        let kid = self.children(node).require()?;
        let rule = kid.as_rule();
        let item = |node| self.item(node).map(Box::new);
        if !matches!(
            rule,
            Rule::change_span
                | Rule::change_item
                | Rule::removal
                | Rule::insertion
                | Rule::change_layout
                | Rule::append_layout
                | Rule::appendix
                | Rule::ban
                | Rule::restrict
                | Rule::errata
        ) {
            return Ok(Difference { kind: DifferenceKind::Add(item(kid)?), span });
        }
        if matches!(rule, Rule::ban | Rule::restrict) {
            let names = self.names(kid);
            let kind = if rule == Rule::ban { DifferenceKind::Ban(names) } else { DifferenceKind::Restrict(names) };
            return Ok(Difference { kind, span });
        }
        let mut parts = self.children(kid);
        let first = parts.require()?.as_rule();
        let kind = match rule {
            Rule::change_span => {
                let path = self.path(&parts.find(Rule::path)?)?;
                DifferenceKind::ReplacePeriod { path, entries: self.turn_entries(parts.find(Rule::turn_body)?)? }
            }
            Rule::change_item => DifferenceKind::Replace(item(parts.require()?)?),
            Rule::change_layout => self.replace_rows(parts)?,
            Rule::append_layout => self.append_layout(parts)?,
            Rule::removal => DifferenceKind::Remove(self.path(&parts.require()?)?),
            Rule::insertion => DifferenceKind::Insert {
                before: first == Rule::k_before,
                path: self.path(&parts.find(Rule::path)?)?,
                period: self.period(parts.find(Rule::turn_span)?)?,
            },
            Rule::appendix => {
                DifferenceKind::Append { path: self.path(&parts.find(Rule::path)?)?, body: self.block(parts.find(Rule::block)?)? }
            }
            _ => {
                let name = self.name(&parts.require()?);
                DifferenceKind::Errata(self.card(false, name, parts.find(Rule::card_members)?)?)
            }
        };
        Ok(Difference { kind, span })
    }
}

fn keyword_ability(fact: Fact) -> Ability {
    Ability {
        zones: Vec::new(),
        immediately: false,
        off_list: false,
        can_miss_timing: false,
        concealed: false,
        keyword: None,
        span: fact.span,
        kind: AbilityKind::Keyword(Box::new(fact)),
    }
}
