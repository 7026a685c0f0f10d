//! Where the cursor is: what the words before it let expect. Read off the tokens, because what is being typed can seldom be parsed.

use crate::lsp::resolve::{action_of, kind_of};
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

/// What may stand somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// An item.
    Item,
    /// A word on a card.
    Fact,
    /// An ability.
    Ability,
    /// A statement.
    Statement,
    /// A value of a type; without one, any.
    Value(Option<Type>),
    /// A noun, after a number or `each`.
    Noun,
    /// A word after `is`: a noun, trait word, bool status.
    Quality,
    /// A keyword or trait word, after `has` and `without`.
    Keyword,
    /// What is known of an object or player, after a possessor or `of`-less in `with`.
    Possession(Option<Type>),
    /// A property or status of the candidate.
    Condition,
    /// A change, after `gets`.
    Change,
    /// A verb in the third person, in a pattern.
    Event,
    /// Somebody or something that a pattern is about.
    Subject,
    /// A name between quotes: of a card, or of a trait set.
    Quoted(Option<usize>),
    /// Declared things of these kinds.
    Of(Vec<DeclKind>),
    /// What a path goes on with.
    Path(String),
    /// A type.
    Type,
    /// These words.
    Words(&'static [&'static str]),
}

/// Where the cursor is.
#[derive(Debug)]
pub struct Context {
    /// What may stand there, best first.
    pub expected: Vec<Expected>,
    /// What is replaced.
    pub replaced: Range<u32>,
    /// The quote that was begun.
    pub opened: Option<char>,
    /// Local names that were bound before, in the same item.
    pub locals: Vec<SmolStr>,
    /// Verbs whose events bring names along.
    pub events: Vec<SmolStr>,
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl<'t> Reader<'t> {
    fn word(&self, back: usize) -> &'t str {
        let index = self.tokens.len().checked_sub(back + 1);
        index.and_then(|index| self.tokens.get(index)).map_or("", |token| token.text(self.text))
    }

    fn kind(&self, back: usize) -> Option<TokenKind> {
        let index = self.tokens.len().checked_sub(back + 1)?;
        self.tokens.get(index).map(|token| token.kind)
    }
}

impl Context {
    /// At a byte of a text. `None` in comments.
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
            // The rest of the word or name behind the cursor goes along.
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
        let replaced = typed.map_or(byte, |token| start + token.start)..end;
        let mut before: Vec<Token> =
            all.into_iter().filter(|token| !token.kind.is_trivia() || token.kind == TokenKind::Newline).collect();
        if typed.is_some() {
            before.pop();
        }
        // Newlines at the end are kept only as the sign that a line begins.
        let fresh_line = before.last().is_none_or(|token| token.kind == TokenKind::Newline);
        let solid: Vec<Token> = before.iter().copied().filter(|token| token.kind != TokenKind::Newline).collect();
        let reader = Reader { text: slice, tokens: solid };
        let names = game.map(|game| &game.names);
        let (locals, events) = bound(&reader);
        let quoted = typed.is_some_and(|token| token.kind == TokenKind::UnclosedQuote);
        let expected = expected(&reader, names, quoted, fresh_line);
        let opened = typed.filter(|_| quoted).and_then(|token| token.text(slice).chars().next());
        Some(Self { expected, replaced, opened, locals, events })
    }
}

/// The line at or before a byte that begins an item.
fn item_start(text: &str, byte: u32) -> u32 {
    let mut end = byte as usize;
    loop {
        let before = text.get(..end).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = text.get(start..byte as usize).unwrap_or("");
        let word: String = line.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
        // The word that is being typed begins no item yet.
        if is_item_keyword(&word) && start + word.len() < byte as usize || start == 0 {
            return start as u32;
        }
        end = start - 1;
    }
}

