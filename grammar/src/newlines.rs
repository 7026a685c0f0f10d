//! Significant newlines: rewrites the text of one item so that it contains a newline only where one ends a statement, fact or setting.
//!
//! Positions do not change: comments, blanks and insignificant newlines become blanks. A newline is insignificant
//! - inside `(…)` and `[…]`, after `{`, before `}`, before `{`;
//! - after a comma, an operator, and a word that needs an operand after it (`of`, `with`, `and`, `then`, …);
//! - before a word that needs an operand before it (`then`, `if you do`, `otherwise`, `and`, `or`, `with`, `of`, …).
//!
//! Newlines are added in two places where the author may omit them: after the `}` of a block, and before the ` - ` of a mode.

use crate::lexer::{Token, TokenKind, leading_words};

/// Words after which a statement continues on the next line; sorted. `with` is tested separately.
const CONTINUES_AFTER: [&str; 29] = [
    "and",
    "as",
    "by",
    "cannot",
    "for",
    "from",
    "gets",
    "has",
    "if",
    "in",
    "instead",
    "into",
    "is",
    "let",
    "may",
    "not",
    "of",
    "onto",
    "or",
    "otherwise",
    "that",
    "then",
    "to",
    "under",
    "until",
    "when",
    "whenever",
    "while",
    "without",
];

/// Words that continue the statement of the previous line; sorted.
const CONTINUES_BEFORE: [&str; 19] = [
    "and",
    "as",
    "cannot",
    "gets",
    "has",
    "instead",
    "into",
    "is",
    "may",
    "of",
    "onto",
    "or",
    "otherwise",
    "that",
    "then",
    "to",
    "under",
    "with",
    "without",
];

/// Whether a line that ends with this token continues on the next line.
pub(crate) fn continues_after(token: Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Comma | TokenKind::Assign | TokenKind::Compare | TokenKind::Minus | TokenKind::Operator | TokenKind::Colon => {
            true
        }
        TokenKind::Word => {
            let word = token.text(text);
            // The last part of a path is a name: `because play.cast.when`.
            let of_path = text.get(..token.start as usize).is_some_and(|before| before.ends_with('.'));
            !of_path && (word == "with" || CONTINUES_AFTER.binary_search(&word).is_ok())
        }
        _ => false,
    }
}

/// Whether a line that begins with this token continues the previous line.
pub(crate) fn continues_before(token: Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Comma
        | TokenKind::Assign
        | TokenKind::Compare
        | TokenKind::Operator
        | TokenKind::OpenBrace
        | TokenKind::CloseBrace
        | TokenKind::CloseParen
        | TokenKind::CloseBracket => true,
        TokenKind::Word => {
            CONTINUES_BEFORE.binary_search(&token.text(text)).is_ok()
                && !begins_setting(token, text)
                && !begins_as_soon(token, text)
        }
        _ => false,
    }
}

/// Whether `as` begins the ability `as soon as …`.
fn begins_as_soon(token: Token, text: &str) -> bool {
    leading_words(text.get(token.start as usize..).unwrap_or(""), false).take(3).eq(["as", "soon", "as"])
}

/// Whether a token begins the setting `without choices allowed` or `without choices refused` of an `announce` item.
fn begins_setting(token: Token, text: &str) -> bool {
    token.text(text) == "without" && {
        let mut words = leading_words(text.get(token.end as usize..).unwrap_or(""), true);
        words.next() == Some("choices") && matches!(words.next(), Some("allowed" | "refused"))
    }
}

/// The kind of an open bracket.
#[derive(Clone, Copy, PartialEq)]
enum BracketKind {
    /// `{ … }`
    Braces,
    /// `{ - … - … }`
    Modes,
    /// `(…)`, `[…]`
    Parens,
}

/// A significant token, and the first newline between it and the previous one.
#[derive(Clone, Copy)]
struct SignificantToken {
    token: Token,
    newline: Option<u32>,
}

/// Rewrites the text of one item.
///
/// `tokens` are its tokens; the result corresponds to the bytes from the start of the first to the end of the last.
/// `open` are unclosed brackets; they are closed at the end, so that the valid part of an item without its `}` can be parsed.
pub(crate) fn significant_lines(text: &str, tokens: &[Token], open: &[Token]) -> String {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return String::new() };
    let mut out = String::with_capacity((last.end - first.start) as usize + open.len());
    let mut significant: Vec<SignificantToken> = Vec::with_capacity(tokens.len());
    let mut newline = None;
    for token in tokens {
        match token.kind {
            TokenKind::Newline => newline = newline.or(Some(token.start)),
            kind if kind.is_trivia() => {}
            _ => significant.push(SignificantToken { token: *token, newline: newline.take() }),
        }
    }
    let mut stack: Vec<BracketKind> = Vec::new();
    let mut from = first.start;
    for (index, solid) in significant.iter().enumerate() {
        let token = solid.token;
        if token.start > from {
            let at = kept_newline(text, &significant, index, stack.last().copied());
            for byte in from..token.start {
                out.push(if at == Some(byte) { '\n' } else { ' ' });
            }
        }
        match token.kind {
            TokenKind::OpenBrace => {
                let modes = significant.get(index + 1).is_some_and(|next| next.token.kind == TokenKind::Minus);
                stack.push(if modes { BracketKind::Modes } else { BracketKind::Braces });
            }
            TokenKind::OpenParen | TokenKind::OpenBracket => stack.push(BracketKind::Parens),
            kind if kind.closes() => {
                // as in the splitter, a brace closes its block although a `)` is missing in it
                if kind == TokenKind::CloseBrace && stack.iter().any(|inside| *inside != BracketKind::Parens) {
                    while stack.last() == Some(&BracketKind::Parens) {
                        stack.pop();
                    }
                }
                stack.pop();
            }
            _ => {}
        }
        out.push_str(token.text(text));
        from = token.end;
    }
    for token in open.iter().rev() {
        out.push(match token.kind {
            TokenKind::OpenParen => ')',
            TokenKind::OpenBracket => ']',
            _ => '}',
        });
    }
    out
}

/// The offset before the token at `index` that becomes a newline, if one is significant there.
fn kept_newline(text: &str, solids: &[SignificantToken], index: usize, inside: Option<BracketKind>) -> Option<u32> {
    let (solid, previous) = (solids.get(index)?, solids.get(index.checked_sub(1)?)?);
    if inside == Some(BracketKind::Parens) || previous.token.kind == TokenKind::OpenBrace {
        return None;
    }
    let token = solid.token;
    if inside == Some(BracketKind::Modes) && token.kind == TokenKind::Minus {
        let spaced = solids.get(index + 1).is_some_and(|next| next.token.start > token.end);
        return if spaced { Some(token.start - 1) } else { solid.newline };
    }
    let ends = previous.token.kind == TokenKind::CloseBrace;
    if solid.newline.is_none() && !(ends && matches!(token.kind, TokenKind::Word | TokenKind::Quoted | TokenKind::Number)) {
        return None;
    }
    let word = |at: usize, word: &str| solids.get(at).is_some_and(|solid| solid.token.text(text) == word);
    let if_you_do = |at: usize| word(at, "if") && word(at + 1, "you") && word(at + 2, "do");
    if continues_after(previous.token, text)
        || continues_before(token, text)
        || if_you_do(index)
        || index >= 3 && if_you_do(index - 3)
    {
        return None;
    }
    Some(solid.newline.unwrap_or(previous.token.end))
}
