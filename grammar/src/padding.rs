//! Padding with blanks: a replacement keeps the length of the original, so that positions behind it do not move.
//!
//! The widths of format strings have 16 bits and panic beyond them; these functions take any width, in bytes.

/// The text, with blanks behind it up to the width.
pub(crate) fn pad_end(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text.len()))
}

/// The text, with blanks before it up to the width.
pub(crate) fn pad_start(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.len())) + text
}