/// Names that were bound before: by `let`, `as`, `for each`, as parameters; and verbs of patterns.
fn bound(reader: &Reader<'_>) -> (Vec<SmolStr>, Vec<SmolStr>) {
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
        if text(index) == ":" && index > 0 && is_word(index - 1) && is_word(index + 1) && text(0) != "scenario" {
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

/// The words before each brace that is open, outermost first.
fn open_braces<'t>(reader: &Reader<'t>) -> Vec<Vec<&'t str>> {
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

const MOMENT: &[&str] = &["end of turn", "end of your next turn", "start of your next turn", "start of", "end of"];

fn expected(reader: &Reader<'_>, names: Option<&NameTable<'_>>, quoted: bool, fresh_line: bool) -> Vec<Expected> {
    let last = reader.word(0);
    if quoted {
        let set = names.and_then(|names| names.traits_id(last)).map(TraitSetId::index);
        return vec![Expected::Quoted(set)];
    }
    if last == "." {
        return vec![Expected::Path(path(reader))];
    }
    let open = open_braces(reader);
    if open.is_empty() && (reader.tokens.is_empty() || fresh_line && matches!(reader.kind(0), Some(TokenKind::CloseBrace))) {
        return vec![Expected::Item];
    }
    if reader.tokens.first().is_some_and(|token| token.text(reader.text) == "kind") && !fresh_line {
        return match last {
            "kind" | "not" | "or" => vec![Expected::Fact],
            "," | "prints" => vec![Expected::Fact, Expected::Words(&["not"])],
            _ => vec![Expected::Words(&["prints", "or", "not"])],
        };
    }
    if let Some(found) = after_word(reader, names) {
        return found;
    }
    let begins = fresh_line || matches!(last, "{" | ";" | "}" | "then" | "and" | "-");
    let item = open.first().map_or("", |header| begin(header));
    let header = open.last().map(Vec::as_slice).unwrap_or(&[]);
    if open.is_empty() {
        return if fresh_line { vec![Expected::Item] } else { header_of(reader) };
    }
    match (item, open.len()) {
        ("card" | "token" | "keyword" | "rule", _) if in_pattern(reader) => return sentence(reader, names),
        ("card" | "token", depth) if depth == 1 || is_face(header) => return vec![Expected::Fact, Expected::Ability],
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
        ("deck", _) => return vec![Expected::Of(vec![DeclKind::Card]), Expected::Words(&["format", "main", "side"])],
        ("pack", _) => return vec![Expected::Words(&["edition 1", "title", "extends", "uses"])],
        ("zone", _) => return vec![Expected::Words(settings::ZONE)],
        ("scenario", depth) => return scenario(header, depth, begins),
        ("turn", _) if begins => {
            return vec![
                Expected::Words(&["phase", "step", "priority", "repeat while", "at end of each step"]),
                Expected::Statement,
            ];
        }
        _ => {}
    }
    if matches!(begin_last(header), "activated" | "option" | "play") && begins {
        return vec![
            Expected::Words(&["when", "price", "cost", "values", "limit", "does", "from", "at once", "pays", "class"]),
            Expected::Statement,
        ];
    }
    if matches!(begin_last(header), "standing" | "while" | "always") && begins {
        return vec![Expected::Value(Some(Type::Objects)), Expected::Noun, Expected::Statement];
    }
    if begins {
        return vec![Expected::Statement];
    }
    sentence(reader, names)
}

/// The word that an item or block begins with.
fn begin<'t>(header: &[&'t str]) -> &'t str {
    header.first().copied().unwrap_or("")
}

/// The word that decides what kind of block a header opens: the last one that can.
fn begin_last<'t>(header: &[&'t str]) -> &'t str {
    const DECIDING: [&str; 10] = ["activated", "option", "play", "while", "always", "does", "when", "whenever", "if", "cost"];
    header.iter().rev().find(|word| DECIDING.contains(word)).copied().unwrap_or("")
}

fn is_face(header: &[&str]) -> bool {
    header.iter().rev().nth(1).is_some_and(|word| matches!(*word, "face" | "back"))
}

