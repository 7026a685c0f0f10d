//! Abilities whose condition wants their object where they do not work.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lower;
use crate::lower::phrase::as_phrase;
use fizzle_grammar::tree::{Ability, AbilityKind, BinaryOp, Expr, ExprKind, Head, Name, PostKind, Span};

impl<'a> Lower<'a> {
    /// Tells an ability that works in some `zones`, by their bits, and only while `this` is in another one.
    pub fn suspect_place(&mut self, ability: &'a Ability, zones: u32) {
        let condition = match &ability.kind {
            AbilityKind::Static { condition, .. } => condition.as_deref(),
            AbilityKind::AsSoon { condition, .. } => Some(&**condition),
            AbilityKind::Activated(play) => play.condition.as_ref(),
            _ => None,
        };
        let mut places = Vec::new();
        condition.into_iter().for_each(|condition| own_places(condition, &mut places));
        for (zone, span) in places {
            let Some(id) = self.names.zone_id(&zone.text).filter(|id| zones & 1 << id.0 == 0) else { continue };
            // A local name of the same word is something else.
            if self.local_type(&zone.text).is_some() {
                continue;
            }
            let works = (0..).zip(&self.library.zones).filter(|(bit, _)| zones & 1 << bit != 0);
            let works: Vec<String> = works.map(|(_, zone)| format!("`{}`", zone.name)).collect();
            let text = self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
            let zone = self.library.zones.get(id.index()).map_or("", |zone| zone.name.as_str()).to_owned();
            self.report(
                Diagnostic::new(
                    &codes::WORKS_NOWHERE,
                    span,
                    format!("`{text}` never holds where this ability works: in {}", works.join(" and ")),
                )
                .help(format!("write `in {zone}` before the ability: then it works there")),
            );
        }
    }
}

/// The zones in which a condition wants `this`.
fn own_places<'a>(condition: &'a Expr, places: &mut Vec<(&'a Name, Span)>) {
    match &condition.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            own_places(left, places);
            own_places(right, places);
        }
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && !phrase.other => match (&phrase.head, phrase.posts.as_slice())
        {
            (Head::Group(inner), []) => own_places(inner, places),
            (Head::Word(this), [first, rest @ ..]) if this.text == "this" => {
                let owned = matches!(rest, [] | [fizzle_grammar::tree::Post { kind: PostKind::Of(_), .. }]);
                if let PostKind::In(zone) = &first.kind
                    && owned
                    && let Some(zone) = zone_word(zone)
                {
                    places.push((zone, condition.span));
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// `hand`, `your hand`
fn zone_word(zone: &Expr) -> Option<&Name> {
    let phrase = as_phrase(zone).filter(|phrase| phrase.quantifier.is_none() && !phrase.other)?;
    match &phrase.head {
        Head::Word(word) | Head::Possessive { word, .. } => Some(word),
        _ => None,
    }
}
