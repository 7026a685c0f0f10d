//! The source formatter: prints the tokens of a text again and changes only white space.
//!
//! Line breaks of the author are kept. Lines are indented by the open brackets around them, runs of empty lines collapse to one, and a block on
//! one line stays there if it fits. A line that is too long is broken after its blocks, else within them; a line without a complete block stays
//! long. A run of blanks between two tokens becomes two blanks, so that authors can group a line
//! (`creature  fire  cost 3`); a single blank stays single.
//!
//! An item that indentation would make longer than an item may be stays as it is, so that what is formatted can be read again.

use crate::item_splitter::{ItemRange, MAX_DEPTH, MAX_ITEM_BYTES, is_item_keyword, item_ranges};
use crate::lexer::{Token, TokenKind, is_blank, tokens};
use crate::newlines::{continues_after, continues_before};

/// The greatest width of a line, in columns. Longer lines are broken at their braces.
const MAX_WIDTH: usize = 120;

/// A line of the source, without white space.
#[derive(Clone, Default)]
struct Line {
    tokens: Vec<SpacedToken>,
    /// An empty line precedes it.
    has_gap: bool,
    /// The author indented the line.
    is_indented: bool,
}

/// A token and the number of blanks before it: 0, 1, or 2 for all higher numbers.
#[derive(Clone, Copy)]
struct SpacedToken {
    token: Token,
    blanks: usize,
}

/// A formatted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormattedText {
    /// The text.
    pub text: String,
    /// The first bytes of the items in the source that were left as they are, since they would be longer than [`MAX_ITEM_BYTES`].
    pub unformatted: Vec<u32>,
}

/// Formats a text. The meaning does not change, and formatting the result again changes nothing.
#[must_use]
pub fn format(text: &str) -> String {
    format_items(text).text
}

/// As [`format()`], with the items that were left as they are.
#[must_use]
pub fn format_items(text: &str) -> FormattedText {
    let formatted = print_tokens(text);
    if formatted.len() <= MAX_ITEM_BYTES {
        return FormattedText { text: formatted, unformatted: Vec::new() };
    }
    let is_large = |item: &ItemRange| (item.end - item.start) as usize > MAX_ITEM_BYTES;
    let printed = item_ranges(&formatted);
    let written = if printed.iter().any(is_large) { item_ranges(text) } else { Vec::new() };
    if written.len() != printed.len() {
        return FormattedText { text: formatted, unformatted: Vec::new() };
    }
    let mut made = FormattedText::default();
    let mut copied = 0;
    for (printed, written) in printed.iter().zip(&written).filter(|(printed, written)| is_large(printed) && !is_large(written)) {
        let before = formatted.get(copied..printed.start as usize);
        let kept = text.get(written.start as usize..written.end as usize);
        made.text.extend(before.into_iter().chain(kept));
        made.unformatted.push(written.start);
        copied = printed.end as usize;
    }
    made.text.push_str(formatted.get(copied..).unwrap_or_default());
    made
}

/// Prints the tokens of a text in their one layout.
fn print_tokens(text: &str) -> String {
    let mut printer = Printer { text, out: String::with_capacity(text.len()), open: Vec::new(), last: None, in_item: false };
    for line in lines(text) {
        printer.line(&line);
    }
    printer.out
}

/// The lines of the source, without empty ones.
fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut line = Line::default();
    let (mut blanks, mut newlines) = (0, 0);
    for token in tokens(text) {
        match token.kind {
            // A byte order mark separates tokens as a blank does, but does not indent a line.
            TokenKind::Blank => {
                blanks += token.text(text).chars().filter(|c| *c != '\u{feff}' || !line.tokens.is_empty()).count();
            }
            TokenKind::Newline => {
                if !line.tokens.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    newlines = 0;
                }
                newlines += 1;
                blanks = 0;
            }
            _ => {
                if line.tokens.is_empty() {
                    line.has_gap = newlines > 1 && !lines.is_empty();
                    line.is_indented = blanks > 0;
                }
                line.tokens.push(SpacedToken { token, blanks: blanks.min(2) });
                blanks = 0;
            }
        }
    }
    if !line.tokens.is_empty() {
        lines.push(line);
    }
    lines
}

/// An open bracket.
#[derive(Clone, Copy)]
struct OpenBracket {
    kind: TokenKind,
    /// The indentation of the lines inside.
    indent: usize,
    /// It contains modes: `{ - … }`.
    modes: bool,
}

struct Printer<'t> {
    text: &'t str,
    out: String,
    open: Vec<OpenBracket>,
    /// The last token printed that is not a comment.
    last: Option<Token>,
    in_item: bool,
}

