//! Lint: abilities whose condition requires a zone where they do not work, and operands in zones that their verb takes nothing from.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::lower::selection::{SearchSpace, Selection};
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Ability, AbilityKind, BinaryOp, Expr, ExprKind, Head, Name, Phrase, PhraseFilterKind, Span};
use fizzle_ir::ZoneKindId;

impl<'a> Lowering<'a> {
    /// Reports an operand whose zone is not the one that its verb takes objects from. Without a written zone, the operand is searched in
    /// its default zone, usually the field. `theirs`: another player than `you` acts, and a zone without an owner is that player's.
    pub fn lint_zone(&mut self, phrase: &'a Phrase, span: Span, theirs: bool, selection: &Selection<'a>) {
        let Some((_, zone)) = self.fun().operand_zone.take_if(|(operand, _)| *operand == span) else { return };
        let Some(id) = self.names.zone_id(&zone.text) else { return };
        let verb = self.operand_verb();
        if let Some(looked) = self.written_zone_other_than(selection, id) {
            self.report_other_zone(span, verb, looked, &zone);
            return;
        }
        let Some(looked) = self.default_zone(selection).filter(|looked| *looked != id) else { return };
        let looked = self.library.zones.get(looked.index()).map_or("", |zone| zone.name.as_str());
        let text = self.sources.slice(span).to_owned();
        let message = format!("`{text}` is chosen in `{looked}`, but `{verb}` takes it from `{}`", zone.text);
        let owned = phrase.filters.iter().any(|post| matches!(post.kind, PhraseFilterKind::Of(_)));
        let each = self.library.zones.get(id.index()).is_some_and(|zone| zone.each_player);
        let place = if each && !owned && !theirs { format!("in your {}", zone.text) } else { format!("in {}", zone.text) };
        let behind = phrase.filters.first().map_or(span.end, |post| post.span.start);
        let (head, rest) = text.split_at((behind - span.start) as usize);
        let blank = if rest.is_empty() { "" } else { " " };
        let whole = format!("{} {place}{blank}{rest}", head.trim_end());
        self.report(
            Diagnostic::new(&codes::CHOICE_IN_OTHER_ZONE, span, message)
                .label("no zone is named here")
                .also(zone.span, "declared here")
                .help(format!("write `{whole}`"))
                .fix(text, whole),
        );
    }

    /// Reports an operand with a written zone that its verb takes nothing from.
    fn report_other_zone(&mut self, span: Span, verb: &str, looked: ZoneKindId, zone: &Name) {
        let looked = self.library.zones.get(looked.index()).map_or("", |zone| zone.name.as_str());
        let text = self.sources.slice(span).to_owned();
        let message = format!("`{text}` is chosen in `{looked}`, but `{verb}` takes it from `{}`", zone.text);
        self.report(
            Diagnostic::new(&codes::CHOICE_IN_OTHER_ZONE, span, message)
                .label(format!("nothing here is in `{}`", zone.text))
                .also(zone.span, "declared here")
                .help(format!("write `in {}`, or move it by `put {text} into ZONE`", zone.text)),
        );
    }

    /// The first zone in which a selection searches, if it searches only in written zones and `wanted` is none of them.
    fn written_zone_other_than(&self, selection: &Selection<'a>, wanted: ZoneKindId) -> Option<ZoneKindId> {
        if selection.selects_players || selection.selects_things {
            return None;
        }
        if !selection.parts.is_empty() {
            let parts: Option<Vec<ZoneKindId>> =
                selection.parts.iter().map(|part| self.written_zone_other_than(part, wanted)).collect();
            return parts?.first().copied();
        }
        let zones = selection.search_spaces.iter().map(|base| match base {
            SearchSpace::Zone(zone) | SearchSpace::Of(zone, _) => Some(*zone).filter(|zone| *zone != wanted),
            SearchSpace::Value(_) | SearchSpace::List(_) => None,
        });
        let zones: Vec<ZoneKindId> = zones.collect::<Option<_>>()?;
        zones.first().copied().filter(|_| !selection.has_default_space)
    }

    /// The name of the verb whose operand is being lowered.
    fn operand_verb(&mut self) -> &'a str {
        let names = self.names;
        let verb = self.fun().verb.and_then(|verb| names.actions.get_index(verb.index()));
        verb.map_or("", |(name, _)| name.as_str())
    }

    /// The zone in which a selection searches if none is written.
    fn default_zone(&self, selection: &Selection<'a>) -> Option<ZoneKindId> {
        if selection.selects_players || selection.selects_things {
            return None;
        }
        if !selection.parts.is_empty() {
            return selection.parts.iter().find_map(|part| self.default_zone(part));
        }
        match selection.search_spaces.first() {
            None => self.library.zones.iter().position(|zone| zone.field).map(|field| ZoneKindId(field as u32)),
            Some(SearchSpace::Zone(zone)) if selection.has_default_space && selection.search_spaces.len() == 1 => Some(*zone),
            Some(_) => None,
        }
    }

    /// Reports an ability that works only in `zones` (a bit per zone) and only while `this` is in another zone.
    pub fn lint_ability_zones(&mut self, ability: &'a Ability, zones: u32) {
        let condition = match &ability.kind {
            AbilityKind::Static { condition, .. } => condition.as_deref(),
            AbilityKind::AsSoon { condition, .. } => Some(&**condition),
            AbilityKind::Activated(play) => play.condition.as_ref(),
            _ => None,
        };
        let mut places = Vec::new();
        condition.into_iter().for_each(|condition| collect_zones_of_this(condition, &mut places));
        for (zone, span) in places {
            let Some(id) = self.names.zone_id(&zone.text).filter(|id| zones & 1 << id.0 == 0) else { continue };
            // A local variable with this name hides the zone.
            if self.local_type(&zone.text).is_some() {
                continue;
            }
            let works = (0..).zip(&self.library.zones).filter(|(bit, _)| zones & 1 << bit != 0);
            let works: Vec<String> = works.map(|(_, zone)| format!("`{}`", zone.name)).collect();
            let text = self.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
            let zone = self.library.zones.get(id.index()).map_or("", |zone| zone.name.as_str()).to_owned();
            self.report(
                Diagnostic::new(
                    &codes::INACTIVE_ABILITY,
                    span,
                    format!("`{text}` is never true in the zones where this ability works: {}", works.join(" and ")),
                )
                .help(format!("write `in {zone}` before the ability")),
            );
        }
    }
}

/// Collects the zones in which a condition requires `this` to be.
pub(super) fn collect_zones_of_this<'a>(condition: &'a Expr, places: &mut Vec<(&'a Name, Span)>) {
    match &condition.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            collect_zones_of_this(left, places);
            collect_zones_of_this(right, places);
        }
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && !phrase.other => {
            match (&phrase.head, phrase.filters.as_slice()) {
                (Head::Group(inner), []) => collect_zones_of_this(inner, places),
                (Head::Word(this), [first, rest @ ..]) if this.text == "this" => {
                    let owned = matches!(rest, [] | [fizzle_grammar::ast::PhraseFilter { kind: PhraseFilterKind::Of(_), .. }]);
                    if let PhraseFilterKind::In(zone) = &first.kind
                        && owned
                        && let Some(zone) = zone_word(zone)
                    {
                        places.push((zone, condition.span));
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// The zone word of `hand` or `your hand`.
fn zone_word(zone: &Expr) -> Option<&Name> {
    let phrase = as_phrase(zone).filter(|phrase| phrase.quantifier.is_none() && !phrase.other)?;
    match &phrase.head {
        Head::Word(word) | Head::Possessive { word, .. } => Some(word),
        _ => None,
    }
}
