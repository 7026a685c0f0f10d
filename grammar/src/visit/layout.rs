//! Visits the names in layouts.

use super::expr::{expr, exprs};
use super::{DeclKind, NameRole, Visitor, names};
use crate::ast::{FacePart, LayoutEntry, LayoutEntryKind, LayoutRow, LayoutRowKind};

pub(super) fn entries(entries: &[LayoutEntry], visitor: &mut impl Visitor) {
    entries.iter().for_each(|one| entry(&one.kind, visitor));
}

fn entry(entry: &LayoutEntryKind, visitor: &mut impl Visitor) {
    match entry {
        LayoutEntryKind::Area { rows: all, .. } => rows(all, visitor),
        LayoutEntryKind::Plate { large, show } => names(NameRole::RefersTo(DeclKind::Player), large.iter().chain(show), visitor),
        LayoutEntryKind::Hidden(zones) => names(NameRole::RefersTo(DeclKind::Zone), zones, visitor),
        LayoutEntryKind::Links { statuses, .. } => names(NameRole::RefersTo(DeclKind::Status), statuses, visitor),
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

pub(super) fn rows(rows: &[LayoutRow], visitor: &mut impl Visitor) {
    for row in rows {
        match &row.kind {
            LayoutRowKind::Row { contents, places, .. } => {
                names(NameRole::RefersTo(DeclKind::Status), places.iter().map(|(_, _, status)| status), visitor);
                exprs(contents, visitor);
            }
            LayoutRowKind::Side { rows: inner, .. } => self::rows(inner, visitor),
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
