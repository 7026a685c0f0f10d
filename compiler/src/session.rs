//! A session: the files of somebody who is writing, checked again after each edit. Editors speak to this.
//!
//! Files are kept as parts, one for each item ([`SourceStore`]), so that an edit reads one item. The tables of names and declarations are kept, too
//! (`Analysis`): an edit of a card, deck or scenario lowers that one again, and what mentions a name that came or went. Everything else
//! makes new tables; what came of single parts is taken over where the declarations are, for them, the same as before.
//! What a session finds is what [`crate::compile`] finds, word for word; `fizzle check` is a session, too, since single parts are lowered side by side.

mod analysis;
mod game;
mod interface;
mod item_result;
mod store;
mod usage_index;

pub use analysis::Analysis;
pub use game::Game;
pub use store::{Document, ItemChange, ItemPosition, ItemSource, SourceStore};

use crate::diagnostics::lint_levels::{self, AllowComments, LintLevels};
use crate::diagnostics::{self, Code, Diagnostic, Severity, TextFix};
use crate::lints::WordCounts;
use crate::maps::IndexMap;
use crate::packs;
use crate::syntax_diagnostics;
use crate::{Compilation, SourceFile, Sources};
use analysis::OwnedAnalysis;
use fizzle_grammar::ast::Span;
use game::UpdateResult;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// After so many edits the tables are made anew, so that what they once referred to can go.
const EDITS: usize = 4096;

/// A place in a file of the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileRange {
    /// The number of the file.
    pub file: usize,
    /// Its first byte.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

impl FileRange {
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
    /// How bad it is here: a warning may be denied.
    pub severity: Severity,
    /// What is wrong here.
    pub message: String,
    /// Where.
    pub place: FileRange,
    /// What stands there.
    pub label: String,
    /// Other places that matter.
    pub related: Vec<(FileRange, String)>,
    /// Ways out.
    pub help: Vec<String>,
    /// Ways out that can be carried out: what stands at a place instead.
    pub fixes: Vec<(FileRange, String)>,
}

/// Which files have other problems than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckScope {
    /// Perhaps all.
    All,
    /// None but these.
    Files(BTreeSet<usize>),
}

/// The files of somebody who is writing.
#[derive(Debug, Default)]
pub struct Session {
    store: SourceStore,
    built: Option<OwnedAnalysis>,
    pending: BTreeMap<usize, ItemChange>,
    edits: usize,
    levels: LintLevels,
    /// Something is an error: what is told because something stands nowhere is not.
    failed: bool,
    /// Names of items that cannot be read: that nothing is called so is not told.
    unparsed_names: BTreeSet<SmolStr>,
    /// How often each word stands somewhere, once that was asked.
    words: Option<WordCounts>,
    /// Words came, went, or are no longer alone.
    words_changed: bool,
}

impl Session {
    /// The files.
    #[must_use]
    pub fn store(&self) -> &SourceStore {
        &self.store
    }

    /// Adds a file or changes its text.
    pub fn set(&mut self, path: &str, text: &str) {
        let is_new = self.store.number(path).is_none();
        let change = self.store.set(path, text);
        self.note(path, change, is_new);
    }

    /// Has these files and no others.
    pub fn keep(&mut self, files: &[SourceFile]) {
        let wanted: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let gone = self.store.documents().filter(|(_, document)| !wanted.contains(&*document.path));
        for path in gone.map(|(_, document)| Arc::clone(&document.path)).collect::<Vec<_>>() {
            self.remove(&path);
        }
        let mut new: IndexMap<&str, &SourceFile> = IndexMap::default();
        for file in files {
            match self.store.number(&file.path).and_then(|number| self.store.document(number)) {
                Some(known) if *known.text == *file.text => {}
                Some(_) => self.set(&file.path, &file.text),
                None => drop(new.insert(&file.path, file)),
            }
        }
        let new: Vec<&SourceFile> = new.into_values().collect();
        for (file, change) in new.iter().zip(self.store.add_all(&new)) {
            self.note(&file.path, change, true);
        }
    }

    /// Takes a file away.
    pub fn remove(&mut self, path: &str) {
        if self.store.number(path).is_some() {
            self.store.remove(path);
            self.built = None;
            self.words = None;
        }
    }

    /// What becomes of warnings, before what manifests say.
    pub fn set_levels(&mut self, levels: LintLevels) {
        self.levels = levels;
        self.built = None;
    }