impl Printer<'_> {
    fn line(&mut self, line: &Line) {
        let Some(first) = line.tokens.first() else { return };
        let first = first.token;
        if first.kind == TokenKind::Word && !line.is_indented && is_item_keyword(first.text(self.text)) {
            // the splitter begins a new item here, even inside of brackets
            self.open.clear();
            self.last = None;
            self.in_item = true;
        }
        let indent = self.indent(line);
        if MAX_WIDTH < indent + self.width(&line.tokens)
            && let Some(parts) = self.break_line(&line.tokens)
        {
            for (index, tokens) in parts.into_iter().enumerate() {
                self.line(&Line { tokens, has_gap: line.has_gap && index == 0, is_indented: line.is_indented || index > 0 });
            }
            return;
        }
        if line.has_gap {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
        let mut previous: Option<Token> = None;
        for (index, piece) in line.tokens.iter().enumerate() {
            let blanks = previous.map_or(0, |previous| blanks_between(previous, *piece));
            self.out.extend(std::iter::repeat_n(' ', blanks));
            let token = piece.token;
            self.out.push_str(printed_text(token, self.text));
            self.track_bracket(token, indent, line.tokens.get(index + 1..).unwrap_or(&[]));
            if !token.kind.is_trivia() {
                self.last = Some(token);
            }
            previous = Some(token);
        }
        self.out.push('\n');
    }

    /// The indentation of a line.
    fn indent(&self, line: &Line) -> usize {
        // closing brackets at the start of a line are aligned with the line that opened them
        let closing = line.tokens.iter().take_while(|piece| piece.token.kind.closes()).count();
        let Some(first) = line.tokens.first().map(|piece| piece.token) else { return 0 };
        if closing > 0 {
            let level = self.open.len().saturating_sub(closing);
            return self.open.get(level).map_or(0, |open| open.indent.saturating_sub(2));
        }
        let indent = self.open.last().map_or(0, |open| open.indent);
        let is_in_parens = self.open.last().is_some_and(|open| open.kind != TokenKind::OpenBrace);
        let comment = first.kind.is_trivia();
        let continues = !comment
            && !is_in_parens
            && !self.last.is_some_and(|last| last.kind == TokenKind::OpenBrace)
            && self.last.is_some_and(|last| continues_after(last, self.text) || continues_before(first, self.text))
            && first.kind != TokenKind::OpenBrace
            && !matches!(first.text(self.text), "then" | "otherwise");
        let in_mode = self.open.last().is_some_and(|open| open.modes) && first.kind != TokenKind::Minus;
        let loose = self.open.is_empty() && self.in_item && line.is_indented && !comment && !self.starts_item(first);
        indent + if continues || in_mode || loose { 2 } else { 0 }
    }

    /// Whether an item keyword at depth 0 begins an item although it is indented.
    fn starts_item(&self, first: Token) -> bool {
        first.kind == TokenKind::Word
            && is_item_keyword(first.text(self.text))
            && !self.last.is_some_and(|last| continues_after(last, self.text))
    }

    /// Updates the open brackets. `rest` are the following tokens of the line.
    fn track_bracket(&mut self, token: Token, indent: usize, rest: &[SpacedToken]) {
        if token.kind.opens() {
            let next = rest.iter().map(|piece| piece.token.kind).find(|kind| !kind.is_trivia());
            let minus = next.map_or_else(|| self.minus_follows(token), |next| next == TokenKind::Minus);
            let modes = token.kind == TokenKind::OpenBrace && minus;
            if self.open.len() <= MAX_DEPTH {
                self.open.push(OpenBracket { kind: token.kind, indent: indent + 2, modes });
            }
        } else if token.kind.closes() {
            let fits = |open: &OpenBracket| {
                matches!(
                    (open.kind, token.kind),
                    (TokenKind::OpenBrace, TokenKind::CloseBrace)
                        | (TokenKind::OpenParen, TokenKind::CloseParen)
                        | (TokenKind::OpenBracket, TokenKind::CloseBracket)
                )
            };
            if self.open.last().is_some_and(fits) {
                self.open.pop();
            } else if token.kind == TokenKind::CloseBrace && self.open.iter().any(fits) {
                while self.open.pop().is_some_and(|open| !fits(&open)) {}
            }
        }
    }

    /// Whether the next token after the line is a `-`.
    fn minus_follows(&self, token: Token) -> bool {
        let is_space = |c: char| is_blank(c) || c == '\n';
        let mut rest = self.text.get(token.end as usize..).unwrap_or("").trim_start_matches(is_space);
        while let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start_matches(is_space);
        }
        rest.starts_with('-') && !rest.starts_with("-=")
    }

    /// The width of the tokens in columns; wide characters take two.
    fn width(&self, pieces: &[SpacedToken]) -> usize {
        let mut width = 0;
        let mut previous = None;
        for piece in pieces {
            width += previous.map_or(0, |previous| blanks_between(previous, *piece));
            width += printed_text(piece.token, self.text).chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum::<usize>();
            previous = Some(piece.token);
        }
        width
    }

    /// Breaks a line that is too long: after its blocks if others follow, else around the contents of its blocks.
    ///
    /// Returns `None` if it has no complete block to break at.
    fn break_line(&self, pieces: &[SpacedToken]) -> Option<Vec<Vec<SpacedToken>>> {
        // a line without a complete block cannot be broken
        let groups = brace_pairs(pieces);
        if groups.is_empty() {
            return None;
        }
        let ends = |at: usize| {
            pieces.get(at + 1).is_some_and(|next| {
                matches!(next.token.kind, TokenKind::Word | TokenKind::Quoted | TokenKind::Number)
                    && !continues_before(next.token, self.text)
            })
        };
        let mut cuts: Vec<usize> = groups.iter().filter(|(_, close)| ends(*close)).map(|(_, close)| close + 1).collect();
        if cuts.is_empty() {
            for (open, close) in groups {
                if open + 1 == close {
                    continue;
                }
                cuts.push(open + 1);
                cuts.extend(self.inner_cuts(pieces, open, close));
                cuts.push(close);
            }
        }
        if cuts.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        let mut rest = pieces;
        let mut done = 0;
        for cut in cuts {
            if cut <= done {
                continue;
            }
            let (part, after) = rest.split_at_checked(cut - done)?;
            parts.push(part.to_vec());
            (rest, done) = (after, cut);
        }
        parts.push(rest.to_vec());
        Some(parts)
    }

    /// The positions where the contents of a block are broken: after `;` and before the `-` of modes.
    fn inner_cuts(&self, pieces: &[SpacedToken], open: usize, close: usize) -> Vec<usize> {
        let modes = pieces.get(open + 1).is_some_and(|piece| piece.token.kind == TokenKind::Minus);
        let (mut cuts, mut depth) = (Vec::new(), 0_usize);
        for at in open + 1..close {
            let Some(piece) = pieces.get(at) else { break };
            let kind = piece.token.kind;
            if kind.opens() {
                depth += 1;
            } else if kind.closes() {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && kind == TokenKind::Semicolon && at + 1 < close {
                cuts.push(at + 1);
            } else if depth == 0
                && modes
                && kind == TokenKind::Minus
                && piece.blanks > 0
                && pieces.get(at + 1).is_some_and(|next| next.blanks > 0)
            {
                cuts.push(at);
            }
        }
        cuts
    }
}