fn header_of(reader: &Reader<'_>) -> Vec<Expected> {
    match reader.tokens.first().map(|token| token.text(reader.text)) {
        Some("ban" | "restrict") => vec![Expected::Of(vec![DeclKind::Card])],
        Some("format") => vec![Expected::Words(&["extends"])],
        Some("status" | "property" | "player" | "global") => {
            vec![Expected::Words(&["for each", "in layer", "conceals", "stays", "renews", "forgets"])]
        }
        Some("action") => vec![Expected::Words(&["by", "is", "looks back", "unstoppable", "incidental"])],
        Some("noun" | "function" | "constant" | "evaluate") => vec![Expected::Value(None), Expected::Noun],
        _ => Vec::new(),
    }
}

fn scenario(header: &[&str], depth: usize, begins: bool) -> Vec<Expected> {
    let placing = header.contains(&"position") || header.len() >= 2 && header.last() == Some(&":");
    if depth >= 3 || placing && depth == 3 {
        return vec![Expected::Of(vec![DeclKind::Zone, DeclKind::Player]), Expected::Of(vec![DeclKind::Status])];
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
            "answer the rest with first",
            "A",
            "B",
            "A passes",
            "A, B pass",
        ])];
    }
    vec![Expected::Value(None), Expected::Of(vec![DeclKind::Card, DeclKind::Play, DeclKind::Zone])]
}

/// Whether an ability was begun whose block is not open yet.
fn in_pattern(reader: &Reader<'_>) -> bool {
    let header =
        reader.tokens.iter().rev().take_while(|token| !matches!(token.kind, TokenKind::OpenBrace | TokenKind::CloseBrace));
    header.into_iter().any(|token| matches!(token.text(reader.text), "when" | "whenever" | "if" | "while"))
}

/// The path before a dot.
fn path(reader: &Reader<'_>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut back = 0;
    while reader.kind(back) == Some(TokenKind::Dot) && reader.kind(back + 1) == Some(TokenKind::Word) {
        parts.push(reader.word(back + 1));
        back += 2;
    }
    parts.reverse();
    parts.join(".")
}

