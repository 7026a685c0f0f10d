//! The lossless lexer: every byte of a file belongs to exactly one token, blanks and comments included.

use logos::Logos;

/// Whether a character is one of those of [`TokenKind::Blank`].
#[must_use]
pub fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{3000}' | '\u{a0}' | '\u{feff}')
}

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Blanks within a line, a byte order mark, a lone carriage return.
    #[regex("[ \t\r\u{3000}\u{a0}\u{feff}]+", priority = 2)]
    Blank,
    /// The end of a line.
    #[regex("\r?\n", priority = 3)]
    Newline,
    /// `// …` up to the end of the line.
    #[regex("//[^\n]*", priority = 5, allow_greedy = true)]
    Comment,
    /// `/// …`: documents the item below it.
    #[regex("///", priority = 9)]
    #[regex("///[^/\n][^\n]*", priority = 10, allow_greedy = true)]
    Doc,
    /// `"…"` or `《…》`, on one line.
    #[regex("\"[^\"\n]*\"")]
    #[regex("《[^》\n]*》")]
    Quoted,
    /// A quoted name without its closing quote. It ends with its line.
    #[regex("\"[^\"\n]*", priority = 2, allow_greedy = true)]
    #[regex("《[^》\n]*", priority = 2, allow_greedy = true)]
    UnclosedQuote,
    /// A word of any script, reserved or not.
    #[regex(r"[\p{XID_Start}_]\p{XID_Continue}*")]
    Word,
    /// A whole number.
    #[regex("[0-9]+")]
    Number,
    /// `{2}`, `{U}`, `{W/U}`: one symbol of a price.
    #[regex(r"\{[0-9A-Z/]+\}")]
    Symbol,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
    /// `(`
    #[token("(")]
    OpenParen,
    /// `)`
    #[token(")")]
    CloseParen,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `:`
    #[token(":")]
    Colon,
    /// `.`
    #[token(".")]
    Dot,
    /// `'s`
    #[token("'s")]
    Possessive,
    /// `=`, `+=`, `-=`
    #[token("=")]
    #[token("+=")]
    #[token("-=")]
    Assign,
    /// `==`, `!=`, `<=`, `>=`, `<`, `>`
    #[token("==")]
    #[token("!=")]
    #[token("<=")]
    #[token(">=")]
    #[token("<")]
    #[token(">")]
    Compare,
    /// `-`
    #[token("-")]
    Minus,
    /// `+`, `*`, `/`
    #[token("+")]
    #[token("*")]
    #[token("/")]
    Operator,
    /// Characters that begin no token.
    Error,
}

impl TokenKind {
    /// Blanks, newlines and comments. Only newlines can affect the meaning.
    #[must_use]
    pub fn is_trivia(self) -> bool {
        matches!(self, Self::Blank | Self::Newline | Self::Comment | Self::Doc)
    }

    /// Whether it is `{`, `(` or `[`.
    #[must_use]
    pub fn opens(self) -> bool {
        matches!(self, Self::OpenBrace | Self::OpenParen | Self::OpenBracket)
    }

    /// Whether it is `}`, `)` or `]`.
    #[must_use]
    pub fn closes(self) -> bool {
        matches!(self, Self::CloseBrace | Self::CloseParen | Self::CloseBracket)
    }
}

/// One token: its kind and its byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset one past its last byte.
    pub end: u32,
}

impl Token {
    /// The text of the token. `text` is the whole text that was tokenized.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// The words that a text begins with, up to a token that is none. Blanks do not matter, nor do newlines and comments if `across_lines`.
pub(crate) fn leading_words(text: &str, across_lines: bool) -> impl Iterator<Item = &str> {
    let is_skipped = move |kind: TokenKind| if across_lines { kind.is_trivia() } else { kind == TokenKind::Blank };
    let tokens = TokenKind::lexer(text).spanned().map(|(kind, range)| (kind.unwrap_or(TokenKind::Error), range));
    let words = tokens.filter(move |(kind, _)| !is_skipped(*kind)).take_while(|(kind, _)| *kind == TokenKind::Word);
    words.filter_map(|(_, range)| text.get(range))
}

/// All tokens of a text, without gaps. Bytes beyond 4 GiB are ignored; [`crate::parse_file`] refuses such files.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(text.len() / 3);
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) else { break };
        let kind = kind.unwrap_or(TokenKind::Error);
        match found.last_mut() {
            // neighbouring unknown characters are one token, hence one error
            Some(last) if kind == TokenKind::Error && last.kind == kind => last.end = end,
            // a gap contains characters that the lexer skipped
            Some(last) if last.end < start => {
                let from = last.end;
                found.push(Token { kind: TokenKind::Error, start: from, end: start });
                found.push(Token { kind, start, end });
            }
            _ => found.push(Token { kind, start, end }),
        }
    }
    found
}

/// The reserved words of the language, sorted.
pub const RESERVED: [&str; 56] = [
    "active",
    "all",
    "and",
    "any",
    "as",
    "at",
    "bottom",
    "by",
    "cannot",
    "count",
    "each",
    "false",
    "for",
    "from",
    "gets",
    "has",
    "highest",
    "if",
    "in",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "let",
    "lowest",
    "may",
    "no",
    "not",
    "of",
    "onto",
    "opponent",
    "or",
    "other",
    "otherwise",
    "random",
    "some",
    "sum",
    "target",
    "that",
    "then",
    "this",
    "to",
    "top",
    "true",
    "under",
    "until",
    "up",
    "when",
    "whenever",
    "while",
    "with",
    "without",
    "would",
    "you",
    "your",
];

/// Whether a word is reserved.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}
