//! Splits the token stream of a file into top-level items, so that one broken item never hides the next.
//!
//! An item begins with an item keyword at the left edge, or at the start of a line outside of brackets. Misspelt keywords at the left edge are
//! recognised. Brackets are matched per item; an item with unclosed brackets is parsed as if they were closed at its end.

use crate::error::{SyntaxError, SyntaxErrorKind, nearest};
use crate::hidden_characters::{escape_hidden_with, first_hidden};
use crate::lexer::{Token, TokenKind, tokens};
use crate::span::Span;

/// The keywords that begin an item, sorted.
pub const ITEM_KEYWORDS: [&str; 43] = [
    "action",
    "announce",
    "ban",
    "card",
    "constant",
    "deck",
    "evaluate",
    "foreign",
    "format",
    "function",
    "global",
    "keyword",
    "kind",
    "layers",
    "layout",
    "match",
    "noun",
    "pack",
    "pair",
    "payment",
    "play",
    "player",
    "players",
    "position",
    "property",
    "relation",
    "renamed",
    "restrict",
    "rule",
    "scenario",
    "setup",
    "stage",
    "state",
    "status",
    "symbol",
    "text",
    "timing",
    "token",
    "traits",
    "treat",
    "turn",
    "unlabelled",
    "zone",
];

/// The deepest nesting of braces, brackets and parentheses that is parsed.
pub const MAX_DEPTH: usize = 64;

/// The greatest length of an item in bytes. The parser needs several hundred bytes of memory for each.
pub const MAX_ITEM_BYTES: usize = 256 << 10;

/// The most errors of a file that are kept. What follows is not read: text in which one byte out of fifty is an error is no source.
pub const MAX_ERRORS: usize = 20_000;

/// Whether a word begins an item.
#[must_use]
pub fn is_item_keyword(word: &str) -> bool {
    ITEM_KEYWORDS.binary_search(&word).is_ok()
}

/// The position and the bracket structure of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRange {
    /// First byte of its doc comment, or of its keyword if it has none.
    pub docs_start: u32,
    /// First byte of its keyword.
    pub start: u32,
    /// One past its last significant token.
    pub end: u32,
    /// Its tokens, as indices into the tokens of the file. The first is its keyword.
    pub tokens: std::ops::Range<usize>,
    /// The text of its doc comment without `///`.
    pub docs: String,
    /// The brackets that are not closed, outermost first.
    pub open: Vec<Token>,
    /// The deepest nesting of its brackets.
    pub depth: usize,
    /// It is nested too deeply or too long to be parsed; an error was reported.
    pub unparseable: bool,
    /// The keyword that was probably meant, if its first word is no item keyword.
    pub intended_keyword: Option<&'static str>,
    /// It is only assumed to be a card, by its quoted name and its block. Only its name is used.
    pub guessed: bool,
}

/// The tokens and items of a file.
#[derive(Clone, Debug, Default)]
pub struct SplitFile {
    /// All tokens of the file.
    pub tokens: Vec<Token>,
    /// Its items, in source order.
    pub items: Vec<ItemRange>,
    /// Errors that can be found from tokens alone, between and inside of items, by their spans.
    pub errors: Vec<SyntaxError>,
}

impl SplitFile {
    /// The errors that can touch a range of bytes: those that begin in it, and the one before.
    #[must_use]
    pub fn errors_near(&self, start: u32, end: u32) -> &[SyntaxError] {
        let first = self.errors.partition_point(|error| error.span.start < start).saturating_sub(1);
        let last = self.errors.partition_point(|error| error.span.start <= end);
        self.errors.get(first..last).unwrap_or(&[])
    }
}

/// The items of a text, for editors that parse only changed items again.
#[must_use]
pub fn item_ranges(text: &str) -> Vec<ItemRange> {
    split(0, text).items
}

