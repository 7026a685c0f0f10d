//! Everything the server knows: the session, what is open, what was told.

use super::documents::{Documents, OpenDocument};
use super::name_index::Index;
use super::position::Lines;
use super::{diagnostics, shipped_copies, uri, workspace};
use crate::pack_scan::{PackReferences, scan};
use crate::shipped;
use fizzle_compiler::LintLevels;
use fizzle_compiler::session::{CheckScope, FileRange, Session};
use lsp_types::{Diagnostic, Location, PublishDiagnosticsParams, Range, Uri};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// The largest text that is taken from an editor.
const MOST: usize = 32 << 20;

/// A text and its lines.
type Text = (Arc<str>, Arc<Lines>);

/// Everything the server knows.
#[derive(Default)]
pub struct ServerState {
    /// The files.
    pub session: Session,
    /// What is open.
    pub documents: Documents,
    /// The diagnostics that were told, by path.
    pub published: BTreeMap<String, Vec<Diagnostic>>,
    /// Scenarios that failed when they were last run, by path.
    pub failures: BTreeMap<String, Diagnostic>,
    /// Where names stand.
    pub index: Index,
    /// Folders that are open.
    roots: Vec<PathBuf>,
    /// What each file says about packs and formats.
    mentions: BTreeMap<String, PackReferences>,
    /// Files whose mentions are to be read again.
    stale: BTreeSet<String>,
    /// Shipped packs that are looked at.
    shipped: Vec<usize>,
    lines: std::cell::RefCell<BTreeMap<usize, Text>>,
    /// What the editor says of warnings.
    levels: LintLevels,
}

impl ServerState {
    /// Takes what the editor says of warnings: `{ "allow": ["W0701"], "deny": ["warnings"] }`. Gives what is wrong with it.
    pub fn set_levels(&mut self, options: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        let codes = |key: &str| options.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        for code in codes("allow") {
            self.levels.allow(code).unwrap_or_else(|problem| problems.push(problem));
        }
        for code in codes("deny") {
            self.levels.deny(code).unwrap_or_else(|problem| problems.push(problem));
        }
        self.session.set_levels(self.levels.clone());
        problems
    }

    /// Opens folders. Says what could not be read.
    pub fn open_folders(&mut self, roots: Vec<PathBuf>) -> Vec<String> {
        let mut problems = Vec::new();
        for root in roots {
            let (texts, told) = workspace::folder(&root);
            problems.extend(told);
            for (path, text) in texts {
                self.set(&path, &text);
            }
            self.roots.push(root);
        }
        problems
    }

    fn set(&mut self, path: &str, text: &str) {
        self.session.set(path, text);
        self.stale.insert(path.to_owned());
    }

    fn forget(&mut self, path: &str) {
        self.session.remove(path);
        self.mentions.remove(path);
        self.stale.remove(path);
        self.failures.remove(path);
    }

    /// A document is opened.
    pub fn open(&mut self, uri: Uri, version: i32, text: String) {
        let path = uri::path_of(&uri);
        if shipped_copies::original(&path).is_none() && text.len() <= MOST {
            if self.session.store().number(&path).is_none()
                && let Some(root) = workspace::pack_of(&path)
            {
                for (other, text) in workspace::folder(&root).0 {
                    if !self.documents.contains_key(&other) {
                        self.set(&other, &text);
                    }
                }
            }
            self.set(&path, &text);
        }
        self.documents.insert(path, OpenDocument { uri, version, text });
    }

    /// An open document changes. `false` if it is not open.
    pub fn change(&mut self, uri: &Uri, version: i32, changes: Vec<lsp_types::TextDocumentContentChangeEvent>) -> bool {
        let path = uri::path_of(uri);
        let Some(open) = self.documents.get_mut(&path) else { return false };
        open.change(changes);
        open.version = version;
        if shipped_copies::original(&path).is_none() && open.text.len() <= MOST {
            self.session.set(&path, &open.text);
            self.stale.insert(path.clone());
        }
        self.failures.remove(&path);
        true
    }

    /// A document is closed: what is on disk counts again.
    pub fn close(&mut self, uri: &Uri) -> Option<PublishDiagnosticsParams> {
        let path = uri::path_of(uri);
        self.documents.remove(&path);
        self.reload(&path)
    }

    /// A file on disk has changed. Gives what there is to tell of one that is gone.
    pub fn reload(&mut self, path: &str) -> Option<PublishDiagnosticsParams> {
        if self.documents.contains_key(path) || shipped_copies::original(path).is_some() || !path.ends_with(".fz") {
            return None;
        }
        let place = std::path::Path::new(path);
        match crate::paths::read(place) {
            Ok(text) if place.is_absolute() => {
                let known = self.session.store().number(path).and_then(|file| self.session.store().document(file));
                if known.is_none_or(|known| *known.text != *text) {
                    self.set(path, &text);
                }
                None
            }
            _ => {
                self.forget(path);
                self.published.remove(path)?;
                Some(PublishDiagnosticsParams { uri: self.uri(path)?, diagnostics: Vec::new(), version: None })
            }
        }
    }

