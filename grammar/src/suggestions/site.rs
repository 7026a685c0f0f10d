//! The place of a syntax error as suggestions read it, and what a recogniser finds there.

use super::words::first_line;

/// A recognised notation.
pub(crate) struct Notation {
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: String,
    /// Whether the token before the position is wrong, not the one at it.
    pub(crate) is_before: bool,
    /// The text that replaces the wrong token.
    pub(crate) replacement: Option<String>,
}

impl Notation {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), is_before: false, replacement: None }
    }

    pub(super) fn before(self) -> Self {
        Self { is_before: true, ..self }
    }

    pub(super) fn replace(self, text: impl Into<String>) -> Self {
        Self { replacement: Some(text.into()), ..self }
    }
}

/// The tokens around the position where parsing stopped.
pub(crate) struct Site<'t> {
    /// The token at the position; empty at the end of the item.
    pub(crate) text: &'t str,
    /// The text directly after the token.
    pub(crate) after: &'t str,
    /// The tokens before it, last first.
    pub(crate) before: &'t [&'t str],
    /// Those in the same line or block, last first.
    pub(super) line: Vec<&'t str>,
    /// The number of open braces.
    pub(super) depth: usize,
}

impl<'t> Site<'t> {
    pub(crate) fn new(text: &'t str, after: &'t str, before: &'t [&'t str]) -> Self {
        let line = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
        let count = |bracket: &str| before.iter().filter(|word| **word == bracket).count();
        Self { text, after, before, line, depth: count("{").saturating_sub(count("}")) }
    }

    pub(super) fn last(&self) -> &'t str {
        self.before.first().copied().unwrap_or("")
    }

    /// The token before the last one, if it is in the same line.
    pub(super) fn second_last(&self) -> &'t str {
        self.line.get(1).copied().unwrap_or("")
    }

    pub(super) fn item(&self) -> &'t str {
        self.before.last().copied().unwrap_or("")
    }

    pub(super) fn next(&self) -> &'t str {
        self.after.trim_start_matches(' ')
    }

    /// Whether the position is among the members of a card, keyword or rule, outside of their blocks.
    pub(super) fn is_among_members(&self) -> bool {
        self.depth == 1 && matches!(self.item(), "card" | "token" | "keyword" | "rule")
    }

    /// Whether the position is among the members of a card or token.
    pub(super) fn is_card_member(&self) -> bool {
        self.depth == 1 && matches!(self.item(), "card" | "token")
    }

    /// Whether the position is in a card, keyword or rule.
    pub(super) fn is_in_ability(&self) -> bool {
        self.depth > 0 && matches!(self.item(), "card" | "token" | "keyword" | "rule")
    }

    /// Whether the position is in a block of statements.
    pub(super) fn is_among_statements(&self) -> bool {
        self.depth > 1 && !matches!(self.item(), "scenario" | "position" | "deck" | "text" | "layout")
            || self.depth == 1 && matches!(self.item(), "action" | "setup" | "state" | "turn")
    }

    pub(super) fn is_at_end(&self) -> bool {
        matches!(self.text, "" | "\n" | "}" | ";")
    }

    /// The rest of the line after the token.
    pub(super) fn rest(&self) -> &'t str {
        first_line(self.after).trim()
    }

    /// The tokens of the line or block before the position, last first.
    pub(super) fn line(&self) -> &[&'t str] {
        &self.line
    }

    /// The text after the token up to the end of the line or of the block around it, with the symbols in it.
    pub(super) fn whole_line_after(&self) -> &'t str {
        let mut depth = 0usize;
        let ends = |(_, c): &(usize, char)| match c {
            '\n' => true,
            ';' => depth == 0,
            '}' => {
                depth = depth.wrapping_sub(1);
                depth == usize::MAX
            }
            _ => {
                depth += usize::from(*c == '{');
                false
            }
        };
        let end = self.after.char_indices().find(ends).map_or(self.after.len(), |(at, _)| at);
        self.after.get(..end).unwrap_or("").trim_end()
    }

    /// The tokens of the line up to the position, in their order.
    pub(super) fn written(&self) -> Vec<&'t str> {
        self.line.iter().rev().copied().collect()
    }
}
