//! Visits the names in expressions.

use super::{DeclKind, NameRole, Visitor, names};
use crate::ast::{Expr, ExprKind, Head, Phrase, PhraseFilterKind, Quantifier};
use std::borrow::Borrow;

pub(super) fn exprs<'e, E: Borrow<Expr> + 'e>(all: impl IntoIterator<Item = &'e E>, visitor: &mut impl Visitor) {
    for one in all {
        expr(one.borrow(), visitor);
    }
}

pub(super) fn expr(node: &Expr, visitor: &mut impl Visitor) {
    match &node.kind {
        ExprKind::Binary { left, right, .. } | ExprKind::Is { left, right, .. } => {
            expr(left, visitor);
            expr(right, visitor);
        }
        ExprKind::Not(inner) | ExprKind::Negative(inner) => expr(inner, visitor),
        ExprKind::Has { left, word } => {
            expr(left, visitor);
            visitor.name(NameRole::Word, word);
        }
        ExprKind::Shares { left, traits, right } => {
            expr(left, visitor);
            visitor.name(NameRole::RefersTo(DeclKind::Traits), traits);
            expr(right, visitor);
        }
        ExprKind::Can { left, verb, object, .. } => {
            expr(left, visitor);
            visitor.name(NameRole::Verb, verb);
            exprs(object.as_deref(), visitor);
        }
        ExprKind::If { condition, then, otherwise } => exprs([&**condition, then, otherwise], visitor),
        ExprKind::Aggregate { property, over, .. } => {
            names(NameRole::Word, property, visitor);
            expr(over, visitor);
        }
        ExprKind::RandomNumber { from, to } => exprs([&**from, to], visitor),
        ExprKind::Phrase(written) => phrase(written, visitor),
    }
}

fn phrase(phrase: &Phrase, visitor: &mut impl Visitor) {
    match &phrase.quantifier {
        Some(
            Quantifier::Exactly(count)
            | Quantifier::UpTo(count)
            | Quantifier::Random(count)
            | Quantifier::Top(count)
            | Quantifier::Bottom(count)
            | Quantifier::Target { count: Some(count), .. },
        ) => expr(count, visitor),
        Some(Quantifier::Range { min: least, max: most, .. }) => exprs([&**least, most], visitor),
        Some(
            Quantifier::Each | Quantifier::AnyNumber | Quantifier::Some | Quantifier::No | Quantifier::Target { count: None, .. },
        )
        | None => {}
    }
    match &phrase.head {
        Head::Word(name) => visitor.name(NameRole::Word, name),
        Head::Quoted(name) => visitor.name(NameRole::Quoted, name),
        Head::Number(_) | Head::Bool(_) | Head::Price(_) => {}
        Head::Group(inner) => expr(inner, visitor),
        Head::List(items) => exprs(items, visitor),
        Head::Call { name, args } => {
            visitor.name(NameRole::Called, name);
            exprs(args, visitor);
        }
        Head::Possessive { owner, word } => {
            expr(owner, visitor);
            visitor.name(NameRole::Word, word);
        }
    }
    for post in &phrase.filters {
        match &post.kind {
            PhraseFilterKind::Of(of) => expr(of, visitor),
            PhraseFilterKind::In(place) => expr(place, visitor),
            PhraseFilterKind::With(condition) | PhraseFilterKind::That(condition) => expr(condition, visitor),
            PhraseFilterKind::ThatIs { what, .. } => expr(what, visitor),
            PhraseFilterKind::Without(word) | PhraseFilterKind::ThatHas(word) => visitor.name(NameRole::Word, word),
            PhraseFilterKind::Total(total) => {
                visitor.name(NameRole::Word, &total.property);
                expr(&total.amount, visitor);
            }
        }
    }
}
