//! Visits the names in statements, abilities and plays.

use super::expr::{expr, exprs};
use super::items::fact;
use super::{DeclKind, NameRole, Visitor, names};
use crate::ast::{
    Ability, AbilityKind, Block, Call, ClauseKind, CostPart, DeclarationClause, DeclareStatement, Duration, DurationPoint,
    Modification, ModificationKind, Moment, Pattern, Play, Statement, StatementKind, UseLimit, pair_part,
};

/// Visits a block, which has its own scope.
pub(super) fn block(block: &Block, visitor: &mut impl Visitor) {
    visitor.enter();
    statements(&block.statements, visitor);
    visitor.leave();
}

pub(super) fn statements(all: &[Statement], visitor: &mut impl Visitor) {
    for one in all {
        statement(one, visitor);
    }
}

pub(super) fn statement(statement: &Statement, visitor: &mut impl Visitor) {
    match &statement.kind {
        StatementKind::Let { name, value } => {
            expr(value, visitor);
            visitor.name(NameRole::Binds, name);
        }
        StatementKind::Assign { place, value, .. } => exprs([place, value], visitor),
        StatementKind::Calls(calls) => calls.iter().for_each(|one| call(one, visitor)),
        // A name that a linked block binds is known after it, too.
        StatementKind::Block(inner) => statements(&inner.statements, visitor),
        StatementKind::Simultaneously(body) => statements(&body.statements, visitor),
        StatementKind::Trigger(body) => block(body, visitor),
        StatementKind::If { condition, then, otherwise } => {
            expr(condition, visitor);
            block(then, visitor);
            otherwise.iter().for_each(|other| block(other, visitor));
        }
        StatementKind::ForEach { name, list, body } => {
            expr(list, visitor);
            visitor.enter();
            visitor.name(NameRole::Binds, name);
            block(body, visitor);
            visitor.leave();
        }
        StatementKind::Divide(divided) => {
            exprs(&divided.subject, visitor);
            exprs([&divided.amount, &divided.among], visitor);
            exprs(&divided.min_each, visitor);
            visitor.name(NameRole::Binds, &divided.name);
        }
        StatementKind::Times { count: value, body } | StatementKind::Repeat { condition: value, body } => {
            expr(value, visitor);
            block(body, visitor);
        }
        StatementKind::Modes { count, modes, .. } => {
            expr(count, visitor);
            modes.iter().for_each(|mode| block(mode, visitor));
        }
        StatementKind::Gets { whom, mods, until } => {
            expr(whom, visitor);
            changes(mods, visitor);
            until.iter().for_each(|until| duration(until, visitor));
        }
        StatementKind::Becomes { whom, model, except, until, .. } => {
            exprs([whom, model], visitor);
            changes(except, visitor);
            until.iter().for_each(|until| duration(until, visitor));
        }
        StatementKind::CreateCopy { model, except, into, under, adverbs, name } => {
            expr(model, visitor);
            changes(except, visitor);
            expr(into, visitor);
            exprs(under, visitor);
            names(NameRole::Word, adverbs, visitor);
            names(NameRole::Binds, name, visitor);
        }
        StatementKind::CopyListed { model, name, .. } => {
            expr(model, visitor);
            names(NameRole::Binds, name, visitor);
        }
        StatementKind::Cannot { pattern: forbidden, until } => {
            visitor.enter();
            pattern(forbidden, visitor);
            visitor.leave();
            until.iter().for_each(|until| duration(until, visitor));
        }
        StatementKind::Clause { clause: inner, until } => {
            clause(inner, visitor);
            until.iter().for_each(|until| duration(until, visitor));
        }
        StatementKind::Declare(written) => declare(written, visitor),
        StatementKind::DelayedAt { moment: when, body } => {
            moment(when, visitor);
            block(body, visitor);
        }
        StatementKind::DelayedWhen { pattern: on, until, body, .. } => {
            until.iter().for_each(|until| duration(until, visitor));
            visitor.enter();
            pattern(on, visitor);
            block(body, visitor);
            visitor.leave();
        }
        StatementKind::TemporaryAbilities { until, abilities: all, .. } => {
            duration(until, visitor);
            abilities(all, visitor);
        }
        StatementKind::Window { name, settings } => {
            visitor.name(NameRole::Setting, name);
            for setting in settings {
                visitor.name(NameRole::Setting, &setting.word);
                let role = if setting.word.text == "plays" { NameRole::RefersTo(DeclKind::Play) } else { NameRole::Word };
                names(role, &setting.names, visitor);
                exprs(&setting.value, visitor);
            }
        }
    }
}

