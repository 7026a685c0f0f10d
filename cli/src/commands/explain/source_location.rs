//! Shows the source at a location in a shipped file (`shipped:FILE:LINE`), as messages name it. Users without a checkout have no other way
//! to read these files.

use crate::failure::CommandError;
use crate::output::{self, Style};
use crate::shipped::{self, PREFIX};

/// The most lines of a long item that are shown before and after the line.
const CONTEXT_LINES: usize = 20;

/// The path and the line of `shipped:FILE:LINE`. `None` if the text does not begin with `shipped:`.
fn parse(what: &str) -> Option<(&str, Option<usize>)> {
    let rest = what.strip_prefix(PREFIX)?;
    // `:COLUMN` may follow
    let mut parts = rest.split(':');
    let path = parts.next()?;
    Some((path, parts.next().and_then(|line| line.parse().ok())))
}

/// Prints the item at a location, or the whole file if there is no line. `None` if the text is not such a location.
pub fn show(what: &str) -> Option<Result<(), CommandError>> {
    let (path, line) = parse(what)?;
    let files = || shipped::packs().iter().flat_map(|pack| &pack.files);
    let file = files().find(|file| file.path.strip_prefix(PREFIX) == Some(path));
    let Some(file) = file else {
        return Some(Err(CommandError::unknown_name("shipped file", what, files().map(|file| file.path.as_str()))));
    };
    let lines: Vec<&str> = file.text.lines().collect();
    let Some(line) = line else {
        lines.iter().for_each(output::line);
        return Some(Ok(()));
    };
    if !(1..=lines.len()).contains(&line) {
        return Some(Err(CommandError::usage(format!("`{PREFIX}{path}` has {} lines, no line {line}", lines.len()))));
    }
    let (first, last) = item_lines(&file.text, line);
    let (first, last) = (first.max(line.saturating_sub(CONTEXT_LINES)), last.min(line + CONTEXT_LINES));
    output::styled_line(Style::Bold, &format!("{PREFIX}{path}"), "");
    for (number, text) in lines.iter().enumerate().map(|(index, text)| (index + 1, text)).take(last).skip(first.saturating_sub(1))
    {
        let mark = if number == line { '>' } else { ' ' };
        output::line(format!("{mark} {number:>5}  {text}").trim_end());
    }
    Some(Ok(()))
}

/// The first and the last line of the item at a line, with its doc comment; the line itself between items.
fn item_lines(text: &str, line: usize) -> (usize, usize) {
    let split = fizzle_grammar::split(0, text);
    let line_at = |byte: u32| text.get(..byte as usize).map_or(0, |before| before.matches('\n').count()) + 1;
    let lines = split.items.iter().map(|item| (line_at(item.docs_start), line_at(item.end)));
    lines.into_iter().find(|(first, last)| (*first..=*last).contains(&line)).unwrap_or((line, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_parsed_into_path_and_line() {
        assert_eq!(parse("shipped:magic/rules/a.fz:12"), Some(("magic/rules/a.fz", Some(12))));
        assert_eq!(parse("shipped:magic/rules/a.fz:12:3"), Some(("magic/rules/a.fz", Some(12))));
        assert_eq!(parse("shipped:a.fz"), Some(("a.fz", None)));
        assert_eq!(parse("magic"), None);
    }

    #[test]
    fn item_around_a_line_is_found() {
        let text = "zone a { field }\n\n/// Says.\naction b(it: object) {\n  c(it)\n}\n";
        assert_eq!([1, 2, 5].map(|line| item_lines(text, line)), [(1, 1), (2, 2), (3, 6)]);
    }
}