    fn note(&mut self, path: &str, change: ItemChange, is_new: bool) {
        let Some(file) = self.store.number(path) else { return };
        if is_new {
            self.built = None;
            self.words = None;
        }
        self.reword(change.words);
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

    fn reword(&mut self, change: BTreeMap<SmolStr, i64>) {
        let Some(words) = &mut self.words else { return };
        for (word, more) in change.into_iter().filter(|(_, more)| *more != 0) {
            let before = words.get(&word).copied().unwrap_or(0);
            let now = u32::try_from(i64::from(before) + more).unwrap_or(0);
            self.words_changed |= before.min(2) != now.min(2);
            if now == 0 {
                words.swap_remove(&word);
            } else {
                words.insert(word, now);
            }
        }
    }

    /// Checks what has changed since the last time.
    pub fn check(&mut self) -> CheckScope {
        let checked = self.check_parts();
        let mut touched: Vec<Span> = Vec::new();
        if let Some(built) = &mut self.built
            && built.borrow_dependent().counts_words()
            && (self.words_changed || checked == CheckScope::All || self.words.is_none())
        {
            let words = self.words.get_or_insert_with(|| self.store.words());
            touched = built.with_dependent_mut(|_, analysis| analysis.count(words));
        }
        self.words_changed = false;
        let analysis = self.built.as_ref().map(OwnedAnalysis::borrow_dependent);
        let failed = !self.store.is_readable() || analysis.into_iter().flat_map(Analysis::problems).any(Diagnostic::is_error);
        let lost = self.store.lost();
        let CheckScope::Files(mut files) = checked else {
            (self.failed, self.unparsed_names) = (failed, lost);
            return checked;
        };
        if lost != self.unparsed_names {
            let sources = self.store.sources();
            let of = |told: &&Diagnostic, lost| syntax_diagnostics::is_caused_by_unparsed(told, lost, sources);
            let other = analysis
                .into_iter()
                .flat_map(Analysis::problems)
                .filter(|told| of(told, &lost) != of(told, &self.unparsed_names));
            touched.extend(other.map(|told| told.span));
            self.unparsed_names = lost;
        }
        if failed != self.failed {
            touched.extend(
                analysis
                    .into_iter()
                    .flat_map(Analysis::problems)
                    .filter(|told| told.depends_on_whole_program())
                    .map(|told| told.span),
            );
            files.extend(self.store.documents().filter(|(_, document)| document.allows).map(|(number, _)| number));
            self.failed = failed;
        }
        files.extend(touched.iter().filter_map(|span| Some(self.store.home(span.file)?.0)));
        CheckScope::Files(files)
    }

    fn check_parts(&mut self) -> CheckScope {
        let pending = std::mem::take(&mut self.pending);
        let mut touched: BTreeSet<usize> = pending.keys().copied().collect();
        if let Some(built) = &mut self.built {
            let store = &self.store;
            let single = pending.iter().all(|(file, change)| built.borrow_dependent().is_single(*file, change, store));
            let mut rebuild = !single;
            if single {
                for (file, change) in &pending {
                    match built.with_dependent_mut(|ground, analysis| analysis.update(ground, *file, change, store)) {
                        UpdateResult::Done(spans) => {
                            touched.extend(spans.iter().filter_map(|span| Some(store.home(span.file)?.0)))
                        }
                        UpdateResult::Rebuild => rebuild = true,
                    }
                }
                self.edits += pending.len();
            }
            if !rebuild && self.edits < EDITS {
                return CheckScope::Files(touched);
            }
            let apart = |change: &ItemChange| {
                let item = |part: &u32| store.part(*part).and_then(|part| part.item.as_ref());
                let before = |part: &u32| built.borrow_dependent().games.iter().any(|game| game.outcomes.contains_key(part));
                !change.removed.iter().any(before)
                    && !change.added.iter().any(|part| item(part).is_some_and(item_result::is_single))
            };
            let usable = if single { !rebuild } else { pending.values().all(apart) };
            let known = if usable { analysis::reusable_results(built) } else { analysis::SalvagedResults::default() };
            self.built = Some(analysis::build(store, known));
        } else {
            self.built = Some(analysis::build(&self.store, analysis::SalvagedResults::default()));
        }
        self.edits = 0;
        CheckScope::All
    }

    /// What is known of the games. Nothing before the first check.
    #[must_use]
    pub fn analysis(&self) -> Option<&Analysis<'_>> {
        self.built.as_ref().map(OwnedAnalysis::borrow_dependent)
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
                let Some(part) = self.store.part(part) else { continue };
                if !part.errors.is_empty() {
                    found.entry(number).or_default().extend(part.errors.iter().map(syntax_diagnostics::diagnostic));
                }
                if let Some(item) = part.item.as_ref().filter(|item| !item.spellings.is_empty()) {
                    let edition = self.analysis().and_then(|analysis| analysis.editions.get(&number).copied().flatten());
                    found.entry(number).or_default().extend(packs::forms_of_other_editions(item, edition));
                }
            }
        }
        let problems = self.analysis().into_iter().flat_map(Analysis::problems);
        let sources = self.store.sources();
        let told = |problem: &&Diagnostic| {
            !(self.failed && problem.depends_on_whole_program()
                || syntax_diagnostics::is_caused_by_unparsed(problem, &self.unparsed_names, sources))
        };
        for problem in problems.filter(told) {
            if let Some((file, _)) = self.store.home(problem.span.file).filter(|(file, _)| wanted(*file)) {
                found.entry(file).or_default().push(problem.clone());
            }
        }
        let mut told = BTreeMap::new();
        for (number, document) in self.store.documents().filter(|(number, _)| wanted(*number)) {
            let mut found = found.remove(&number).unwrap_or_default();
            if found.is_empty() && !document.allows {
                continue;
            }
            diagnostics::tidy(&mut found);
            let mut problems: Vec<Problem> = found.into_iter().filter_map(|found| self.problem(found)).collect();
            self.level(number, document, &mut problems);
            problems.sort_by(|a, b| a.place.cmp(&b.place));
            if !problems.is_empty() {
                told.insert(number, problems);
            }
        }
        told
    }

    /// Denies and allows warnings of a file.
    fn level(&self, number: usize, document: &Document, problems: &mut Vec<Problem>) {
        if document.allows {
            let mut allowances = AllowComments::of(0, &document.text);
            problems.retain(|problem| {
                problem.severity == Severity::Error || !allowances.take(problem.code.code, problem.place.start)
            });
            if !self.failed {
                problems.extend(allowances.unused().map(|found| {
                    let place = FileRange { file: number, start: found.span.start, end: found.span.end };
                    Self::placed(found, place, Vec::new(), Vec::new())
                }));
            }
        }
        let pack = self.analysis().and_then(|analysis| analysis.levels.get(&number));
        problems.retain_mut(|problem| {
            let denied =
                (problem.severity == Severity::Warning).then(|| lint_levels::denied(problem.code.code, &self.levels, pack));
            if denied == Some(Some(true)) {
                problem.severity = Severity::Error;
                problem.help.push(lint_levels::help_for_denied(problem.code.code));
            }
            denied != Some(Some(false))
        });
    }

    /// The files and their problems, as a compilation tells them. Nothing is made of them.
    #[must_use]
    pub fn to_compilation(&self) -> Compilation {
        let documents: Vec<(usize, &Document)> = self.store.documents().collect();
        let number: BTreeMap<usize, u32> = documents.iter().zip(0..).map(|((file, _), number)| (*file, number)).collect();
        let files =
            documents.iter().map(|(_, document)| SourceFile { path: document.path.to_string(), text: document.text.to_string() });
        let sources = Sources::new(files.collect());
        let span =
            |place: &FileRange| Span { file: number.get(&place.file).copied().unwrap_or(0), start: place.start, end: place.end };
        let diagnostic = |problem: Problem| {
            let Problem { code, severity, message, place, label, related, help, fixes } = problem;
            let labels = related.iter().map(|(place, label)| (span(place), label.clone())).collect();
            let fixes = fixes.into_iter().map(|(place, with)| {
                let span = span(&place);
                TextFix { span, word: sources.slice(span).to_owned(), with }
            });
            Diagnostic {
                code,
                severity,
                message,
                span: span(&place),
                label,
                labels,
                help,
                fixes: fixes.collect(),
                whole_item: None,
            }
        };
        let mut diagnostics: Vec<Diagnostic> = self.problems(None).into_values().flatten().map(diagnostic).collect();
        diagnostics::tidy(&mut diagnostics);
        Compilation { sources, diagnostics, ..Compilation::default() }
    }

    /// Where a span of a part stands.
    #[must_use]
    pub fn place(&self, span: Span) -> Option<FileRange> {
        let (file, bytes) = self.store.locate(span)?;
        Some(FileRange { file, start: bytes.start, end: bytes.end })
    }

    fn problem(&self, found: Diagnostic) -> Option<Problem> {
        let place = self.place(found.span)?;
        let related = found.labels.iter().filter_map(|(span, label)| Some((self.place(*span)?, label.clone()))).collect();
        let fixes = found.fixes.iter().filter_map(|fix| self.fix(fix)).collect();
        Some(Self::placed(found, place, related, fixes))
    }

    fn placed(
        found: Diagnostic,
        place: FileRange,
        related: Vec<(FileRange, String)>,
        fixes: Vec<(FileRange, String)>,
    ) -> Problem {
        let Diagnostic { code, severity, message, label, help, .. } = found;
        Problem { code, severity, message, place, label, related, help, fixes }
    }

    /// Where exactly a fix puts its word.
    fn fix(&self, fix: &TextFix) -> Option<(FileRange, String)> {
        let text = self.store.sources().slice(fix.span);
        let (start, end) = fix.bytes(text)?;
        let place = self.place(Span { start, end, ..fix.span })?;
        Some((place, fix.with.clone()))
    }
}
