//! Hover: shows the declaration of a name, its type and documentation, and for cards their rules text.

use super::definition::{find_declarations, target_at};
use super::resolve::Target;
use super::server_state::ServerState;
use fizzle_compiler::lookup::type_word;
use fizzle_compiler::session::{FileRange, Game};
use fizzle_grammar::ast::{Item, ItemKind, Span};
use fizzle_grammar::visit::DeclKind;
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::{BUILTINS, OperandDefault, VERBS, Verb};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

/// At most this many lines of a declaration are shown.
const MAX_LINES: usize = 40;

/// Answers `textDocument/hover`.
pub fn hover(state: &ServerState, params: &HoverParams) -> Option<Hover> {
    let (file, byte) = state.byte_at(&params.text_document_position_params)?;
    let (game, target, place) = target_at(state, file, byte)?;
    let value = describe(state, game, &target)?;
    let range = state.location(&place).map(|location| location.range);
    Some(Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range })
}

/// Describes a target in Markdown.
pub fn describe(state: &ServerState, game: &Game<'_>, target: &Target) -> Option<String> {
    match target {
        Target::Verb(name) => VERBS.iter().find(|verb| verb.name == name).map(|row| describe_verb(game, row)),
        Target::Builtin(name) => {
            let row = BUILTINS.iter().find(|row| row.name == name)?;
            let params: Vec<String> = row.params.iter().map(|ty| type_name(game, *ty)).collect();
            let code = format!("{}({}): {}", row.name, params.join(", "), type_name(game, row.result));
            Some(format!("{}\n\n{}", code_block(&code), row.doc))
        }
        Target::OpenTraitWord(set, word) => {
            // A word that no card prints is most likely none.
            let printed = Some(count_printing_cards(game, word)).filter(|count| *count > 0)?;
            Some(format!("`\"{word}\"`: a word of `{set}`, printed on {printed} of the game's cards"))
        }
        Target::Local(..) => {
            let place = find_declarations(state, game, target).into_iter().next()?;
            let (text, _) = state.text(place.file)?;
            let line = line_at(&text, place.start);
            Some(format!("a local name, bound here:\n\n{}", code_block(line.trim())))
        }
        Target::Global(..) | Target::Parameter(..) => {
            let place = find_declarations(state, game, target).into_iter().next()?;
            let item = item_at(state, &place)?;
            let mut text = code_block(&declaration_text(state, item, target, &place)?);
            if let Some(extra) = type_note(state, game, target) {
                text.push_str(&format!("\n\n{extra}"));
            }
            if let (ItemKind::Card(_), Target::Global(DeclKind::Card, name)) = (&item.kind, target) {
                text.push_str(&rules_text(state, game, name));
            }
            if !item.docs.is_empty() {
                text.push_str(&format!("\n\n---\n\n{}", item.docs));
            }
            Some(text)
        }
    }
}

/// The rules text of a card in its game, then the texts of formats in which it differs.
fn rules_text(state: &ServerState, game: &Game<'_>, name: &str) -> String {
    let Some(card) = game.names.cards.get(name).copied().flatten() else { return String::new() };
    let items: Vec<&Item> = game.items.iter().map(|(_, item)| *item).collect();
    let texts = fizzle_compiler::text::text_of(&items, &game.names, &game.models, state.session.store().sources(), card);
    let paragraphs = texts.into_iter().map(|text| {
        let quote = text.lines.iter().map(|line| format!("\n> {line}\n>")).collect::<String>();
        let quote = quote.trim().trim_end_matches('>').trim_end().to_owned();
        if text.format.is_empty() { quote } else { format!("In `{}`:\n\n{quote}", text.format) }
    });
    paragraphs.filter(|quote| !quote.is_empty()).map(|quote| format!("\n\n{quote}")).collect()
}

fn code_block(code: &str) -> String {
    format!("```fizzle\n{code}\n```")
}

fn count_printing_cards(game: &Game<'_>, word: &str) -> usize {
    game.print_count(word)
}

/// The item that contains the start of a range.
pub fn item_at<'w>(state: &'w ServerState, place: &FileRange) -> Option<&'w Item> {
    let store = state.session.store();
    let (part, _) = store.item_at(place.file, place.start)?;
    store.item_source(part)?.item.as_ref()
}

