//! The text of a rule that forbids something: its lines, and the part of its condition that fails.

use std::collections::BTreeMap;

/// The sources of a pack: their texts by path, as the library of the game names them.
pub type Sources = BTreeMap<String, String>;

/// The most lines of a rule that are shown.
const MAX_LINES: usize = 14;

/// A rule with what fails in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleText {
    /// Its lines, without the indentation of the first one.
    pub text: String,
    /// The parts that fail: ranges of characters in `text`.
    pub fails: Vec<(usize, usize)>,
}

/// The rule at a place, `file:line`. `path` is its name as a scenario writes it after `because`: the last word names the clause that fails.
/// `parts_behind`: how many parts joined by `and` stand behind the one that fails. Empty if the sources do not have the place.
#[must_use]
pub fn rule_text(sources: &Sources, place: &str, path: &str, parts_behind: Option<usize>) -> RuleText {
    let Some((file, line)) = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<usize>().ok()?))) else {
        return RuleText::default();
    };
    let Some(source) = sources.get(file) else { return RuleText::default() };
    let lines = item_lines(source, line);
    let indent = lines.first().map_or(0, |first| first.len() - first.trim_start().len());
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or_else(|| line.trim_start())).collect();
    let text = lines.join("\n");
    let clause = path.rsplit('.').next().unwrap_or_default();
    let fails = failing_range(&lines, clause, parts_behind).into_iter().map(|(from, to)| {
        let characters = |bytes: usize| text.get(..bytes).map_or(0, |before| before.chars().count());
        (characters(from), characters(to))
    });
    RuleText { fails: fails.collect(), text }
}

/// The lines of an item from its first line on, up to where its braces are closed.
fn item_lines(source: &str, line: usize) -> Vec<&str> {
    let mut depth = 0i32;
    let mut found = Vec::new();
    for text in source.lines().skip(line.saturating_sub(1)).take(MAX_LINES) {
        found.push(text);
        let code = text.split("//").next().unwrap_or_default();
        depth += code.chars().map(|c| i32::from(matches!(c, '{' | '(')) - i32::from(matches!(c, '}' | ')'))).sum::<i32>();
        if depth <= 0 {
            break;
        }
    }
    found
}

/// The bytes of the clause that fails, or of the part of it, in the lines joined by line ends.
fn failing_range(lines: &[&str], clause: &str, parts_behind: Option<usize>) -> Option<(usize, usize)> {
    let mut start = 0;
    for (number, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let rest = line.trim_start().strip_prefix(clause).filter(|rest| !clause.is_empty() && rest.starts_with(' '));
        if let Some(rest) = rest {
            // The lines below that are indented more belong to it.
            let below = lines.get(number + 1..).unwrap_or_default().iter();
            let more: usize =
                below.take_while(|line| line.len() - line.trim_start().len() > indent).map(|line| line.len() + 1).sum();
            let from = start + line.len() - rest.len() + 1;
            let to = start + line.len() + more;
            let text = lines.join("\n");
            let condition = text.get(from..to)?;
            let part = parts_behind.and_then(|behind| failing_part(condition, behind));
            return Some(part.map_or((from, to), |(first, last)| (from + first, from + last)));
        }
        start += line.len() + 1;
    }
    None
}

/// The bytes of the part of a condition that has so many parts behind it. `None` if the condition has one part only, or is an `or`.
fn failing_part(condition: &str, behind: usize) -> Option<(usize, usize)> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in condition.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => {
                let rest = condition.get(at..).unwrap_or_default();
                if rest.starts_with(" or ") {
                    return None;
                }
                if rest.starts_with(" and ") {
                    parts.push((start, at));
                    start = at + " and ".len();
                }
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push((start, condition.trim_end().len()));
    parts.get((parts.len() - 1).saturating_sub(behind)).copied()
}

#[cfg(test)]
mod tests {
    use super::{RuleText, Sources, rule_text};

    const RULE: &str = "play use(it: card) {\n    from hand\n    when timely(you) and (it is red or it is blue) and count of 手札 > 2\n    does { draw 1 }\n  }\nnext";

    fn marked(place: &str, path: &str, behind: Option<usize>) -> Vec<String> {
        let sources: Sources = [("rules.fz".to_owned(), format!("first\n  {RULE}"))].into();
        let RuleText { text, fails } = rule_text(&sources, place, path, behind);
        let part = |(from, to): &(usize, usize)| text.chars().skip(*from).take(to - from).collect();
        fails.iter().map(part).collect()
    }

    #[test]
    fn the_part_that_fails_is_marked() {
        assert_eq!(marked("rules.fz:2", "play.use.when", Some(0)), ["count of 手札 > 2"]);
        assert_eq!(marked("rules.fz:2", "play.use.when", Some(1)), ["(it is red or it is blue)"]);
        assert_eq!(marked("rules.fz:2", "play.use.when", Some(2)), ["timely(you)"]);
        assert_eq!(marked("rules.fz:2", "play.use.when", Some(7)), ["timely(you)"]);
        assert_eq!(
            marked("rules.fz:2", "play.use.when", None),
            ["timely(you) and (it is red or it is blue) and count of 手札 > 2"]
        );
    }

    #[test]
    fn what_has_no_such_clause_or_place_has_no_mark() {
        assert!(marked("rules.fz:2", "play.use.cost", None).is_empty());
        for place in ["rules.fz:99", "other.fz:1", "rules.fz", ""] {
            assert!(marked(place, "play.use.when", Some(0)).is_empty(), "{place}");
        }
    }

    #[test]
    fn lines_end_with_the_braces_of_the_item() {
        let sources: Sources = [("rules.fz".to_owned(), format!("first\n  {RULE}"))].into();
        let text = rule_text(&sources, "rules.fz:2", "", None).text;
        assert!(text.starts_with("play use") && text.ends_with("\n}"), "{text}");
    }
}
