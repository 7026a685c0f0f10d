//! The context of a completion: the place of the cursor by the grammar, and what the names of the game say about it.

use super::expected::{Expected, expected_at_place};
use super::operand_type::TokenReader;
use fizzle_compiler::session::Game;
use fizzle_grammar::item_splitter::is_item_keyword;
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use fizzle_grammar::place::{Place, place_at_end};
use fizzle_runtime::ir::TraitSetId;
use smol_str::SmolStr;
use std::ops::Range;

/// Only this much text before the cursor is searched for the start of its item.
const MAX_ITEM_BYTES: usize = fizzle_grammar::item_splitter::MAX_ITEM_BYTES;

/// The context of a completion.
#[derive(Debug)]
pub struct Context {
    /// What is expected at the cursor, best first.
    pub expected: Vec<Expected>,
    /// The bytes that a chosen item replaces: the word or quoted name under the cursor.
    pub replaced_range: Range<u32>,
    /// The opening quote, if the cursor is in an unclosed quoted name.
    pub opening_quote: Option<char>,
    /// Local names that are bound before the cursor in the same item.
    pub locals: Vec<SmolStr>,
    /// Words of event patterns before the cursor. Those that are verbs bring the parameters of their action into scope.
    pub events: Vec<SmolStr>,
    /// The keyword of the item.
    pub item: SmolStr,
}

impl Context {
    /// The context at a byte of a text; `None` in comments.
    pub fn at(text: &str, byte: u32, game: Option<&Game<'_>>) -> Option<Self> {
        let start = item_start(text, byte)?;
        let slice = text.get(start as usize..byte as usize)?;
        let all = tokens(slice);
        let last = all.last().copied();
        if last.is_some_and(|token| matches!(token.kind, TokenKind::Comment | TokenKind::Doc)) {
            return None;
        }
        let typed = last.filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::UnclosedQuote));
        let mut end = byte;
        if let Some(token) = typed {
            // The rest of the word or name after the cursor is replaced, too.
            let rest = text.get(byte as usize..).unwrap_or("");
            end += match token.kind {
                TokenKind::Word => tokens(rest)
                    .first()
                    .filter(|next| matches!(next.kind, TokenKind::Word | TokenKind::Number))
                    .map_or(0, |next| next.end),
                _ => {
                    let close = if token.text(slice).starts_with('"') { '"' } else { '》' };
                    let line = rest.lines().next().unwrap_or("");
                    line.find(close)
                        .filter(|at| !line.get(..*at).is_some_and(|between| between.contains(['"', '《'])))
                        .map_or(0, |at| (at + close.len_utf8()) as u32)
                }
            };
        }
        let replaced_range = typed.map_or(byte, |token| start + token.start)..end;
        let mut before: Vec<Token> = all.into_iter().filter(|token| !token.kind.is_trivia()).collect();
        if typed.is_some() {
            before.pop();
        }
        let reader = TokenReader { text: slice, tokens: before };
        let names = game.map(|game| &game.names);
        let (locals, events) = collect_bound_names(&reader);
        let quoted = typed.is_some_and(|token| token.kind == TokenKind::UnclosedQuote);
        let expected = if quoted {
            let set = names.and_then(|names| names.traits_id(reader.word_before(0))).map(TraitSetId::index);
            vec![Expected::Quoted(set)]
        } else {
            let place: Place = place_at_end(slice.get(..typed.map_or(slice.len(), |token| token.start as usize))?);
            expected_at_place(&place, &reader, names)
        };
        let item = reader.tokens.first().map_or_else(SmolStr::default, |token| SmolStr::new(token.text(slice)));
        let opening_quote = typed.filter(|_| quoted).and_then(|token| token.text(slice).chars().next());
        Some(Self { expected, replaced_range, opening_quote, locals, events, item })
    }
}

/// The start of the last line, at or before a byte, that begins an item; `None` if there is none within the length of an item.
pub fn item_start(text: &str, byte: u32) -> Option<u32> {
    let mut end = byte as usize;
    while byte as usize - end <= MAX_ITEM_BYTES {
        let before = text.get(..end).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = text.get(start..byte as usize).unwrap_or("");
        let word: String = line.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
        // A keyword that ends at the cursor is still being typed and does not begin an item.
        if is_item_keyword(&word) && start + word.len() < byte as usize || start == 0 {
            return Some(start as u32);
        }
        end = start - 1;
    }
    None
}

/// Collects the names that `let`, `as`, `for each` and parameters bind, and the words that follow `when` and `whenever`.
fn collect_bound_names(reader: &TokenReader<'_>) -> (Vec<SmolStr>, Vec<SmolStr>) {
    let mut locals = Vec::new();
    let mut events = Vec::new();
    let text = |index: usize| reader.tokens.get(index).map_or("", |token| token.text(reader.text));
    let is_word = |index: usize| reader.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Word);
    for index in 0..reader.tokens.len() {
        let binds = match text(index) {
            // a value cannot use the name that it gets
            "let" => is_word(index + 1) && index + 3 < reader.tokens.len(),
            "as" => is_word(index + 1),
            "each" => is_word(index + 1) && text(index + 2) == "in",
            _ => false,
        };
        if binds {
            locals.push(SmolStr::new(text(index + 1)));
        }
        if text(index) == ":"
            && index > 0
            && is_word(index - 1)
            && is_word(index + 1)
            && !matches!(text(0), "scenario" | "stage" | "layout")
        {
            locals.push(SmolStr::new(text(index - 1)));
        }
        if matches!(text(index), "when" | "whenever") {
            events.extend(
                (index + 1..(index + 8).min(reader.tokens.len())).filter(|at| is_word(*at)).map(|at| SmolStr::new(text(at))),
            );
        }
    }
    locals.sort_unstable();
    locals.dedup();
    (locals, events)
}
