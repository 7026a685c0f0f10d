//! Signature help: the parameters of a call, and the sentence of a verb with the operand that is being written.

use super::completion::context::item_start;
use super::completion::operand_type::TokenReader;
use super::completion::sentence_verb::{Operand, SentenceVerb, verb_of_sentence};
use super::docs::first_paragraph;
use super::hover::type_name;
use super::resolve::find_action;
use super::server_state::ServerState;
use fizzle_compiler::names::NameTable;
use fizzle_compiler::session::Game;
use fizzle_grammar::ast::ItemKind;
use fizzle_grammar::lexer::{TokenKind, tokens};
use fizzle_grammar::place::place_at_end;
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};

/// Answers `textDocument/signatureHelp`.
pub fn signature_help(state: &ServerState, params: &SignatureHelpParams) -> Option<SignatureHelp> {
    let (file, byte) = state.byte_at(&params.text_document_position_params)?;
    let (text, _) = state.text(file)?;
    let game = state.game_near(file)?;
    let item = text.get(item_start(&text, byte)? as usize..byte as usize)?;
    let all = tokens(item);
    if all.last().is_some_and(|token| matches!(token.kind, TokenKind::Comment | TokenKind::Doc | TokenKind::UnclosedQuote)) {
        return None;
    }
    let solid = all.into_iter().filter(|token| !token.kind.is_trivia()).collect();
    let reader = TokenReader { text: item, tokens: solid };
    let signature = call(&reader, game).or_else(|| sentence(item, game))?;
    Some(signature.help())
}

/// A signature: its text in parts, of which some are parameters.
#[derive(Default)]
struct Signature {
    label: String,
    /// The ranges of the parameters in the label, in UTF-16 units.
    parameters: Vec<[u32; 2]>,
    active: Option<usize>,
    docs: String,
}

impl Signature {
    fn push(&mut self, text: &str) {
        self.label.push_str(text);
    }

    fn push_parameter(&mut self, text: &str) {
        let start = self.label.encode_utf16().count() as u32;
        self.label.push_str(text);
        self.parameters.push([start, self.label.encode_utf16().count() as u32]);
    }

    fn help(self) -> SignatureHelp {
        let active = self.active.and_then(|active| u32::try_from(active).ok());
        let value = first_paragraph(&self.docs);
        let information = |[start, end]: [u32; 2]| ParameterInformation {
            label: ParameterLabel::LabelOffsets([start, end]),
            documentation: None,
        };
        let signature = SignatureInformation {
            label: self.label,
            documentation: (!value.is_empty())
                .then_some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })),
            parameters: Some(self.parameters.into_iter().map(information).collect()),
            active_parameter: active,
        };
        SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active }
    }
}

/// The call whose parentheses the cursor is in.
fn call(reader: &TokenReader<'_>, game: &Game<'_>) -> Option<Signature> {
    let (mut depth, mut commas) = (0, 0);
    let mut opening = None;
    for (index, token) in reader.tokens.iter().enumerate().rev() {
        match token.kind {
            kind if kind.closes() => depth += 1,
            TokenKind::OpenParen if depth == 0 => {
                opening = Some((index, token.start));
                break;
            }
            TokenKind::OpenBrace if depth == 0 => return None,
            kind if kind.opens() => depth -= 1,
            TokenKind::Comma if depth == 0 => commas += 1,
            _ => {}
        }
    }
    let (index, start) = opening?;
    // the name touches its parenthesis
    let name = reader.tokens.get(index.checked_sub(1)?).filter(|token| token.kind == TokenKind::Word && token.end == start)?;
    let name = name.text(reader.text);
    let names = &game.names;
    let (params, result) = parameters(names, name)?;
    let mut signature = Signature { docs: docs(game, name), active: Some(commas), ..Signature::default() };
    signature.push(&format!("{name}("));
    for (number, (param, ty)) in params.iter().enumerate() {
        if number > 0 {
            signature.push(", ");
        }
        let ty = type_name(game, *ty);
        signature.push_parameter(&if param.is_empty() { ty } else { format!("{param}: {ty}") });
    }
    signature.push(")");
    if let Some(ty) = result {
        signature.push(&format!(": {}", type_name(game, ty)));
    }
    Some(signature)
}

