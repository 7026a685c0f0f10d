//! Incremental checking: a session holds source files and checks them again after each edit. The language server and `fizzle check` use it.
//!
//! Files are stored item by item ([`SourceStore`]), so that an edit parses one item. Name tables and results of items are kept (`Analysis`).
//! An edit of a card, deck or scenario lowers it again, and all items that mention a name that was added or removed. Any other edit
//! rebuilds the tables, and reuses results of cards, decks and scenarios that the changed declarations do not affect.
//!
//! [`Session::compile`] is the one pipeline from sources to compiled games: the same checks, run once, with each game lowered as one program.
//! Tests compare its diagnostics with those after edits.

mod analysis;
mod game;
mod interface;
mod item_result;
mod store;
mod usage_index;

pub use analysis::Analysis;
pub use game::Game;
pub use item_result::AnnounceableChoice;
pub use store::{Document, ItemChange, ItemPosition, ItemSource, SourceStore};

use crate::compilation::Compilation;
use crate::diagnostics::lint_levels::{self, AllowComments, LintLevels};
use crate::diagnostics::render::MAX_DIAGNOSTICS_LISTED;
use crate::diagnostics::{self, Code, Diagnostic, Severity, TextFix};
use crate::lints::WordCounts;
use crate::maps::IndexMap;
use crate::packs;
use crate::sources::{SourceFile, Sources};
use crate::syntax_diagnostics;
use crate::text::{TextGap, TextReport};
use analysis::OwnedAnalysis;
use fizzle_grammar::ast::Span;
use fizzle_ir::Artifact;
use game::UpdateResult;
use smol_str::SmolStr;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// After this number of edits the tables are rebuilt, which frees the items of earlier edits in their arena.
const MAX_EDITS: usize = 4096;

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
    /// Its code.
    pub code: &'static Code,
    /// Its severity here: a denied warning is an error.
    pub severity: Severity,
    /// The message.
    pub message: String,
    /// Its place.
    pub place: FileRange,
    /// The label at its place.
    pub label: String,
    /// Labels at other places.
    pub related: Vec<(FileRange, String)>,
    /// Suggestions.
    pub help: Vec<String>,
    /// Suggestions as edits: a range and its new text.
    pub fixes: Vec<(FileRange, String)>,
    /// How many further ones of its code it stands for, which are only counted.
    pub more: usize,
}

/// The files whose diagnostics may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckScope {
    /// All files.
    All,
    /// Only these files.
    Files(BTreeSet<usize>),
}

/// Source files that are checked again after each edit.
#[derive(Debug, Default)]
pub struct Session {
    store: SourceStore,
    owned_analysis: Option<OwnedAnalysis>,
    pending_changes: BTreeMap<usize, ItemChange>,
    edits: usize,
    levels: LintLevels,
    /// Whether there are errors. Then diagnostics that depend on the whole program are suppressed.
    has_errors: bool,
    /// Names of items that cannot be parsed. Diagnostics about these unknown names are suppressed.
    unparsed_names: BTreeSet<SmolStr>,
    /// The number of occurrences of each word in all files, computed on demand.
    word_counts: Option<WordCounts>,
    /// Whether a word has changed between no, one and several occurrences.
    words_changed: bool,
}

impl Session {
    /// The files.
    #[must_use]
    pub fn store(&self) -> &SourceStore {
        &self.store
    }

    /// A session with the same files, which are parsed already, and not yet checked.
    #[must_use]
    pub fn with_same_files(&self) -> Self {
        Self { store: self.store.clone(), levels: self.levels.clone(), ..Self::default() }
    }

    /// Adds a file or changes its text.
    pub fn set(&mut self, path: &str, text: &str) {
        let is_new = self.store.number(path).is_none();
        let change = self.store.set(path, text);
        self.record_change(path, change, is_new);
    }

    /// Sets the files of the session to exactly these.
    pub fn keep(&mut self, files: &[SourceFile]) {
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let removed = self.store.documents().filter(|(_, document)| !paths.contains(&*document.path));
        for path in removed.map(|(_, document)| Arc::clone(&document.path)).collect::<Vec<_>>() {
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
            self.record_change(&file.path, change, true);
        }
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) {
        if self.store.number(path).is_some() {
            self.store.remove(path);
            self.owned_analysis = None;
            self.word_counts = None;
        }
    }

    /// Sets the lint levels of the command line, which take precedence over manifests.
    pub fn set_levels(&mut self, levels: LintLevels) {
        self.levels = levels;
        self.owned_analysis = None;
    }