    /// Checks what has changed, and gives the diagnostics that are to be told.
    pub fn check(&mut self) -> Vec<PublishDiagnosticsParams> {
        let mut checked = self.session.check();
        if self.needs_others(&checked) && self.update_shipped_packs() {
            self.session.check();
            checked = CheckScope::All;
        }
        self.index.forget();
        match checked {
            CheckScope::All => diagnostics::changed_diagnostics(self, None),
            CheckScope::Files(files) => diagnostics::changed_diagnostics(self, Some(&files)),
        }
    }

    /// Whether other shipped packs might be needed than before.
    fn needs_others(&self, checked: &CheckScope) -> bool {
        match checked {
            CheckScope::All => true,
            CheckScope::Files(files) => {
                let problems = self.session.problems(Some(files));
                problems.values().flatten().any(|problem| matches!(problem.code.code, "E0102" | "E0104"))
            }
        }
    }

    /// Reads what files say about packs, and takes the shipped packs that they need. Says whether these are others than before.
    fn update_shipped_packs(&mut self) -> bool {
        for path in std::mem::take(&mut self.stale) {
            if let Some(document) = self.session.store().number(&path).and_then(|file| self.session.store().document(file)) {
                self.mentions.insert(path, scan(&document.text));
            }
        }
        let mut all = PackReferences::default();
        for said in self.mentions.values() {
            all.add(said.clone());
        }
        let needed = shipped::needed(&all, false);
        if needed == self.shipped {
            return false;
        }
        let files = |pack: &usize| shipped::packs().get(*pack).map_or(&[][..], |pack| pack.files.as_slice());
        for file in self.shipped.iter().filter(|pack| !needed.contains(pack)).flat_map(files) {
            self.session.remove(&file.path);
        }
        for file in needed.iter().filter(|pack| !self.shipped.contains(pack)).flat_map(files) {
            self.session.set(&file.path, &file.text);
        }
        self.shipped = needed;
        true
    }

    /// Makes a new session of the same files, after a defect.
    pub fn reset_session(&mut self) {
        let mut session = Session::default();
        session.set_levels(self.levels.clone());
        for (_, document) in self.session.store().documents() {
            session.set(&document.path, &document.text);
        }
        self.session = session;
        self.index = Index::default();
        self.lines.borrow_mut().clear();
    }

    /// The path that the session knows a document by: a copy of a shipped file stands for that.
    pub fn path(&self, uri: &Uri) -> String {
        let path = uri::path_of(uri);
        shipped_copies::original(&path).unwrap_or(path)
    }

    /// The number of a document.
    pub fn file(&self, uri: &Uri) -> Option<usize> {
        self.session.store().number(&self.path(uri))
    }

    /// The URI of a path: as the editor wrote it, if it is open.
    pub fn uri(&self, path: &str) -> Option<Uri> {
        if let Some(open) = self.documents.get(path) {
            return Some(open.uri.clone());
        }
        if shipped_copies::is_shipped(path) { uri::uri_of(&shipped_copies::copy(path)?) } else { uri::uri_of(path) }
    }

    /// The text of a file and its lines.
    pub fn text(&self, file: usize) -> Option<Text> {
        let document = self.session.store().document(file)?;
        let mut known = self.lines.borrow_mut();
        if let Some((text, lines)) = known.get(&file)
            && Arc::ptr_eq(text, &document.text)
        {
            return Some((Arc::clone(text), Arc::clone(lines)));
        }
        let made = (Arc::clone(&document.text), Arc::new(Lines::of(&document.text)));
        known.insert(file, made.clone());
        Some(made)
    }

    /// A place as the protocol has it.
    pub fn location(&self, place: &FileRange) -> Option<Location> {
        let (text, lines) = self.text(place.file)?;
        let path = &self.session.store().document(place.file)?.path;
        Some(Location { uri: self.uri(path)?, range: lines.range(&text, place.start..place.end) })
    }

    /// Where something is that is nowhere.
    pub fn nowhere(&self) -> Location {
        #[expect(clippy::unwrap_used, reason = "a constant")]
        let uri = Uri::from_str("fizzle:nowhere").unwrap();
        Location { uri, range: Range::default() }
    }

    /// The file and byte of a position in a document.
    pub fn at(&self, position: &lsp_types::TextDocumentPositionParams) -> Option<(usize, u32)> {
        let file = self.file(&position.text_document.uri)?;
        let (text, lines) = self.text(file)?;
        Some((file, lines.byte(&text, position.position)))
    }
}
