//! The context of a completion: what the grammar and the types expect at the cursor.
//!
//! It is derived from the tokens of the item before the cursor, not from the syntax tree, because text that is being typed rarely parses.

use crate::resolve::{find_action, meaning_kind};
use fizzle_compiler::names::{Meaning, NameTable};
use fizzle_compiler::session::Game;
use fizzle_compiler::settings;
use fizzle_grammar::item_splitter::is_item_keyword;
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use fizzle_grammar::visit::DeclKind;
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use fizzle_runtime::ir::{TraitSetId, Type};
use smol_str::SmolStr;
use std::ops::Range;

/// A class of text that may come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// An item.
    Item,
    /// A printed word, property or keyword of a card.
    Fact,
    /// An ability.
    Ability,
    /// A statement.
    Statement,
    /// A value of the given type, or of any type.
    Value(Option<Type>),
    /// A noun, after a number or `each`.
    Noun,
    /// A word after `is`: a noun, trait word, bool status.
    Quality,
    /// A keyword or trait word, after `has` and `without`.
    Keyword,
    /// A zone, property, status or player variable, after a possessive (`your`, `its`, `'s`).
    Possession(Option<Type>),
    /// A property, status, trait set or keyword of the candidate, after `with`.
    Condition,
    /// A change, after `gets`.
    Change,
    /// A verb in the third person, in an event pattern.
    Event,
    /// The subject of an event pattern.
    Subject,
    /// A name between quotes: a word of the trait set with this index, or a card.
    Quoted(Option<usize>),
    /// Names of declarations of these kinds.
    Declared(Vec<DeclKind>),
    /// The next part of a path, after these parts (joined by dots).
    Path(String),
    /// A type.
    Type,
    /// One of these words.
    Words(&'static [&'static str]),
}

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
}

struct TokenReader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> TokenReader<'t> {
    fn word_before(&self, back: usize) -> &'t str {
        let index = self.tokens.len().checked_sub(back + 1);
        index.and_then(|index| self.tokens.get(index)).map_or("", |token| token.text(self.text))
    }

    fn kind_before(&self, back: usize) -> Option<TokenKind> {
        let index = self.tokens.len().checked_sub(back + 1)?;
        self.tokens.get(index).map(|token| token.kind)
    }
}

impl Context {
    /// The context at a byte of a text; `None` in comments.
    pub fn at(text: &str, byte: u32, game: Option<&Game<'_>>) -> Option<Self> {
        let start = item_start(text, byte);
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
        let mut before: Vec<Token> =
            all.into_iter().filter(|token| !token.kind.is_trivia() || token.kind == TokenKind::Newline).collect();
        if typed.is_some() {
            before.pop();
        }
        // A trailing newline shows that the cursor begins a line; all other newlines are dropped.
        let is_line_start = before.last().is_none_or(|token| token.kind == TokenKind::Newline);
        let solid: Vec<Token> = before.iter().copied().filter(|token| token.kind != TokenKind::Newline).collect();
        let reader = TokenReader { text: slice, tokens: solid };
        let names = game.map(|game| &game.names);
        let (locals, events) = collect_bound_names(&reader);
        let quoted = typed.is_some_and(|token| token.kind == TokenKind::UnclosedQuote);
        let expected = expected_at_cursor(&reader, names, quoted, is_line_start);
        let opening_quote = typed.filter(|_| quoted).and_then(|token| token.text(slice).chars().next());
        Some(Self { expected, replaced_range, opening_quote, locals, events })
    }
}

/// The start of the last line, at or before a byte, that begins an item.
fn item_start(text: &str, byte: u32) -> u32 {
    let mut end = byte as usize;
    loop {
        let before = text.get(..end).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = text.get(start..byte as usize).unwrap_or("");
        let word: String = line.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
        // A keyword that ends at the cursor is still being typed and does not begin an item.
        if is_item_keyword(&word) && start + word.len() < byte as usize || start == 0 {
            return start as u32;
        }
        end = start - 1;
    }
}

