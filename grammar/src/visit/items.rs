//! Visits the names in items and differences.

use super::expr::{expr, exprs};
use super::statement::{abilities, block, changes, duration, pattern, play, statement};
use super::{DeclKind, NameRole, Visitor, names, scenario};
use crate::ast::{
    AnnouncePolicy, Card, DeckRule, DeckSection, Difference, DifferenceKind, FacePart, Fact, Item, ItemKind, LayoutEntry,
    LayoutEntryKind, LayoutRow, LayoutRowKind, MatchRules, MemoryKind, Param, PeriodDecl, RestrictedPool, TextEntry, TextPattern,
    TurnEntry, TypeRef, UNLABELLED_PRICE, Variable, VariableKind, pair_part,
};

pub(super) fn item(item: &Item, replaces: bool, visitor: &mut impl Visitor) {
    let declares = |kind: DeclKind| if replaces { NameRole::Replaces(kind) } else { NameRole::Declares(kind) };
    match &item.kind {
        ItemKind::Pack(pack) => {
            visitor.name(NameRole::Declares(DeclKind::Pack), &pack.name);
            names(NameRole::RefersTo(DeclKind::Format), &pack.base, visitor);
            names(NameRole::RefersTo(DeclKind::Pack), &pack.uses, visitor);
        }
        ItemKind::Traits { name, adds, words, from, .. } => {
            visitor.name(if *adds { NameRole::RefersTo(DeclKind::Traits) } else { declares(DeclKind::Traits) }, name);
            names(NameRole::RefersTo(DeclKind::Property), from.iter().map(|from| &from.property), visitor);
            names(declares(DeclKind::TraitWord), words, visitor);
        }
        ItemKind::Variable(written) => variable(written, visitor),
        ItemKind::Constant { name, value } => {
            visitor.name(declares(DeclKind::Constant), name);
            expr(value, visitor);
        }
        ItemKind::Foreign(words) => {
            for (word, here, _) in words {
                visitor.name(NameRole::Setting, word);
                visitor.name(NameRole::Word, here);
            }
        }
        ItemKind::Kind { word, parts } => {
            let words = parts.iter().flat_map(|part| &part.words);
            for word in std::iter::once(word).chain(words) {
                visitor.name(if word.is_quoted() { NameRole::Quoted } else { NameRole::Fact }, word);
            }
        }
        ItemKind::Layers(layers) => names(declares(DeclKind::Layer), layers, visitor),
        ItemKind::Zone { name, settings } => {
            visitor.name(declares(DeclKind::Zone), name);
            names(NameRole::Setting, settings.iter().flatten(), visitor);
        }
        ItemKind::ZoneAdds { name, settings } => {
            visitor.name(NameRole::RefersTo(DeclKind::Zone), name);
            names(NameRole::Setting, settings.iter().flatten(), visitor);
        }
        ItemKind::Noun { name, meaning } => {
            visitor.name(declares(DeclKind::Noun), name);
            expr(meaning, visitor);
        }
        ItemKind::Function { name, params: taken, result, body } => {
            visitor.name(declares(DeclKind::Function), name);
            visitor.enter();
            params(taken, visitor);
            type_of(result, visitor);
            expr(body, visitor);
            visitor.leave();
        }
        ItemKind::Action(action) => {
            visitor.name(declares(DeclKind::Action), &action.name);
            visitor.enter();
            params(&action.params, visitor);
            names(NameRole::Word, &action.acting_param, visitor);
            names(NameRole::RefersTo(DeclKind::Action), &action.parent, visitor);
            action.body.iter().for_each(|body| block(body, visitor));
            visitor.leave();
        }
        ItemKind::CostSymbol(symbol) => {
            visitor.enter();
            exprs(&symbol.condition, visitor);
            symbol.cost.iter().for_each(|cost| block(cost, visitor));
            visitor.leave();
        }
        ItemKind::Unlabelled(facts) => {
            names(NameRole::Fact, facts.iter().flat_map(|fact| [&fact.name].into_iter().chain(&fact.words)), visitor);
        }
        ItemKind::Renaming { kind, old, new } => {
            names(NameRole::Setting, [kind, old], visitor);
            visitor.name(NameRole::Word, new);
        }
        ItemKind::StatPair(first, second) => names(NameRole::RefersTo(DeclKind::Property), [first, second], visitor),
        ItemKind::Relation(relation) => {
            visitor.name(declares(DeclKind::Noun), &relation.name);
            names(NameRole::RefersTo(DeclKind::Period), &relation.lifetime, visitor);
            relation.ends.iter().chain(&relation.statuses).for_each(|status| variable(status, visitor));
        }
        ItemKind::Keyword { name, params: taken, abilities: all, .. } => {
            visitor.name(declares(DeclKind::Keyword), name);
            visitor.enter();
            params(taken, visitor);
            abilities(all, visitor);
            visitor.leave();
        }
        ItemKind::Rule { name, abilities: all } => {
            visitor.name(declares(DeclKind::Rule), name);
            abilities(all, visitor);
        }
        ItemKind::StateRule { name, body } => {
            visitor.name(declares(DeclKind::StateRule), name);
            block(body, visitor);
        }
        ItemKind::Treat { action, into, condition } => {
            visitor.enter();
            visitor.event(action);
            names(NameRole::Verb, [action, into], visitor);
            exprs(condition, visitor);
            visitor.leave();
        }
        ItemKind::Play(written) => {
            names(declares(DeclKind::Play), &written.name, visitor);
            play(written, visitor);
        }
        ItemKind::Payment(payment) => {
            visitor.name(declares(DeclKind::Payment), &payment.name);
            visitor.name(NameRole::RefersTo(DeclKind::Traits), &payment.kinds);
            for clause in &payment.clauses {
                exprs([&clause.from, &clause.produces], visitor);
                exprs(&clause.times, visitor);
                exprs(&clause.condition, visitor);
                block(&clause.by, visitor);
            }
            names(NameRole::RefersTo(DeclKind::Player), &payment.pool, visitor);
            names(NameRole::Word, &payment.except, visitor);
            payment.restricted.iter().for_each(|pool| restricted_pool(pool, visitor));
        }
        ItemKind::PaymentAdds { name, pools } => {
            visitor.name(NameRole::RefersTo(DeclKind::Payment), name);
            pools.iter().for_each(|pool| restricted_pool(pool, visitor));
        }
        ItemKind::Timing(lines) => names(NameRole::Setting, lines.iter().flatten(), visitor),
        ItemKind::Announce(written) => announce(written, visitor),
        ItemKind::Setup(body) => block(body, visitor),
        ItemKind::Turn(entries) => turn(entries, visitor),
        ItemKind::Evaluate(value) => expr(value, visitor),
        ItemKind::Players { .. } => {}
        ItemKind::DeckRules(rules) => rules.iter().for_each(|rule| deck_rule(rule, visitor)),
        ItemKind::Match(rules) => match_rules(rules, visitor),
        ItemKind::Ban(cards) | ItemKind::Restrict(cards) => names(NameRole::RefersTo(DeclKind::Card), cards, visitor),
        ItemKind::Card(written) => card(written, NameRole::Declares(DeclKind::Card), visitor),
        ItemKind::Deck(deck) => {
            visitor.name(NameRole::Declares(DeclKind::Deck), &deck.name);
            names(NameRole::RefersTo(DeclKind::Format), &deck.format, visitor);
            sections(&deck.sections, visitor);
        }
        ItemKind::Format { name, base, differences, .. } => {
            visitor.name(NameRole::Declares(DeclKind::Format), name);
            visitor.name(NameRole::RefersTo(DeclKind::Format), base);
            differences.iter().for_each(|one| difference(one, visitor));
        }
        ItemKind::Scenario(written) => scenario::scenario(written, visitor),
        ItemKind::Layout(written) => layout_entries(&written.entries, visitor),
        ItemKind::Position(named) => scenario::named_position(named, visitor),
        ItemKind::Stage(stage) => scenario::stage(stage, visitor),
        ItemKind::Text(text) => {
            visitor.name(NameRole::Setting, &text.language);
            text.entries.iter().for_each(|entry| text_entry(entry, visitor));
        }
    }
}

