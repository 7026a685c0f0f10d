//! Merges two lines of a card into one, by the setting `together`.

use crate::text::renderer::Renderer;

impl Renderer<'_> {
    /// Merges two lines that are equal except for two parts. Each entry of `together` names the part of the one line, that of the other,
    /// and the part of the merged line.
    pub(in crate::text) fn merge_lines(&self, one: &str, other: &str) -> Option<String> {
        self.lexicon.styles("together").chunks_exact(3).find_map(|three| match three {
            [first, second, both] => {
                merge_around(one, other, [first, second], both).or_else(|| merge_around(one, other, [second, first], both))
            }
            _ => None,
        })
    }
}

fn merge_around(one: &str, other: &str, [first, second]: [&str; 2], both: &str) -> Option<String> {
    let (front, middle, back) = split_around(one, first)?;
    (split_around(other, second)? == (front, middle, back)).then(|| format!("{front}{}{back}", both.replacen("{}", middle, 1)))
}

/// Splits a line around a part: the text before it, in its hole (`{}`), and behind it.
fn split_around<'t>(line: &'t str, part: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (start, end) = part.split_once("{}").unwrap_or((part, ""));
    let (front, rest) = line.split_once(start)?;
    let (middle, back) = if end.is_empty() { ("", rest) } else { rest.split_once(end)? };
    Some((front, middle, back))
}