/// Collects the names that `let`, `as`, `for each` and parameters bind, and the words that follow `when` and `whenever`.
fn collect_bound_names(reader: &TokenReader<'_>) -> (Vec<SmolStr>, Vec<SmolStr>) {
    let mut locals = Vec::new();
    let mut events = Vec::new();
    let text = |index: usize| reader.tokens.get(index).map_or("", |token| token.text(reader.text));
    let is_word = |index: usize| reader.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Word);
    for index in 0..reader.tokens.len() {
        let binds = match text(index) {
            "let" | "as" => is_word(index + 1),
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

/// The header words of each open brace, outermost first.
fn open_braces<'t>(reader: &TokenReader<'t>) -> Vec<Vec<&'t str>> {
    let mut open: Vec<Vec<&str>> = Vec::new();
    let mut header: Vec<&str> = Vec::new();
    for token in &reader.tokens {
        match token.kind {
            TokenKind::OpenBrace => open.push(std::mem::take(&mut header)),
            TokenKind::CloseBrace => {
                open.pop();
                header.clear();
            }
            TokenKind::Semicolon => header.clear(),
            _ => header.push(token.text(reader.text)),
        }
    }
    open
}

const TURN_POINTS: &[&str] = &["end of turn", "end of your next turn", "start of your next turn", "start of", "end of"];

fn expected_at_cursor(reader: &TokenReader<'_>, names: Option<&NameTable<'_>>, quoted: bool, fresh_line: bool) -> Vec<Expected> {
    let last = reader.word_before(0);
    if quoted {
        let set = names.and_then(|names| names.traits_id(last)).map(TraitSetId::index);
        return vec![Expected::Quoted(set)];
    }
    if last == "." {
        return vec![Expected::Path(path_before_dot(reader))];
    }
    let open = open_braces(reader);
    if open.is_empty() && (reader.tokens.is_empty() || fresh_line && matches!(reader.kind_before(0), Some(TokenKind::CloseBrace)))
    {
        return vec![Expected::Item];
    }
    if reader.tokens.first().is_some_and(|token| token.text(reader.text) == "kind") && !fresh_line {
        return match last {
            "kind" | "not" | "or" => vec![Expected::Fact],
            "," | "prints" => vec![Expected::Fact, Expected::Words(&["not"])],
            _ => vec![Expected::Words(&["prints", "or", "not"])],
        };
    }
    let layout = open.iter().position(|header| header.contains(&"layout")).or_else(|| {
        let is_layout = reader.tokens.first().is_some_and(|token| token.text(reader.text) == "layout");
        (is_layout && !open.is_empty()).then_some(0)
    });
    if let Some(layout) = layout
        && let Some(found) = expected_in_layout(reader, open.get(layout..).unwrap_or(&[]), fresh_line)
    {
        return found;
    }
    if let Some(found) = expected_after_word(reader, names) {
        return found;
    }
    let begins = fresh_line || matches!(last, "{" | ";" | "}" | "then" | "and" | "-");
    let item = open.first().map_or("", |header| first_word(header));
    let header = open.last().map(Vec::as_slice).unwrap_or(&[]);
    if open.is_empty() {
        return if fresh_line { vec![Expected::Item] } else { expected_in_header(reader) };
    }
    match (item, open.len()) {
        ("card" | "token" | "keyword" | "rule", _) if is_in_pattern(reader) => return expected_in_sentence(reader, names),
        ("card" | "token", depth) if depth == 1 || is_face_header(header) => return vec![Expected::Fact, Expected::Ability],
        ("keyword" | "rule", 1) => return vec![Expected::Ability, Expected::Fact],
        ("format", 1) if begins => {
            return vec![
                Expected::Words(&[
                    "replace",
                    "remove",
                    "append",
                    "before",
                    "after",
                    "ban",
                    "restrict",
                    "errata",
                    "deck rules",
                    "announce like",
                ]),
                Expected::Item,
            ];
        }
        ("format", 1) if matches!(last, "replace" | "remove" | "append" | "before" | "after") => {
            return vec![Expected::Path(String::new()), Expected::Item];
        }
        ("deck", _) => return vec![Expected::Declared(vec![DeclKind::Card]), Expected::Words(&["format", "main", "side"])],
        ("pack", _) => return vec![Expected::Words(&["edition 2", "title", "extends", "uses"])],
        ("zone", _) => return vec![Expected::Words(settings::ZONE_SETTINGS)],
        ("position", 1) => return vec![Expected::Words(&["A", "B"]), Expected::Declared(vec![DeclKind::Global])],
        ("position", depth) => return expected_in_scenario(header, depth + 1, begins),
        ("scenario" | "stage", depth) => return expected_in_scenario(header, depth, begins),
        ("turn", _) if begins => {
            return vec![
                Expected::Words(&["phase", "step", "priority", "repeat while", "at end of each step"]),
                Expected::Statement,
            ];
        }
        _ => {}
    }
    if matches!(block_keyword(header), "activated" | "option" | "play") && begins {
        return vec![
            Expected::Words(&[
                "when",
                "price",
                "cost",
                "announce numbers",
                "produces",
                "limit",
                "does",
                "from",
                "immediately",
                "usable while paying",
                "class",
            ]),
            Expected::Statement,
        ];
    }
    if matches!(block_keyword(header), "standing" | "while" | "always") && begins {
        return vec![Expected::Value(Some(Type::Objects)), Expected::Noun, Expected::Statement];
    }
    if begins {
        return vec![Expected::Statement];
    }
    expected_in_sentence(reader, names)
}

