//! The state of the server: the compiler session, open documents and folders, loaded shipped packs, and published diagnostics.
//!
//! Open documents take precedence over files on disk. Copies of shipped files map to the embedded files ([`shipped_copies`]); edits of a
//! copy do not reach the session.

use super::documents::{Documents, OpenDocument};
use super::host::Host;
use super::name_index::NameIndex;
use super::position::LineIndex;
use super::{diagnostics, shipped_copies, uri, workspace};
use fizzle::files::read_source;
use fizzle::pack_scan::{PackReferences, scan};
use fizzle::shipped;
use fizzle_compiler::session::{CheckScope, FileRange, Game, Session};
use fizzle_compiler::{LintLevels, SourceFile};
use fizzle_grammar::ast::ItemKind;
use fizzle_grammar::lexer::{TokenKind, tokens};
use lsp_types::{Diagnostic, Location, PublishDiagnosticsParams, Range, Uri};
use serde_json::Value;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

/// Longer open documents are not compiled; the session keeps the last text that was short enough.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// A text and its line index.
type TextWithLines = (Arc<str>, Arc<LineIndex>);

/// The state of the server.
#[derive(Default)]
pub struct ServerState {
    /// What the server may do with files.
    pub host: Host,
    /// The compiler session with all loaded files.
    pub session: Session,
    /// The open documents.
    pub documents: Documents,
    /// The diagnostics last published, by path. Paths without diagnostics have no entry.
    pub published_diagnostics: BTreeMap<String, Vec<Diagnostic>>,
    /// For each path, the failure of the scenario that was run last, until the document changes.
    pub scenario_failures: BTreeMap<String, Diagnostic>,
    /// The names of all parts, for navigation.
    pub name_index: NameIndex,
    /// Open folders.
    roots: Vec<PathBuf>,
    /// The packs and formats that each file declares or needs, by path.
    pack_references: BTreeMap<String, PackReferences>,
    /// Paths of files whose `pack_references` must be read again.
    stale_references: BTreeSet<String>,
    /// Indices of the shipped packs that are loaded into the session.
    loaded_shipped: Vec<usize>,
    /// Cache of line indexes. Key: file number. An entry is valid while the document still has the same text (the same `Arc`).
    line_indexes: std::cell::RefCell<BTreeMap<usize, TextWithLines>>,
    /// Whether the editor accepts snippets in completion items.
    pub snippets: bool,
    /// Cache of [`Self::card_words`]. An entry is valid until all packs are checked again.
    card_words: std::cell::RefCell<Option<Rc<BTreeMap<SmolStr, u32>>>>,
    /// Warning levels from the initialisation options of the editor.
    lint_levels: LintLevels,
}

impl ServerState {
    /// A server without documents and folders.
    #[must_use]
    pub fn new(host: Host) -> Self {
        Self { host, ..Self::default() }
    }

    /// Sets the warning levels: `{ "allow": ["W0701"], "deny": ["warnings"] }`. Returns a message for each invalid code.
    pub fn set_levels(&mut self, options: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        let codes = |key: &str| options.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for code in codes("allow") {
            self.lint_levels.allow(code).unwrap_or_else(|problem| problems.push(problem));
        }
        for code in codes("deny") {
            self.lint_levels.deny(code).unwrap_or_else(|problem| problems.push(problem));
        }
        self.session.set_levels(self.lint_levels.clone());
        problems
    }

    /// Loads all sources of folders. Returns a message for each path that could not be read.
    pub fn open_folders(&mut self, roots: Vec<PathBuf>) -> Vec<String> {
        let mut problems = Vec::new();
        if !self.host.reads_files {
            return problems;
        }
        for root in roots {
            let (texts, unreadable) = workspace::read_folder(&root);
            problems.extend(unreadable);
            for (path, text) in texts {
                self.set(&path, &text);
            }
            self.roots.push(root);
        }
        problems
    }

    fn set(&mut self, path: &str, text: &str) {
        self.session.set(path, text);
        self.stale_references.insert(path.to_owned());
    }

    fn remove(&mut self, path: &str) {
        self.session.remove(path);
        self.pack_references.remove(path);
        self.stale_references.remove(path);
        self.scenario_failures.remove(path);
    }