/// Splits a text into tokens and items. `file` is the number for spans of errors.
#[must_use]
pub fn split(file: u32, text: &str) -> SplitFile {
    let tokens = tokens(text);
    if let Some(error) = crate::foreign_files::foreign_file(file, text) {
        return SplitFile { tokens, items: Vec::new(), errors: vec![error] };
    }
    let mut splitter = Splitter {
        file,
        text,
        out: SplitFile::default(),
        errors: 0,
        item: None,
        unattached_text: None,
        stray_depth: 0,
        docs: PendingDocs::default(),
        indent: 0,
        line_offset: 0,
        indents: Vec::new(),
        misindented_close: None,
    };
    splitter.run(&tokens);
    splitter.out.tokens = tokens;
    splitter.out.errors.sort_by_key(|error| error.span);
    splitter.out
}

/// Doc comments since the last significant token.
#[derive(Default)]
struct PendingDocs {
    start: Option<u32>,
    /// One past the last byte of its first line.
    end: u32,
    text: String,
    newlines: usize,
}

struct Splitter<'t> {
    file: u32,
    text: &'t str,
    out: SplitFile,
    /// The number of errors; comments without an item are none.
    errors: usize,
    item: Option<ItemRange>,
    /// Text outside of any item: its first token, and one past its last byte.
    unattached_text: Option<(Token, u32)>,
    /// The number of brackets that are open in it.
    stray_depth: usize,
    docs: PendingDocs,
    /// The indentation of the current line, in bytes.
    indent: u32,
    line_offset: u32,
    /// For each open bracket of the item, the indentation of its line.
    indents: Vec<u32>,
    /// The first bracket whose closing brace is indented less than the line of the bracket.
    misindented_close: Option<Token>,
}