/// The first word of the header of an item or block.
fn first_word<'t>(header: &[&'t str]) -> &'t str {
    header.first().copied().unwrap_or("")
}

/// The word that determines the kind of block: the last one of the header that can.
fn block_keyword<'t>(header: &[&'t str]) -> &'t str {
    const DECIDING: [&str; 10] = ["activated", "option", "play", "while", "always", "does", "when", "whenever", "if", "cost"];
    // `additional cost NAME {`, `alternative cost NAME {`
    if let [.., "additional" | "alternative", "cost", _] = header {
        return "option";
    }
    header.iter().rev().find(|word| DECIDING.contains(word)).copied().unwrap_or("")
}

fn is_face_header(header: &[&str]) -> bool {
    header.iter().rev().nth(1).is_some_and(|word| matches!(*word, "face" | "back"))
}

fn expected_in_header(reader: &TokenReader<'_>) -> Vec<Expected> {
    match reader.tokens.first().map(|token| token.text(reader.text)) {
        Some("ban" | "restrict") => vec![Expected::Declared(vec![DeclKind::Card])],
        Some("format") => vec![Expected::Words(&["extends"])],
        Some("status" | "property" | "player" | "global") => {
            vec![Expected::Words(&["for each", "in layer", "conceals", "kept on field", "updates timestamp", "clears effects"])]
        }
        Some("action") => vec![Expected::Words(&["by", "is", "looks back", "unstoppable", "timing_neutral"])],
        Some("noun" | "function" | "constant" | "evaluate") => vec![Expected::Value(None), Expected::Noun],
        _ => Vec::new(),
    }
}

fn expected_in_scenario(header: &[&str], depth: usize, begins: bool) -> Vec<Expected> {
    let placing = header.contains(&"position") || header.len() >= 2 && header.last() == Some(&":");
    if depth >= 3 || placing && depth == 3 {
        return vec![Expected::Declared(vec![DeclKind::Zone, DeclKind::Player]), Expected::Declared(vec![DeclKind::Status])];
    }
    if depth == 1 && begins {
        return vec![Expected::Words(&[
            "format",
            "position",
            "at",
            "go to",
            "expect",
            "expect no event",
            "expect events",
            "expect choices",
            "expect list is",
            "refuse",
            "let",
            "chance",
            "chance shuffle",
            "answer the rest with first",
            "A",
            "B",
            "A passes",
            "A, B pass",
        ])];
    }
    vec![Expected::Value(None), Expected::Declared(vec![DeclKind::Card, DeclKind::Play, DeclKind::Zone])]
}

const LAYOUT_ENTRIES: &[&str] = &["seat", "middle", "plate", "hidden", "beside", "under", "arrow", "forward when", "face", "hue"];
const LAYOUT_ROWS: &[&str] = &["row", "tiles", "fan", "pile", "backs", "places", "left", "right"];
const FACE_PARTS: &[&str] = &["hue", "corner", "line", "stat", "turned when", "dim when", "count", "mark"];

