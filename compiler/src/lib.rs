//! The compiler of Fizzle: source files of packs become the tables that the machine plays.
//!
//! [`compile`] is pure: no file is read, nothing is printed. Packs are found ([`packs`]), names collected ([`names`]), formats made
//! of their differences ([`format`]), and everything lowered ([`lower`], [`tables`], [`scenario`], [`deck`]).

pub mod deck;
pub mod diagnostics;
pub mod foreign_terms;
pub mod formats;
mod lints;
pub mod lookup;
pub mod lower;
pub mod maps;
pub mod matches;
mod name_conflicts;
pub mod names;
pub mod packs;
pub mod scenario;
pub mod session;
pub mod settings;
pub mod sources;
pub mod syntax_diagnostics;
pub mod tables;
pub mod text;
pub mod turn_tree;
pub mod unreferenced;

pub use diagnostics::{Diagnostic, LintLevels};
pub use sources::{SourceFile, Sources};

use fizzle_grammar::ast::{AnnouncePolicy, ItemKind};
use fizzle_runtime::ir::{Artifact, CompiledGame};
use formats::ResolvedFormat;
use lower::Lowering;
use names::NameTable;
use packs::GameItems;
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What became of some source files.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The files, for messages.
    pub sources: Sources,
    /// The games; none when there are errors.
    pub artifact: Option<Artifact>,
    /// Problems, in the order of files and places.
    pub diagnostics: Vec<Diagnostic>,
    /// What the rules texts could not say.
    pub gaps: Vec<text::TextGap>,
}

