//! Characters that mark parts of a line until the lines of a card are merged. No source can contain them.

/// Marks a line of a trigger.
pub(in crate::text) const WHENEVER: char = '\u{12}';

/// Encloses the reminders of a sentence.
pub(in crate::text) const REMINDER: char = '\u{14}';

/// Marks a Japanese line whose player may choose not to use it, even if one of its heads says that it must be used.
pub(in crate::text) const OPTIONAL: char = '\u{17}';

/// Keeps the head of an ability within a sentence apart from that of the line: behind it nothing is read as when or for which price the line is used.
pub(in crate::text) const INNER_HEAD: char = '\u{19}';

/// Marks a Japanese line that must be used, even if its effect begins with what a player may do.
pub(in crate::text) const MANDATORY: char = '\u{18}';