/// What is expected in a layout. `open`: the headers of its open braces. `None`: as in any expression.
fn expected_in_layout(reader: &TokenReader<'_>, open: &[Vec<&str>], fresh_line: bool) -> Option<Vec<Expected>> {
    let header = open.last()?;
    let block = ["layout", "seat", "middle", "left", "right", "plate", "face"];
    let block = header.iter().rev().find(|word| block.contains(word)).copied().unwrap_or("layout");
    let is_area = matches!(block, "seat" | "middle" | "left" | "right");
    let last = reader.word_before(0);
    let parts = || {
        Expected::Words(match block {
            "plate" => &["large", "show"],
            "face" => FACE_PARTS,
            _ if is_area => LAYOUT_ROWS,
            _ => LAYOUT_ENTRIES,
        })
    };
    if fresh_line && last != "," || matches!(last, "{" | ";" | "}") {
        return Some(vec![parts()]);
    }
    // the entry that the cursor is in: its last word that begins one
    let begins = |word: &&str| {
        let words: &[&str] = match block {
            "plate" => &["large", "show"],
            "face" => &["hue", "corner", "line", "stat", "turned", "dim", "count", "mark"],
            _ if is_area => &["row", "tiles", "fan", "pile", "backs", "places"],
            _ => &["hidden", "beside", "under", "arrow", "forward", "face", "hue"],
        };
        words.contains(word)
    };
    let since_brace =
        reader.tokens.iter().rev().take_while(|token| !matches!(token.kind, TokenKind::OpenBrace | TokenKind::CloseBrace));
    let words: Vec<&str> = since_brace.map(|token| token.text(reader.text)).collect();
    let entry = words.iter().find(|word| begins(word)).copied()?;
    if words.iter().take_while(|word| **word != entry).any(|word| *word == "when") {
        return if last == "when" { Some(vec![Expected::Condition, Expected::Value(Some(Type::Bool))]) } else { None };
    }
    if !(last == entry || last == "," || last == "/" || last == ":" || last == "by") {
        return None;
    }
    Some(match (block, entry) {
        ("plate", _) => vec![Expected::Declared(vec![DeclKind::Player])],
        ("face", "hue" | "line") => vec![Expected::Declared(vec![DeclKind::Traits])],
        ("face", "corner" | "stat") => vec![Expected::Declared(vec![DeclKind::Property])],
        ("face", "count" | "mark") => vec![Expected::Declared(vec![DeclKind::Status, DeclKind::Property])],
        ("face", _) => vec![Expected::Words(&["when"])],
        (_, "places") if last == "by" => vec![Expected::Declared(vec![DeclKind::Status])],
        (_, "places") if last == "places" => Vec::new(),
        _ if is_area => vec![Expected::Declared(vec![DeclKind::Zone]), Expected::Noun, Expected::Words(&["equal together"])],
        (_, "hidden") => vec![Expected::Declared(vec![DeclKind::Zone])],
        (_, "forward") => vec![Expected::Words(&["when"])],
        (_, "face") => vec![Expected::Noun],
        (_, "hue") => vec![Expected::Declared(vec![DeclKind::TraitWord])],
        _ => vec![Expected::Declared(vec![DeclKind::Status])],
    })
}

/// Whether the cursor is between the first word of an ability and its block.
fn is_in_pattern(reader: &TokenReader<'_>) -> bool {
    let header =
        reader.tokens.iter().rev().take_while(|token| !matches!(token.kind, TokenKind::OpenBrace | TokenKind::CloseBrace));
    header.into_iter().any(|token| matches!(token.text(reader.text), "when" | "whenever" | "if" | "while"))
}

/// The path before a dot.
fn path_before_dot(reader: &TokenReader<'_>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut back = 0;
    while reader.kind_before(back) == Some(TokenKind::Dot) && reader.kind_before(back + 1) == Some(TokenKind::Word) {
        parts.push(reader.word_before(back + 1));
        back += 2;
    }
    parts.reverse();
    parts.join(".")
}

