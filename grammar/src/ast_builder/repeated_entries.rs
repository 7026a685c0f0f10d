//! Refuses an entry of a block that is written twice where only one can count: `edition 1  edition 2`.

use super::{AstBuilder, BuildResult, Children, CstNode};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::parser::Rule;

impl AstBuilder {
    /// Refuses the second of two entries of the same rule if it is one of `single`.
    pub(super) fn refuse_repeated_entries(&self, entries: &Children<'_>, single: &[Rule]) -> BuildResult<()> {
        let mut seen = Vec::new();
        for node in entries.clone() {
            let rule = node.as_rule();
            if seen.contains(&rule) {
                return Err(self.repeated_entry(&node));
            }
            if single.contains(&rule) {
                seen.push(rule);
            }
        }
        Ok(())
    }

    /// The error of an entry that would replace an earlier one.
    pub(super) fn repeated_entry(&self, entry: &CstNode<'_>) -> SyntaxError {
        let is_punctuation = |character: char| !character.is_alphanumeric();
        let word = entry.as_str().trim_start_matches(is_punctuation).split(is_punctuation).next().unwrap_or_default();
        let kind = SyntaxErrorKind::Notation { message: format!("`{word}` is written twice here").into(), replacement: None };
        let help = "only one of them can count: remove the other".to_owned();
        SyntaxError { span: self.span(entry), kind, help: Some(help) }
    }
}