    fn record_change(&mut self, path: &str, change: ItemChange, is_new: bool) {
        let Some(file) = self.store.number(path) else { return };
        if is_new {
            self.owned_analysis = None;
            self.word_counts = None;
        }
        self.update_word_counts(change.words);
        let pending = self.pending_changes.entry(file).or_default();
        for item_number in change.removed {
            match pending.added.iter().position(|added| *added == item_number) {
                Some(index) => {
                    pending.added.swap_remove(index);
                }
                None => pending.removed.push(item_number),
            }
        }
        pending.added.extend(change.added);
    }

    fn update_word_counts(&mut self, change: BTreeMap<SmolStr, i64>) {
        let Some(words) = &mut self.word_counts else { return };
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

    /// Checks all changes since the last call.
    pub fn check(&mut self) -> CheckScope {
        let checked = self.check_parts();
        self.check_whole(checked)
    }

    /// Checks what depends on all files. `checked`: the files whose items were checked again.
    fn check_whole(&mut self, checked: CheckScope) -> CheckScope {
        let mut changed_places: Vec<Span> = Vec::new();
        if let Some(built) = &mut self.owned_analysis
            && built.borrow_dependent().counts_words()
            && (self.words_changed || checked == CheckScope::All || self.word_counts.is_none())
        {
            let words = self.word_counts.get_or_insert_with(|| self.store.words());
            changed_places = built.with_dependent_mut(|_, analysis| analysis.find_unused(words));
        }
        self.words_changed = false;
        let analysis = self.owned_analysis.as_ref().map(OwnedAnalysis::borrow_dependent);
        let failed = !self.store.is_readable() || analysis.into_iter().flat_map(Analysis::problems).any(Diagnostic::is_error);
        let unparsed_names = self.store.unparsed_names();
        let CheckScope::Files(mut files) = checked else {
            (self.has_errors, self.unparsed_names) = (failed, unparsed_names);
            return checked;
        };
        crate::diagnostics::reset_comparisons();
        if unparsed_names != self.unparsed_names {
            let sources = self.store.sources();
            let of = |problem: &&Diagnostic, lost| syntax_diagnostics::is_caused_by_unparsed(problem, lost, sources);
            let other = analysis
                .into_iter()
                .flat_map(Analysis::problems)
                .filter(|problem| of(problem, &unparsed_names) != of(problem, &self.unparsed_names));
            changed_places.extend(other.map(|problem| problem.span));
            self.unparsed_names = unparsed_names;
        }
        if failed != self.has_errors {
            changed_places.extend(
                analysis
                    .into_iter()
                    .flat_map(Analysis::problems)
                    .filter(|problem| problem.depends_on_whole_program())
                    .map(|problem| problem.span),
            );
            files.extend(self.store.documents().filter(|(_, document)| document.may_allow_warnings).map(|(number, _)| number));
            self.has_errors = failed;
        }
        files.extend(changed_places.iter().filter_map(|span| Some(self.store.position_of(span.file)?.0)));
        CheckScope::Files(files)
    }

    fn check_parts(&mut self) -> CheckScope {
        let pending = std::mem::take(&mut self.pending_changes);
        let mut touched: BTreeSet<usize> = pending.keys().copied().collect();
        if let Some(built) = &mut self.owned_analysis {
            let store = &self.store;
            let single = pending.iter().all(|(file, change)| built.borrow_dependent().can_update(*file, change, store));
            let mut rebuild = !single;
            if single {
                for (file, change) in &pending {
                    match built.with_dependent_mut(|ground, analysis| analysis.update(ground, *file, change, store)) {
                        UpdateResult::Done(spans) => {
                            touched.extend(spans.iter().filter_map(|span| Some(store.position_of(span.file)?.0)))
                        }
                        UpdateResult::Rebuild => rebuild = true,
                    }
                }
                self.edits += pending.len();
            }
            if !rebuild && self.edits < MAX_EDITS {
                return CheckScope::Files(touched);
            }
            let apart = |change: &ItemChange| {
                let item = |item_number: &u32| store.item_source(*item_number).and_then(|item_number| item_number.item.as_ref());
                let before =
                    |item_number: &u32| built.borrow_dependent().games.iter().any(|game| game.results.contains_key(item_number));
                !change.removed.iter().any(before)
                    && !change.added.iter().any(|item_number| item(item_number).is_some_and(item_result::is_independent))
            };
            let usable = if single { !rebuild } else { pending.values().all(apart) };
            let known = if usable { analysis::reusable_results(built) } else { analysis::SalvagedResults::default() };
            self.owned_analysis = Some(analysis::build(store, known));
        } else {
            self.owned_analysis = Some(analysis::build(&self.store, analysis::SalvagedResults::default()));
        }
        self.edits = 0;
        CheckScope::All
    }

    /// The analysis of the games; `None` before the first check.
    #[must_use]
    pub fn analysis(&self) -> Option<&Analysis<'_>> {
        self.owned_analysis.as_ref().map(OwnedAnalysis::borrow_dependent)
    }

