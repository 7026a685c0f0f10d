//! Visitor over a syntax tree by mutable reference, for rewriting it: reports the lists and expressions of an item, the inner ones first.

use crate::ast::{
    Ability, AbilityKind, Block, Call, Card, ClauseKind, CostPart, DeckRule, DeclarationClause, DeclareStatement, Difference,
    DifferenceKind, Duration, DurationPoint, Expr, ExprKind, Fact, Head, Item, ItemKind, Modification, ModificationKind, Pattern,
    PeriodDecl, Phrase, PhraseFilterKind, Play, Position, PositionEntry, Quantifier, Statement, StatementKind, TextPattern,
    TurnEntry,
};

/// Receives the parts of a tree. Each call comes after those for the parts inside.
pub trait MutVisitor {
    /// An expression.
    fn expr(&mut self, _node: &mut Expr) {}
    /// A pattern of events.
    fn pattern(&mut self, _node: &mut Pattern) {}
    /// The statements of a block.
    fn statements(&mut self, _all: &mut Vec<Statement>) {}
    /// The modifications of a clause.
    fn modifications(&mut self, _all: &mut Vec<Modification>) {}
    /// The abilities of a card, keyword, rule or duration.
    fn abilities(&mut self, _all: &mut Vec<Ability>) {}
    /// The printed facts of a card.
    fn facts(&mut self, _all: &mut Vec<Fact>) {}
}

/// Visits an item. Steps of scenarios, decks and layouts have no parts that are rewritten.
pub fn item_mut(item: &mut Item, visitor: &mut impl MutVisitor) {
    match &mut item.kind {
        ItemKind::Constant { value: inner, .. }
        | ItemKind::Noun { meaning: inner, .. }
        | ItemKind::Function { body: inner, .. }
        | ItemKind::Evaluate(inner) => expr(inner, visitor),
        ItemKind::Variable(variable) => {
            exprs(&mut variable.default, visitor);
            variable.memory.iter_mut().for_each(|memory| pattern(&mut memory.pattern, visitor));
        }
        ItemKind::Action(action) => action.body.iter_mut().for_each(|body| block(body, visitor)),
        ItemKind::Keyword { abilities: all, .. } | ItemKind::Rule { abilities: all, .. } => abilities(all, visitor),
        ItemKind::CostSymbol(symbol) => {
            exprs(&mut symbol.condition, visitor);
            symbol.cost.iter_mut().for_each(|cost| block(cost, visitor));
        }
        ItemKind::StateRule { body, .. } | ItemKind::Setup(body) => block(body, visitor),
        ItemKind::Treat { condition, .. } => exprs(condition, visitor),
        ItemKind::Play(written) => play(written, visitor),
        ItemKind::Payment(payment) => {
            for clause in &mut payment.clauses {
                expr(&mut clause.from, visitor);
                expr(&mut clause.produces, visitor);
                exprs(&mut clause.times, visitor);
                exprs(&mut clause.condition, visitor);
                block(&mut clause.by, visitor);
            }
            exprs(payment.restricted.iter_mut().map(|pool| &mut pool.condition), visitor);
        }
        ItemKind::PaymentAdds { pools, .. } => exprs(pools.iter_mut().map(|pool| &mut pool.condition), visitor),
        ItemKind::Turn(entries) => turn(entries, visitor),
        ItemKind::DeckRules(rules) => {
            for rule in rules {
                match rule {
                    DeckRule::Size { .. } => {}
                    DeckRule::Copies { of, except, .. } => exprs(of.iter_mut().chain(except), visitor),
                    DeckRule::Refuse { cards, .. } => expr(cards, visitor),
                }
            }
        }
        ItemKind::Card(written) => card(written, visitor),
        ItemKind::Text(text) => text.entries.iter_mut().for_each(|entry| text_pattern(&mut entry.pattern, visitor)),
        ItemKind::Format { differences, .. } => differences.iter_mut().for_each(|one| difference(one, visitor)),
        ItemKind::Scenario(scenario) => scenario.position.iter_mut().for_each(|one| position(one, visitor)),
        ItemKind::Stage(stage) => stage.scenario.position.iter_mut().for_each(|one| position(one, visitor)),
        ItemKind::Position(named) => position(&mut named.position, visitor),
        _ => {}
    }
}

