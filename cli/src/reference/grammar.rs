//! The grammar for readers: what the parser works with, without what only a parser needs, and with the examples that its tests try.

use fizzle_grammar::GRAMMAR;
use std::collections::{BTreeMap, BTreeSet};

/// Sections that say nothing to a reader: how the parser is entered, and what is written out wherever it occurs.
const SILENT: [&str; 3] = ["Entry points", "Punctuation", "Words of the language, each not followed by a further letter"];

/// A line is broken behind so many characters.
const WIDTH: usize = 120;

/// A rule of the grammar.
struct Rule<'g> {
    section: &'g str,
    name: &'g str,
    body: Vec<&'g str>,
    examples: Vec<&'g str>,
}

/// Adds the grammar, a section of the page for each of its own.
pub fn sections(page: &mut String) {
    let rules = rules();
    let bodies: BTreeMap<&str, &[&str]> = rules.iter().map(|rule| (rule.name, rule.body.as_slice())).collect();
    page.push_str(
        "## Grammar\n\nWords in quotes stand as they are; `?` is none or one, `*` any number, `+` one or more, `|` or. Where a rule ends in a list of items, \
         statements or members, each begins on a line of its own or behind `;`. Indented lines are examples.\n\n",
    );
    let mut section = "";
    let used: BTreeSet<&str> = rules.iter().flat_map(|rule| mentions(&rule.body)).collect();
    let is_shown = |rule: &&Rule<'_>| !rule.section.is_empty() && !SILENT.contains(&rule.section) && used.contains(rule.name);
    for rule in rules.iter().filter(is_shown).filter(|rule| !rule.name.starts_with("k_")) {
        if rule.section != section {
            let end = if section.is_empty() { "" } else { "```\n\n" };
            page.push_str(&format!("{end}### {}\n\n```text\n", rule.section));
            section = rule.section;
        }
        let mut printed = Printed { bodies: &bodies, text: String::new(), column: 0 };
        printed.word(rule.name);
        printed.word("=");
        printed.body(&rule.body);
        page.push_str(printed.text.trim_end());
        page.push('\n');
        for example in &rule.examples {
            page.push_str(&format!("        {example}\n"));
        }
    }
    page.push_str("```\n\n");
}

/// The rules that a rule is made of; not those that it only looks ahead for.
fn mentions<'g>(body: &[&'g str]) -> Vec<&'g str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(token) = body.get(at) {
        at += 1;
        match *token {
            "!" | "&" => at = after_operand(body, at),
            token => found.push(token),
        }
    }
    found
}

/// The rules with the comments above them.
fn rules() -> Vec<Rule<'static>> {
    let mut rules: Vec<Rule<'static>> = Vec::new();
    let (mut section, mut examples) = ("", Vec::new());
    let mut depth = 0;
    let mut before = "";
    let mut lines = GRAMMAR.lines().peekable();
    while let Some(line) = lines.next() {
        if depth > 0 {
            if let Some(rule) = rules.last_mut() {
                take(line, &mut rule.body, &mut depth);
            }
        } else if let Some(example) = line.strip_prefix("// + ") {
            examples.push(example);
        } else if let Some(comment) = line.strip_prefix("// ") {
            if before.is_empty() && lines.peek().is_some_and(|next| next.is_empty()) && !comment.starts_with("- ") {
                section = comment.trim_end_matches('.');
            }
        } else if let Some((name, body)) = line.split_once('=').filter(|(name, _)| !name.starts_with("//")) {
            let name = name.trim();
            let mut rule = Rule { section, name, body: Vec::new(), examples: std::mem::take(&mut examples) };
            take(body, &mut rule.body, &mut depth);
            rules.push(rule);
        }
        before = line;
    }
    rules
}

/// Takes the tokens of a line of a rule, without its outer braces.
fn take<'g>(line: &'g str, body: &mut Vec<&'g str>, depth: &mut usize) {
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => quoted(rest, first),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match token {
            "{" => *depth += 1,
            "}" => *depth -= 1,
            // What is before the braces says how blanks are read.
            _ if *depth == 0 || token.trim().is_empty() => {}
            _ => body.push(token),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// The length of a literal with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// A rule as it is shown.
struct Printed<'a> {
    bodies: &'a BTreeMap<&'a str, &'a [&'a str]>,
    text: String,
    column: usize,
}