fn restricted_pool(pool: &RestrictedPool, visitor: &mut impl Visitor) {
    visitor.name(NameRole::RefersTo(DeclKind::Player), &pool.name);
    expr(&pool.condition, visitor);
}

fn variable(variable: &Variable, visitor: &mut impl Visitor) {
    let kind = match variable.kind {
        VariableKind::Property => DeclKind::Property,
        VariableKind::Status => DeclKind::Status,
        VariableKind::Player => DeclKind::Player,
        VariableKind::Global => DeclKind::Global,
    };
    visitor.name(NameRole::Declares(kind), &variable.name);
    type_of(&variable.ty, visitor);
    exprs(&variable.default, visitor);
    for layer in [&variable.layer, &variable.add_layer, &variable.switch_layer] {
        names(NameRole::RefersTo(DeclKind::Layer), layer, visitor);
    }
    names(NameRole::RefersTo(DeclKind::Period), &variable.lifetime, visitor);
    names(NameRole::RefersTo(DeclKind::Traits), &variable.keys, visitor);
    names(NameRole::RefersTo(DeclKind::Card), &variable.disguise, visitor);
    if let Some(memory) = &variable.memory {
        pattern(&memory.pattern, visitor);
        if let MemoryKind::Sums(amount) = &memory.kind {
            expr(amount, visitor);
        }
    }
}

