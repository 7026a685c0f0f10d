//! Declarations of a pack that nobody builds on, and that nothing in it names.
//!
//! A game declares for packs to come; a pack on which no other one given builds declares for itself.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::pattern::inflected;
use crate::maps::IndexMap;
use crate::packs::{ParsedFile, closed};
use crate::sources::Sources;
use fizzle_grammar::ast::{DifferenceKind, ItemKind, Name, VariableKind};
use fizzle_grammar::lexer::{TokenKind, tokens};
use smol_str::SmolStr;

/// What a declaration declares, and its name.
pub type NamedDeclaration<'a> = (&'static str, &'a Name);

/// How often each word stands in the sources.
pub type WordCounts = IndexMap<SmolStr, u32>;

/// The declarations of packs on which nobody builds.
pub fn leaf_pack_declarations<'a>(files: &[ParsedFile<'a>]) -> Vec<NamedDeclaration<'a>> {
    let own: Vec<usize> = closed(files);
    let items = own.iter().flat_map(|file| &files[*file].items);
    items.flat_map(|item| declared(&item.kind).into_iter().chain(constants_of_format(&item.kind))).collect()
}

/// Tells declarations that nothing uses.
pub fn declarations(files: &[ParsedFile<'_>], sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    let declared = leaf_pack_declarations(files);
    if declared.is_empty() {
        return;
    }
    let mut words = WordCounts::default();
    for file in 0..files.len() as u32 {
        words_of(sources.text(file), |word| *words.entry(SmolStr::new(word)).or_default() += 1);
    }
    unused(&declared, &words, diagnostics);
}

/// The words and quoted names of a text.
pub fn words_of<'t>(text: &'t str, mut found: impl FnMut(&'t str)) {
    for token in tokens(text) {
        let word = token.text(text);
        match token.kind {
            TokenKind::Word => found(word),
            TokenKind::Quoted => found(word.trim_matches(['"', '《', '》'])),
            _ => {}
        }
    }
}

/// Tells those of some declarations that nothing uses.
pub fn unused(declared: &[NamedDeclaration<'_>], words: &WordCounts, diagnostics: &mut Vec<Diagnostic>) {
    for (kind, name) in declared {
        let text = name.text.as_str();
        if text.starts_with('_') || words.get(text).copied().unwrap_or(0) > 1 || used_otherwise(kind, text, words) {
            continue;
        }
        diagnostics.push(
            Diagnostic::new(&codes::UNUSED_DECLARATION, name.span, format!("the {kind} `{text}` is never used"))
                .help(format!("remove it, use it, or call it `_{text}`")),
        );
    }
}

/// The constants that a format adds.
fn constants_of_format(kind: &ItemKind) -> impl Iterator<Item = NamedDeclaration<'_>> {
    let differences = if let ItemKind::Format { differences, .. } = kind { differences.as_slice() } else { &[] };
    differences.iter().filter_map(|difference| match &difference.kind {
        DifferenceKind::Add(item) => match &item.kind {
            ItemKind::Constant { name, .. } => Some(("constant", name)),
            _ => None,
        },
        _ => None,
    })
}

fn declared(kind: &ItemKind) -> Option<(&'static str, &Name)> {
    match kind {
        ItemKind::Variable(variable) => {
            let what = match variable.kind {
                VariableKind::Property => "property",
                VariableKind::Status => "status",
                VariableKind::Player => "player variable",
                VariableKind::Global => "global variable",
            };
            Some((what, &variable.name))
        }
        ItemKind::Constant { name, .. } => Some(("constant", name)),
        ItemKind::Noun { name, .. } => Some(("noun", name)),
        ItemKind::Function { name, .. } => Some(("function", name)),
        ItemKind::Keyword { name, .. } => Some(("keyword", name)),
        ItemKind::Zone { name, .. } => Some(("zone", name)),
        ItemKind::Action(action) => Some(("action", &action.name)),
        _ => None,
    }
}

/// Uses under another form of the name.
fn used_otherwise(kind: &str, name: &str, words: &WordCounts) -> bool {
    match kind {
        // `draws`, `is drawn`, `deal 3 damage`; two that the machine does by itself
        "action" => {
            let parts: Vec<&str> = name.split('_').collect();
            let said = |part: &str| words.keys().any(|word| word != name && inflected(part, word, true));
            matches!(name, "leave_game" | "remove_from_list")
                || said(name)
                || parts.len() > 1 && parts.iter().all(|part| said(part))
        }
        // a pool names the beginning only
        "player variable" => name.match_indices('_').any(|(at, _)| words.contains_key(&name[..at])),
        // a symbol of a price
        "noun" => name.chars().all(|c| c.is_ascii_uppercase()),
        // where a deck begins
        "zone" => name.ends_with("deck"),
        _ => false,
    }
}