fn text_pattern(written: &mut TextPattern, visitor: &mut impl MutVisitor) {
    match written {
        TextPattern::Name(_) | TextPattern::Rule(_) | TextPattern::SelfName(_) | TextPattern::Style(_) => {}
        TextPattern::Do(body) | TextPattern::Cost(body) => block(body, visitor),
        TextPattern::Event(on) => pattern(on, visitor),
        TextPattern::Value(value) => expr(value, visitor),
        TextPattern::Until(until) => duration(until, visitor),
        TextPattern::Change(changes) => modifications(changes, visitor),
        TextPattern::Ability(one) => {
            let mut all = vec![(**one).clone()];
            abilities(&mut all, visitor);
            // An entry matches one ability.
            if let Ok([made]) = <[Ability; 1]>::try_from(all) {
                **one = made;
            }
        }
    }
}

fn position(position: &mut Position, visitor: &mut impl MutVisitor) {
    for entry in position.players.iter_mut().flat_map(|player| &mut player.entries) {
        if let PositionEntry::Effect { body, .. } = entry {
            block(body, visitor);
        }
    }
}

fn difference(difference: &mut Difference, visitor: &mut impl MutVisitor) {
    match &mut difference.kind {
        DifferenceKind::Replace(inner) | DifferenceKind::Add(inner) => item_mut(inner, visitor),
        DifferenceKind::ReplacePeriod { entries, .. } => turn(entries, visitor),
        DifferenceKind::Insert { period: inserted, .. } => period(inserted, visitor),
        DifferenceKind::Append { body, .. } => block(body, visitor),
        DifferenceKind::Errata(written) => card(written, visitor),
        _ => {}
    }
}

fn card(written: &mut Card, visitor: &mut impl MutVisitor) {
    facts(&mut written.facts, visitor);
    abilities(&mut written.abilities, visitor);
    written.faces.iter_mut().for_each(|face| card(&mut face.card, visitor));
}

fn facts(all: &mut Vec<Fact>, visitor: &mut impl MutVisitor) {
    all.iter_mut().for_each(|one| fact(one, visitor));
    visitor.facts(all);
}

fn fact(fact: &mut Fact, visitor: &mut impl MutVisitor) {
    exprs(fact.value.as_deref_mut(), visitor);
    exprs(&mut fact.args, visitor);
}

fn turn(entries: &mut [TurnEntry], visitor: &mut impl MutVisitor) {
    for entry in entries {
        match entry {
            TurnEntry::Period(inner) => period(inner, visitor),
            TurnEntry::Repeat { condition, entries, .. } => {
                expr(condition, visitor);
                turn(entries, visitor);
            }
            TurnEntry::Statement(written) => statement(written, visitor),
            TurnEntry::Each { body, .. } => block(body, visitor),
        }
    }
}

fn period(period: &mut PeriodDecl, visitor: &mut impl MutVisitor) {
    exprs(period.condition.as_deref_mut(), visitor);
    turn(&mut period.entries, visitor);
}

/// Visits an expression.
pub fn expression(node: &mut Expr, visitor: &mut impl MutVisitor) {
    expr(node, visitor);
}

/// Visits the abilities of a list.
pub fn abilities(all: &mut Vec<Ability>, visitor: &mut impl MutVisitor) {
    all.iter_mut().for_each(|one| ability(one, visitor));
    visitor.abilities(all);
}

