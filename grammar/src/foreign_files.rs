//! Recognition of whole files in the notation of another tool, so that one error names it instead of one for each line.
//!
//! Only the first lines are read. Each test needs a sign with which no Fizzle source can begin.

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::span::Span;

/// How many bytes of a file are read.
const MAX_BYTES_READ: usize = 8 << 10;

/// How many lines that are not blank are read.
const MAX_LINES_READ: usize = 40;

/// The help for a file in the notation of another tool.
const HELP: &str = "write each card as `card \"NAME\" { … }`; `fizzle new` creates a pack to begin with";

/// The help for a list of a deck.
const DECK_HELP: &str = "write a deck as `deck \"NAME\" { main { 4 \"CARD\" } }`";

/// A notation: its name, the help, and the test of the first lines.
type ForeignFile = (&'static str, &'static str, fn(&[&str]) -> bool);

/// The known notations, in the order in which they are tried.
const FOREIGN_FILES: [ForeignFile; 7] = [
    ("JSON", HELP, is_json),
    ("a markup language such as XML", HELP, |lines| lines.first().is_some_and(|line| line.starts_with('<'))),
    ("a list of a deck", DECK_HELP, is_deck_list),
    ("a card script with lines `KEY:VALUE`", HELP, is_script_of_keys),
    ("Lua", HELP, |lines| lines.iter().any(|line| is_lua(line))),
    ("Python", HELP, |lines| lines.iter().any(|line| is_python(line))),
    ("Java or a language like it", HELP, |lines| lines.iter().any(|line| is_java(line))),
];

/// The error of a file that another tool reads; `None` if it can be a Fizzle source.
pub(crate) fn foreign_file(file: u32, text: &str) -> Option<SyntaxError> {
    let mut end = text.len().min(MAX_BYTES_READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end)?.trim_start_matches('\u{feff}');
    let lines: Vec<&str> = head.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).take(MAX_LINES_READ).collect();
    let first = lines.first()?;
    let begins_item = |line: &&str| {
        let word = line.split([' ', '{', '"']).next().unwrap_or("");
        // other languages have functions too
        line.starts_with("//") || word != "function" && crate::item_splitter::is_item_keyword(word)
    };
    let (name, help, _) = FOREIGN_FILES.iter().find(|(_, _, test)| test(&lines))?;
    if lines.iter().any(begins_item) && !first.starts_with(['{', '[', '<']) {
        return None;
    }
    let start = text.find(first.trim_start())?;
    let span = Span { file, start: u32::try_from(start).ok()?, end: u32::try_from(start + first.trim().len()).ok()? };
    let kind = SyntaxErrorKind::ForeignFile { language: (*name).into() };
    Some(SyntaxError { span, kind, help: Some((*help).to_owned()) })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `{ "name": …`, `[ { …`: an item never begins with a bracket.
fn is_json(lines: &[&str]) -> bool {
    let mut marks = lines.iter().flat_map(|line| line.chars()).filter(|c| !c.is_whitespace());
    matches!((marks.next(), marks.next()), (Some('{'), Some('"')) | (Some('['), Some('{' | '[' | '"' | ']')))
}

/// `4 Lightning Bolt` in each line; `#main` in files of numbers.
fn is_deck_list(lines: &[&str]) -> bool {
    let is_entry = |line: &&str| {
        let (count, name) = line.split_once(' ').unwrap_or((line, ""));
        is_number(count.trim_end_matches('x')) && name.starts_with(|c: char| c.is_uppercase())
    };
    let has_sections = lines.contains(&"#main") && lines.iter().any(|line| is_number(line));
    has_sections || lines.len() > 1 && lines.iter().take(2).all(is_entry)
}

/// `Name:Shock` and `A:SP$ …`.
fn is_script_of_keys(lines: &[&str]) -> bool {
    let parts = |line: &str| line.split_once(':').map(|(key, value)| (key.to_owned(), value.to_owned()));
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric());
    let has_parameter = |value: &str| {
        let (name, _) = value.split_once('$').unwrap_or(("", ""));
        is_key(name)
    };
    let names = lines.first().and_then(|line| parts(line)).is_some_and(|(key, value)| key == "Name" && !value.starts_with('{'));
    names || lines.iter().filter_map(|line| parts(line)).any(|(key, value)| is_key(&key) && has_parameter(&value))
}

/// `function c123.initial_effect(c)`, `local s,id=GetID()`.
fn is_lua(line: &str) -> bool {
    let method = line.strip_prefix("function ").and_then(|rest| rest.split_once('('));
    line.starts_with("local ") || method.is_some_and(|(name, _)| name.contains(['.', ':']))
}

fn is_python(line: &str) -> bool {
    let opens = line.starts_with("def ") || line.starts_with("class ");
    opens && line.ends_with(':') || line.starts_with("from ") && line.contains(" import ")
}

fn is_java(line: &str) -> bool {
    let declares = line.starts_with("import ") || line.starts_with("package ");
    declares && line.ends_with(';') || line.starts_with("public ") && line.contains("class ")
}

#[cfg(test)]
mod tests {
    use super::foreign_file;
    use crate::{parse_file, split};

    #[test]
    fn files_of_other_tools_have_one_error() {
        for text in [
            "Name:Shock\nManaCost:R\nTypes:Instant\nA:SP$ DealDamage | ValidTgts$ Any | NumDmg$ 2\nOracle:Shock deals 2 damage to any target.\n",
            "A:SP$ Draw | NumCards$ 2\n",
            "--A comment\nfunction c123.initial_effect(c)\n\tlocal e1=Effect.CreateEffect(c)\n\tc:RegisterEffect(e1)\nend\n",
            "local s,id=GetID()\nfunction s.initial_effect(c)\nend\n",
            "{\n  \"name\": \"Shock\",\n  \"cost\": 1\n}\n",
            "[\n  { \"name\": \"Shock\" }\n]\n",
            "<?xml version=\"1.0\"?>\n<cards>\n</cards>\n",
            "4 Lightning Bolt\n20 Mountain\n",
            "#created by x\n#main\n46986414\n!side\n",
            "package cards.s;\n\nimport java.util.UUID;\n\npublic final class Shock extends CardImpl {\n}\n",
            "from cards import Card\n\nclass Shock(Card):\n    def play(self):\n        pass\n",
        ] {
            let parsed = parse_file(0, text);
            assert!(parsed.items.is_empty(), "{text}");
            let messages: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
            assert!(matches!(messages.as_slice(), [one] if one.ends_with(", not Fizzle")), "{text}{messages:?}");
            assert!(parsed.errors.iter().all(|error| error.help.is_some()), "{text}");
        }
    }

    #[test]
    fn other_files_are_read_as_sources() {
        for text in [
            "",
            "card \"Shock\" { }\n",
            "// Name:Shock\ncard \"Shock\" { }\n",
            "function twice(n: number): number = n * 2\n",
            "card \"Shock\" { }\nName:Shock\n",
            "crad \"Shock\" { }\n",
            "deck \"A\" {\n  main { 4 \"Shock\" }\n}\n",
            "rules: { }\n",
            "/// Name:Shock\ncard \"Shock\" { }\n",
        ] {
            assert_eq!(foreign_file(0, text), None, "{text}");
        }
        assert_eq!(split(0, "card \"A\" { }\n").items.len(), 1);
    }
}
