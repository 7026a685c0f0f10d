//! A session: the files of somebody who is writing, checked again after each edit. Editors speak to this.
//!
//! Files are kept as parts, one for each item ([`Store`]), so that an edit reads one item. The tables of names and declarations are kept, too
//! (`Analysis`): an edit of a card, deck or scenario lowers that one again, and what mentions a name that came or went. Everything else
//! makes new tables; what came of single parts is taken over where the declarations are, for them, the same as before.
//! What a session finds is what [`crate::compile`] finds.

mod analysis;
mod game;
mod outcome;
mod store;

pub use analysis::Analysis;
pub use game::Game;
pub use store::{Change, Document, Part, Placed, Store};

use crate::diagnostics::{self, Code, Diagnostic, Fix};
use crate::syntax;
use analysis::Built;
use fizzle_grammar::tree::Span;
use game::Update;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// After so many edits the tables are made anew, so that what they once referred to can go.
const EDITS: usize = 4096;

/// A place in a file of the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of the file.
    pub file: usize,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

impl Place {
    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A diagnostic with places in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which kind of problem.
    pub code: &'static Code,
    /// What is wrong here.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What stands there.
    pub label: String,
    /// Other places that matter.
    pub related: Vec<(Place, String)>,
    /// Ways out.
    pub help: Vec<String>,
    /// Ways out that can be carried out: what stands at a place instead.
    pub fixes: Vec<(Place, String)>,
}

/// Which files have other problems than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Perhaps all.
    All,
    /// None but these.
    Files(BTreeSet<usize>),
}

/// The files of somebody who is writing.
#[derive(Debug, Default)]
pub struct Session {
    store: Store,
    built: Option<Built>,
    pending: BTreeMap<usize, Change>,
    edits: usize,
}

impl Session {
    /// The files.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Adds a file or changes its text.
    pub fn set(&mut self, path: &str, text: &str) {
        let is_new = self.store.number(path).is_none();
        let change = self.store.set(path, text);
        self.note(path, change, is_new);
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        if self.store.number(path).is_some() {
            self.store.remove(path);
            self.built = None;
        }
    }

    fn note(&mut self, path: &str, change: Change, is_new: bool) {
        let Some(file) = self.store.number(path) else { return };
        if is_new {
            self.built = None;
        }
        let pending = self.pending.entry(file).or_default();
        for part in change.removed {
            match pending.added.iter().position(|added| *added == part) {
                Some(index) => {
                    pending.added.swap_remove(index);
                }
                None => pending.removed.push(part),
            }
        }
        pending.added.extend(change.added);
    }

    /// Checks what has changed since the last time.
    pub fn check(&mut self) -> Checked {
        let pending = std::mem::take(&mut self.pending);
        let mut touched: BTreeSet<usize> = pending.keys().copied().collect();
        if let Some(built) = &mut self.built {
            let store = &self.store;
            let single = pending.iter().all(|(file, change)| built.borrow_dependent().is_single(*file, change, store));
            let mut rebuild = !single;
            if single {
                for (file, change) in &pending {
                    match built.with_dependent_mut(|ground, analysis| analysis.update(ground, *file, change, store)) {
                        Update::Done(spans) => touched.extend(spans.iter().filter_map(|span| Some(store.home(span.file)?.0))),
                        Update::Rebuild => rebuild = true,
                    }
                }
                self.edits += pending.len();
            }
            if !rebuild && self.edits < EDITS {
                return Checked::Files(touched);
            }
            let apart = |change: &Change| {
                let item = |part: &u32| store.part(*part).and_then(|part| part.item.as_ref());
                let before = |part: &u32| built.borrow_dependent().games.iter().any(|game| game.outcomes.contains_key(part));
                !change.removed.iter().any(before) && !change.added.iter().any(|part| item(part).is_some_and(outcome::is_single))
            };
            let usable = if single { !rebuild } else { pending.values().all(apart) };
            let known = if usable { analysis::salvage(built) } else { analysis::Known::default() };
            self.built = Some(analysis::build(store, known));
        } else {
            self.built = Some(analysis::build(&self.store, analysis::Known::default()));
        }
        self.edits = 0;
        Checked::All
    }

    /// What is known of the games. Nothing before the first check.
    #[must_use]
    pub fn analysis(&self) -> Option<&Analysis<'_>> {
        self.built.as_ref().map(Built::borrow_dependent)
    }

    /// The problems of some files, or of all; those without problems are left out.
    #[must_use]
    pub fn problems(&self, files: Option<&BTreeSet<usize>>) -> BTreeMap<usize, Vec<Problem>> {
        let wanted = |file: usize| files.is_none_or(|files| files.contains(&file));
        let mut found: BTreeMap<usize, Vec<Diagnostic>> = BTreeMap::new();
        for (number, document) in self.store.documents() {
            if !wanted(number) {
                continue;
            }
            for part in document.parts.iter().map(|placed| placed.part).chain([document.rest]) {
                if let Some(part) = self.store.part(part).filter(|part| !part.errors.is_empty()) {
                    found.entry(number).or_default().extend(part.errors.iter().map(syntax::diagnostic));
                }
            }
        }
        for problem in self.analysis().into_iter().flat_map(Analysis::problems) {
            if let Some((file, _)) = self.store.home(problem.span.file).filter(|(file, _)| wanted(*file)) {
                found.entry(file).or_default().push(problem.clone());
            }
        }
        let placed = |mut found: Vec<Diagnostic>| {
            diagnostics::tidy(&mut found);
            let mut problems: Vec<Problem> = found.into_iter().filter_map(|found| self.problem(found)).collect();
            problems.sort_by(|a, b| a.place.cmp(&b.place));
            problems
        };
        found.into_iter().map(|(file, found)| (file, placed(found))).collect()
    }

    /// Where a span of a part stands.
    #[must_use]
    pub fn place(&self, span: Span) -> Option<Place> {
        let (file, bytes) = self.store.locate(span)?;
        Some(Place { file, start: bytes.start, end: bytes.end })
    }

    fn problem(&self, found: Diagnostic) -> Option<Problem> {
        let place = self.place(found.span)?;
        let related = found.labels.into_iter().filter_map(|(span, label)| Some((self.place(span)?, label))).collect();
        let fixes = found.fixes.iter().filter_map(|fix| self.fix(fix)).collect();
        let Diagnostic { code, message, label, help, .. } = found;
        Some(Problem { code, message, place, label, related, help, fixes })
    }

    /// Where exactly a fix puts its word.
    fn fix(&self, fix: &Fix) -> Option<(Place, String)> {
        let text = self.store.sources().slice(fix.span);
        let start = text.rfind(&fix.word)? as u32 + fix.span.start;
        let place = self.place(Span { start, end: start + fix.word.len() as u32, ..fix.span })?;
        Some((place, fix.with.clone()))
    }
}