/// The complete outermost pairs of braces of a line.
fn brace_pairs(pieces: &[SpacedToken]) -> Vec<(usize, usize)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        if piece.token.kind.opens() {
            open.push((at, piece.token.kind));
            if open.len() > MAX_DEPTH {
                return Vec::new();
            }
        } else if piece.token.kind.closes() {
            let Some((from, kind)) = open.pop() else { continue };
            if open.is_empty() && kind == TokenKind::OpenBrace && piece.token.kind == TokenKind::CloseBrace {
                found.push((from, at));
            }
        }
    }
    found
}

/// The text of a token, without the trailing blanks of comments.
fn printed_text(token: Token, text: &str) -> &str {
    let written = token.text(text);
    if token.kind.is_trivia() { written.trim_end() } else { written }
}

/// The number of blanks between two tokens of a line. It is fixed next to brackets and before punctuation.
fn blanks_between(before: Token, piece: SpacedToken) -> usize {
    use TokenKind::{
        CloseBrace, CloseBracket, CloseParen, Colon, Comma, Comment, Doc, OpenBrace, OpenBracket, OpenParen, Semicolon,
    };
    match (before.kind, piece.token.kind) {
        (_, Comment | Doc) => piece.blanks.max(1),
        (OpenBrace, _) | (_, CloseBrace | OpenBrace) => 1,
        (OpenParen | OpenBracket, _) | (_, CloseParen | CloseBracket | Comma | Semicolon | Colon) => 0,
        (Comma | Semicolon | Colon, _) => piece.blanks.max(1),
        _ => piece.blanks,
    }
}