/// What is expected after words that determine it almost alone; `None` after other words.
fn expected_after_word(reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Option<Vec<Expected>> {
    let last = reader.word_before(0);
    Some(match last {
        "of" if matches!(reader.word_before(1), "start" | "end") => {
            vec![Expected::Declared(vec![DeclKind::Period]), Expected::Words(&["turn", "your", "your next turn"])]
        }
        "of" if matches!(reader.word_before(1), "payment" | "word") => vec![Expected::Declared(vec![DeclKind::Traits])],
        "of" if matches!(reader.word_before(1), "count" | "number") => vec![Expected::Noun],
        "of" => vec![Expected::Value(Some(Type::Player)), Expected::Value(Some(Type::Object))],
        "your" | "its" | "'s" => vec![Expected::Possession(None), Expected::Declared(vec![DeclKind::Zone])],
        "each" | "all" | "target" | "other" | "some" | "no" => vec![Expected::Noun],
        "count" => vec![Expected::Words(&["of"])],
        "sum" | "highest" | "lowest" => vec![Expected::Declared(vec![DeclKind::Property, DeclKind::Status])],
        "without" | "has" => vec![Expected::Keyword],
        "is" | "not" => vec![Expected::Quality, Expected::Value(None)],
        "that" => vec![Expected::Words(&["is", "is not", "has", "("])],
        "with" => vec![Expected::Condition],
        "gets" => vec![Expected::Change],
        "until" | "at" => vec![Expected::Words(TURN_POINTS), Expected::Declared(vec![DeclKind::Period])],
        "start" | "end" => vec![Expected::Words(&["of", "of turn", "of your next turn"])],
        "extends" | "format" | "like" => vec![Expected::Declared(vec![DeclKind::Format, DeclKind::Pack])],
        "uses" => vec![Expected::Declared(vec![DeclKind::Pack])],
        "layer" => vec![Expected::Declared(vec![DeclKind::Layer])],
        "when" | "whenever" => vec![Expected::Subject],
        "would" | "cannot" | "must" | "can" | "be" | "treat" => vec![Expected::Declared(vec![DeclKind::Action, DeclKind::Play])],
        "declare" => vec![Expected::Declared(vec![DeclKind::Action])],
        "shares" => vec![Expected::Declared(vec![DeclKind::Traits])],
        "let" | "as" | "card" | "token" | "keyword" | "action" | "function" | "status" | "property" | "constant" | "zone"
        | "traits" | "noun" | "rule" => Vec::new(),
        ":" if reader.kind_before(1) == Some(TokenKind::Word) && is_in_parentheses(reader) => vec![Expected::Type],
        ":" if matches!(reader.word_before(2), "status" | "property" | "player" | "global") => vec![Expected::Type],
        "=" | "+=" | "-=" | "==" | "!=" | "<" | ">" | "<=" | ">=" => {
            vec![Expected::Value(names.and_then(|names| left_type(reader, names)))]
        }
        "in" | "from" | "into" | "onto" | "under" | "by" | "for" | "to" => {
            let wanted = names.and_then(|names| operand_type(reader, names, Some(last)));
            match (wanted, last) {
                (Some(ty), _) => vec![Expected::Value(Some(ty))],
                (None, "in" | "from" | "into" | "onto") => vec![Expected::Value(Some(Type::Zone))],
                (None, "under" | "by") => vec![Expected::Value(Some(Type::Player))],
                (None, _) => vec![Expected::Value(None)],
            }
        }
        _ => return None,
    })
}

fn is_in_parentheses(reader: &TokenReader<'_>) -> bool {
    let mut depth = 0;
    for token in reader.tokens.iter().rev() {
        match token.kind {
            TokenKind::CloseParen => depth += 1,
            TokenKind::OpenParen if depth == 0 => return true,
            TokenKind::OpenParen => depth -= 1,
            TokenKind::OpenBrace | TokenKind::CloseBrace => return false,
            _ => {}
        }
    }
    false
}

/// The type of the word to the left of an operator.
fn left_type(reader: &TokenReader<'_>, names: &NameTable<'_>) -> Option<Type> {
    let mut back = 1;
    // In `power of it =` the type is that of the word before `of`.
    while reader.word_before(back + 1) == "of" && back < 12 {
        back += 2;
    }
    let word = reader.word_before(back);
    names.meanings(word).iter().find_map(|meaning| meaning_type(names, *meaning))
}

/// The type of the value that a meaning denotes; `None` for functions.
pub fn meaning_type(names: &NameTable<'_>, meaning: Meaning) -> Option<Type> {
    let table = |row: usize, number: u16| names.types.get(row).and_then(|types| types.get(usize::from(number))).copied();
    match meaning {
        Meaning::Property(number) => table(0, number),
        Meaning::Status(number) => table(1, number),
        Meaning::Player(number) => table(2, number),
        Meaning::Global(number) => table(3, number),
        Meaning::Constant(_) | Meaning::Keyword(_) => Some(Type::Number),
        Meaning::Zone(_) => Some(Type::Zone),
        Meaning::Traits(id) => Some(Type::Words(id)),
        Meaning::Word(id, _) => Some(Type::Word(id)),
        Meaning::Noun => Some(Type::Objects),
        Meaning::Function => None,
    }
}

/// The type that the verb of the sentence requires after a preposition, or for its next operand.
fn operand_type(reader: &TokenReader<'_>, names: &NameTable<'_>, preposition: Option<&str>) -> Option<Type> {
    let mut operand_index = 0;
    let mut depth = 0;
    // In the parentheses of a call, operands are in order of the parameters. Else the acting player is the subject and is not counted.
    let mut ordered = false;
    for token in reader.tokens.iter().rev() {
        let text = token.text(reader.text);
        match token.kind {
            TokenKind::CloseParen => depth += 1,
            TokenKind::OpenParen if depth > 0 => depth -= 1,
            TokenKind::OpenParen => ordered = true,
            TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon => return None,
            TokenKind::Comma if depth == 0 => operand_index += 1,
            TokenKind::Word if depth == 0 => {
                if let Some(row) = BUILTINS.iter().find(|row| row.name == text) {
                    return row.params.get(operand_index).copied();
                }
                if let Some(function) = names.functions.get(text) {
                    return function.params.get(operand_index).map(|(_, ty)| *ty);
                }
                if let Some((action, params)) = find_action(names, text, false) {
                    let row = VERBS.iter().find(|verb| verb.name == action);
                    return match (preposition, row) {
                        (Some(word), Some(row)) => {
                            row.params.iter().find(|param| param.prepositions.contains(&word)).map(|param| param.ty)
                        }
                        (Some("by"), None) => Some(Type::Player),
                        (Some("into" | "onto" | "from" | "in"), None) => Some(Type::Zone),
                        (Some(_), None) => params.iter().rev().map(|(_, ty)| *ty).find(|ty| *ty != Type::Number),
                        (None, _) => {
                            let subject =
                                usize::from(!ordered && params.len() > 1 && matches!(params.first(), Some((_, Type::Player))));
                            params.iter().map(|(_, ty)| *ty).nth(operand_index + subject)
                        }
                    };
                }
                if matches!(text, "then" | "otherwise" | "do") {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}

/// What is expected in the middle of a sentence.
fn expected_in_sentence(reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let last = reader.word_before(0);
    if reader.kind_before(0) == Some(TokenKind::Number) {
        return vec![Expected::Noun, Expected::Words(&["of", "times", "target"])];
    }
    let Some(names) = names else { return vec![Expected::Value(None)] };
    if reader.kind_before(0) == Some(TokenKind::Word) {
        if find_action(names, last, false).is_some() || matches!(last, "may") {
            if last == "may" {
                return vec![Expected::Declared(vec![DeclKind::Action])];
            }
            let wanted = operand_type(reader, names, None);
            let objects = matches!(wanted, None | Some(Type::Object | Type::Objects | Type::Thing | Type::Things));
            let noun = objects.then_some(Expected::Noun);
            return std::iter::once(Expected::Value(wanted)).chain(noun).collect();
        }
        // The verb follows the subject of an event pattern.
        let starts = (1..8).any(|back| matches!(reader.word_before(back), "when" | "whenever"));
        if starts {
            return vec![Expected::Event, Expected::Words(&["of", "in", "with", "that"])];
        }
        let noun =
            names.meanings(last).iter().any(|meaning| matches!(meaning_kind(*meaning), DeclKind::Noun | DeclKind::TraitWord))
                || last == "card";
        if noun {
            return vec![
                Expected::Words(&["of", "in", "from", "with", "without", "that is", "that has", "into", "gets", "or"]),
                Expected::Noun,
            ];
        }
        if matches!(last, "you" | "opponent" | "player" | "active") {
            return vec![Expected::Statement];
        }
        return vec![
            Expected::Words(&["of", "in", "from", "into", "to", "with", "is", "has", "as", "then", "and"]),
            Expected::Value(None),
        ];
    }
    if matches!(reader.kind_before(0), Some(TokenKind::OpenParen | TokenKind::Comma)) {
        return vec![Expected::Value(operand_type(reader, names, None)), Expected::Noun];
    }
    vec![Expected::Value(None), Expected::Noun]
}
