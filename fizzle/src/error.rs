//! The error type of the library ([`Error`]): one variant for each kind of refusal, with the cause from the part of the engine that found it.

use crate::Diagnostic;
use fizzle_compiler::diagnostics::closest;
use std::fmt;

/// The cause of an error, from the part of the engine that found it.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why something is refused. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sources do not compile. [`CompileError::diagnostics`] has the places and suggestions.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// There is no pack, format, deck, card or bot of a name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The bytes are not a compiled pack of this version, or a pack cannot be written as one.
    #[error(transparent)]
    CompiledPack(Cause),
    /// The decks do not fit the format, or there are too few or too many of them.
    #[error(transparent)]
    Start(Cause),
    /// The answer is not legal, or no decision is pending. The text says which rule refuses it, if a rule does.
    #[error("{0}")]
    Answer(String),
    /// The saved game cannot be read, or cannot be played again by the rules of the pack.
    #[error(transparent)]
    Load(Cause),
    /// There is no seat of this number.
    #[error("no seat {seat}: the game has {seats} seats, from 0")]
    Seat {
        /// The seat that was given.
        seat: usize,
        /// The number of seats.
        seats: usize,
    },
    /// A name does not denote a bot.
    #[error(transparent)]
    Bot(Cause),
    /// A file or folder cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The path.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
}

/// Sources that do not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// All diagnostics, in the order of files and places. At least one of them is an error.
    pub diagnostics: Vec<Diagnostic>,
}

impl CompileError {
    /// The errors among the diagnostics, without the warnings.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error())
    }

    /// All diagnostics with excerpts of the sources, for people.
    #[must_use]
    pub fn rendered(&self) -> String {
        self.diagnostics.iter().map(|diagnostic| diagnostic.rendered.as_str()).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors = self.errors();
        match errors.next() {
            Some(first) => write!(f, "{first}")?,
            None => f.write_str("the sources do not compile")?,
        }
        match errors.count() {
            0 => Ok(()),
            1 => f.write_str(" (and 1 more error)"),
            more => write!(f, " (and {more} more errors)"),
        }
    }
}

impl std::error::Error for CompileError {}

/// A name that denotes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was looked for: `pack`, `format`, `deck`, `card` or `section`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The known name that is most like it, if one is close.
    pub suggestion: Option<String>,
}

impl UnknownName {
    /// Creates the error, with the closest of the known names as its suggestion.
    pub(crate) fn new<'n>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        Self { kind, name: name.to_owned(), suggestion: closest(name, known).map(str::to_owned) }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} `{}`", self.kind, self.name)?;
        match &self.suggestion {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownName {}
