//! Names in expressions.

use super::{Kind, Role, Visitor, names};
use crate::tree::{Expr, ExprKind, Head, Phrase, PostKind, Quantifier};
use std::borrow::Borrow;

pub(super) fn exprs<'e, E: Borrow<Expr> + 'e>(all: impl IntoIterator<Item = &'e E>, visitor: &mut impl Visitor) {
    for one in all {
        expr(one.borrow(), visitor);
    }
}

pub(super) fn expr(expr_: &Expr, visitor: &mut impl Visitor) {
    match &expr_.kind {
        ExprKind::Binary { left, right, .. } | ExprKind::Is { left, right, .. } => {
            expr(left, visitor);
            expr(right, visitor);
        }
        ExprKind::Not(inner) | ExprKind::Negative(inner) => expr(inner, visitor),
        ExprKind::Has { left, word } => {
            expr(left, visitor);
            visitor.name(Role::Word, word);
        }
        ExprKind::Shares { left, traits, right } => {
            expr(left, visitor);
            visitor.name(Role::Of(Kind::Traits), traits);
            expr(right, visitor);
        }
        ExprKind::Can { left, verb, object, .. } => {
            expr(left, visitor);
            visitor.name(Role::Verb, verb);
            exprs(object.as_deref(), visitor);
        }
        ExprKind::If { condition, then, otherwise } => exprs([&**condition, then, otherwise], visitor),
        ExprKind::Aggregate { property, over, .. } => {
            names(Role::Word, property, visitor);
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
        Some(Quantifier::Range { least, most, .. }) => exprs([&**least, most], visitor),
        Some(
            Quantifier::Each | Quantifier::AnyNumber | Quantifier::Some | Quantifier::No | Quantifier::Target { count: None, .. },
        )
        | None => {}
    }
    match &phrase.head {
        Head::Word(name) => visitor.name(Role::Word, name),
        Head::Quoted(name) => visitor.name(Role::Quoted, name),
        Head::Number(_) | Head::Bool(_) | Head::Price(_) => {}
        Head::Group(inner) => expr(inner, visitor),
        Head::List(items) => exprs(items, visitor),
        Head::Call { name, args } => {
            visitor.name(Role::Called, name);
            exprs(args, visitor);
        }
        Head::Possessive { owner, word } => {
            expr(owner, visitor);
            visitor.name(Role::Word, word);
        }
    }
    for post in &phrase.posts {
        match &post.kind {
            PostKind::Of(of) => expr(of, visitor),
            PostKind::In(place) => expr(place, visitor),
            PostKind::With(condition) | PostKind::That(condition) => expr(condition, visitor),
            PostKind::ThatIs { what, .. } => expr(what, visitor),
            PostKind::Without(word) | PostKind::ThatHas(word) => visitor.name(Role::Word, word),
        }
    }
}