fn type_of(ty: &TypeRef, visitor: &mut impl Visitor) {
    if !ty.one_of.is_empty() {
        names(NameRole::Setting, &ty.one_of, visitor);
    } else if ty.written {
        visitor.name(NameRole::Type, &ty.name);
    }
}

pub(super) fn params(params: &[Param], visitor: &mut impl Visitor) {
    for param in params {
        visitor.name(NameRole::Parameter, &param.name);
        type_of(&param.ty, visitor);
        names(NameRole::RefersTo(DeclKind::Zone), &param.zone, visitor);
    }
}

fn announce(announce: &AnnouncePolicy, visitor: &mut impl Visitor) {
    names(NameRole::RefersTo(DeclKind::Format), &announce.like, visitor);
    names(NameRole::Setting, &announce.stages, visitor);
    for lift in &announce.announced {
        names(NameRole::Setting, &lift.words, visitor);
        names(NameRole::Verb, &lift.except, visitor);
    }
    names(NameRole::Verb, &announce.needs, visitor);
    names(NameRole::Setting, announce.without_choices.iter().chain(&announce.fizzle), visitor);
}

fn turn(entries: &[TurnEntry], visitor: &mut impl Visitor) {
    for entry in entries {
        match entry {
            TurnEntry::Period(span) => turn_span(span, visitor),
            TurnEntry::Repeat { condition, entries, .. } => {
                expr(condition, visitor);
                turn(entries, visitor);
            }
            TurnEntry::Statement(written) => statement(written, visitor),
            TurnEntry::Each { what, body, .. } => {
                visitor.name(NameRole::Setting, what);
                block(body, visitor);
            }
        }
    }
}

fn turn_span(span: &PeriodDecl, visitor: &mut impl Visitor) {
    visitor.period(&span.name);
    exprs(&span.condition, visitor);
    turn(&span.entries, visitor);
    visitor.leave();
}

fn deck_rule(rule: &DeckRule, visitor: &mut impl Visitor) {
    match rule {
        DeckRule::Size { section, .. } => visitor.name(NameRole::Setting, section),
        DeckRule::Copies { of, except, .. } => exprs(of.iter().chain(except), visitor),
        DeckRule::Refuse { cards, sections, .. } => {
            expr(cards, visitor);
            names(NameRole::Setting, sections, visitor);
        }
    }
}

pub(super) fn match_rules(rules: &MatchRules, visitor: &mut impl Visitor) {
    names(NameRole::Setting, rules.exchange.iter().chain(&rules.aids), visitor);
}

fn card(card_: &Card, role: NameRole, visitor: &mut impl Visitor) {
    visitor.name(role, &card_.name);
    card_.facts.iter().for_each(|one| fact(one, visitor));
    abilities(&card_.abilities, visitor);
    card_.faces.iter().for_each(|face| card(&face.card, role, visitor));
}

pub(super) fn fact(fact: &Fact, visitor: &mut impl Visitor) {
    if pair_part(&fact.word).is_none() && fact.word.text != UNLABELLED_PRICE {
        visitor.name(NameRole::Fact, &fact.word);
    }
    exprs(&fact.value, visitor);
    exprs(&fact.args, visitor);
}

pub(super) fn sections(sections: &[DeckSection], visitor: &mut impl Visitor) {
    for section in sections {
        visitor.name(NameRole::Setting, &section.name);
        names(NameRole::RefersTo(DeclKind::Card), section.cards.iter().map(|(_, card)| card), visitor);
    }
}

fn text_entry(entry: &TextEntry, visitor: &mut impl Visitor) {
    visitor.enter();
    match &entry.pattern {
        TextPattern::Name(name) | TextPattern::SelfName(Some(name)) => {
            visitor.name(if name.is_quoted() { NameRole::Quoted } else { NameRole::Word }, name);
        }
        TextPattern::SelfName(None) => {}
        TextPattern::Rule(name) => visitor.name(NameRole::RefersTo(DeclKind::StateRule), name),
        TextPattern::Style(name) => visitor.name(NameRole::Setting, name),
        TextPattern::Do(body) | TextPattern::Cost(body) => block(body, visitor),
        TextPattern::Event(event) => pattern(event, visitor),
        TextPattern::Value(value) => expr(value, visitor),
        TextPattern::Until(until) => duration(until, visitor),
        TextPattern::Change(mods) => changes(mods, visitor),
        TextPattern::Ability(written) => abilities(std::slice::from_ref(&**written), visitor),
    }
    visitor.leave();
}