fn call(call: &Call, visitor: &mut impl Visitor) {
    if let Some(subject) = &call.subject {
        expr(&subject.who, visitor);
    }
    visitor.name(NameRole::Verb, &call.verb);
    exprs(&call.operands, visitor);
    for (preposition, operand) in &call.prepositions {
        visitor.name(NameRole::Setting, preposition);
        expr(operand, visitor);
    }
    names(NameRole::Word, &call.adverbs, visitor);
    names(NameRole::Binds, &call.binding, visitor);
}

pub(super) fn changes(mods: &[Modification], visitor: &mut impl Visitor) {
    for change in mods {
        match &change.kind {
            ModificationKind::Add { amount: value, property, .. } | ModificationKind::Set { property, value } => {
                expr(value, visitor);
                if pair_part(property).is_none() {
                    visitor.name(NameRole::Changed, property);
                }
            }
            ModificationKind::Word { name, args } => {
                visitor.name(NameRole::Changed, name);
                exprs(args, visitor);
            }
            ModificationKind::Only(name)
            | ModificationKind::None(name)
            | ModificationKind::Every(name)
            | ModificationKind::Not(name) => {
                visitor.name(NameRole::Changed, name);
            }
            ModificationKind::Switch(one, other) => names(NameRole::Changed, [one, other], visitor),
            ModificationKind::Instead { traits, new, old } => {
                visitor.name(NameRole::Changed, traits);
                expr(new, visitor);
                expr(old, visitor);
            }
            ModificationKind::NoAbilities | ModificationKind::NoStatics => {}
        }
        exprs(&change.floor, visitor);
        names(NameRole::RefersTo(DeclKind::Layer), &change.in_layer, visitor);
    }
}

pub(super) fn duration(duration: &Duration, visitor: &mut impl Visitor) {
    for point in &duration.points {
        match point {
            DurationPoint::Moment(when) => moment(when, visitor),
            DurationPoint::Failure(condition) => expr(condition, visitor),
            DurationPoint::Event(on) => {
                visitor.enter();
                pattern(on, visitor);
                visitor.leave();
            }
        }
    }
}

fn moment(moment: &Moment, visitor: &mut impl Visitor) {
    exprs(&moment.whose, visitor);
    visitor.path(&moment.period_path);
}

/// Visits a pattern. The parameters of its event are known until the surrounding scope ends.
pub(super) fn pattern(pattern: &Pattern, visitor: &mut impl Visitor) {
    visitor.event(&pattern.verb);
    expr(&pattern.subject, visitor);
    visitor.name(NameRole::Verb, &pattern.verb);
    exprs(&pattern.object, visitor);
    exprs(&pattern.from, visitor);
    exprs(&pattern.condition, visitor);
    if let Some(nth) = &pattern.nth_time {
        visitor.path(&nth.period_path);
    }
}

fn clause(clause: &DeclarationClause, visitor: &mut impl Visitor) {
    visitor.enter();
    visitor.event(&clause.verb);
    expr(&clause.subject, visitor);
    visitor.name(NameRole::Verb, &clause.verb);
    exprs(&clause.object, visitor);
    exprs(&clause.condition, visitor);
    match &clause.kind {
        ClauseKind::Must | ClauseKind::Alone => {}
        ClauseKind::Count { count, .. } => expr(count, visitor),
        ClauseKind::Unless { count, others, verb } => {
            exprs([count, others], visitor);
            visitor.name(NameRole::Verb, verb);
        }
        ClauseKind::Price(price) => expr(price, visitor),
        ClauseKind::Cost(cost) => block(cost, visitor),
    }
    visitor.leave();
}