    /// Opens a document. If the session does not know it yet, the whole pack that it belongs to is loaded.
    ///
    /// Returns a message for each path that could not be read.
    pub fn open(&mut self, uri: Uri, version: i32, text: String) -> Vec<String> {
        let mut problems = Vec::new();
        let path = uri::path_of(&uri);
        if shipped_copies::original_path(&path).is_none() && text.len() <= MAX_TEXT_BYTES {
            if self.host.reads_files
                && self.session.store().number(&path).is_none()
                && let Some(root) = workspace::pack_directory(&path, &mut problems)
            {
                let (texts, unreadable) = workspace::read_folder(&root);
                problems.extend(unreadable);
                for (other, text) in texts {
                    if !self.documents.contains_key(&other) {
                        self.set(&other, &text);
                    }
                }
            }
            self.set(&path, &text);
        }
        self.documents.insert(path, OpenDocument { uri, version, text });
        problems
    }

    /// Applies edits to an open document. Returns `false` if it is not open.
    pub fn change(&mut self, uri: &Uri, version: i32, changes: Vec<lsp_types::TextDocumentContentChangeEvent>) -> bool {
        let path = uri::path_of(uri);
        let Some(open) = self.documents.get_mut(&path) else { return false };
        open.apply_changes(changes);
        open.version = version;
        if shipped_copies::original_path(&path).is_none() && open.text.len() <= MAX_TEXT_BYTES {
            self.session.set(&path, &open.text);
            self.stale_references.insert(path.clone());
        }
        self.scenario_failures.remove(&path);
        true
    }

    /// Closes a document; the session reads the file on disk again. Returns the diagnostics to clear, as [`Self::reload`] does.
    pub fn close(&mut self, uri: &Uri) -> Option<PublishDiagnosticsParams> {
        let path = uri::path_of(uri);
        self.documents.remove(&path);
        self.reload(&path)
    }

    /// Reads a changed file from disk, unless it is open. If it was removed, returns an empty list of diagnostics to publish for it.
    pub fn reload(&mut self, path: &str) -> Option<PublishDiagnosticsParams> {
        if self.documents.contains_key(path) || shipped_copies::original_path(path).is_some() || !path.ends_with(".fz") {
            return None;
        }
        let place = std::path::Path::new(path);
        match read_source(place) {
            Ok(text) if self.host.reads_files && place.is_absolute() => {
                let document = self.session.store().number(path).and_then(|file| self.session.store().document(file));
                if document.is_none_or(|known| *known.text != *text) {
                    self.set(path, &text);
                }
                None
            }
            _ => {
                self.remove(path);
                self.published_diagnostics.remove(path)?;
                Some(PublishDiagnosticsParams { uri: self.uri(path)?, diagnostics: Vec::new(), version: None })
            }
        }
    }

    /// Checks what changed since the last call and returns the diagnostics to publish.
    pub fn check(&mut self) -> Vec<PublishDiagnosticsParams> {
        let mut checked = self.session.check();
        if self.may_need_other_packs(&checked) && self.update_shipped_packs() {
            self.session.check();
            checked = CheckScope::All;
        }
        self.name_index.mark_stale();
        if checked == CheckScope::All {
            self.card_words.replace(None);
        }
        match checked {
            CheckScope::All => diagnostics::changed_diagnostics(self, None),
            CheckScope::Files(files) => diagnostics::changed_diagnostics(self, Some(&files)),
        }
    }

    /// Whether the set of needed shipped packs may have changed: after a full check, or if a pack or format is unknown.
    fn may_need_other_packs(&self, checked: &CheckScope) -> bool {
        match checked {
            CheckScope::All => true,
            CheckScope::Files(files) => {
                let problems = self.session.problems(Some(files));
                problems.values().flatten().any(|problem| matches!(problem.code.code, "E0102" | "E0104"))
            }
        }
    }

    /// Updates `pack_references` and loads and unloads shipped packs accordingly. Returns whether the set of loaded packs changed.
    fn update_shipped_packs(&mut self) -> bool {
        for path in std::mem::take(&mut self.stale_references) {
            if let Some(document) = self.session.store().number(&path).and_then(|file| self.session.store().document(file)) {
                self.pack_references.insert(path, scan(&document.text));
            }
        }
        let mut all = PackReferences::default();
        for references in self.pack_references.values() {
            all.add(references.clone());
        }
        let needed = shipped::required_packs(&all, false);
        if needed == self.loaded_shipped {
            return false;
        }
        let files = |pack: &usize| shipped::packs().get(*pack).into_iter().flat_map(shipped::ShippedPack::files_for_dependents);
        for file in self.loaded_shipped.iter().filter(|pack| !needed.contains(pack)).flat_map(files) {
            self.session.remove(&file.path);
        }
        for file in needed.iter().filter(|pack| !self.loaded_shipped.contains(pack)).flat_map(files) {
            self.session.set(&file.path, &file.text);
        }
        self.loaded_shipped = needed;
        true
    }