fn difference(difference: &Difference, visitor: &mut impl Visitor) {
    match &difference.kind {
        DifferenceKind::Replace(inner) => item(inner, true, visitor),
        DifferenceKind::Add(inner) => item(inner, false, visitor),
        DifferenceKind::ReplacePeriod { path, entries } => {
            visitor.path(path);
            turn(entries, visitor);
        }
        DifferenceKind::Remove(path) => visitor.path(path),
        DifferenceKind::Insert { path, period: span, .. } => {
            visitor.path(path);
            turn_span(span, visitor);
        }
        DifferenceKind::Append { path, body } => {
            visitor.path(path);
            block(body, visitor);
        }
        DifferenceKind::AppendLayout { entries, .. } => layout_entries(entries, visitor),
        DifferenceKind::AppendRows { rows, .. } => layout_rows(rows, visitor),
        DifferenceKind::ReplaceRows { path, rows } => {
            // `layout.seat.ZONE`
            names(NameRole::Word, path.parts.iter().skip(2), visitor);
            layout_rows(rows, visitor);
        }
        DifferenceKind::Ban(cards) | DifferenceKind::Restrict(cards) => names(NameRole::RefersTo(DeclKind::Card), cards, visitor),
        DifferenceKind::Errata(written) => card(written, NameRole::Replaces(DeclKind::Card), visitor),
    }
}

fn layout_entries(entries: &[LayoutEntry], visitor: &mut impl Visitor) {
    entries.iter().for_each(|one| layout_entry(&one.kind, visitor));
}

fn layout_entry(entry: &LayoutEntryKind, visitor: &mut impl Visitor) {
    match entry {
        LayoutEntryKind::Area { rows: all, .. } => layout_rows(all, visitor),
        LayoutEntryKind::Plate { large, show } => names(NameRole::RefersTo(DeclKind::Player), large.iter().chain(show), visitor),
        LayoutEntryKind::Hidden(zones) => names(NameRole::RefersTo(DeclKind::Zone), zones, visitor),
        LayoutEntryKind::Links { statuses, .. } => names(NameRole::RefersTo(DeclKind::Status), statuses, visitor),
        LayoutEntryKind::Arrows(all) => {
            names(
                NameRole::RefersTo(DeclKind::Status),
                all.iter().flat_map(|ends| std::iter::once(&ends.from).chain(&ends.to)),
                visitor,
            );
        }
        LayoutEntryKind::Forward(condition) => expr(condition, visitor),
        LayoutEntryKind::Face(face) => {
            expr(&face.filter, visitor);
            face.parts.iter().for_each(|part| face_part(part, visitor));
        }
        LayoutEntryKind::Hues(hues) => {
            for hue in hues {
                visitor.name(if hue.word.is_quoted() { NameRole::Quoted } else { NameRole::Word }, &hue.word);
            }
        }
    }
}

fn layout_rows(rows: &[LayoutRow], visitor: &mut impl Visitor) {
    for row in rows {
        match &row.kind {
            LayoutRowKind::Row { contents, places, .. } => {
                names(NameRole::RefersTo(DeclKind::Status), places.iter().map(|(_, _, status)| status), visitor);
                exprs(contents, visitor);
            }
            LayoutRowKind::Side { rows: inner, .. } => layout_rows(inner, visitor),
        }
    }
}

fn face_part(part: &FacePart, visitor: &mut impl Visitor) {
    match part {
        FacePart::Hue(sets) | FacePart::Line(sets) => names(NameRole::RefersTo(DeclKind::Traits), sets, visitor),
        FacePart::Corner(property) => visitor.name(NameRole::RefersTo(DeclKind::Property), property),
        FacePart::Stats(stats) => {
            for stat in stats {
                names(NameRole::RefersTo(DeclKind::Property), std::iter::once(&stat.first).chain(&stat.second), visitor);
                exprs(&stat.condition, visitor);
            }
        }
        FacePart::Turned(condition) | FacePart::Dim(condition) => expr(condition, visitor),
        FacePart::Counts(values) | FacePart::Marks(values) => names(NameRole::Word, values, visitor),
    }
}
