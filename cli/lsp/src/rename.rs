//! Rename: replaces a name in all files of the packs of its game.
//!
//! Names that occur in shipped packs cannot be renamed. The edits are first checked in a trial session, and refused if the sources then
//! have more problems than before ([`check_no_new_problems`]).

use super::definition::{find_declarations, target_at};
use super::resolve::{self, Target};
use super::server_state::ServerState;
use super::shipped_copies;
use fizzle_compiler::session::{FileRange, Session};
use fizzle_grammar::lexer::{TokenKind, is_reserved, tokens};
use fizzle_grammar::visit::DeclKind;
use lsp_types::{PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, WorkspaceEdit};
use std::collections::{BTreeMap, BTreeSet};

/// Answers `textDocument/prepareRename`: the range of the name without quotes, and its current text.
///
/// # Errors
/// If there is no name at the position, or if it cannot be renamed.
pub fn prepare(state: &ServerState, params: &TextDocumentPositionParams) -> Result<PrepareRenameResponse, String> {
    let nothing = || "there is nothing here that has a name".to_owned();
    let (file, byte) = state.byte_at(params).ok_or_else(nothing)?;
    let (_, _, place) = find_renamable(state, file, byte)?;
    let (text, _) = state.text(file).ok_or_else(nothing)?;
    let current = text.get(place.bytes()).unwrap_or("");
    let inner = strip_quotes(current);
    let quote = current.find(inner).unwrap_or(0) as u32;
    let place = FileRange { start: place.start + quote, end: place.start + quote + inner.len() as u32, ..place };
    let range = state.location(&place).ok_or_else(nothing)?.range;
    Ok(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: inner.to_owned() })
}

/// Finds the target at a position, all its occurrences, and the occurrence at the position.
///
/// # Errors
/// If there is no name, or if it is a word of the language, has no declaration, or occurs in a shipped pack.
fn find_renamable(state: &ServerState, file: usize, byte: u32) -> Result<(Target, Vec<FileRange>, FileRange), String> {
    let (game, target, place) = target_at(state, file, byte).ok_or("there is nothing here that has a name")?;
    match &target {
        Target::Verb(name) | Target::Builtin(name) => return Err(format!("`{name}` is a word of the language")),
        Target::OpenTraitWord(..) | Target::Local(..) => {}
        Target::Global(..) | Target::Parameter(..) if find_declarations(state, game, &target).is_empty() => {
            return Err("nothing declares this".to_owned());
        }
        Target::Global(..) | Target::Parameter(..) => {}
    }
    let places: Vec<FileRange> = resolve::find_occurrences(state, game, &target).into_iter().map(|(place, _)| place).collect();
    if places.len() > resolve::MAX_PLACES {
        return Err(format!("this occurs in {} places, and a rename changes at most {}", places.len(), resolve::MAX_PLACES));
    }
    for place in &places {
        let path = state.session.store().document(place.file).map_or("", |document| &document.path);
        if shipped_copies::is_shipped(path) {
            return Err("this belongs to a shipped game, which cannot be changed: a format of your own can replace it".to_owned());
        }
    }
    Ok((target, places, place))
}

/// Answers `textDocument/rename`.
///
/// # Errors
/// As [`prepare`]; also if the new name is invalid, an inflected form cannot be derived, or the edits cause new problems.
pub fn rename(state: &ServerState, params: &RenameParams) -> Result<WorkspaceEdit, String> {
    let (file, byte) = state.byte_at(&params.text_document_position).ok_or("there is no such document")?;
    let (target, places, _) = find_renamable(state, file, byte)?;
    let name = strip_quotes(params.new_name.trim());
    let old = old_name(state, &target, &places).ok_or("there is nothing here that has a name")?;
    let mut edits: BTreeMap<usize, Vec<(FileRange, String)>> = BTreeMap::new();
    for place in places {
        let (text, _) = state.text(place.file).ok_or("there is no such document")?;
        let written = text.get(place.bytes()).unwrap_or("").to_owned();
        let new = respell(&written, &old, name)?;
        edits.entry(place.file).or_default().push((place, new));
    }
    check_no_new_problems(state, &edits)?;
    let mut changes = Vec::new();
    for (file, edits) in edits {
        let path = state.session.store().document(file).map(|document| document.path.to_string()).unwrap_or_default();
        let uri = state.uri(&path).ok_or("a file has no address")?;
        let edit = |(place, new): (FileRange, String)| Some(TextEdit { range: state.location(&place)?.range, new_text: new });
        changes.push((uri, edits.into_iter().filter_map(edit).collect()));
    }
    Ok(WorkspaceEdit { changes: Some(changes.into_iter().collect()), ..WorkspaceEdit::default() })
}

fn old_name(state: &ServerState, target: &Target, places: &[FileRange]) -> Option<String> {
    let whole = match target {
        Target::Local(..) => {
            let place = places.first()?;
            let (text, _) = state.text(place.file)?;
            return text.get(place.bytes()).map(|text| strip_quotes(text).to_owned());
        }
        Target::Global(DeclKind::Period, path) => path.rsplit('.').next().unwrap_or(path).to_owned(),
        other => other.name()?.to_string(),
    };
    Some(whole)
}