fn declare(declare: &DeclareStatement, visitor: &mut impl Visitor) {
    visitor.enter();
    visitor.event(&declare.action);
    visitor.name(NameRole::Verb, &declare.action);
    for part in [&declare.by, &declare.from, &declare.onto, &declare.condition, &declare.max_pairs] {
        exprs(part, visitor);
    }
    declare.before_costs.iter().for_each(|first| block(first, visitor));
    declare.on_rollback.iter().for_each(|after| block(after, visitor));
    visitor.leave();
}

pub(super) fn abilities(all: &[Ability], visitor: &mut impl Visitor) {
    for one in all {
        visitor.enter();
        ability(one, visitor);
        visitor.leave();
    }
}

fn ability(ability: &Ability, visitor: &mut impl Visitor) {
    names(NameRole::RefersTo(DeclKind::Zone), &ability.zones, visitor);
    match &ability.kind {
        AbilityKind::When { pattern: on, condition, limit: often, body } => {
            pattern(on, visitor);
            exprs(condition, visitor);
            limit(often.as_deref(), visitor);
            block(body, visitor);
        }
        AbilityKind::TriggerChange { pattern: on, whose, .. } => {
            pattern(on, visitor);
            expr(whose, visitor);
        }
        AbilityKind::AsSoon { condition, body } => {
            expr(condition, visitor);
            block(body, visitor);
        }
        AbilityKind::At { moment: when, condition, limit: often, body } => {
            moment(when, visitor);
            exprs(condition, visitor);
            limit(often.as_deref(), visitor);
            block(body, visitor);
        }
        AbilityKind::Instead { pattern: of, condition, body, .. } => {
            pattern(of, visitor);
            exprs(condition, visitor);
            block(body, visitor);
        }
        AbilityKind::Cannot(forbidden) => pattern(forbidden, visitor),
        AbilityKind::Clause(inner) => clause(inner, visitor),
        AbilityKind::Static { condition, clauses } => {
            exprs(condition, visitor);
            statements(clauses, visitor);
        }
        AbilityKind::Defines(mods) => changes(mods, visitor),
        AbilityKind::Does(body) | AbilityKind::Cost(body) => block(body, visitor),
        AbilityKind::Option { status, play: how, .. } => {
            visitor.name(NameRole::RefersTo(DeclKind::Status), status);
            play(how, visitor);
        }
        AbilityKind::Activated(used) => play(used, visitor),
        AbilityKind::Keyword(used) => fact(used, visitor),
        AbilityKind::Costed(costed) => {
            visitor.enter();
            for part in &costed.parts {
                match part {
                    CostPart::Symbols(..) | CostPart::DuringPayment => {}
                    CostPart::Price(price, condition) => {
                        expr(price, visitor);
                        exprs(condition.as_deref(), visitor);
                    }
                    CostPart::Statement(written) => statement(written, visitor),
                    CostPart::When(condition) => expr(condition, visitor),
                    CostPart::Limit(often) => limit(Some(often), visitor),
                }
            }
            exprs(&costed.produces, visitor);
            statements(&costed.body.statements, visitor);
            visitor.leave();
        }
        AbilityKind::KeywordBlock(used) => {
            visitor.name(NameRole::Fact, &used.keyword);
            exprs(used.uses.iter().flatten().map(|argument| &argument.value), visitor);
            block(&used.body, visitor);
        }
    }
}

fn limit(limit: Option<&UseLimit>, visitor: &mut impl Visitor) {
    if let Some(limit) = limit {
        visitor.path(&limit.period_path);
        names(NameRole::Setting, &limit.by, visitor);
    }
}

/// Visits a play without its name.
pub(super) fn play(play: &Play, visitor: &mut impl Visitor) {
    visitor.enter();
    super::items::params(&play.params, visitor);
    names(NameRole::RefersTo(DeclKind::Zone), &play.from, visitor);
    exprs([play.condition.as_ref(), play.price.as_ref(), play.price_condition.as_deref()].into_iter().flatten(), visitor);
    // Names that the announced numbers and the cost bind are known in the body.
    play.numbers.iter().for_each(|values| statements(&values.statements, visitor));
    exprs(&play.produces, visitor);
    play.cost.iter().for_each(|cost| statements(&cost.statements, visitor));
    names(NameRole::Setting, &play.classes, visitor);
    limit(play.limit.as_ref(), visitor);
    statements(&play.body.statements, visitor);
    visitor.leave();
}
