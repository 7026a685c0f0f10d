//! Characters that mark parts of a line until the lines of a card are merged. No source can contain them.

/// Marks a line of a trigger.
pub(in crate::text) const WHENEVER: char = '\u{12}';

/// Encloses the reminders of a sentence.
pub(in crate::text) const REMINDER: char = '\u{14}';
