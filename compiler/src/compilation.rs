//! The result of compiling source files.

use crate::diagnostics::Diagnostic;
use crate::sources::Sources;
use crate::text::TextGap;
use fizzle_ir::Artifact;

/// The result of compiling source files.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The files, for messages.
    pub sources: Sources,
    /// The compiled games; `None` if there are errors.
    pub artifact: Option<Artifact>,
    /// Problems, ordered by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts of rules texts that no template covers.
    pub gaps: Vec<TextGap>,
}

impl Compilation {
    /// Whether a diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
