//! Visits the names in scenarios.

use super::expr::{expr, exprs};
use super::items::{match_rules, sections};
use super::statement::block;
use super::{DeclKind, NameRole, Visitor, names};
use crate::ast::{
    Answer, DeckExpr, Expr, MatchStep, NamedPosition, Position, PositionEntry, PositionValue, Scenario, ScenarioStepKind, Stage,
};
use std::slice::from_ref;

pub(super) fn scenario(scenario: &Scenario, visitor: &mut impl Visitor) {
    visitor.name(NameRole::Declares(DeclKind::Scenario), &scenario.title);
    parts(scenario, visitor);
}

pub(super) fn stage(stage: &Stage, visitor: &mut impl Visitor) {
    visitor.name(NameRole::Declares(DeclKind::Stage), &stage.scenario.title);
    expr(&stage.filter, visitor);
    parts(&stage.scenario, visitor);
}

pub(super) fn named_position(named: &NamedPosition, visitor: &mut impl Visitor) {
    visitor.name(NameRole::Declares(DeclKind::Position), &named.name);
    names(NameRole::RefersTo(DeclKind::Position), &named.from, visitor);
    visitor.enter();
    position(&named.position, visitor);
    visitor.leave();
}

fn position(position: &Position, visitor: &mut impl Visitor) {
    for player in &position.players {
        visitor.name(NameRole::Seat, &player.player);
        player.entries.iter().for_each(|one| entry(one, visitor));
    }
    position.values.iter().for_each(|written| position_value(written, DeclKind::Global, visitor));
}

fn position_value(written: &PositionValue, kind: DeclKind, visitor: &mut impl Visitor) {
    visitor.name(NameRole::RefersTo(kind), &written.name);
    names(NameRole::Word, &written.key, visitor);
    expr(&written.value, visitor);
}

/// What follows the title.
fn parts(scenario: &Scenario, visitor: &mut impl Visitor) {
    names(NameRole::RefersTo(DeclKind::Format), &scenario.format, visitor);
    names(NameRole::RefersTo(DeclKind::Position), &scenario.from, visitor);
    visitor.enter();
    for (seat, deck) in scenario.match_header.iter().flat_map(|contest| &contest.seats) {
        visitor.name(NameRole::Seat, seat);
        written_deck(deck, visitor);
    }
    scenario.position.iter().for_each(|written| position(written, visitor));
    scenario.steps.iter().for_each(|one| step(&one.kind, visitor));
    visitor.leave();
}

fn entry(entry: &PositionEntry, visitor: &mut impl Visitor) {
    match entry {
        PositionEntry::Cards { zone, card, flags, statuses, binding, .. } => {
            visitor.name(NameRole::RefersTo(DeclKind::Zone), zone);
            visitor.name(if card.is_quoted() { NameRole::RefersTo(DeclKind::Card) } else { NameRole::Word }, card);
            names(NameRole::RefersTo(DeclKind::Status), flags, visitor);
            for (status, key, value) in statuses {
                visitor.name(NameRole::RefersTo(DeclKind::Status), status);
                names(NameRole::Word, key, visitor);
                expr(value, visitor);
            }
            names(NameRole::Binds, binding, visitor);
        }
        PositionEntry::Value(written) => position_value(written, DeclKind::Player, visitor),
        PositionEntry::Effect { source, body, .. } => {
            names(NameRole::Word, source, visitor);
            block(body, visitor);
        }
    }
}