/// What a word lets expect, whatever stands before it.
fn after_word(reader: &Reader<'_>, names: Option<&NameTable<'_>>) -> Option<Vec<Expected>> {
    let last = reader.word(0);
    Some(match last {
        "of" if matches!(reader.word(1), "start" | "end") => {
            vec![Expected::Of(vec![DeclKind::Span]), Expected::Words(&["turn", "your", "your next turn"])]
        }
        "of" if matches!(reader.word(1), "payment" | "word") => vec![Expected::Of(vec![DeclKind::Traits])],
        "of" if matches!(reader.word(1), "count" | "number") => vec![Expected::Noun],
        "of" => vec![Expected::Value(Some(Type::Player)), Expected::Value(Some(Type::Object))],
        "your" | "its" | "'s" => vec![Expected::Possession(None), Expected::Of(vec![DeclKind::Zone])],
        "each" | "all" | "target" | "other" | "some" | "no" => vec![Expected::Noun],
        "count" => vec![Expected::Words(&["of"])],
        "sum" | "highest" | "lowest" => vec![Expected::Of(vec![DeclKind::Property, DeclKind::Status])],
        "without" | "has" => vec![Expected::Keyword],
        "is" | "not" => vec![Expected::Quality, Expected::Value(None)],
        "that" => vec![Expected::Words(&["is", "is not", "has", "("])],
        "with" => vec![Expected::Condition],
        "gets" => vec![Expected::Change],
        "until" | "at" => vec![Expected::Words(MOMENT), Expected::Of(vec![DeclKind::Span])],
        "start" | "end" => vec![Expected::Words(&["of", "of turn", "of your next turn"])],
        "extends" | "format" | "like" => vec![Expected::Of(vec![DeclKind::Format, DeclKind::Pack])],
        "uses" => vec![Expected::Of(vec![DeclKind::Pack])],
        "layer" => vec![Expected::Of(vec![DeclKind::Layer])],
        "when" | "whenever" => vec![Expected::Subject],
        "would" | "cannot" | "must" | "can" | "be" | "treat" => vec![Expected::Of(vec![DeclKind::Action, DeclKind::Play])],
        "declare" => vec![Expected::Of(vec![DeclKind::Action])],
        "shares" => vec![Expected::Of(vec![DeclKind::Traits])],
        "let" | "as" | "card" | "token" | "keyword" | "action" | "function" | "status" | "property" | "constant" | "zone"
        | "traits" | "noun" | "rule" => Vec::new(),
        ":" if reader.kind(1) == Some(TokenKind::Word) && in_parens(reader) => vec![Expected::Type],
        ":" if matches!(reader.word(2), "status" | "property" | "player" | "global") => vec![Expected::Type],
        "=" | "+=" | "-=" | "==" | "!=" | "<" | ">" | "<=" | ">=" => {
            vec![Expected::Value(names.and_then(|names| left_type(reader, names)))]
        }
        "in" | "from" | "into" | "onto" | "under" | "by" | "for" | "to" => {
            let wanted = names.and_then(|names| operand(reader, names, Some(last)));
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

fn in_parens(reader: &Reader<'_>) -> bool {
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
fn left_type(reader: &Reader<'_>, names: &NameTable<'_>) -> Option<Type> {
    let mut back = 1;
    // `power of it =`: the word before `of`.
    while reader.word(back + 1) == "of" && back < 12 {
        back += 2;
    }
    let word = reader.word(back);
    names.meanings(word).iter().find_map(|meaning| type_of(names, *meaning))
}

/// The type of what a word means.
pub fn type_of(names: &NameTable<'_>, meaning: Meaning) -> Option<Type> {
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

/// The type that the verb of the sentence wants after a preposition, or as its next operand.
fn operand(reader: &Reader<'_>, names: &NameTable<'_>, preposition: Option<&str>) -> Option<Type> {
    let mut given = 0;
    let mut depth = 0;
    // Between the parentheses of a call operands stand in order; else the player who acts is the subject.
    let mut ordered = false;
    for token in reader.tokens.iter().rev() {
        let text = token.text(reader.text);
        match token.kind {
            TokenKind::CloseParen => depth += 1,
            TokenKind::OpenParen if depth > 0 => depth -= 1,
            TokenKind::OpenParen => ordered = true,
            TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon => return None,
            TokenKind::Comma if depth == 0 => given += 1,
            TokenKind::Word if depth == 0 => {
                if let Some(row) = BUILTINS.iter().find(|row| row.name == text) {
                    return row.params.get(given).copied();
                }
                if let Some(function) = names.functions.get(text) {
                    return function.params.get(given).map(|(_, ty)| *ty);
                }
                if let Some((action, params)) = action_of(names, text, false) {
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
                            params.iter().map(|(_, ty)| *ty).nth(given + subject)
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

/// In the middle of a sentence.
fn sentence(reader: &Reader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let last = reader.word(0);
    if reader.kind(0) == Some(TokenKind::Number) {
        return vec![Expected::Noun, Expected::Words(&["of", "times", "target"])];
    }
    let Some(names) = names else { return vec![Expected::Value(None)] };
    if reader.kind(0) == Some(TokenKind::Word) {
        if action_of(names, last, false).is_some() || matches!(last, "may") {
            if last == "may" {
                return vec![Expected::Of(vec![DeclKind::Action])];
            }
            let wanted = operand(reader, names, None);
            let objects = matches!(wanted, None | Some(Type::Object | Type::Objects | Type::Thing | Type::Things));
            let noun = objects.then_some(Expected::Noun);
            return std::iter::once(Expected::Value(wanted)).chain(noun).collect();
        }
        // Behind a subject of a pattern comes its verb.
        let starts = (1..8).any(|back| matches!(reader.word(back), "when" | "whenever"));
        if starts {
            return vec![Expected::Event, Expected::Words(&["of", "in", "with", "that"])];
        }
        let noun = names.meanings(last).iter().any(|meaning| matches!(kind_of(*meaning), DeclKind::Noun | DeclKind::TraitWord))
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
    if matches!(reader.kind(0), Some(TokenKind::OpenParen | TokenKind::Comma)) {
        return vec![Expected::Value(operand(reader, names, None)), Expected::Noun];
    }
    vec![Expected::Value(None), Expected::Noun]
}
