//! The verb of the sentence before a cursor, and how its sentence continues.

use super::operand_type::TokenReader;
use crate::resolve::find_action;
use fizzle_compiler::names::NameTable;
use fizzle_compiler::verb_forms::is_inflected_form;
use fizzle_grammar::lexer::{Token, TokenKind, is_reserved};
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::{OperandDefault, VERBS};
use smol_str::SmolStr;

/// The most words before a cursor among which its verb is searched.
const MAX_WORDS: usize = 64;

/// A part of the sentence of a verb: an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The name of the parameter.
    pub name: SmolStr,
    /// Its type.
    pub ty: Type,
    /// The prepositions before it; none for the direct operand.
    pub prepositions: Vec<&'static str>,
    /// Whether it can be left out.
    pub optional: bool,
}

/// A verb, with the operands in the order of its sentence.
#[derive(Clone, Debug)]
pub struct SentenceVerb {
    /// The name of its action.
    pub action: SmolStr,
    /// The index of its word in the tokens.
    pub index: usize,
    /// The subject, if the action has one.
    pub subject: Option<Operand>,
    /// The words of the name that follow the first operand: `damage` of `deal_damage`.
    pub rest: Vec<SmolStr>,
    /// The operands after the verb.
    pub operands: Vec<Operand>,
}

impl SentenceVerb {
    /// The words that can follow the operands that are written: the rest of the name, then prepositions that are not used yet.
    pub fn continuations(&self, reader: &TokenReader<'_>) -> Vec<String> {
        let written: Vec<&str> = reader
            .tokens
            .iter()
            .skip(self.index + 1)
            .filter(|token| token.kind == TokenKind::Word)
            .map(|token| token.text(reader.text))
            .collect();
        let rest = self.rest.iter().filter(|word| !written.contains(&word.as_str())).map(SmolStr::to_string);
        let open = self.operands.iter().filter(|operand| !operand.prepositions.iter().any(|word| written.contains(word)));
        rest.chain(open.flat_map(|operand| &operand.prepositions).map(ToString::to_string)).collect()
    }

    /// The type of the direct operand.
    pub fn first_type(&self) -> Option<Type> {
        let direct = self.operands.iter().find(|operand| operand.prepositions.is_empty());
        direct.map(|operand| operand.ty)
    }
}

/// The verb of the sentence before the cursor.
pub fn verb_of_sentence(reader: &TokenReader<'_>, names: &NameTable<'_>) -> Option<SentenceVerb> {
    let ends = |token: &Token| {
        matches!(token.kind, TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon)
            || matches!(token.text(reader.text), "then")
    };
    let indices = (0..reader.tokens.len()).rev();
    let sentence: Vec<usize> = indices.take_while(|index| reader.tokens.get(*index).is_some_and(|token| !ends(token))).collect();
    sentence.into_iter().take(MAX_WORDS).find_map(|index| {
        let token = reader.tokens.get(index).filter(|token| token.kind == TokenKind::Word)?;
        let follows_dot =
            index.checked_sub(1).and_then(|before| reader.tokens.get(before)).is_some_and(|before| before.kind == TokenKind::Dot);
        let word = token.text(reader.text);
        if follows_dot || is_reserved(word) { None } else { verb(word, index, names) }
    })
}

/// The verb that a word is.
fn verb(word: &str, index: usize, names: &NameTable<'_>) -> Option<SentenceVerb> {
    if let Some((action, params)) = find_action(names, word, false) {
        return Some(match VERBS.iter().find(|verb| verb.name == action) {
            Some(row) => {
                let written = row.params.iter().filter(|param| param.default != OperandDefault::Machine);
                let operands = written.map(|param| Operand {
                    name: SmolStr::new(param.name),
                    ty: param.ty,
                    prepositions: param.prepositions.to_vec(),
                    optional: param.default != OperandDefault::Required,
                });
                SentenceVerb { action, index, subject: None, rest: Vec::new(), operands: operands.collect() }
            }
            None => declared_verb(action, index, Vec::new(), &params),
        });
    }
    // an action `VERB_REST`, whose sentence has the rest after the first operand
    let (action, signature) = names.actions.iter().find(|(name, signature)| {
        let first = name.split_once('_').map(|(first, _)| first);
        first.is_some_and(|first| is_inflected_form(first, word, false)) && signature.params.len() > 1
    })?;
    let rest = action.split('_').skip(1).map(SmolStr::new).collect();
    Some(declared_verb(action.clone(), index, rest, &signature.params))
}

/// The sentence of an action of a game: its subject, a number or else the first operand, then the others with prepositions.
fn declared_verb(action: SmolStr, index: usize, rest: Vec<SmolStr>, params: &[(SmolStr, Type)]) -> SentenceVerb {
    let operand = |(name, ty): &(SmolStr, Type), prepositions: Vec<&'static str>, optional: bool| Operand {
        name: name.clone(),
        ty: *ty,
        prepositions,
        optional,
    };
    let has_subject = params.len() > 1 && matches!(params.first(), Some((_, Type::Player)));
    let subject = params.first().filter(|_| has_subject).map(|param| operand(param, Vec::new(), true));
    let others: Vec<&(SmolStr, Type)> = params.iter().skip(usize::from(has_subject)).collect();
    // of several operands the number is the direct one
    let direct = others.iter().position(|(_, ty)| *ty == Type::Number).unwrap_or(0);
    let prepositions = |ty: Type| match ty {
        Type::Zone => vec!["into", "from"],
        Type::Bool => Vec::new(),
        _ => vec!["to"],
    };
    let first = others.get(direct).map(|param| operand(param, Vec::new(), false));
    let further = others.iter().enumerate().filter(|(at, (_, ty))| *at != direct && *ty != Type::Bool);
    let further = further.take(1).map(|(_, param)| operand(param, prepositions(param.1), false));
    let operands = first.into_iter().chain(further).collect();
    SentenceVerb { action, index, subject, rest, operands }
}
