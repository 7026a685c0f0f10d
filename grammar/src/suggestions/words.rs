//! Words and lines of text as suggestions read and join them.

/// The number that a word denotes, up to twelve.
pub(crate) fn number_word(word: &str) -> Option<usize> {
    const NUMBERS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    NUMBERS.iter().position(|name| *name == word)
}

/// Joins tokens by blanks, without a blank before `,`, `'s`, `.` and `)`, after `(` and `.`, and between a call and its arguments.
pub(super) fn join_tokens(words: &[&str]) -> String {
    let mut text = String::new();
    for word in words {
        let last = text.rsplit([' ', '(']).next().unwrap_or("");
        // A call has no blank before its arguments.
        let is_call = *word == "(" && is_lowercase_word(last) && !crate::lexer::is_reserved(last);
        let is_joined = is_call || matches!(*word, "," | "'s" | ")" | ".") || text.ends_with(['(', '.']);
        if !text.is_empty() && !is_joined {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Joins tokens as [`join_tokens`] does; signs stand directly before their numbers: `+1/-1`.
pub(super) fn join_changes(words: &[&str]) -> String {
    join_tokens(words).replace("+ ", "+").replace("- ", "-").replace(" / +", "/+").replace(" / -", "/-")
}

/// Whether a word consists of small letters and `_`.
pub(super) fn is_lowercase_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c == b'_')
}

pub(super) fn first_word(text: &str) -> &str {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or("")
}

pub(super) fn first_line(text: &str) -> &str {
    text.split(['\n', ';', '}']).next().unwrap_or("").trim_end()
}

pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a period follows: `step dawn …`.
pub(super) fn begins_period(text: &str) -> bool {
    matches!(first_word(text), "step" | "phase")
}

/// The selection that two words are meant as, last first: `equipped creature`.
pub(super) fn two_words(line: &[&str]) -> Option<String> {
    let [noun, quality] = *line else { return None };
    let is_word = |word: &str| is_lowercase_word(word) && !crate::lexer::is_reserved(word);
    (is_word(noun) && is_word(quality) && !matches!(quality, "target" | "each" | "all" | "this" | "other"))
        .then(|| format!("each {noun} that is {quality}"))
}

/// The place of the opening bracket that encloses what follows, in tokens from the last one back.
pub(super) fn enclosing(before: &[&str], open: &str, close: &str) -> Option<usize> {
    let mut depth = 0_usize;
    before.iter().position(|word| {
        if *word == close {
            depth += 1;
        } else if *word == open {
            if depth == 0 {
                return true;
            }
            depth -= 1;
        }
        false
    })
}
