//! The layout of a format before lowering: rows and other entries of a `layout` item, with the differences of formats applied.

use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{
    Expr, Head, Layout, LayoutEntry, LayoutEntryKind, LayoutRow, LayoutRowKind, Name, Path, PhraseFilterKind, Span,
};
use fizzle_ir::layout::LayoutArea;

/// A row and where it is.
#[derive(Clone, Copy, Debug)]
pub struct PlacedRow<'a> {
    /// Its area.
    pub area: LayoutArea,
    /// The row; no `left` or `right`.
    pub row: &'a LayoutRow,
}

/// The layout of a format.
#[derive(Clone, Debug, Default)]
pub struct ResolvedLayout<'a> {
    /// Its rows, in the order in which they take objects.
    pub rows: Vec<PlacedRow<'a>>,
    /// Its other entries.
    pub entries: Vec<&'a LayoutEntry>,
    /// The place of its declaration.
    pub span: Span,
}

/// Why a path leads to nothing.
#[derive(Clone, Debug)]
pub struct UnknownLayoutPath {
    /// The word that is not known.
    pub word: Name,
    /// The paths that exist.
    pub known: Vec<String>,
}

/// The areas by their words.
const AREAS: [(&str, LayoutArea); 4] =
    [("seat", LayoutArea::Seat), ("middle", LayoutArea::Middle), ("left", LayoutArea::Left), ("right", LayoutArea::Right)];

impl<'a> ResolvedLayout<'a> {
    /// The layout of an item.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        let mut resolved = Self { span: layout.span, ..Self::default() };
        resolved.append(&layout.entries);
        resolved
    }

    /// Adds entries at the end.
    pub fn append(&mut self, entries: &'a [LayoutEntry]) {
        for entry in entries {
            match &entry.kind {
                LayoutEntryKind::Area { is_middle, rows } => {
                    let area = if *is_middle { LayoutArea::Middle } else { LayoutArea::Seat };
                    place_rows(area, rows, &mut self.rows);
                }
                _ => self.entries.push(entry),
            }
        }
    }

    /// Adds rows at the end of an area: `layout.seat`.
    ///
    /// # Errors
    /// Returns the word of the path that is no area.
    pub fn append_rows(&mut self, path: &Path, rows: &'a [LayoutRow]) -> Result<(), UnknownLayoutPath> {
        match path.parts.as_slice() {
            [_, area] => {
                let area = self.area(area)?;
                place_rows(area, rows, &mut self.rows);
                Ok(())
            }
            [_, _, further, ..] => Err(UnknownLayoutPath { word: further.clone(), known: area_paths() }),
            _ => Ok(()),
        }
    }

    /// Replaces the rows of an area, or those of a zone in it. They take the place of the first of them.
    ///
    /// # Errors
    /// Returns the word of the path that is no area, or that no row of the area names.
    pub fn replace_rows(&mut self, path: &Path, rows: &'a [LayoutRow]) -> Result<(), UnknownLayoutPath> {
        let [_, area, inner @ ..] = path.parts.as_slice() else { return Ok(()) };
        let area = self.area(area)?;
        // `left` and `right` are parts of `seat`
        let is_in_area = |row: &PlacedRow<'a>| {
            row.area == area || area == LayoutArea::Seat && matches!(row.area, LayoutArea::Left | LayoutArea::Right)
        };
        let zone = match inner {
            [] => None,
            [zone] => Some(zone),
            [_, further, ..] => return Err(UnknownLayoutPath { word: further.clone(), known: self.paths() }),
        };
        let is_replaced = |row: &PlacedRow<'a>| is_in_area(row) && zone.is_none_or(|zone| row_names(row.row, &zone.text));
        let first = self.rows.iter().position(is_replaced);
        if let (Some(zone), None) = (zone, first) {
            return Err(UnknownLayoutPath { word: zone.clone(), known: self.paths() });
        }
        let mut fresh = Vec::new();
        // what replaces a row of `left` is there, too
        let area = first.and_then(|first| self.rows.get(first)).filter(|_| zone.is_some()).map_or(area, |row| row.area);
        place_rows(area, rows, &mut fresh);
        let at = first.unwrap_or(self.rows.len());
        self.rows.retain(|row| !is_replaced(row));
        self.rows.splice(at..at, fresh);
        Ok(())
    }

    /// The paths of its areas and of the zones that its rows name.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths = area_paths();
        for placed in &self.rows {
            let LayoutRowKind::Row { contents, .. } = &placed.row.kind else { continue };
            let area = AREAS.iter().find(|(_, area)| *area == placed.area).map_or("seat", |(word, _)| word);
            for name in contents.iter().flat_map(named_words) {
                let path = format!("layout.{area}.{name}");
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        paths
    }

    fn area(&self, word: &Name) -> Result<LayoutArea, UnknownLayoutPath> {
        let found = AREAS.iter().find(|(name, _)| *name == word.text).map(|(_, area)| *area);
        found.ok_or_else(|| UnknownLayoutPath { word: word.clone(), known: self.paths() })
    }
}

fn area_paths() -> Vec<String> {
    AREAS.iter().map(|(word, _)| format!("layout.{word}")).collect()
}

/// Adds rows with their areas; those of `left` and `right` have their own.
fn place_rows<'a>(area: LayoutArea, rows: &'a [LayoutRow], into: &mut Vec<PlacedRow<'a>>) {
    for row in rows {
        match &row.kind {
            LayoutRowKind::Row { .. } => into.push(PlacedRow { area, row }),
            LayoutRowKind::Side { is_left, rows } => {
                place_rows(if *is_left { LayoutArea::Left } else { LayoutArea::Right }, rows, into);
            }
        }
    }
}

/// Whether a row names a zone or noun.
fn row_names(row: &LayoutRow, word: &str) -> bool {
    match &row.kind {
        LayoutRowKind::Row { contents, .. } => contents.iter().flat_map(named_words).any(|name| name == word),
        LayoutRowKind::Side { .. } => false,
    }
}

/// The head of a content, and the words after its `in`s.
fn named_words(content: &Expr) -> Vec<&str> {
    let Some(phrase) = as_phrase(content) else { return Vec::new() };
    let head = if let Head::Word(name) = &phrase.head { Some(name.text.as_str()) } else { None };
    let zones = phrase.filters.iter().filter_map(|filter| match &filter.kind {
        PhraseFilterKind::In(zone) => bare_word(zone).map(|name| name.text.as_str()),
        _ => None,
    });
    head.into_iter().chain(zones).collect()
}
