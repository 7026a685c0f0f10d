//! Builds scenarios: positions, steps and answers.

use super::{AstBuilder, BuildResult, Children, CstNode, unexpected_tree};
use crate::ast::{
    Answer, Expr, ExprKind, FizzledPart, Head, Name, NamedPosition, Path, Position, PositionEntry, PositionPlayer, PositionValue,
    Scenario, ScenarioStep, ScenarioStepKind,
};
use crate::parser::Rule;
use std::collections::BTreeSet;

impl AstBuilder {
    pub(super) fn scenario(&self, mut kids: Children<'_>) -> BuildResult<Scenario> {
        let title = self.name(&kids.find_label()?);
        self.scenario_parts(title, kids)
    }

    /// The parts of a scenario or stage after its title.
    pub(super) fn scenario_parts(&self, title: Name, kids: Children<'_>) -> BuildResult<Scenario> {
        let mut scenario = Scenario {
            title,
            claims: Vec::new(),
            from: None,
            strict: false,
            format: None,
            match_header: None,
            position: None,
            steps: Vec::new(),
            unread: BTreeSet::new(),
        };
        for kid in kids {
            match kid.as_rule() {
                Rule::claim => scenario.claims.push(self.name(&kid)),
                Rule::from_position => scenario.from = self.names(kid).pop(),
                Rule::k_strict => scenario.strict = true,
                Rule::scenario_body => {
                    let members = self.children(kid);
                    self.refuse_repeated_entries(&members, &[Rule::step_format, Rule::match_header, Rule::position])?;
                    for member in members {
                        match member.as_rule() {
                            Rule::step_format => scenario.format = self.names(member).pop(),
                            Rule::match_header => scenario.match_header = Some(self.match_header(member)?),
                            Rule::position => {
                                let body = self.children(member).find(Rule::position_body)?;
                                scenario.position = Some(self.position(body)?);
                            }
                            Rule::step => scenario.steps.push(self.step(member)?),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(scenario)
    }

    pub(super) fn named_position(&self, mut kids: Children<'_>) -> BuildResult<NamedPosition> {
        let name = self.name(&kids.find(Rule::name)?);
        let from = kids.next_if(Rule::from_position).and_then(|from| self.names(from).pop());
        Ok(NamedPosition { name, from, position: self.position(kids.find(Rule::position_body)?)? })
    }

    fn position(&self, node: CstNode<'_>) -> BuildResult<Position> {
        let mut position = Position::default();
        for member in self.children(node) {
            match member.as_rule() {
                Rule::position_player => position.players.push(self.position_player(member)?),
                Rule::position_value => position.values.push(self.position_value(member)?),
                _ => {}
            }
        }
        Ok(position)
    }

    fn position_value(&self, node: CstNode<'_>) -> BuildResult<PositionValue> {
        let mut parts = self.children(node);
        Ok(PositionValue {
            name: self.name(&parts.find(Rule::name)?),
            key: parts.next_if(Rule::position_key).and_then(|key| self.names(key).pop()),
            value: self.expr(parts.find(Rule::sum)?)?,
        })
    }

    fn position_player(&self, node: CstNode<'_>) -> BuildResult<PositionPlayer> {
        let mut kids = self.children(node);
        let player = self.name(&kids.find(Rule::name)?);
        let mut entries = Vec::new();
        // an entry without zone is in the zone of the previous one: `hand "X", "Y"`
        let mut last_zone: Option<Name> = None;
        for kid in kids {
            let span = self.span(&kid);
            if kid.as_rule() == Rule::position_value {
                entries.push(PositionEntry::Value(self.position_value(kid)?));
                continue;
            }
            if kid.as_rule() == Rule::position_effect {
                let mut parts = self.children(kid);
                let (mut source, mut body) = (None, None);
                for part in &mut parts {
                    match part.as_rule() {
                        Rule::name => source = Some(self.name(&part)),
                        Rule::block => body = Some(self.block(part)?),
                        _ => {}
                    }
                }
                entries.push(PositionEntry::Effect { source, body: body.ok_or_else(|| unexpected_tree(span))?, span });
                continue;
            }
            let mut parts = self.children(kid);
            if let Some(zone) = parts.next_if(Rule::name) {
                last_zone = Some(self.name(&zone));
            }
            let zone = last_zone
                .clone()
                .ok_or_else(|| super::missing_part(span, "the zone", "write the zone of the card: `hand \"…\"`"))?;
            let count = parts.next_if(Rule::number).map(|count| self.small_number(&count)).transpose()?.unwrap_or(1);
            let card = self.name(&parts.require()?);
            let (mut flags, mut statuses, mut binding) = (Vec::new(), Vec::new(), None);
            for part in parts {
                match part.as_rule() {
                    Rule::binding => binding = self.names(part).pop(),
                    Rule::position_flag => flags.push(self.trimmed_name(&part)),
                    Rule::position_with => {
                        for status in self.children(part).filter(|kid| kid.as_rule() == Rule::position_status) {
                            let mut status = self.children(status);
                            let name = self.name(&status.find(Rule::name)?);
                            let key = status.next_if(Rule::position_key).and_then(|key| self.names(key).pop());
                            match status.next() {
                                Some(value) => statuses.push((name, key, self.expr(value)?)),
                                None => flags.push(name),
                            }
                        }
                    }
                    _ => {}
                }
            }
            entries.push(PositionEntry::Cards { zone, count, card, flags, statuses, binding, span });
        }
        Ok(PositionPlayer { player, entries })
    }

    fn player_path(&self, node: CstNode<'_>) -> BuildResult<(Name, Path)> {
        let mut kids = self.children(node);
        Ok((self.name(&kids.find(Rule::name)?), self.path(&kids.find(Rule::path)?)?))
    }

    fn step(&self, node: CstNode<'_>) -> BuildResult<ScenarioStep> {
        let span = self.span(&node);
        let node = self.children(node).require()?;
        let rule = node.as_rule();
        if rule == Rule::match_step {
            let kind = self.match_step(self.children(node).require()?)?;
            return Ok(ScenarioStep { kind, span });
        }
        let mut kids = self.children(node);
        let kind = match rule {
            Rule::chance => {
                kids.take_if(Rule::k_chance);
                if kids.take_if(Rule::k_shuffle) {
                    let list = self.children(kids.find(Rule::list)?);
                    ScenarioStepKind::ChanceShuffle(list.map(|card| self.expr(card)).collect::<BuildResult<_>>()?)
                } else {
                    self.chance(kids)?
                }
            }
            Rule::start => {
                let (player, path) = self.player_path(kids.find(Rule::player_path)?)?;
                ScenarioStepKind::Start { player, path }
            }
            Rule::go_to => {
                let (player, path) = self.player_path(kids.find(Rule::player_path)?)?;
                ScenarioStepKind::GoTo { player, path }
            }
            Rule::concede => ScenarioStepKind::Concede(self.name(&kids.find(Rule::name)?)),
            Rule::pass => {
                ScenarioStepKind::Pass(kids.filter(|kid| kid.as_rule() == Rule::name).map(|kid| self.name(&kid)).collect())
            }
            Rule::pay_step => {
                let player = self.name(&kids.find(Rule::name)?);
                let producers = kids.filter(|kid| kid.as_rule() == Rule::value);
                ScenarioStepKind::PayWith { player, producers: producers.map(|kid| self.expr(kid)).collect::<BuildResult<_>>()? }
            }
            Rule::answer_step => {
                let player = self.name(&kids.find(Rule::name)?);
                ScenarioStepKind::Answer { player, answer: self.answer(kids.find(Rule::answer)?)? }
            }
            Rule::expect => self.expect(kids.nth(1).ok_or_else(|| unexpected_tree(span))?)?,
            Rule::refusal_pay => {
                let player = self.name(&kids.find(Rule::name)?);
                let (mut producers, mut because) = (Vec::new(), None);
                for kid in kids {
                    match kid.as_rule() {
                        Rule::value => producers.push(self.expr(kid)?),
                        Rule::because => because = Some(self.path(&self.children(kid).find(Rule::path)?)?),
                        _ => {}
                    }
                }
                ScenarioStepKind::RefusePay { player, producers, because }
            }
            Rule::refusal_answer => {
                let player = self.name(&kids.find(Rule::name)?);
                let (mut answer, mut because) = (None, None);
                for kid in kids {
                    match kid.as_rule() {
                        Rule::answer => answer = Some(self.answer(kid)?),
                        Rule::because => because = Some(self.path(&self.children(kid).find(Rule::path)?)?),
                        _ => {}
                    }
                }
                ScenarioStepKind::RefuseAnswer { player, answer, because }
            }
            Rule::refusal => {
                let player = self.name(&kids.find(Rule::name)?);
                let play = self.name(&kids.find(Rule::name)?);
                let (mut objects, mut because) = (Vec::new(), None);
                for kid in kids {
                    match kid.as_rule() {
                        Rule::value => objects.push(self.expr(kid)?),
                        Rule::because => because = Some(self.path(&self.children(kid).find(Rule::path)?)?),
                        _ => {}
                    }
                }
                ScenarioStepKind::Refuse { player, play, objects, because }
            }
            Rule::assign_step => ScenarioStepKind::Assign {
                player: self.name(&kids.find(Rule::name)?),
                verb: self.trimmed_name(&kids.find(Rule::name)?),
                pairs: self.declared_pairs(kids.find(Rule::assigned)?)?,
            },
            Rule::refusal_assign => {
                let player = self.name(&kids.find(Rule::name)?);
                let verb = self.trimmed_name(&kids.find(Rule::name)?);
                let pairs = self.declared_pairs(kids.find(Rule::assigned)?)?;
                let (mut because, mut offering) = (None, None);
                for kid in kids {
                    match kid.as_rule() {
                        Rule::because => because = Some(self.path(&self.children(kid).find(Rule::path)?)?),
                        Rule::offering => offering = Some(self.declared_pairs(self.children(kid).find(Rule::assigned)?)?),
                        _ => {}
                    }
                }
                ScenarioStepKind::RefuseAssign { player, verb, pairs, because, offering }
            }
            Rule::let_ => {
                ScenarioStepKind::Let { name: self.name(&kids.find(Rule::name)?), value: self.expr(kids.find(Rule::expr)?)? }
            }
            Rule::rest => ScenarioStepKind::Rest(self.name(&kids.find(Rule::word)?)),
            _ => {
                let player = self.name(&kids.find(Rule::name)?);
                let play = self.name(&kids.find(Rule::name)?);
                let object = kids.next_if(Rule::value).map(|object| self.expr(object)).transpose()?;
                let mut choosing = Vec::new();
                for group in kids.filter(|kid| kid.as_rule() == Rule::choosing) {
                    for one in self.children(group).filter(|kid| kid.as_rule() == Rule::choosing_one) {
                        choosing.push(self.answer(one)?);
                    }
                }
                ScenarioStepKind::Act { player, play, object, choosing }
            }
        };
        Ok(ScenarioStep { kind, span })
    }

    /// The pairs of a declaration, declared object first, in either order of the source.
    fn declared_pairs(&self, node: CstNode<'_>) -> BuildResult<Vec<(Expr, Option<Expr>)>> {
        let mut pairs = Vec::new();
        for kid in self.children(node) {
            let rule = kid.as_rule();
            let mut atoms = self.children(kid).filter(|kid| kid.as_rule() == Rule::atom);
            let Some(first) = atoms.next() else { continue };
            let first = self.expr(first)?;
            match rule {
                Rule::assigned_left => {
                    let with = atoms.next().map(|with| self.expr(with)).transpose()?;
                    pairs.push((first, with));
                }
                Rule::assigned_right => {
                    for left in atoms {
                        pairs.push((self.expr(left)?, Some(first.clone())));
                    }
                }
                _ => {}
            }
        }
        Ok(pairs)
    }

    /// An answer. A list in brackets contributes its elements as values.
    fn answer(&self, node: CstNode<'_>) -> BuildResult<Answer> {
        let mut values = Vec::new();
        for kid in self.children(node) {
            match kid.as_rule() {
                Rule::nothing => return Ok(Answer::Nothing),
                Rule::yes => return Ok(Answer::Yes),
                Rule::no => return Ok(Answer::No),
                Rule::modes_chosen => {
                    let numbers = self.children(kid).filter(|kid| kid.as_rule() == Rule::number);
                    return Ok(Answer::Modes(numbers.map(|number| self.small_number(&number)).collect::<BuildResult<_>>()?));
                }
                Rule::value => values.extend(list_values(self.expr(kid)?)),
                _ => {}
            }
        }
        Ok(Answer::Values(values))
    }

    fn expect(&self, node: CstNode<'_>) -> BuildResult<ScenarioStepKind> {
        let span = self.span(&node);
        let rule = node.as_rule();
        if matches!(
            rule,
            Rule::expect_deck | Rule::expect_score | Rule::expect_match | Rule::expect_section | Rule::expect_match_sees
        ) {
            return self.expect_match(node);
        }
        if !matches!(
            rule,
            Rule::expect_fizzles
                | Rule::expect_list
                | Rule::expect_asked
                | Rule::expect_choices
                | Rule::expect_events
                | Rule::expect_all_events
                | Rule::expect_no_event
                | Rule::expect_windows
                | Rule::expect_sees
                | Rule::expect_seen
        ) {
            return Ok(ScenarioStepKind::Expect(self.expr(node)?));
        }
        let mut kids = self.children(node);
        let paths = |kids: Children<'_>| {
            kids.filter(|kid| kid.as_rule() == Rule::path).map(|path| self.event_path(&path)).collect::<BuildResult<Vec<_>>>()
        };
        let values = |list| self.children(list).map(|value| self.expr(value)).collect::<BuildResult<Vec<_>>>();
        Ok(match rule {
            Rule::expect_list => ScenarioStepKind::ExpectList(values(kids.find(Rule::list)?)?),
            Rule::expect_fizzles => {
                let part = kids.next_if(Rule::fizzled_part);
                let part = match part {
                    Some(word) => {
                        let is_mode = self.children(word).any(|kid| kid.as_rule() == Rule::k_mode);
                        let number = self.small_number(&kids.find(Rule::number)?)?;
                        Some(if is_mode { FizzledPart::Mode(number) } else { FizzledPart::Paragraph(number) })
                    }
                    None => None,
                };
                let what = self.expr(kids.find(Rule::atom)?)?;
                let fizzles = kids.all(|kid| kid.as_rule() != Rule::fizzles_not);
                ScenarioStepKind::ExpectFizzles { what, part, fizzles }
            }
            Rule::expect_choices => ScenarioStepKind::ExpectChoices(values(kids.find(Rule::list)?)?),
            Rule::expect_asked => ScenarioStepKind::ExpectDecision {
                player: self.name(&kids.find(Rule::name)?),
                kind: kids.find(Rule::word).ok().map(|word| self.name(&word)),
            },
            Rule::expect_all_events => ScenarioStepKind::ExpectAllEvents(paths(self.children(kids.find(Rule::paths)?))?),
            Rule::expect_events => ScenarioStepKind::ExpectEvents(paths(self.children(kids.find(Rule::paths)?))?),
            Rule::expect_no_event => ScenarioStepKind::ExpectNoEvents(paths(kids)?),
            Rule::expect_windows => ScenarioStepKind::ExpectWindows {
                player: self.name(&kids.find(Rule::name)?),
                steps: paths(self.children(kids.find(Rule::paths)?))?,
            },
            Rule::expect_sees => {
                let player = self.name(&kids.find(Rule::name)?);
                let sees = kids.next_if(Rule::sees_not).is_none();
                let what = self.expr(kids.find(Rule::phrase)?)?;
                let chosen_for = kids.find(Rule::phrase).ok().map(|of| self.expr(of)).transpose()?;
                ScenarioStepKind::ExpectSees { player, sees, what, chosen_for }
            }
            Rule::expect_seen => {
                let player = self.name(&kids.find(Rule::name)?);
                let mut kids = kids.filter(|kid| kid.as_rule() != Rule::k_has).peekable();
                let seen = kids.next_if(|kid| kid.as_rule() == Rule::seen_not).is_none();
                let card = self.name(&kids.find(|kid| kid.as_rule() == Rule::quoted).ok_or_else(|| unexpected_tree(span))?);
                let zone = kids.find(|kid| kid.as_rule() == Rule::phrase);
                let zone = zone.map(|zone| self.expr(zone)).transpose()?;
                ScenarioStepKind::ExpectSeen { player, seen, card, zone }
            }
            _ => return Err(unexpected_tree(span)),
        })
    }
}

fn list_values(value: Expr) -> Vec<Expr> {
    match value.kind {
        ExprKind::Phrase(phrase)
            if phrase.filters.is_empty() && phrase.quantifier.is_none() && matches!(phrase.head, Head::List(_)) =>
        {
            match phrase.head {
                Head::List(values) => values,
                _ => Vec::new(),
            }
        }
        kind => vec![Expr { kind, span: value.span }],
    }
}