/// What is called: the names and types of its parameters, and the type of its result.
type Called = (Vec<(String, Type)>, Option<Type>);

/// The parameters and the result of what is called: a function, keyword, action or play. Parameters of built-in functions have no names.
fn parameters(names: &NameTable<'_>, name: &str) -> Option<Called> {
    let owned = |params: &[(smol_str::SmolStr, Type)]| params.iter().map(|(name, ty)| (name.to_string(), *ty)).collect();
    if let Some(function) = names.functions.get(name) {
        return Some((owned(&function.params), function.result));
    }
    if let Some(keyword) = names.keywords.get(name) {
        return Some((owned(&keyword.params), None));
    }
    if let Some(row) = BUILTINS.iter().find(|row| row.name == name) {
        return Some((row.params.iter().map(|ty| (String::new(), *ty)).collect(), Some(row.result)));
    }
    let (_, params) = find_action(names, name, false)?;
    Some((owned(&params), None))
}

/// The doc comment of a declared word, or the description of a word of the language.
fn docs(game: &Game<'_>, name: &str) -> String {
    let declared = game.declarations.iter().find(|item| match &item.kind {
        ItemKind::Action(action) => action.name.text == name,
        ItemKind::Keyword { name: declared, .. } | ItemKind::Function { name: declared, .. } => declared.text == name,
        _ => false,
    });
    let verb = || VERBS.iter().find(|verb| verb.name == name).map(|verb| verb.doc);
    let builtin = || BUILTINS.iter().find(|row| row.name == name).map(|row| row.doc);
    declared.map(|item| item.docs.clone()).or_else(|| verb().or_else(builtin).map(str::to_owned)).unwrap_or_default()
}

/// The sentence of the verb before the cursor.
fn sentence(item: &str, game: &Game<'_>) -> Option<Signature> {
    let sentence = place_at_end(item).sentence;
    let solid = tokens(&sentence).into_iter().filter(|token| !token.kind.is_trivia()).collect();
    let reader = TokenReader { text: &sentence, tokens: solid };
    let verb = verb_of_sentence(&reader, &game.names)?;
    // the cursor must be behind the verb
    let ends_with_verb = verb.index + 1 == reader.tokens.len() && !sentence.ends_with([' ', '\t']);
    if ends_with_verb {
        return None;
    }
    let mut signature = Signature { docs: docs(game, &verb.action), ..Signature::default() };
    if let Some(subject) = &verb.subject {
        signature.push_parameter(&format!("[{}: {}]", subject.name, type_name(game, subject.ty)));
        signature.push(" ");
    }
    signature.push(verb.action.split('_').next().filter(|_| !verb.rest.is_empty()).unwrap_or(&verb.action));
    let active = active_operand(&verb, &reader);
    for (number, operand) in verb.operands.iter().enumerate() {
        signature.push(" ");
        if active == Some(number) {
            signature.active = Some(signature.parameters.len());
        }
        signature.push_parameter(&shown(operand, game));
        if number == 0 {
            verb.rest.iter().for_each(|word| signature.push(&format!(" {word}")));
        }
    }
    Some(signature)
}

/// An operand with its prepositions: `into ZONE`, in brackets if it can be left out.
fn shown(operand: &Operand, game: &Game<'_>) -> String {
    let preposition =
        if operand.prepositions.is_empty() { String::new() } else { format!("{} ", operand.prepositions.join("/")) };
    let text = format!("{preposition}{}: {}", operand.name, type_name(game, operand.ty));
    if operand.optional { format!("[{text}]") } else { text }
}

/// The operand that is being written: that of the last preposition after the verb, else the direct one.
fn active_operand(verb: &SentenceVerb, reader: &TokenReader<'_>) -> Option<usize> {
    let after = reader.tokens.iter().skip(verb.index + 1).map(|token| token.text(reader.text));
    let mut active = verb.operands.iter().position(|operand| operand.prepositions.is_empty());
    for word in after {
        let introduced = verb.operands.iter().position(|operand| operand.prepositions.contains(&word));
        active = introduced.or(active);
    }
    active
}
