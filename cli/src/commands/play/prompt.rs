//! Reads what a person types.

use crate::output;
use std::io::BufRead;

/// The greatest length of a line, in bytes. People type less.
const MAX_LINE: usize = 64 << 10;

/// Reads a line that a person types. `None` at the end of the input, and at a line that is too long.
pub fn read_line(prompt: &str) -> Option<String> {
    output::prompt(prompt);
    let line = read_limited(std::io::stdin().lock());
    if line.is_none() {
        output::line("");
    }
    line
}

fn read_limited(input: impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let read = input.take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line).unwrap_or(0);
    if read > MAX_LINE {
        output::note(format!("a line of more than {MAX_LINE} bytes ends the input"));
        return None;
    }
    (read > 0).then(|| String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_greatest_length() {
        let mut input = &b"draw\n"[..];
        assert_eq!(read_limited(&mut input).as_deref(), Some("draw\n"));
        assert_eq!(read_limited(&mut input), None);
        let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
        assert_eq!(read_limited(&mut endless), None);
    }
}