/// Spells the new name as the old one was written: with the same quotes, and for verbs in the same inflected form.
fn respell(written: &str, old: &str, new: &str) -> Result<String, String> {
    let inner = strip_quotes(written);
    if inner.len() < written.len() {
        let quotes = if written.starts_with('《') { ('《', '》') } else { ('"', '"') };
        if new.is_empty() || new.contains([quotes.1, '\n', '\r']) {
            return Err(format!("`{new}` cannot stand between {}…{}", quotes.0, quotes.1));
        }
        return Ok(format!("{}{new}{}", quotes.0, quotes.1));
    }
    let is_word = matches!(tokens(new).as_slice(), [token] if token.kind == TokenKind::Word);
    if !is_word || is_reserved(new) {
        return Err(format!(
            "`{new}` is no name: a name is a letter or `_`, then letters, digits and `_`, and no word of the language"
        ));
    }
    if inner == old {
        return Ok(new.to_owned());
    }
    // An inflected verb, for example `draws` for `draw`.
    let (old_first, old_rest) = old.split_once('_').map_or((old, ""), |(first, rest)| (first, rest));
    let (new_first, new_rest) = new.split_once('_').map_or((new, String::new()), |(first, rest)| (first, format!("_{rest}")));
    let first = if old_rest.is_empty() {
        inner
    } else {
        inner.strip_suffix(old_rest).and_then(|rest| rest.strip_suffix('_')).unwrap_or(inner)
    };
    let forms = |base: &str| {
        let y = base.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
        let s = match y {
            Some(stem) => format!("{stem}ies"),
            None if base.ends_with(['s', 'x', 'z', 'h', 'o']) => format!("{base}es"),
            None => format!("{base}s"),
        };
        let ed = match y {
            Some(stem) => format!("{stem}ied"),
            None if base.ends_with('e') => format!("{base}d"),
            None => format!("{base}ed"),
        };
        [s, ed]
    };
    let form = forms(old_first).iter().position(|form| form == first);
    match form.and_then(|form| forms(new_first).get(form).cloned()) {
        Some(form) => Ok(format!("{form}{new_rest}")),
        None => Err(format!("`{inner}` is a form of `{old}` that has no certain form for `{new}`: change it by hand first")),
    }
}

/// Applies the edits to a copy of the session.
///
/// # Errors
/// If the number of problems grew.
fn check_no_new_problems(state: &ServerState, edits: &BTreeMap<usize, Vec<(FileRange, String)>>) -> Result<(), String> {
    let mut trial = Session::default();
    for (number, document) in state.session.store().documents() {
        match edits.get(&number) {
            Some(edits) => trial.set(&document.path, &with_edits(&document.text, edits)),
            None => trial.set(&document.path, &document.text),
        }
    }
    trial.check();
    let before = state.session.problems(None).values().map(Vec::len).sum::<usize>();
    let after = trial.problems(None);
    if after.values().map(Vec::len).sum::<usize>() > before {
        let known: BTreeSet<_> = state.session.problems(None).into_values().flatten().map(|problem| problem.message).collect();
        let new = after.into_values().flatten().find(|problem| !known.contains(&problem.message));
        let why = new.map_or_else(String::new, |problem| format!(": {}", problem.message));
        return Err(format!("the sources would have new problems{why}"));
    }
    Ok(())
}

/// A text with edits, which are in the order of their places. Reads the text once: to replace each place in the whole text would move what
/// follows as often as there are places.
fn with_edits(text: &str, edits: &[(FileRange, String)]) -> String {
    let added: usize = edits.iter().map(|(_, new)| new.len()).sum();
    let mut edited = String::with_capacity(text.len() + added);
    let mut copied = 0;
    for (place, new) in edits {
        let bytes = place.bytes();
        if bytes.start < copied || text.get(bytes.clone()).is_none() {
            continue;
        }
        edited.push_str(text.get(copied..bytes.start).unwrap_or_default());
        edited.push_str(new);
        copied = bytes.end;
    }
    edited.push_str(text.get(copied..).unwrap_or_default());
    edited
}

/// A name without its quotes, `"…"` or `《…》`.
fn strip_quotes(text: &str) -> &str {
    let double_quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    double_quoted.or_else(|| text.strip_prefix('《').and_then(|rest| rest.strip_suffix('》'))).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{FileRange, respell, with_edits};

    #[test]
    fn edits_are_applied_in_one_pass() {
        let at = |start, end| FileRange { file: 0, start, end };
        let edits = [(at(0, 1), "xx"), (at(4, 5), ""), (at(5, 5), "z"), (at(9, 20), "far")].map(|(at, new)| (at, new.to_owned()));
        assert_eq!(with_edits("a《b》c", &edits), "xx《z》c");
        assert_eq!(with_edits("a", &[]), "a");
        let edited =
            with_edits(&"a ".repeat(1000), &(0..1000).map(|n| (at(2 * n, 2 * n + 1), "bb".to_owned())).collect::<Vec<_>>());
        assert_eq!(edited, "bb ".repeat(1000));
        assert!(edited.capacity() <= 4000, "the text is built in memory that is taken once");
    }

    #[test]
    fn respell_keeps_verb_forms_and_quotes() {
        let ok = |written, old, new| respell(written, old, new).expect("the name can be respelt");
        assert_eq!(ok("draws", "draw", "take"), "takes");
        assert_eq!(ok("destroyed", "destroy", "smash"), "smashed");
        assert_eq!(ok("puts_back", "put_back", "carry_home"), "carries_home");
        assert_eq!(ok("《A》", "A", "B's"), "《B's》");
        assert!(respell("drawn", "draw", "take").is_err());
        assert!(respell("draw", "draw", "each").is_err());
        assert!(respell("draw", "draw", "two words").is_err());
        assert!(respell("\"A\"", "A", "B\"").is_err());
    }
}