fn ability(ability: &mut Ability, visitor: &mut impl MutVisitor) {
    match &mut ability.kind {
        AbilityKind::When { pattern: on, condition, body, .. } | AbilityKind::Instead { pattern: on, condition, body, .. } => {
            pattern(on, visitor);
            exprs(condition.as_deref_mut(), visitor);
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
        AbilityKind::At { moment, condition, body, .. } => {
            exprs(&mut moment.whose, visitor);
            exprs(condition.as_deref_mut(), visitor);
            block(body, visitor);
        }
        AbilityKind::Cannot(forbidden) => pattern(forbidden, visitor),
        AbilityKind::Clause(inner) => clause(inner, visitor),
        AbilityKind::Static { condition, clauses } => {
            exprs(condition.as_deref_mut(), visitor);
            statements(clauses, visitor);
        }
        AbilityKind::Defines(mods) => modifications(mods, visitor),
        AbilityKind::Does(body) | AbilityKind::Cost(body) => block(body, visitor),
        AbilityKind::Option { play: used, .. } | AbilityKind::Activated(used) => play(used, visitor),
        AbilityKind::Keyword(used) => fact(used, visitor),
        AbilityKind::Costed(costed) => {
            for part in &mut costed.parts {
                match part {
                    CostPart::Symbols(..) | CostPart::Limit(_) | CostPart::DuringPayment => {}
                    CostPart::Price(price, condition) => {
                        expr(price, visitor);
                        exprs(condition.as_deref_mut(), visitor);
                    }
                    CostPart::Statement(written) => statement(written, visitor),
                    CostPart::When(condition) => expr(condition, visitor),
                }
            }
            exprs(&mut costed.produces, visitor);
            block(&mut costed.body, visitor);
        }
        AbilityKind::KeywordBlock(used) => {
            exprs(used.uses.iter_mut().flatten().map(|argument| &mut argument.value), visitor);
            block(&mut used.body, visitor);
        }
    }
}

fn play(play: &mut Play, visitor: &mut impl MutVisitor) {
    let conditions = [play.condition.as_mut(), play.price.as_mut(), play.price_condition.as_deref_mut(), play.produces.as_mut()];
    exprs(conditions.into_iter().flatten(), visitor);
    [play.numbers.as_mut(), play.cost.as_mut()].into_iter().flatten().for_each(|part| block(part, visitor));
    block(&mut play.body, visitor);
}

fn clause(clause: &mut DeclarationClause, visitor: &mut impl MutVisitor) {
    expr(&mut clause.subject, visitor);
    exprs(&mut clause.object, visitor);
    exprs(&mut clause.condition, visitor);
    match &mut clause.kind {
        ClauseKind::Must | ClauseKind::Alone => {}
        ClauseKind::Count { count, .. } => expr(count, visitor),
        ClauseKind::Unless { count, others, .. } => exprs([count, others], visitor),
        ClauseKind::Price(price) => expr(price, visitor),
        ClauseKind::Cost(cost) => block(cost, visitor),
    }
}

fn pattern(pattern: &mut Pattern, visitor: &mut impl MutVisitor) {
    expr(&mut pattern.subject, visitor);
    for part in [&mut pattern.object, &mut pattern.from, &mut pattern.condition] {
        exprs(part, visitor);
    }
    visitor.pattern(pattern);
}

/// Visits the statements of a block.
pub fn block(block: &mut Block, visitor: &mut impl MutVisitor) {
    statements(&mut block.statements, visitor);
}

fn statements(all: &mut Vec<Statement>, visitor: &mut impl MutVisitor) {
    all.iter_mut().for_each(|one| statement(one, visitor));
    visitor.statements(all);
}

fn statement(statement: &mut Statement, visitor: &mut impl MutVisitor) {
    match &mut statement.kind {
        StatementKind::Let { value, .. } => expr(value, visitor),
        StatementKind::Assign { place, value, .. } => exprs([&mut **place, value], visitor),
        StatementKind::Calls(calls) => calls.iter_mut().for_each(|one| call(one, visitor)),
        StatementKind::Block(body) | StatementKind::Simultaneously(body) | StatementKind::Trigger(body) => block(body, visitor),
        StatementKind::If { condition, then, otherwise } => {
            expr(condition, visitor);
            block(then, visitor);
            otherwise.iter_mut().for_each(|other| block(other, visitor));
        }
        StatementKind::ForEach { list: value, body, .. }
        | StatementKind::Times { count: value, body }
        | StatementKind::Repeat { condition: value, body } => {
            expr(value, visitor);
            block(body, visitor);
        }
        StatementKind::Divide(divided) => {
            exprs(divided.subject.iter_mut().chain([&mut divided.amount, &mut divided.among]), visitor);
            exprs(&mut divided.min_each, visitor);
        }
        StatementKind::Modes { count, modes, .. } => {
            expr(count, visitor);
            modes.iter_mut().for_each(|mode| block(mode, visitor));
        }
        StatementKind::Gets { whom, mods, until } => {
            expr(whom, visitor);
            modifications(mods, visitor);
            until.iter_mut().for_each(|until| duration(until, visitor));
        }
        StatementKind::Becomes { whom, model, except, until, .. } => {
            exprs([&mut **whom, model], visitor);
            modifications(except, visitor);
            until.iter_mut().for_each(|until| duration(until, visitor));
        }
        StatementKind::CreateCopy { model, except, into, under, .. } => {
            exprs([&mut **model, into], visitor);
            modifications(except, visitor);
            exprs(under.as_deref_mut(), visitor);
        }
        StatementKind::CopyListed { model, .. } => expr(model, visitor),
        StatementKind::Cannot { pattern: forbidden, until } => {
            pattern(forbidden, visitor);
            until.iter_mut().for_each(|until| duration(until, visitor));
        }
        StatementKind::Clause { clause: inner, until } => {
            clause(inner, visitor);
            until.iter_mut().for_each(|until| duration(until, visitor));
        }
        StatementKind::Declare(written) => declare(written, visitor),
        StatementKind::DelayedAt { moment, body } => {
            exprs(&mut moment.whose, visitor);
            block(body, visitor);
        }
        StatementKind::DelayedWhen { pattern: on, until, body, .. } => {
            pattern(on, visitor);
            until.iter_mut().for_each(|until| duration(until, visitor));
            block(body, visitor);
        }
        StatementKind::TemporaryAbilities { until, abilities: all, .. } => {
            duration(until, visitor);
            abilities(all, visitor);
        }
        StatementKind::Window { settings, .. } => {
            settings.iter_mut().for_each(|setting| exprs(&mut setting.value, visitor));
        }
    }
}

fn declare(declare: &mut DeclareStatement, visitor: &mut impl MutVisitor) {
    let parts = [&mut declare.by, &mut declare.from, &mut declare.onto, &mut declare.condition, &mut declare.max_pairs];
    parts.into_iter().for_each(|part| exprs(part, visitor));
    [&mut declare.before_costs, &mut declare.on_rollback].into_iter().flatten().for_each(|part| block(part, visitor));
}

fn call(call: &mut Call, visitor: &mut impl MutVisitor) {
    exprs(call.subject.as_mut().map(|subject| &mut subject.who), visitor);
    exprs(&mut call.operands, visitor);
    exprs(call.prepositions.iter_mut().map(|(_, operand)| operand), visitor);
}

fn modifications(all: &mut Vec<Modification>, visitor: &mut impl MutVisitor) {
    for change in &mut *all {
        match &mut change.kind {
            ModificationKind::Add { amount: value, .. } | ModificationKind::Set { value, .. } => expr(value, visitor),
            ModificationKind::Word { args, .. } => exprs(args, visitor),
            ModificationKind::Instead { new, old, .. } => exprs([new, old], visitor),
            _ => {}
        }
        exprs(&mut change.floor, visitor);
    }
    visitor.modifications(all);
}

fn duration(duration: &mut Duration, visitor: &mut impl MutVisitor) {
    for point in &mut duration.points {
        match point {
            DurationPoint::Moment(moment) => exprs(&mut moment.whose, visitor),
            DurationPoint::Failure(condition) => expr(condition, visitor),
            DurationPoint::Event(on) => pattern(on, visitor),
        }
    }
}

fn exprs<'e>(all: impl IntoIterator<Item = &'e mut Expr>, visitor: &mut impl MutVisitor) {
    all.into_iter().for_each(|one| expr(one, visitor));
}