impl Compilation {
    /// Whether there are errors.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Compiles all files of all packs together.
#[must_use]
pub fn compile(files: Vec<SourceFile>) -> Compilation {
    compile_with(files, false)
}

/// As [`compile`], with warnings told as `levels` say.
#[must_use]
pub fn compile_at(files: Vec<SourceFile>, levels: &LintLevels) -> Compilation {
    compile_as(files, levels, false)
}

/// The same; with the rules texts of all cards, if they are wanted.
#[must_use]
pub fn compile_with(files: Vec<SourceFile>, with_texts: bool) -> Compilation {
    compile_as(files, &LintLevels::default(), with_texts)
}

fn compile_as(files: Vec<SourceFile>, levels: &LintLevels, with_texts: bool) -> Compilation {
    let sources = Sources::new(files);
    let mut diagnostics = Vec::new();
    let numbers: Vec<u32> = (0..sources.len() as u32).collect();
    let parsed: Vec<_> = numbers.par_iter().map(|file| read(*file, sources.text(*file))).collect();
    let mut lost = BTreeSet::new();
    let mut trees = Vec::with_capacity(parsed.len());
    for file in parsed {
        diagnostics.extend(file.errors.iter().map(syntax_diagnostics::diagnostic));
        lost.extend(file.unparsed_names);
        trees.push(file.items);
    }
    let files: Vec<packs::ParsedFile<'_>> = (0..)
        .zip(&trees)
        .map(|(file, items)| packs::ParsedFile { path: sources.path(file), items: items.iter().collect() })
        .collect();
    let games = packs::games(&files, &mut diagnostics);
    let names: Vec<NameTable<'_>> = games.iter().map(|game| NameTable::collect(game, &mut diagnostics)).collect();
    let models: Vec<Vec<ResolvedFormat<'_>>> =
        games.iter().zip(&names).map(|(game, names)| formats::models(game, names, &mut diagnostics)).collect();
    let announces: BTreeMap<SmolStr, Option<&AnnouncePolicy>> =
        models.iter().flatten().map(|model| (model.name.clone(), model.announce)).collect();
    let own = packs::closed_numbers(&files);
    let lowered: Vec<(CompiledGame, text::ChoiceSpans, Vec<Diagnostic>)> = (0..games.len())
        .into_par_iter()
        .map(|index| game(&games[index], &names[index], &models[index], &announces, &own, &sources))
        .collect();
    let mut artifact = Artifact::default();
    let mut asked = Vec::new();
    for (game, choices, problems) in lowered {
        artifact.games.push(game);
        asked.push(choices);
        diagnostics.extend(problems);
    }
    for (game, models) in games.iter().zip(&models) {
        lints::lint_differences(game, models, &sources, &mut diagnostics);
    }
    lints::lint_declarations(&files, &sources, &mut diagnostics);
    for (file, edition) in files.iter().zip(packs::editions(&files)) {
        diagnostics.extend(file.items.iter().flat_map(|item| packs::forms_of_other_editions(item, edition)));
    }
    let packs = packs::levels(&files, &mut diagnostics);
    diagnostics.retain(|problem| !syntax_diagnostics::is_caused_by_unparsed(problem, &lost, &sources));
    // What is broken may have been what does it, or uses it.
    if diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.retain(|problem| !problem.depends_on_whole_program());
    }
    diagnostics::lint_levels::apply(&mut diagnostics, levels, &packs, &sources);
    diagnostics::tidy(&mut diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    let mut gaps = Vec::new();
    if with_texts && !failed {
        for ((((items, names), models), game), asked) in
            games.iter().zip(&names).zip(&models).zip(&mut artifact.games).zip(&asked)
        {
            let corrected = text::errata_cards(models, &game.formats);
            game.texts = text::texts(items, names, models, &game.formats, &corrected, &sources, &mut gaps);
            text::prompts(items, names, &sources, game.library.sites.entries_from(0), asked, &mut game.texts);
        }
    }
    Compilation { sources, artifact: (!failed).then_some(artifact), diagnostics, gaps }
}

/// A file with fewer items is read by one thread.
const LONG_FILE: usize = 64;

/// Reads a file; the items of a long one are shared among the threads.
fn read(file: u32, text: &str) -> fizzle_grammar::Parsed {
    if text.len() < LONG_FILE * 16 || u32::try_from(text.len()).is_err() {
        return fizzle_grammar::parse_file(file, text);
    }
    let split = fizzle_grammar::split(file, text);
    let item = |range| fizzle_grammar::parse_item(file, text, &split, range);
    let items = split.items.par_iter().with_min_len(LONG_FILE).map(item).collect();
    fizzle_grammar::assemble(text, split, items)
}

fn game<'a>(
    items: &GameItems<'a>,
    names: &'a NameTable<'a>,
    models: &[ResolvedFormat<'a>],
    announces: &BTreeMap<SmolStr, Option<&'a AnnouncePolicy>>,
    own: &BTreeSet<u32>,
    sources: &'a Sources,
) -> (CompiledGame, text::ChoiceSpans, Vec<Diagnostic>) {
    let mut lower = Lowering::new(names, sources);
    lower.declarations(&items.items);
    let corrected = lower.definitions(models);
    let formats_known: Vec<SmolStr> = models.iter().map(|model| model.name.clone()).collect();
    let mut written = Vec::new();
    for item in &items.items {
        match &item.kind {
            ItemKind::Deck(deck) => {
                lower.diagnostics.extend(lints::lint_deck(deck, &items.name, models, names));
                let deck = lower.deck(deck, &items.name, &formats_known);
                lower.decks.push(deck);
            }
            ItemKind::Scenario(scenario) => written.push(scenario),
            _ => {}
        }
    }
    let scenarios = written.into_iter().map(|scenario| lower.scenario(scenario, &items.name, &formats_known)).collect();
    let formats = lower.formats(models, &corrected, announces);
    let used = lower.used_keywords();
    lints::lint_removed_keywords(&items.items, models, names, &used, own, &mut lower.diagnostics);
    let (done, filled) = lower.check_unused(models);
    lower.lint_triggers(models, done);
    lower.diagnostics.extend(lints::lint_unfilled_zones(names, &items.items, &filled));
    lower.check_clauses();
    lower.check_scripted();
    text::check(items, names, &mut lower.diagnostics);
    let Lowering { library, diagnostics, decks, choice_spans: asked, .. } = lower;
    (
        CompiledGame { name: items.name.to_string(), library, formats, decks, scenarios, ..CompiledGame::default() },
        asked,
        diagnostics,
    )
}