    /// The problems of some files, or of all. Files without problems are omitted.
    #[must_use]
    pub fn problems(&self, files: Option<&BTreeSet<usize>>) -> BTreeMap<usize, Vec<Problem>> {
        let is_included = |file: usize| files.is_none_or(|files| files.contains(&file));
        crate::diagnostics::reset_comparisons();
        let sources = self.store.sources();
        let mut found: BTreeMap<usize, Vec<Cow<'_, Diagnostic>>> = BTreeMap::new();
        for (number, document) in self.store.documents() {
            if !is_included(number) {
                continue;
            }
            let game = self.analysis().and_then(|analysis| analysis.game_of(number));
            let names = game.map(|game| &game.names);
            for item_number in document.items.iter().map(|placed| placed.number).chain([document.gaps]) {
                let Some(item_number) = self.store.item_source(item_number) else { continue };
                if !item_number.errors.is_empty() {
                    found.entry(number).or_default().extend(
                        item_number.errors.iter().map(|error| Cow::Owned(syntax_diagnostics::diagnostic(error, names, sources))),
                    );
                }
                if let Some(item) = item_number.item.as_ref().filter(|item| !item.spellings.is_empty()) {
                    let edition = self.analysis().and_then(|analysis| analysis.editions.get(&number).copied().flatten());
                    found.entry(number).or_default().extend(packs::forms_of_other_editions(item, edition).map(Cow::Owned));
                }
                if let (Some(item), Some(game)) = (&item_number.item, game) {
                    let old = game.renamed.report(item, sources.text(item.span.file));
                    found.entry(number).or_default().extend(old.into_iter().map(Cow::Owned));
                }
            }
        }
        let problems = self.analysis().into_iter().flat_map(Analysis::problems);
        let is_reported = |problem: &&Diagnostic| {
            !(self.has_errors && problem.depends_on_whole_program()
                || syntax_diagnostics::is_caused_by_unparsed(problem, &self.unparsed_names, sources))
        };
        for problem in problems.filter(is_reported) {
            if let Some((file, _)) = self.store.position_of(problem.span.file).filter(|(file, _)| is_included(*file)) {
                found.entry(file).or_default().push(Cow::Borrowed(problem));
            }
        }
        let mut reported = BTreeMap::new();
        for (number, document) in self.store.documents().filter(|(number, _)| is_included(*number)) {
            let mut found = found.remove(&number).unwrap_or_default();
            if found.is_empty() && !document.may_allow_warnings {
                continue;
            }
            diagnostics::sort_unique(&mut found);
            // what is not listed is only counted: its place and message are enough
            if found.len() > MAX_DIAGNOSTICS_LISTED {
                found.sort_by_cached_key(|problem| self.place(problem.span));
            }
            let listed = |index| index < MAX_DIAGNOSTICS_LISTED;
            let mut problems: Vec<Problem> =
                found.into_iter().enumerate().filter_map(|(index, found)| self.problem(found, listed(index))).collect();
            self.apply_levels(number, document, &mut problems);
            problems.sort_by(|a, b| a.place.cmp(&b.place));
            if !problems.is_empty() {
                reported.insert(number, problems);
            }
        }
        reported
    }

    /// Applies lint levels and `// allow` comments to the warnings of a file.
    fn apply_levels(&self, number: usize, document: &Document, problems: &mut Vec<Problem>) {
        if document.may_allow_warnings {
            let mut allowances = AllowComments::of(0, &document.text);
            problems.retain(|problem| {
                problem.severity == Severity::Error || !allowances.allows_at(problem.code.code, problem.place.start)
            });
            if !self.has_errors {
                problems.extend(allowances.unused().map(|found| {
                    let place = FileRange { file: number, start: found.span.start, end: found.span.end };
                    Self::new_problem(found, place, Vec::new(), Vec::new())
                }));
            }
        }
        let pack = self.analysis().and_then(|analysis| analysis.levels.get(&number));
        problems.retain_mut(|problem| {
            let denied =
                (problem.severity == Severity::Warning).then(|| lint_levels::is_denied(problem.code.code, &self.levels, pack));
            if denied == Some(Some(true)) {
                problem.severity = Severity::Error;
                problem.help.push(lint_levels::help_for_denied(problem.code.code));
            }
            denied != Some(Some(false))
        });
    }