fn step(step: &ScenarioStepKind, visitor: &mut impl Visitor) {
    match step {
        ScenarioStepKind::Start { player, path } | ScenarioStepKind::GoTo { player, path } => {
            visitor.name(NameRole::Seat, player);
            visitor.path(path);
        }
        ScenarioStepKind::Act { player, play, object, choosing } => {
            visitor.name(NameRole::Seat, player);
            visitor.name(NameRole::Verb, play);
            exprs(object, visitor);
            choosing.iter().for_each(|one| answer(one, visitor));
        }
        ScenarioStepKind::Pass(players) => names(NameRole::Seat, players, visitor),
        ScenarioStepKind::Concede(player) => visitor.name(NameRole::Seat, player),
        ScenarioStepKind::RefuseAnswer { player, answer: given, .. } => {
            visitor.name(NameRole::Seat, player);
            given.iter().for_each(|given| answer(given, visitor));
        }
        ScenarioStepKind::PayWith { player, producers } | ScenarioStepKind::RefusePay { player, producers, .. } => {
            visitor.name(NameRole::Seat, player);
            exprs(producers, visitor);
        }
        ScenarioStepKind::ExpectFizzles { what, .. } => expr(what, visitor),
        ScenarioStepKind::Answer { player, answer: given } => {
            visitor.name(NameRole::Seat, player);
            answer(given, visitor);
        }
        ScenarioStepKind::Expect(value) => expr(value, visitor),
        ScenarioStepKind::ExpectList(items) | ScenarioStepKind::ExpectChoices(items) => exprs(items, visitor),
        ScenarioStepKind::ExpectDecision { player, kind } => {
            visitor.name(NameRole::Seat, player);
            names(NameRole::Setting, kind, visitor);
        }
        ScenarioStepKind::ExpectEvents(paths)
        | ScenarioStepKind::ExpectAllEvents(paths)
        | ScenarioStepKind::ExpectNoEvents(paths) => paths.iter().for_each(|path| visitor.path(path)),
        ScenarioStepKind::ExpectWindows { player, steps } => {
            visitor.name(NameRole::Seat, player);
            steps.iter().for_each(|path| visitor.path(path));
        }
        ScenarioStepKind::ExpectSees { player, what, chosen_for, .. } => {
            visitor.name(NameRole::Seat, player);
            expr(what, visitor);
            exprs(chosen_for, visitor);
        }
        ScenarioStepKind::ExpectSeen { player, card, zone, .. } => {
            visitor.name(NameRole::Seat, player);
            visitor.name(NameRole::RefersTo(DeclKind::Card), card);
            exprs(zone, visitor);
        }
        ScenarioStepKind::Refuse { player, play, objects, because } => {
            visitor.name(NameRole::Seat, player);
            visitor.name(NameRole::Verb, play);
            exprs(objects, visitor);
            because.iter().for_each(|path| visitor.path(path));
        }
        ScenarioStepKind::Assign { player, verb, pairs: assigned } => {
            visitor.name(NameRole::Seat, player);
            visitor.name(NameRole::Verb, verb);
            pairs(assigned, visitor);
        }
        ScenarioStepKind::RefuseAssign { player, verb, pairs: assigned, because, offering } => {
            visitor.name(NameRole::Seat, player);
            visitor.name(NameRole::Verb, verb);
            pairs(assigned, visitor);
            because.iter().for_each(|path| visitor.path(path));
            offering.iter().for_each(|offered| pairs(offered, visitor));
        }
        ScenarioStepKind::Let { name, value } => {
            expr(value, visitor);
            visitor.name(NameRole::Binds, name);
        }
        ScenarioStepKind::Chance(_) => {}
        ScenarioStepKind::ChanceShuffle(items) => exprs(items, visitor),
        ScenarioStepKind::ExpectDeck { deck, .. } => written_deck(deck, visitor),
        ScenarioStepKind::Match(about) => match_step(about, visitor),
        ScenarioStepKind::Rest(word) => visitor.name(NameRole::Setting, word),
    }
}

fn pairs(pairs: &[(Expr, Option<Expr>)], visitor: &mut impl Visitor) {
    for (left, right) in pairs {
        expr(left, visitor);
        exprs(right, visitor);
    }
}

fn answer(answer: &Answer, visitor: &mut impl Visitor) {
    match answer {
        Answer::Values(values) => exprs(values, visitor),
        Answer::Nothing | Answer::Yes | Answer::No | Answer::Modes(_) => {}
    }
}

fn written_deck(deck: &DeckExpr, visitor: &mut impl Visitor) {
    names(NameRole::RefersTo(DeclKind::Deck), &deck.name, visitor);
    for part in [&deck.lists, &deck.with, &deck.without] {
        sections(part, visitor);
    }
}

fn match_step(step: &MatchStep, visitor: &mut impl Visitor) {
    match step {
        MatchStep::Wins(player) => visitor.name(NameRole::Seat, player),
        MatchStep::Exchange { player, gives, takes, .. } => {
            visitor.name(NameRole::Seat, player);
            sections(from_ref(gives), visitor);
            sections(from_ref(takes), visitor);
        }
        MatchStep::Ready(players) => names(NameRole::Seat, players, visitor),
        MatchStep::Next | MatchStep::Score(_) => {}
        MatchStep::Phase(word) => visitor.name(NameRole::Setting, word),
        MatchStep::Rules(rules) => match_rules(rules, visitor),
        MatchStep::Section { section, player, counts } => {
            visitor.name(NameRole::Setting, section);
            visitor.name(NameRole::Seat, player);
            names(NameRole::RefersTo(DeclKind::Card), counts.iter().filter_map(|(_, card)| card.as_ref()), visitor);
        }
        MatchStep::Sees { player, card, .. } => {
            visitor.name(NameRole::Seat, player);
            visitor.name(NameRole::RefersTo(DeclKind::Card), card);
        }
    }
}
