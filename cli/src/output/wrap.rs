//! Wraps a line between words to the width of a terminal.

use console::{Term, measure_text_width};

/// The least width that is wrapped to: below it, lines would be mostly indentation.
const MIN_WIDTH: usize = 30;

/// By how much further lines are indented more than the first one.
const HANGING_INDENT: usize = 4;

/// The columns of the terminal; `None` if stdout is none.
pub fn terminal_width() -> Option<usize> {
    Term::stdout().is_term().then(|| Term::stdout().size_checked()).flatten().map(|(_, columns)| usize::from(columns))
}

/// A text with line ends so that no line is wider. Line ends in the text stay.
pub fn to_width(text: &str, width: Option<usize>) -> String {
    match width.filter(|width| *width >= MIN_WIDTH) {
        Some(width) => text.split('\n').map(|line| wrapped(line, width)).collect::<Vec<_>>().join("\n"),
        None => text.to_owned(),
    }
}

fn wrapped(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    with_hanging_indent(line, width, (indent + HANGING_INDENT).min(width / 2))
}

/// A line so that none is wider; further lines have this indentation.
pub fn with_hanging_indent(line: &str, width: usize, indent: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let hanging = " ".repeat(indent);
    let (mut lines, mut last, mut columns) = (Vec::new(), String::new(), 0);
    for part in parts(line) {
        let wide = measure_text_width(part.trim_end());
        if columns + wide > width && !last.trim().is_empty() {
            lines.push(last.trim_end().to_owned());
            last.clone_from(&hanging);
            columns = hanging.len();
        }
        last.push_str(part);
        columns += measure_text_width(part);
    }
    lines.push(last);
    lines.join("\n")
}

/// The parts between which a line can be wrapped: words with the spaces behind them, and single letters of scripts without spaces.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(' ').flat_map(|word| {
        let is_wide = |c: char| u32::from(c) >= FIRST_WIDE && !NOT_FIRST.contains(c);
        let mut starts: Vec<usize> = word.char_indices().filter(|(at, c)| *at == 0 || is_wide(*c)).map(|(at, _)| at).collect();
        starts.push(word.len());
        let pairs: Vec<(usize, usize)> = starts.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        pairs.into_iter().filter_map(|(from, to)| word.get(from..to))
    })
}

/// Marks that never begin a line.
const NOT_FIRST: &str = "、。，．・：；！？）」』】〕〉》ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ";

/// From this letter on there are the scripts of East Asia, which have no spaces.
const FIRST_WIDE: u32 = 0x2E80;

#[cfg(test)]
mod tests {
    use super::to_width;

    #[test]
    fn lines_are_wrapped_between_words() {
        let text = "  one two three four five six seven eight";
        assert_eq!(to_width(text, None), text);
        assert_eq!(to_width(text, Some(80)), text);
        assert_eq!(to_width(text, Some(30)), "  one two three four five six\n      seven eight");
        assert_eq!(to_width("a\nb", Some(30)), "a\nb");
    }

    #[test]
    fn scripts_without_spaces_are_wrapped_between_letters() {
        let wrapped = to_width(&"火".repeat(20), Some(30));
        assert_eq!(wrapped, format!("{}\n    {}", "火".repeat(15), "火".repeat(5)));
    }

    #[test]
    fn closing_marks_begin_no_line() {
        let wrapped = to_width(&format!("{}。{}", "火".repeat(15), "火".repeat(3)), Some(30));
        assert_eq!(wrapped, format!("{}\n    火。火火火", "火".repeat(14)));
    }

    #[test]
    fn a_word_that_is_too_long_has_a_line() {
        let word = "x".repeat(50);
        assert_eq!(to_width(&format!("a {word} b"), Some(30)), format!("a\n    {word}\n    b"));
    }
}