    /// Replaces the session by a new one with the same files. Called after a panic, which may have left the old one inconsistent.
    pub fn reset_session(&mut self) {
        let mut session = Session::default();
        session.set_levels(self.lint_levels.clone());
        for (_, document) in self.session.store().documents() {
            session.set(&document.path, &document.text);
        }
        self.session = session;
        self.name_index = NameIndex::default();
        self.line_indexes.borrow_mut().clear();
    }

    /// The path under which the session knows a document. For a copy of a shipped file, it is the path of the embedded file.
    pub fn session_path(&self, uri: &Uri) -> String {
        let path = uri::path_of(uri);
        shipped_copies::original_path(&path).unwrap_or(path)
    }

    /// The number of a document in the session; `None` if the session does not know it.
    pub fn file_number(&self, uri: &Uri) -> Option<usize> {
        self.session.store().number(&self.session_path(uri))
    }

    /// The URI of a path: the editor's own spelling if the document is open. For an embedded file, writes its copy.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        if let Some(open) = self.documents.get(path) {
            return Some(open.uri.clone());
        }
        if shipped_copies::is_shipped(path) { uri::uri_of(&shipped_copies::copy(path, &self.host)?) } else { uri::uri_of(path) }
    }

    /// The game of a file; if nothing of the file can be read, that of a file of the same folder.
    pub fn game_near(&self, file: usize) -> Option<&Game<'_>> {
        let analysis = self.session.analysis()?;
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let own = folder(&self.session.store().document(file)?.path);
        let in_folder = || {
            let mut near = self.session.store().documents().filter(|(_, document)| folder(&document.path) == own);
            near.find_map(|(other, _)| analysis.game_of(other))
        };
        analysis.game_of(file).or_else(in_folder)
    }

    /// How often each word occurs in the texts of all cards, cached. Cards that are edited later count from the next check of all packs on.
    pub fn card_words(&self) -> Rc<BTreeMap<SmolStr, u32>> {
        let mut cached = self.card_words.borrow_mut();
        let words = cached.get_or_insert_with(|| Rc::new(collect_card_words(&self.session)));
        Rc::clone(words)
    }

    /// A copy of all sources.
    pub fn source_files(&self) -> Vec<SourceFile> {
        let documents = self.session.store().documents();
        documents.map(|(_, document)| SourceFile { path: document.path.to_string(), text: document.text.to_string() }).collect()
    }

    /// The text of a file and its line index.
    pub fn text(&self, file: usize) -> Option<TextWithLines> {
        let document = self.session.store().document(file)?;
        let mut cached = self.line_indexes.borrow_mut();
        if let Some((text, lines)) = cached.get(&file)
            && Arc::ptr_eq(text, &document.text)
        {
            return Some((Arc::clone(text), Arc::clone(lines)));
        }
        let entry = (Arc::clone(&document.text), Arc::new(LineIndex::new(&document.text)));
        cached.insert(file, entry.clone());
        Some(entry)
    }

    /// A range of a file as a location of the protocol.
    pub fn location(&self, place: &FileRange) -> Option<Location> {
        let (text, lines) = self.text(place.file)?;
        let path = &self.session.store().document(place.file)?.path;
        Some(Location { uri: self.uri(path)?, range: lines.range(&text, place.start..place.end) })
    }

    /// A location for problems whose range cannot be converted.
    pub fn unknown_location(&self) -> Location {
        #[expect(clippy::unwrap_used, reason = "the constant is a valid URI")]
        let uri = Uri::from_str("fizzle:nowhere").unwrap();
        Location { uri, range: Range::default() }
    }

    /// The file number and byte offset of a position in a document.
    pub fn byte_at(&self, position: &lsp_types::TextDocumentPositionParams) -> Option<(usize, u32)> {
        let file = self.file_number(&position.text_document.uri)?;
        let (text, lines) = self.text(file)?;
        Some((file, lines.byte(&text, position.position)))
    }
}

/// How often each word occurs in the texts of all cards.
fn collect_card_words(session: &Session) -> BTreeMap<SmolStr, u32> {
    let store = session.store();
    let parts = store.documents().flat_map(|(_, document)| document.items.iter().map(|placed| placed.number));
    let mut words: BTreeMap<SmolStr, u32> = BTreeMap::new();
    for part in parts {
        let item = store.item_source(part).and_then(|source| source.item.as_ref());
        if !item.is_some_and(|item| matches!(item.kind, ItemKind::Card(_))) {
            continue;
        }
        let text = store.sources().text(part);
        for token in tokens(text).iter().filter(|token| token.kind == TokenKind::Word) {
            let word = token.text(text);
            match words.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(words.insert(SmolStr::new(word), 1)),
            }
        }
    }
    words
}