/// The part of a declaration that is shown: small items and cards whole (at most [`MAX_LINES`]), of other items the head.
fn declaration_text(state: &ServerState, item: &Item, target: &Target, place: &FileRange) -> Option<String> {
    let whole = state.session.store().sources().slice(Span { start: item.span.start, end: item.span.end, ..item.span });
    match (&item.kind, target) {
        (ItemKind::Card(_), Target::Global(DeclKind::Card, _)) => Some(clip(whole)),
        (
            ItemKind::Action(_)
            | ItemKind::Keyword { .. }
            | ItemKind::Rule { .. }
            | ItemKind::StateRule { .. }
            | ItemKind::Play(_),
            Target::Global(..),
        ) => Some(clip(whole)),
        (
            ItemKind::Format { .. } | ItemKind::Deck(_) | ItemKind::Scenario(_) | ItemKind::Stage(_),
            Target::Global(DeclKind::Format | DeclKind::Deck | DeclKind::Scenario | DeclKind::Stage, _),
        ) => Some(whole.split('{').next().unwrap_or(whole).trim().to_owned()),
        (ItemKind::Turn(_) | ItemKind::Format { .. } | ItemKind::Action(_), _) => {
            let (text, _) = state.text(place.file)?;
            Some(line_at(&text, place.start).trim().trim_end_matches('{').trim().to_owned())
        }
        _ => Some(clip(whole)),
    }
}

fn clip(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES + 1).collect();
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("…");
    }
    lines.join("\n")
}

fn line_at(text: &str, byte: u32) -> &str {
    let before = text.get(..byte as usize).unwrap_or("");
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    text.get(start..).unwrap_or("").lines().next().unwrap_or("")
}

/// A note about what the declaration itself does not show: the parent event, the type, the path, or the trait set.
fn type_note(state: &ServerState, game: &Game<'_>, target: &Target) -> Option<String> {
    match target {
        Target::Global(DeclKind::Action, name) => {
            let parent = game.names.actions.get(name)?.parent?;
            let (parent, _) = game.names.actions.get_index(parent.index())?;
            Some(format!("an event that is a `{parent}`, too"))
        }
        Target::Parameter(action, name) => {
            let (_, ty) = game.names.actions.get(action)?.params.iter().find(|(param, _)| param == name)?;
            Some(format!("`{name}`: {} of the event `{action}`", type_name(game, *ty)))
        }
        Target::Global(DeclKind::Period, path) => Some(format!("`{path}`")),
        Target::Global(DeclKind::TraitWord, word) => {
            let set = game.names.traits.iter().find(|set| set.words.iter().flatten().any(|known| known == word))?;
            let kinds = game.declarations.iter().filter_map(|item| match &item.kind {
                ItemKind::Kind { word: kind, .. } if kind.text == *word => Some(item.span),
                _ => None,
            });
            let kinds = kinds.map(|span| format!("\n\n{}", code_block(state.session.store().sources().slice(span))));
            Some(format!("a word of `{}`{}", set.name, kinds.collect::<String>()))
        }
        _ => None,
    }
}

fn describe_verb(game: &Game<'_>, row: &Verb) -> String {
    let mut params = Vec::new();
    for param in row.params.iter().filter(|param| param.default != OperandDefault::Machine) {
        let how = match param.prepositions {
            [] => String::new(),
            words => format!(" after `{}`", words.join("` or `")),
        };
        let need = match param.default {
            OperandDefault::Required => "",
            OperandDefault::You => " (you, if nothing is said)",
            OperandDefault::Value(_) | OperandDefault::Machine => " (may be left out)",
        };
        params.push(format!("- `{}`: {}{how}{need}", param.name, type_name(game, param.ty)));
    }
    let doc = row.doc.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("a verb of the language: **{}**\n\n{doc}\n\n{}\n\n{}", row.name, params.join("\n"), code_block(row.example))
}

/// A type as it is written in sources.
pub fn type_name(game: &Game<'_>, ty: Type) -> String {
    let set = |id: fizzle_runtime::ir::TraitSetId| game.names.traits.get(id.index()).map_or("traits", |set| set.name.as_str());
    match ty {
        Type::Words(id) => set(id).to_owned(),
        Type::Word(id) => format!("word of {}", set(id)),
        other => type_word(other).to_owned(),
    }
}