impl Printed<'_> {
    fn word(&mut self, word: &str) {
        let opens = self.text.ends_with('(');
        let glued = matches!(word, ")" | "?" | "*" | "+") || opens || self.text.is_empty();
        let length = word.chars().count() + usize::from(!glued);
        if self.column + length > WIDTH && !glued {
            self.text.push_str("\n   ");
            self.column = 3;
        }
        if !glued {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.column += length;
    }

    fn body(&mut self, body: &[&str]) {
        let mut at = 0;
        while let Some(token) = body.get(at) {
            at += 1;
            match *token {
                "~" => {}
                "!" | "&" => at = after_operand(body, at),
                // Line ends between items go without saying.
                "sep" | "loose" => {
                    let several = body.get(at) == Some(&"+");
                    at = after_repeats(body, at);
                    if several {
                        self.word("\";\"");
                    }
                }
                "SOI" | "EOI" => {}
                // Blanks inside of a word of several.
                "\" \"" => at = after_repeats(body, at),
                "(" if let Some(single) = single(body.get(at..closing(body, at)).unwrap_or(&[])) => {
                    self.body(&[single]);
                    at = closing(body, at) + 1;
                }
                "(" if is_empty(body.get(at..closing(body, at)).unwrap_or(&[])) => {
                    at = after_repeats(body, closing(body, at) + 1)
                }
                "\"\\\"\"" => self.word("'\"'"),
                "\"\\n\"" => self.word("newline"),
                name if name.starts_with("k_") || is_punctuation(name) => {
                    self.inline(name, matches!(body.get(at), Some(&("*" | "+" | "?"))));
                }
                other => self.word(other),
            }
        }
    }

    /// A word of the language, or a mark, as it is written.
    fn inline(&mut self, name: &str, repeated: bool) {
        let body = self.bodies.get(name).copied().unwrap_or(&[]);
        let words = mentions(body).iter().filter(|token| token.starts_with('"') && **token != "\" \"").count();
        let grouped = words > 1 && (repeated || body.contains(&"|")) && body.first() != Some(&"(");
        if grouped {
            self.word("(");
        }
        self.body(body);
        if grouped {
            self.word(")");
        }
    }
}

/// The only thing inside, apart from line ends.
fn single<'g>(body: &[&'g str]) -> Option<&'g str> {
    let mut inside = mentions(body).into_iter().filter(|token| !matches!(*token, "sep" | "loose" | "*" | "~"));
    let only = inside.next().filter(|token| token.starts_with(is_word))?;
    inside.next().is_none().then_some(only)
}

/// Whether only line ends and conditions are inside.
fn is_empty(body: &[&str]) -> bool {
    body.iter().all(|token| matches!(*token, "sep" | "loose" | "*" | "~" | "," | "?"))
}

fn is_punctuation(name: &str) -> bool {
    matches!(
        name,
        "open"
            | "close"
            | "lparen"
            | "rparen"
            | "lbrack"
            | "rbrack"
            | "comma"
            | "colon"
            | "equals"
            | "plus"
            | "minus"
            | "star"
            | "slash"
            | "cmp"
            | "apostrophe"
            | "add_assign"
            | "sub_assign"
    )
}

/// The place of the `)` of what was opened before.
fn closing(body: &[&str], from: usize) -> usize {
    let mut depth = 1;
    for (at, token) in body.iter().enumerate().skip(from) {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    body.len()
}

fn after_repeats(body: &[&str], mut at: usize) -> usize {
    while matches!(body.get(at), Some(&("*" | "+" | "?"))) {
        at += 1;
    }
    at
}

/// Behind a single operand, which may be in parentheses.
fn after_operand(body: &[&str], at: usize) -> usize {
    let end = if body.get(at) == Some(&"(") { closing(body, at + 1) + 1 } else { at + 1 };
    after_repeats(body, end)
}