    /// The files and their problems as a [`Compilation`] without an artifact.
    #[must_use]
    pub fn to_compilation(&self) -> Compilation {
        let number = self.numbers_in_compilation();
        let files = self
            .store
            .documents()
            .map(|(_, document)| SourceFile { path: document.path.to_string(), text: document.text.to_string() });
        let sources = Sources::new(files.collect());
        let span =
            |place: &FileRange| Span { file: number.get(&place.file).copied().unwrap_or(0), start: place.start, end: place.end };
        let diagnostic = |problem: Problem| {
            let Problem { code, severity, message, place, label, related, help, fixes, more } = problem;
            let labels = related.into_iter().map(|(place, label)| (span(&place), label)).collect();
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
                more,
            }
        };
        let mut diagnostics: Vec<Diagnostic> = self.problems(None).into_values().flatten().map(diagnostic).collect();
        diagnostics::tidy(&mut diagnostics);
        Compilation { sources, diagnostics, ..Compilation::default() }
    }

    /// Checks all files, and compiles the games if there is no error. `with_texts`: also renders the rules texts of all cards.
    #[must_use]
    pub fn compile(self, with_texts: bool) -> Compilation {
        self.compile_reporting(with_texts.then(TextReport::default))
    }

    /// As [`Self::compile`] with texts, but each format with its own `text` items or keywords renders all cards again, without a limit. Tests compare
    /// the two.
    #[must_use]
    pub fn compile_with_reference_texts(self) -> Compilation {
        self.compile_reporting(Some(TextReport { is_reference: true, ..TextReport::default() }))
    }

    fn compile_reporting(mut self, mut report: Option<TextReport>) -> Compilation {
        self.pending_changes.clear();
        self.store.locate_items();
        self.owned_analysis = Some(analysis::build_whole(&self.store));
        self.check_whole(CheckScope::All);
        let mut compilation = self.to_compilation();
        if compilation.has_errors() {
            return compilation;
        }
        let Self { store, owned_analysis, .. } = &mut self;
        let games = owned_analysis.as_mut().map(|analysis| {
            analysis.with_dependent_mut(|_, analysis| {
                let games = analysis.games.iter_mut();
                games.filter_map(|game| game.take_compiled(store.sources(), report.as_mut())).collect()
            })
        });
        let TextReport { gaps, exceeded, .. } = report.unwrap_or_default();
        if !exceeded.is_empty() {
            return self.to_compilation();
        }
        compilation.artifact = Some(Artifact { games: games.unwrap_or_default() });
        compilation.gaps = self.gaps_in_files(gaps);
        compilation
    }

    /// Gaps of rules texts, with their places in the files of [`Self::to_compilation`].
    fn gaps_in_files(&self, gaps: Vec<TextGap>) -> Vec<TextGap> {
        let number = self.numbers_in_compilation();
        let in_file = |(language, card, span): TextGap| {
            let FileRange { file, start, end } = self.place(span)?;
            Some((language, card, Span { file: *number.get(&file)?, start, end }))
        };
        gaps.into_iter().filter_map(in_file).collect()
    }

    /// The number in [`Self::to_compilation`] of each file.
    fn numbers_in_compilation(&self) -> BTreeMap<usize, u32> {
        self.store.documents().zip(0..).map(|((file, _), number)| (file, number)).collect()
    }

    /// The place of a span in the files; `None` if its item was removed.
    #[must_use]
    pub fn place(&self, span: Span) -> Option<FileRange> {
        let (file, bytes) = self.store.locate(span)?;
        Some(FileRange { file, start: bytes.start, end: bytes.end })
    }

    fn problem(&self, found: Cow<'_, Diagnostic>, with_details: bool) -> Option<Problem> {
        let place = self.place(found.span)?;
        if !with_details {
            let message = found.message.clone();
            let brief =
                Diagnostic { severity: found.severity, more: found.more, ..Diagnostic::new(found.code, found.span, message) };
            return Some(Self::new_problem(brief, place, Vec::new(), Vec::new()));
        }
        let mut found = found.into_owned();
        diagnostics::shorten(&mut found);
        let related = found.labels.iter().filter_map(|(span, label)| Some((self.place(*span)?, label.clone()))).collect();
        let fixes = found.fixes.iter().filter_map(|fix| self.fix(fix)).collect();
        Some(Self::new_problem(found, place, related, fixes))
    }

    fn new_problem(
        found: Diagnostic,
        place: FileRange,
        related: Vec<(FileRange, String)>,
        fixes: Vec<(FileRange, String)>,
    ) -> Problem {
        let Diagnostic { code, severity, message, label, help, more, .. } = found;
        Problem { code, severity, message, place, label, related, help, fixes, more }
    }

    /// The place and the new text of a fix.
    fn fix(&self, fix: &TextFix) -> Option<(FileRange, String)> {
        let text = self.store.sources().slice(fix.span);
        let (start, end) = fix.bytes(text)?;
        let place = self.place(Span { start, end, ..fix.span })?;
        Some((place, fix.with.clone()))
    }
}
