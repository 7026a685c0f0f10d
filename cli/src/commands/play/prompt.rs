//! Reads what a person types.

use crate::output;
use std::io::BufRead;

/// Reads a line that a person types. `None` at the end of the input.
pub fn read_line(prompt: &str) -> Option<String> {
    output::prompt(prompt);
    let mut line = Vec::new();
    if std::io::stdin().lock().read_until(b'\n', &mut line).unwrap_or(0) == 0 {
        output::line("");
        return None;
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}