impl Splitter<'_> {
    fn run(&mut self, tokens: &[Token]) {
        // the last significant token, and whether a newline follows it
        let mut last: Option<Token> = None;
        let mut line_start = true;
        let mut column_zero = true;
        for (index, token) in tokens.iter().enumerate() {
            if self.errors == MAX_ERRORS {
                self.error(token.start, token.end, SyntaxErrorKind::TooManyErrors { limit: MAX_ERRORS }, None);
                // Its end is not read.
                self.item.iter_mut().for_each(|item| item.unparseable = true);
                break;
            }
            match token.kind {
                TokenKind::Newline => {
                    line_start = true;
                    column_zero = true;
                    self.line_offset = token.end;
                    self.newline();
                    continue;
                }
                TokenKind::Blank => {
                    // a byte order mark is not indentation
                    column_zero &= token.start == 0 && token.text(self.text) == "\u{feff}";
                    continue;
                }
                TokenKind::Comment => {
                    self.docs.newlines = 0;
                    continue;
                }
                TokenKind::Doc => {
                    self.add_doc_line(token);
                    continue;
                }
                _ => {}
            }
            if line_start {
                self.indent = token.start - self.line_offset;
            }
            self.significant(index, tokens, last, line_start, column_zero);
            self.docs = PendingDocs::default();
            last = Some(*token);
            line_start = false;
            column_zero = false;
        }
        self.report_loose_docs();
        self.close_item();
        self.close_stray();
    }

    /// Reports doc comments between items that no item follows. At the head of a file they describe the file.
    fn report_loose_docs(&mut self) {
        let first = self.item.is_none() && self.out.items.is_empty();
        let between = !first && self.item.as_ref().is_none_or(|item| item.open.is_empty());
        if let Some(start) = self.docs.start.filter(|_| between) {
            let help = "write it directly above its item; other comments begin with `//`";
            self.error(start, self.docs.end, SyntaxErrorKind::LooseDocs, Some(help.to_owned()));
        }
    }

    fn newline(&mut self) {
        self.docs.newlines += 1;
        if self.docs.newlines > 1 {
            self.report_loose_docs();
            self.docs = PendingDocs { newlines: self.docs.newlines, ..PendingDocs::default() };
        }
    }

    fn add_doc_line(&mut self, token: &Token) {
        let line = token.text(self.text).trim_start_matches('/');
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        if self.docs.start.is_some() {
            self.docs.text.push('\n');
        } else {
            self.docs.start = Some(token.start);
            self.docs.end = token.start + token.text(self.text).trim_end().len() as u32;
        }
        self.docs.text.push_str(line);
        self.docs.newlines = 0;
    }

    fn significant(&mut self, index: usize, tokens: &[Token], last: Option<Token>, line_start: bool, column_zero: bool) {
        let Some(token) = tokens.get(index).copied() else { return };
        let depth = self.item.as_ref().map_or(0, |item| item.open.len());
        // the tests below are skipped where no item can begin
        let head = column_zero || line_start && depth == 0;
        let word = head && token.kind == TokenKind::Word && is_item_keyword(token.text(self.text));
        let continues = head && last.is_some_and(|last| crate::newlines::continues_after(last, self.text));
        let intended = if column_zero && !word && depth == 0 && self.stray_depth == 0 && !continues {
            self.intended_keyword_of(token, index, tokens)
        } else {
            None
        };
        if intended.is_some() || word && (column_zero || line_start && depth == 0 && (self.item.is_none() || !continues)) {
            self.close_item();
            self.close_stray();
            let guessed = intended.is_some_and(|(_, guessed)| guessed);
            let meant = intended.map(|(meant, _)| meant);
            if meant.is_some() {
                self.report_unknown_item(token, if guessed { None } else { meant }, guessed);
            }
            self.item = Some(ItemRange {
                docs_start: self.docs.start.unwrap_or(token.start),
                start: token.start,
                end: token.end,
                tokens: index..index + 1,
                docs: std::mem::take(&mut self.docs.text),
                open: Vec::new(),
                depth: 0,
                unparseable: false,
                intended_keyword: meant,
                guessed,
            });
            return;
        }
        let begins_unknown_item = matches!(token.kind, TokenKind::Word | TokenKind::Quoted)
            && column_zero
            && depth == 0
            && !continues
            && !crate::newlines::continues_before(token, self.text);
        if begins_unknown_item {
            self.close_item();
            if self.stray_depth == 0 && last.is_some_and(|last| last.kind == TokenKind::CloseBrace) {
                self.close_stray();
            }
        }
        self.report_unknown_characters(token);
        let is_card = |item: &ItemRange| {
            ["card", "token"].iter().any(|word| self.text.get(item.start as usize..).is_some_and(|text| text.starts_with(word)))
        };
        let symbol = if self.item.as_ref().is_some_and(is_card) {
            unclosed_symbol(self.text, tokens.get(index..).unwrap_or(&[]))
        } else {
            None
        };
        if let Some(symbol) = &symbol {
            let help = Some(format!("a price symbol ends with `}}`: `{{{symbol}}}`"));
            self.error(
                token.start,
                token.end + symbol.len() as u32,
                SyntaxErrorKind::UnclosedSymbol { symbol: symbol.into() },
                help,
            );
        }
        if let Some(item) = &mut self.item {
            item.end = token.end;
            item.tokens.end = index + 1;
            if symbol.is_none() {
                self.track_bracket(token, line_start);
            }
        } else {
            let first = self.unattached_text.map_or(token, |(first, _)| first);
            self.unattached_text = Some((first, token.end));
            if token.kind.opens() {
                self.stray_depth += 1;
            } else if token.kind.closes() {
                self.stray_depth = self.stray_depth.saturating_sub(1);
            }
        }
    }

    /// The item keyword that a word at the left edge was probably meant to be, and whether it is only a guess.
    ///
    /// A misspelt keyword must be followed by a name of the right kind. Any word before a quoted name and a block is guessed to be `card`.
    fn intended_keyword_of(&self, token: Token, index: usize, tokens: &[Token]) -> Option<(&'static str, bool)> {
        if token.kind != TokenKind::Word {
            return None;
        }
        let mut solid = tokens.get(index + 1..)?.iter().filter(|next| next.kind != TokenKind::Blank);
        let (next, behind) = (solid.next()?, solid.next());
        if !matches!(next.kind, TokenKind::Quoted | TokenKind::Word) {
            return None;
        }
        let Some(word) = nearest_keyword(token.text(self.text)) else {
            // keywords inside of items that precede names of cards
            let known = matches!(token.text(self.text), "errata" | "face" | "back" | "ban" | "restrict");
            let card =
                next.kind == TokenKind::Quoted && behind.is_some_and(|behind| behind.kind == TokenKind::OpenBrace) && !known;
            return card.then_some(("card", true));
        };
        // these items have quoted names; all others have words as names
        let fits = match next.kind {
            TokenKind::Quoted => matches!(word, "card" | "token" | "deck" | "scenario" | "stage"),
            TokenKind::Word => !matches!(word, "card" | "token" | "deck" | "scenario" | "stage"),
            _ => false,
        };
        fits.then_some((word, false))
    }

    /// Updates the open brackets of the item.
    fn track_bracket(&mut self, token: Token, line_start: bool) {
        let Some(item) = &mut self.item else { return };
        if item.unparseable {
            return;
        }
        if token.kind.opens() {
            item.open.push(token);
            item.depth = item.depth.max(item.open.len());
            self.indents.push(self.indent);
            if item.open.len() > MAX_DEPTH {
                item.unparseable = true;
                item.open.clear();
                self.error(
                    token.start,
                    token.end,
                    SyntaxErrorKind::TooDeep { limit: MAX_DEPTH },
                    Some(crate::error::NESTING_HELP.to_owned()),
                );
            }
        } else if token.kind.closes() {
            let fits = |open: &Token| {
                matches!(
                    (open.kind, token.kind),
                    (TokenKind::OpenBrace, TokenKind::CloseBrace)
                        | (TokenKind::OpenParen, TokenKind::CloseParen)
                        | (TokenKind::OpenBracket, TokenKind::CloseBracket)
                )
            };
            if item.open.last().is_some_and(fits) {
                let open = item.open.pop();
                if line_start && self.indents.last().is_some_and(|indent| *indent > self.indent) {
                    self.misindented_close = self.misindented_close.or(open);
                }
            } else if token.kind == TokenKind::CloseBrace && item.open.iter().any(fits) {
                // a `)` or `]` is missing: the brace closes its block nevertheless
                while item.open.pop().is_some_and(|open| !fits(&open)) {}
            }
            self.indents.truncate(item.open.len());
        }
    }

    /// Whether an apostrophe is that of `can't`.
    fn is_cannot(&self, mark: Token) -> bool {
        let (before, after) = (self.text.get(..mark.start as usize), self.text.get(mark.end as usize..));
        before.is_some_and(|text| text.ends_with("can") && !text.ends_with("_can"))
            && after.is_some_and(|text| text.starts_with("t "))
    }

    fn report_unknown_characters(&mut self, token: Token) {
        match token.kind {
            TokenKind::UnclosedQuote => {
                let quote = if token.text(self.text).starts_with('"') { "\"" } else { "》" };
                let help = format!("close it with `{quote}` on the same line");
                self.error(token.start, token.end, SyntaxErrorKind::UnclosedString, Some(help));
            }
            TokenKind::Quoted | TokenKind::Word => {
                if let Some((at, character)) = first_hidden(token.text(self.text)) {
                    let start = token.start + at as u32;
                    let end = start + character.len_utf8() as u32;
                    let help = "remove it: it shows nothing, or changes how the text around it is shown".to_owned();
                    self.error(start, end, SyntaxErrorKind::HiddenCharacter { character }, Some(help));
                }
            }
            TokenKind::Error => {
                let text = token.text(self.text);
                let help = match text.chars().next() {
                    Some(
                        '“' | '”' | '„' | '‟' | '「' | '『' | '」' | '』' | '≪' | '≫' | '«' | '»' | '〈' | '〉' | '【' | '】',
                    ) => Some("write names in straight quotes `\"…\"` or in `《…》`".to_owned()),
                    Some('\'' | '’') if self.is_cannot(token) => Some("write `cannot`".to_owned()),
                    Some('\'') => Some("write names in `\"…\"`; `'s` marks possession: `opponent's hand`".to_owned()),
                    Some('、') => Some("leave it out, or write the half-width `,`".to_owned()),
                    Some('。') => Some("leave it out: a statement ends with its line, or with `;`".to_owned()),
                    Some(wide @ '！'..='～') if !wide.is_alphanumeric() => {
                        let narrow = char::from_u32(u32::from(wide) - 0xFEE0).unwrap_or(wide);
                        Some(format!("write the half-width `{narrow}`"))
                    }
                    Some('&' | '|') => Some("conditions are joined by `and` and `or`".to_owned()),
                    Some('０'..='９') => Some("write half-width digits: `0` to `9`".to_owned()),
                    Some('\\') => Some("a text in `\"…\"` cannot contain `\"`: write it in `《…》`".to_owned()),
                    Some('≤') => Some("write `<=`".to_owned()),
                    Some('≥') => Some("write `>=`".to_owned()),
                    Some('≠') => Some("write `!=`".to_owned()),
                    Some('×') => Some("write `*`".to_owned()),
                    Some('−' | '–' | '—') => Some("write `-`".to_owned()),
                    Some('!') => Some("`not` negates, `!=` compares".to_owned()),
                    Some('#') => Some("a comment begins with `//`".to_owned()),
                    Some('%') => Some("percentages and remainders are not supported; `a / b rounded down` divides".to_owned()),
                    Some(c) if !c.is_ascii() => Some("leave it out, or write names in quotes: `\"…\"`".to_owned()),
                    _ => None,
                };
                let shown: String = text.chars().take(20).collect();
                let shown = escape_hidden_with(&shown, |hidden| format!("U+{:04X}", u32::from(hidden)));
                self.error(token.start, token.end, SyntaxErrorKind::UnknownCharacter { text: shown.as_ref().into() }, help);
            }
            _ => {}
        }
    }

    /// `card "NAME"` of a card whose name a bracket follows.
    fn name_of_card(&self, item: &ItemRange) -> Option<&str> {
        let open = item.open.first()?;
        let head = self.text.get(item.start as usize..open.start as usize)?.trim_end();
        let is_card = head.starts_with("card ") || head.starts_with("token ");
        (is_card && !head.contains(['{', '\n'])).then_some(head)
    }

    fn close_item(&mut self) {
        let Some(mut item) = self.item.take() else { return };
        let unclosed = self.likely_unclosed(&item);
        if !item.unparseable && (item.end - item.start) as usize > MAX_ITEM_BYTES {
            item.unparseable = true;
            item.open.clear();
            let keyword = keyword_end(self.text, &item);
            let help = "write it as several items".to_owned();
            self.error(item.start, keyword, SyntaxErrorKind::ItemTooLarge { limit: MAX_ITEM_BYTES }, Some(help));
        }
        if !item.unparseable
            && let Some(open) = unclosed
        {
            let (bracket, close) = match open.kind {
                TokenKind::OpenParen => ("(", ")"),
                TokenKind::OpenBracket => ("[", "]"),
                _ => ("{", "}"),
            };
            let is_head = item.open.first() == Some(&open) && open.kind != TokenKind::OpenBrace;
            let help = match self.name_of_card(&item).filter(|_| is_head) {
                Some(head) => format!("write its contents in braces: `{head} {{ … }}`"),
                None => format!("add the missing `{close}`"),
            };
            self.error(open.start, open.end, SyntaxErrorKind::UnclosedBrace { open: bracket.into() }, Some(help));
        }
        self.out.items.push(item);
    }

    /// The open bracket whose closing brace is most likely missing: the one with a misindented `}`, else the innermost.
    fn likely_unclosed(&mut self, item: &ItemRange) -> Option<Token> {
        self.indents.clear();
        let misindented = self.misindented_close.take();
        item.open.last().copied().map(|last| misindented.unwrap_or(last))
    }

    fn close_stray(&mut self) {
        let Some((first, end)) = self.unattached_text.take() else { return };
        self.stray_depth = 0;
        if first.kind == TokenKind::Word {
            let meant = nearest_keyword(first.text(self.text));
            self.report_unknown_item(first, meant, false);
        // unknown characters were reported already
        } else if !matches!(first.kind, TokenKind::Error | TokenKind::UnclosedQuote) {
            let text = first.text(self.text);
            let help = match first.kind {
                TokenKind::CloseBrace => Some("remove the extra `}` here or above".to_owned()),
                _ if matches!(text, "/" | "-" | "*") => Some("a comment begins with `//`".to_owned()),
                TokenKind::Quoted => Some(format!("a card begins with its keyword: `card {text} {{ … }}`")),
                _ => None,
            };
            self.error(first.start, end.min(first.end.max(first.start + 1)), SyntaxErrorKind::StrayText, help);
        }
    }

    /// Reports a word at the left edge that begins no item. `meant`: the keyword that is nearest to it. `card`: it is followed by the name and
    /// block of a card.
    fn report_unknown_item(&mut self, first: Token, meant: Option<&'static str>, card: bool) {
        let text = first.text(self.text);
        let help = match meant {
            Some(word) => format!("did you mean `{word}`?"),
            None if card => "every card begins with `card`: `card \"NAME\" { … }`".to_owned(),
            None if matches!(text, "does" | "defines" | "when" | "whenever" | "while" | "activated" | "always" | "if" | "at") => {
                "abilities belong inside `card`, `keyword` or `rule`; remove the extra `}` above".to_owned()
            }
            None => "an item begins with a keyword such as `card`, `rule`, `action` or `format`".to_owned(),
        };
        self.error(first.start, first.end, SyntaxErrorKind::UnknownItem { word: text.into() }, Some(help));
    }

    fn error(&mut self, start: u32, end: u32, kind: SyntaxErrorKind, help: Option<String>) {
        self.errors += usize::from(!matches!(kind, SyntaxErrorKind::LooseDocs));
        self.out.errors.push(SyntaxError { span: Span { file: self.file, start, end }, kind, help });
    }
}

/// The item keyword that is nearest to a word.
fn nearest_keyword(word: &str) -> Option<&'static str> {
    nearest(&word.to_lowercase(), ITEM_KEYWORDS.into_iter())
}

/// One past the last byte of the first word of an item.
fn keyword_end(text: &str, item: &ItemRange) -> u32 {
    let written = text.get(item.start as usize..item.end as usize).unwrap_or("");
    item.start + written.find(|c: char| !c.is_alphanumeric()).unwrap_or(written.len()) as u32
}

/// The text of an unclosed price symbol: `R` of `{R{R}` and `{R power`, up to two capitals and digits directly after a brace.
fn unclosed_symbol(text: &str, tokens: &[Token]) -> Option<String> {
    let [brace, next, behind, ..] = tokens else { return None };
    let symbol = next.text(text);
    let fits = symbol.len() <= 2 && symbol.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let continues = matches!(
        behind.kind,
        TokenKind::Comma | TokenKind::Colon | TokenKind::Dot | TokenKind::Possessive | TokenKind::OpenParen
    );
    (brace.kind == TokenKind::OpenBrace && fits && !continues).then(|| symbol.to_owned())
}
