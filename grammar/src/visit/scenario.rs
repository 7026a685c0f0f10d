//! Names in scenarios.

use super::expr::{expr, exprs};
use super::items::{match_rules, sections};
use super::{Kind, Role, Visitor, names};
use crate::tree::{Answer, Expr, MatchStep, PositionEntry, Scenario, ScenarioStepKind, WrittenDeck};
use std::slice::from_ref;

pub(super) fn scenario(scenario: &Scenario, visitor: &mut impl Visitor) {
    visitor.name(Role::Declares(Kind::Scenario), &scenario.title);
    names(Role::Of(Kind::Format), &scenario.format, visitor);
    visitor.enter();
    for (seat, deck) in scenario.contest.iter().flat_map(|contest| &contest.seats) {
        visitor.name(Role::Seat, seat);
        written_deck(deck, visitor);
    }
    for player in scenario.position.iter().flatten() {
        visitor.name(Role::Seat, &player.player);
        player.entries.iter().for_each(|one| entry(one, visitor));
    }
    scenario.steps.iter().for_each(|one| step(&one.kind, visitor));
    visitor.leave();
}

fn entry(entry: &PositionEntry, visitor: &mut impl Visitor) {
    match entry {
        PositionEntry::Cards { zone, card, flags, statuses, binding, .. } => {
            visitor.name(Role::Of(Kind::Zone), zone);
            visitor.name(Role::Of(Kind::Card), card);
            names(Role::Of(Kind::Status), flags, visitor);
            for (status, key, value) in statuses {
                visitor.name(Role::Of(Kind::Status), status);
                names(Role::Word, key, visitor);
                expr(value, visitor);
            }
            names(Role::Binds, binding, visitor);
        }
        PositionEntry::Value { name, key, value } => {
            visitor.name(Role::Of(Kind::Player), name);
            names(Role::Word, key, visitor);
            expr(value, visitor);
        }
    }
}

fn step(step: &ScenarioStepKind, visitor: &mut impl Visitor) {
    match step {
        ScenarioStepKind::Start { player, path } | ScenarioStepKind::GoTo { player, path } => {
            visitor.name(Role::Seat, player);
            visitor.path(path);
        }
        ScenarioStepKind::Act { player, play, object, choosing } => {
            visitor.name(Role::Seat, player);
            visitor.name(Role::Verb, play);
            exprs(object, visitor);
            choosing.iter().for_each(|one| answer(one, visitor));
        }
        ScenarioStepKind::Pass(players) => names(Role::Seat, players, visitor),
        ScenarioStepKind::Concede(player) => visitor.name(Role::Seat, player),
        ScenarioStepKind::Answer { player, answer: given } => {
            visitor.name(Role::Seat, player);
            answer(given, visitor);
        }
        ScenarioStepKind::Expect(value) => expr(value, visitor),
        ScenarioStepKind::ExpectList(items) | ScenarioStepKind::ExpectChoices(items) => exprs(items, visitor),
        ScenarioStepKind::ExpectAsked { player, kind } => {
            visitor.name(Role::Seat, player);
            names(Role::Setting, kind, visitor);
        }
        ScenarioStepKind::ExpectEvents(paths)
        | ScenarioStepKind::ExpectAllEvents(paths)
        | ScenarioStepKind::ExpectNoEvents(paths) => paths.iter().for_each(|path| visitor.path(path)),
        ScenarioStepKind::ExpectWindows { player, steps } => {
            visitor.name(Role::Seat, player);
            steps.iter().for_each(|path| visitor.path(path));
        }
        ScenarioStepKind::ExpectSees { player, what, chosen_for, .. } => {
            visitor.name(Role::Seat, player);
            expr(what, visitor);
            exprs(chosen_for, visitor);
        }
        ScenarioStepKind::ExpectSeen { player, card, zone, .. } => {
            visitor.name(Role::Seat, player);
            visitor.name(Role::Of(Kind::Card), card);
            exprs(zone, visitor);
        }
        ScenarioStepKind::Refuse { player, play, objects, because } => {
            visitor.name(Role::Seat, player);
            visitor.name(Role::Verb, play);
            exprs(objects, visitor);
            because.iter().for_each(|path| visitor.path(path));
        }
        ScenarioStepKind::Assign { player, verb, pairs: assigned } => {
            visitor.name(Role::Seat, player);
            visitor.name(Role::Verb, verb);
            pairs(assigned, visitor);
        }
        ScenarioStepKind::RefuseAssign { player, verb, pairs: assigned, because, offering } => {
            visitor.name(Role::Seat, player);
            visitor.name(Role::Verb, verb);
            pairs(assigned, visitor);
            because.iter().for_each(|path| visitor.path(path));
            offering.iter().for_each(|offered| pairs(offered, visitor));
        }
        ScenarioStepKind::Let { name, value } => {
            expr(value, visitor);
            visitor.name(Role::Binds, name);
        }
        ScenarioStepKind::Chance(_) => {}
        ScenarioStepKind::ExpectDeck { deck, .. } => written_deck(deck, visitor),
        ScenarioStepKind::Match(about) => match_step(about, visitor),
        ScenarioStepKind::Rest(word) => visitor.name(Role::Setting, word),
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

fn written_deck(deck: &WrittenDeck, visitor: &mut impl Visitor) {
    names(Role::Of(Kind::Deck), &deck.name, visitor);
    for part in [&deck.lists, &deck.with, &deck.without] {
        sections(part, visitor);
    }
}

fn match_step(step: &MatchStep, visitor: &mut impl Visitor) {
    match step {
        MatchStep::Wins(player) => visitor.name(Role::Seat, player),
        MatchStep::Exchange { player, gives, takes, .. } => {
            visitor.name(Role::Seat, player);
            sections(from_ref(gives), visitor);
            sections(from_ref(takes), visitor);
        }
        MatchStep::Ready(players) => names(Role::Seat, players, visitor),
        MatchStep::Next | MatchStep::Score(_) => {}
        MatchStep::Phase(word) => visitor.name(Role::Setting, word),
        MatchStep::Rules(rules) => match_rules(rules, visitor),
        MatchStep::Section { section, player, counts } => {
            visitor.name(Role::Setting, section);
            visitor.name(Role::Seat, player);
            names(Role::Of(Kind::Card), counts.iter().filter_map(|(_, card)| card.as_ref()), visitor);
        }
        MatchStep::Sees { player, card, .. } => {
            visitor.name(Role::Seat, player);
            visitor.name(Role::Of(Kind::Card), card);
        }
    }
}
