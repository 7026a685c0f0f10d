//! The types that the words before a cursor require: of the operand of a verb or function, and of the right side of an operator.

use crate::resolve::find_action;
use fizzle_compiler::names::{Meaning, NameTable};
use fizzle_grammar::lexer::{Token, TokenKind, is_reserved};
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};

/// The most tokens before a cursor among which the verb of an operand is searched.
const MAX_TOKENS: usize = 128;

/// Reads tokens backwards from the cursor.
#[derive(Debug)]
pub struct TokenReader<'t> {
    /// The text of the item before the cursor.
    pub text: &'t str,
    /// Its tokens without blanks and comments.
    pub tokens: Vec<Token>,
}

impl<'t> TokenReader<'t> {
    /// The text of a token before the cursor; 0 is the last one.
    pub fn word_before(&self, back: usize) -> &'t str {
        let index = self.tokens.len().checked_sub(back + 1);
        index.and_then(|index| self.tokens.get(index)).map_or("", |token| token.text(self.text))
    }

    /// The kind of such a token.
    pub fn kind_before(&self, back: usize) -> Option<TokenKind> {
        let index = self.tokens.len().checked_sub(back + 1)?;
        self.tokens.get(index).map(|token| token.kind)
    }
}

/// The path before a dot.
pub fn path_before_dot(reader: &TokenReader<'_>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut back = 0;
    while reader.kind_before(back) == Some(TokenKind::Dot) && reader.kind_before(back + 1) == Some(TokenKind::Word) {
        parts.push(reader.word_before(back + 1));
        back += 2;
    }
    parts.reverse();
    parts.join(".")
}

/// The type of the word to the left of an operator.
pub fn left_type(reader: &TokenReader<'_>, names: &NameTable<'_>) -> Option<Type> {
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
pub fn operand_type(reader: &TokenReader<'_>, names: &NameTable<'_>, preposition: Option<&str>) -> Option<Type> {
    let mut operand_index = 0;
    let mut depth = 0;
    // In the parentheses of a call, operands are in order of the parameters. Else the acting player is the subject and is not counted.
    let mut ordered = false;
    for token in reader.tokens.iter().rev().take(MAX_TOKENS) {
        let text = token.text(reader.text);
        match token.kind {
            TokenKind::CloseParen => depth += 1,
            TokenKind::OpenParen if depth > 0 => depth -= 1,
            TokenKind::OpenParen => ordered = true,
            TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon => return None,
            TokenKind::Comma if depth == 0 => operand_index += 1,
            TokenKind::Word if depth == 0 && !is_reserved(text) => {
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
            }
            TokenKind::Word if depth == 0 && matches!(text, "then" | "otherwise") => return None,
            _ => {}
        }
    }
    None
}
