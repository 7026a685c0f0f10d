//! Prints the grammar for readers: the rules of the parser's grammar file, without lookahead, layout and entry points, with the examples
//! that the grammar's tests parse.

use fizzle_grammar::GRAMMAR;
use std::collections::{BTreeMap, BTreeSet};

/// Sections that are not shown: entry points of the parser, and rules that are inlined where they are used.
const OMITTED_SECTIONS: [&str; 3] =
    ["Entry points", "Punctuation", "Words of the language, each not followed by a further letter"];

/// The most characters of a line, if it can be broken.
const MAX_LINE_CHARS: usize = 120;

/// A rule of the grammar.
struct Rule<'g> {
    section: &'g str,
    name: &'g str,
    body: Vec<&'g str>,
    examples: Vec<&'g str>,
}

/// Adds the grammar to the page, with a heading for each section of the grammar file.
pub fn add_sections(page: &mut String) {
    let rules = parse_rules();
    let bodies: BTreeMap<&str, &[&str]> = rules.iter().map(|rule| (rule.name, rule.body.as_slice())).collect();
    page.push_str(
        "## Grammar\n\nWords in quotes are literal; `?` is zero or one, `*` any number, `+` one or more, `|` or. In a list of items, \
         statements or members, each starts on a new line or after `;`. Indented lines are examples.\n\n",
    );
    let mut section = "";
    let used: BTreeSet<&str> = rules.iter().flat_map(|rule| referenced_rules(&rule.body)).collect();
    let is_shown =
        |rule: &&Rule<'_>| !rule.section.is_empty() && !OMITTED_SECTIONS.contains(&rule.section) && used.contains(rule.name);
    for rule in rules.iter().filter(is_shown).filter(|rule| !rule.name.starts_with("k_")) {
        if rule.section != section {
            let end = if section.is_empty() { "" } else { "```\n\n" };
            page.push_str(&format!("{end}### {}\n\n```text\n", rule.section));
            section = rule.section;
        }
        let mut printer = RulePrinter { bodies: &bodies, text: String::new(), column: 0 };
        printer.print_word(rule.name);
        printer.print_word("=");
        printer.print_body(&rule.body);
        page.push_str(printer.text.trim_end());
        page.push('\n');
        for example in &rule.examples {
            page.push_str(&format!("        {example}\n"));
        }
    }
    page.push_str("```\n\n");
}

/// The tokens of a rule's body, without those of lookahead.
fn referenced_rules<'g>(body: &[&'g str]) -> Vec<&'g str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(token) = body.get(at) {
        at += 1;
        match *token {
            "!" | "&" => at = skip_operand(body, at),
            token => found.push(token),
        }
    }
    found
}

/// Reads the rules of the grammar file, with their sections and examples from the comments above them.
fn parse_rules() -> Vec<Rule<'static>> {
    let mut rules: Vec<Rule<'static>> = Vec::new();
    let (mut section, mut examples) = ("", Vec::new());
    let mut depth = 0;
    let mut before = "";
    let mut lines = GRAMMAR.lines().peekable();
    while let Some(line) = lines.next() {
        if depth > 0 {
            if let Some(rule) = rules.last_mut() {
                take_tokens(line, &mut rule.body, &mut depth);
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
            take_tokens(body, &mut rule.body, &mut depth);
            rules.push(rule);
        }
        before = line;
    }
    rules
}

/// Appends the tokens of a line of a rule, without the rule's outer braces.
fn take_tokens<'g>(line: &'g str, body: &mut Vec<&'g str>, depth: &mut usize) {
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '\'' => literal_length(rest, first),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match token {
            "{" => *depth += 1,
            "}" => *depth -= 1,
            // The marker before the braces selects the treatment of blanks.
            _ if *depth == 0 || token.trim().is_empty() => {}
            _ => body.push(token),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// The length of the literal at the start of a text, in bytes, with its quotes.
fn literal_length(text: &str, quote: char) -> usize {
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

/// Prints one rule, broken into lines.
struct RulePrinter<'a> {
    bodies: &'a BTreeMap<&'a str, &'a [&'a str]>,
    text: String,
    column: usize,
}

impl RulePrinter<'_> {
    fn print_word(&mut self, word: &str) {
        let opens = self.text.ends_with('(');
        let glued = matches!(word, ")" | "?" | "*" | "+") || opens || self.text.is_empty();
        let length = word.chars().count() + usize::from(!glued);
        if self.column + length > MAX_LINE_CHARS && !glued {
            self.text.push_str("\n   ");
            self.column = 3;
        }
        if !glued {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.column += length;
    }

    fn print_body(&mut self, body: &[&str]) {
        let mut at = 0;
        while let Some(token) = body.get(at) {
            at += 1;
            match *token {
                "~" => {}
                "!" | "&" => at = skip_operand(body, at),
                // Line ends between items are explained in the introduction.
                "sep" | "loose" => {
                    let several = body.get(at) == Some(&"+");
                    at = skip_repeats(body, at);
                    if several {
                        self.print_word("\";\"");
                    }
                }
                "SOI" | "EOI" => {}
                // A blank inside of a phrase of several words.
                "\" \"" => at = skip_repeats(body, at),
                "(" if let Some(single) = only_reference(body.get(at..find_closing(body, at)).unwrap_or(&[])) => {
                    self.print_body(&[single]);
                    at = find_closing(body, at) + 1;
                }
                "(" if is_only_layout(body.get(at..find_closing(body, at)).unwrap_or(&[])) => {
                    at = skip_repeats(body, find_closing(body, at) + 1)
                }
                "\"\\\"\"" => self.print_word("'\"'"),
                "\"\\n\"" => self.print_word("newline"),
                name if name.starts_with("k_") || is_punctuation(name) => {
                    self.print_inline(name, matches!(body.get(at), Some(&("*" | "+" | "?"))));
                }
                other => self.print_word(other),
            }
        }
    }

    /// Prints the body of a keyword or punctuation rule in place of its name.
    fn print_inline(&mut self, name: &str, repeated: bool) {
        let body = self.bodies.get(name).copied().unwrap_or(&[]);
        let words = referenced_rules(body).iter().filter(|token| token.starts_with('"') && **token != "\" \"").count();
        let grouped = words > 1 && (repeated || body.contains(&"|")) && body.first() != Some(&"(");
        if grouped {
            self.print_word("(");
        }
        self.print_body(body);
        if grouped {
            self.print_word(")");
        }
    }
}

/// The only name in a group, apart from layout tokens.
fn only_reference<'g>(body: &[&'g str]) -> Option<&'g str> {
    let mut inside = referenced_rules(body).into_iter().filter(|token| !matches!(*token, "sep" | "loose" | "*" | "~"));
    let only = inside.next().filter(|token| token.starts_with(is_word))?;
    inside.next().is_none().then_some(only)
}

/// Whether a group has only layout tokens.
fn is_only_layout(body: &[&str]) -> bool {
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

/// The index of the `)` that closes a group whose content starts at `from`.
fn find_closing(body: &[&str], from: usize) -> usize {
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

fn skip_repeats(body: &[&str], mut at: usize) -> usize {
    while matches!(body.get(at), Some(&("*" | "+" | "?"))) {
        at += 1;
    }
    at
}

/// The index after an operand, which may be a group, and its repetition marks.
fn skip_operand(body: &[&str], at: usize) -> usize {
    let end = if body.get(at) == Some(&"(") { find_closing(body, at + 1) + 1 } else { at + 1 };
    skip_repeats(body, end)
}