fn expr(node: &mut Expr, visitor: &mut impl MutVisitor) {
    match &mut node.kind {
        ExprKind::Binary { left, right, .. } | ExprKind::Is { left, right, .. } | ExprKind::Shares { left, right, .. } => {
            exprs([&mut **left, right], visitor);
        }
        ExprKind::Not(inner) | ExprKind::Negative(inner) | ExprKind::Has { left: inner, .. } => expr(inner, visitor),
        ExprKind::Can { left, object, .. } => {
            expr(left, visitor);
            exprs(object.as_deref_mut(), visitor);
        }
        ExprKind::If { condition, then, otherwise } => exprs([&mut **condition, then, otherwise], visitor),
        ExprKind::Aggregate { over, .. } => expr(over, visitor),
        ExprKind::RandomNumber { from, to } => exprs([&mut **from, to], visitor),
        ExprKind::Phrase(written) => phrase(written, visitor),
    }
    visitor.expr(node);
}

fn phrase(phrase: &mut Phrase, visitor: &mut impl MutVisitor) {
    match &mut phrase.quantifier {
        Some(
            Quantifier::Exactly(count)
            | Quantifier::UpTo(count)
            | Quantifier::Random(count)
            | Quantifier::Top(count)
            | Quantifier::Bottom(count)
            | Quantifier::Target { count: Some(count), .. },
        ) => expr(count, visitor),
        Some(Quantifier::Range { min, max, .. }) => exprs([&mut **min, max], visitor),
        _ => {}
    }
    match &mut phrase.head {
        Head::Group(inner) => expr(inner, visitor),
        Head::List(items) => exprs(items, visitor),
        Head::Call { args, .. } => exprs(args, visitor),
        Head::Possessive { owner, .. } => expr(owner, visitor),
        Head::Word(_) | Head::Quoted(_) | Head::Number(_) | Head::Bool(_) | Head::Price(_) => {}
    }
    for post in &mut phrase.filters {
        match &mut post.kind {
            PhraseFilterKind::Of(inner)
            | PhraseFilterKind::In(inner)
            | PhraseFilterKind::With(inner)
            | PhraseFilterKind::That(inner)
            | PhraseFilterKind::ThatIs { what: inner, .. } => expr(inner, visitor),
            PhraseFilterKind::Total(total) => expr(&mut total.amount, visitor),
            PhraseFilterKind::Without(_) | PhraseFilterKind::ThatHas(_) => {}
        }
    }
}
