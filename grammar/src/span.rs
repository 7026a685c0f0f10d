//! Places in a source, and the names and paths that every part of the tree is made of.

use smol_str::SmolStr;

/// A range of bytes of one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The file, as numbered by the caller that loads the files.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that contains both spans. They belong to the same file.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A word or quoted name with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text without quotes.
    pub text: SmolStr,
    /// Its bytes, quotes included.
    pub span: Span,
}

impl Name {
    /// Whether the source has quotes around it.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        (self.span.end - self.span.start) as usize > self.text.len()
    }
}

/// A dotted path such as `turn.combat.damage` or `keyword.ninja`. Scenario paths such as `A's turn.main` store the player separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// At least one part.
    pub parts: Vec<Name>,
    /// The whole path.
    pub span: Span,
}
