//! Two lines that cards print as one.

use super::Renderer;

impl Renderer<'_> {
    /// The line for two lines that differ only in what `together` names: it stands in the one, in the other, in the line for both.
    pub(in crate::text) fn together(&self, one: &str, other: &str) -> Option<String> {
        self.lexicon.styles("together").chunks_exact(3).find_map(|three| match three {
            [first, second, both] => {
                joined(one, other, [first, second], both).or_else(|| joined(one, other, [second, first], both))
            }
            _ => None,
        })
    }
}

fn joined(one: &str, other: &str, [first, second]: [&str; 2], both: &str) -> Option<String> {
    let (front, middle, back) = around(one, first)?;
    (around(other, second)? == (front, middle, back)).then(|| format!("{front}{}{back}", both.replacen("{}", middle, 1)))
}

/// What stands before a part of a line, in its hole (`{}`) and behind it.
fn around<'t>(line: &'t str, part: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (start, end) = part.split_once("{}").unwrap_or((part, ""));
    let (front, rest) = line.split_once(start)?;
    let (middle, back) = if end.is_empty() { ("", rest) } else { rest.split_once(end)? };
    Some((front, middle, back))
}
