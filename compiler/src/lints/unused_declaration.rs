//! Lint: declarations that nothing names, in packs that no other given pack extends.
//!
//! Packs to come may use what a game declares. A pack that no other given pack extends declares for itself only.

use crate::diagnostics::{Diagnostic, allow_comparisons, codes, reset_comparisons};
use crate::maps::IndexMap;
use crate::packs::{ParsedFile, leaf_pack_files};
use crate::verb_forms::is_inflected_form;
use fizzle_grammar::ast::{DifferenceKind, ItemKind, MemoryKind, Name, Variable, VariableKind};
use fizzle_grammar::lexer::{TokenKind, tokens};
use smol_str::SmolStr;

/// What a declaration declares (`zone`, `action`, …), and its name.
pub type NamedDeclaration<'a> = (&'static str, &'a Name);

/// The number of occurrences of each word in the sources.
pub type WordCounts = IndexMap<SmolStr, u32>;

/// The declarations of packs that no other given pack extends.
pub fn leaf_pack_declarations<'a>(files: &[ParsedFile<'a>]) -> Vec<NamedDeclaration<'a>> {
    let own: Vec<usize> = leaf_pack_files(files);
    let items = own.iter().flat_map(|file| &files[*file].items);
    items.flat_map(|item| declaration_of(&item.kind).into_iter().chain(constants_of_format(&item.kind))).collect()
}

/// Calls `found` with the words and quoted names of a text.
pub fn for_each_word<'t>(text: &'t str, mut found: impl FnMut(&'t str)) {
    for token in tokens(text) {
        let word = token.text(text);
        match token.kind {
            TokenKind::Word => found(word),
            TokenKind::Quoted => found(word.trim_matches(['"', '《', '》'])),
            _ => {}
        }
    }
}

/// Reports those declarations in `declared` that nothing uses. `words`: the words of all sources, including the declarations themselves.
pub fn report_unused(declared: &[NamedDeclaration<'_>], words: &WordCounts, diagnostics: &mut Vec<Diagnostic>) {
    reset_comparisons();
    for (kind, name) in declared {
        let text = name.text.as_str();
        if text.starts_with('_') || words.get(text).copied().unwrap_or(0) > 1 || is_used_inflected(kind, text, words) {
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

fn counts_events(variable: &Variable) -> bool {
    variable.memory.as_ref().is_some_and(|memory| matches!(memory.kind, MemoryKind::Counts))
}

fn declaration_of(kind: &ItemKind) -> Option<(&'static str, &Name)> {
    match kind {
        // A trigger on the N-th event of a period reads what counts its events without naming it.
        ItemKind::Variable(variable) if counts_events(variable) => None,
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

/// Whether a declaration is used under another form of its name.
fn is_used_inflected(kind: &str, name: &str, words: &WordCounts) -> bool {
    match kind {
        // `draws`, `is drawn`, `deal 3 damage`; the machine itself proposes two actions
        "action" => {
            // a game of thousands of actions and words: the first ones are checked
            if !allow_comparisons(words.len()) {
                return true;
            }
            let parts: Vec<&str> = name.split('_').collect();
            let is_inflected = |part: &str| words.keys().any(|word| word != name && is_inflected_form(part, word, true));
            matches!(name, "leave_game" | "remove_from_list")
                || is_inflected(name)
                || parts.len() > 1 && parts.iter().all(|part| is_inflected(part))
        }
        // a pool names only the beginning of its variables
        "player variable" => name.match_indices('_').any(|(at, _)| words.contains_key(&name[..at])),
        // a symbol of a price
        "noun" => name.chars().all(|c| c.is_ascii_uppercase()),
        // a zone where a deck begins
        "zone" => name.ends_with("deck"),
        _ => false,
    }
}
