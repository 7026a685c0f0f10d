//! Hidden characters: characters that show nothing, or that change how the text around them is shown. Names may not contain them, and
//! printed text shows them as escapes, so that no text of a stranger can move a cursor, reverse a line, or look like another name.
//!
//! Hidden are control characters (C0, DEL, C1), line and paragraph separators, marks, overrides and isolates of the writing direction, and
//! format characters without a shape. Joiners and variation selectors are allowed where they change the shape of the character before them:
//! in emoji, in ideographs, and between letters of scripts that need joiners (compare RFC 5892, appendix A).

use std::borrow::Cow;

/// The hidden characters of a text, with their byte offsets.
pub fn hidden_characters(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut before = None;
    text.char_indices().filter(move |(at, character)| {
        let previous = before.replace(*character);
        if character.is_ascii() {
            return character.is_ascii_control();
        }
        is_hidden(*character)
            && !shapes_its_neighbour(previous, *character, || text.get(at + character.len_utf8()..)?.chars().next())
    })
}

/// The first hidden character of a text, with its byte offset.
#[must_use]
pub fn first_hidden(text: &str) -> Option<(usize, char)> {
    // Most texts are printable ASCII, or Japanese.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return None;
    }
    hidden_characters(text).next()
}

/// The text with an escape such as `\u{202e}` for each hidden character. Line ends and tabs are kept.
#[must_use]
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    escape_hidden_with(text, |character| character.escape_unicode().to_string())
}

/// As [`escape_hidden`], with the escapes that `escape` returns.
pub fn escape_hidden_with(text: &str, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    escape_selected(text, |character| !matches!(character, '\n' | '\t'), escape)
}

/// The text with escapes for all hidden characters, also for line ends and tabs: a name within a line.
#[must_use]
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escape_selected(text, |_| true, |character| character.escape_unicode().to_string())
}

fn escape_selected(text: &str, is_selected: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut copied = 0;
    for (at, character) in hidden_characters(text).filter(|(_, character)| is_selected(*character)) {
        escaped.push_str(text.get(copied..at).unwrap_or(""));
        escaped.push_str(&escape(character));
        copied = at + character.len_utf8();
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(text.get(copied..).unwrap_or(""));
    Cow::Owned(escaped)
}

/// Whether a character is hidden, unless it shapes its neighbour.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, combining grapheme joiner, Arabic letter mark.
            '\u{ad}' | '\u{34f}' | '\u{61c}'
            // Fillers without a shape: Hangul, Khmer.
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
            // Mongolian variation selectors and separator.
            | '\u{180b}'..='\u{180f}'
            // Spaces without width, joiners, marks of the direction.
            | '\u{200b}'..='\u{200f}'
            // Line and paragraph separator, embeddings and overrides of the direction.
            | '\u{2028}'..='\u{202e}'
            // Word joiner, invisible operators, isolates of the direction, deprecated format characters.
            | '\u{2060}'..='\u{206f}'
            // Variation selectors, byte order mark, interlinear annotation.
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            // Format characters of Egyptian hieroglyphs, shorthand and music.
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Tags, and further variation selectors.
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a joiner or variation selector changes the shape of the character before it.
fn shapes_its_neighbour(before: Option<char>, character: char, after: impl Fn() -> Option<char>) -> bool {
    let Some(before) = before else { return false };
    match character {
        // Text and emoji style. `1️⃣` is a digit, the selector, and a key cap.
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(before) || matches!(before, '0'..='9' | '#' | '*') && after() == Some('\u{20e3}'),
        // Variants of an ideograph.
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        // Zero-width joiner: emoji of several emoji, and letters that join.
        '\u{200d}' => {
            (is_emoji(before) || before == '\u{fe0f}') && after().is_some_and(is_emoji)
                || needs_joiners(before) && after().is_some_and(needs_joiners)
        }
        // Zero-width non-joiner: letters that would join.
        '\u{200c}' => needs_joiners(before) && after().is_some_and(needs_joiners),
        _ => false,
    }
}

/// Whether a character is in a block of emoji and symbols.
fn is_emoji(character: char) -> bool {
    matches!(character, '©' | '®' | '‼' | '⁉' | '™' | 'ℹ' | '\u{2190}'..='\u{2bff}' | '〰' | '〽' | '㊗' | '㊙' | '\u{1f000}'..='\u{1faff}')
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character belongs to a script with joiners: Arabic and its relatives, the scripts of India, Myanmar and Khmer.
fn needs_joiners(character: char) -> bool {
    matches!(character, '\u{620}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}') && !is_hidden(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_found() {
        for hidden in [
            "a\u{0}",
            "a\u{1b}[2J",
            "\u{7f}",
            "\u{9b}31m",
            "\u{85}",
            "a\u{202e}b",
            "\u{2066}",
            "\u{2069}",
            "\u{200b}",
            "\u{200e}",
            "a\u{200d}b",
            "火\u{200d}山",
            "a\u{200c}b",
            "\u{2028}",
            "\u{2029}",
            "\u{feff}",
            "\u{ad}",
            "\u{3164}",
            "a\u{fe0f}",
            "\u{e0041}",
            "\u{2060}",
            "🔥\u{200d}",
            "1\u{fe0f}",
            "line\nend",
            "tab\t",
        ] {
            assert!(first_hidden(hidden).is_some(), "{hidden:?}");
        }
    }

    #[test]
    fn visible_text_is_allowed() {
        for visible in [
            "Ember Lizard",
            "凶戦士ブレイズ・クロー",
            "《ボルシャック》　",
            "é e\u{301}",
            "ÄÖß",
            "👩\u{200d}🚀",
            "❤\u{fe0f}",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "葛\u{e0100}城",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "שלום",
            "🇯🇵",
            "ﾊﾝｶｸ",
            "a\u{a0}b",
        ] {
            assert_eq!(first_hidden(visible), None, "{visible:?}");
            assert_eq!(escape_hidden(visible), visible);
        }
    }

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(escape_hidden("a\u{1b}[2J\u{202e}b\n\tc\r"), "a\\u{1b}[2J\\u{202e}b\n\tc\\u{d}");
        assert_eq!(escape_line("a\nb\t"), "a\\u{a}b\\u{9}");
    }
}
