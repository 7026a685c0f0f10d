//! The compiler of Fizzle: translates the source files of packs into the tables that the machine plays.
//!
//! [`compile`] is pure: it reads no files and prints nothing. It groups files into packs ([`packs`]), collects names ([`names`]), applies the
//! differences of formats ([`formats`]), and lowers everything ([`lower`], [`tables`], [`scenario`], [`deck`]).

pub mod deck;
mod dependencies;
pub mod dependency_graph;
pub mod diagnostics;
pub mod foreign_terms;
pub mod formats;
pub mod limits;
mod lints;
pub mod lookup;
pub mod lower;
pub mod maps;
pub mod matches;
mod name_conflicts;
pub mod names;
pub mod packs;
pub mod phrase_syntax;
pub mod scenario;
pub mod session;
pub mod settings;
pub mod sources;
pub mod syntax_diagnostics;
pub mod tables;
pub mod text;
mod text_runners;
pub mod turn_tree;
pub mod unreferenced;
pub mod verb_forms;

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

/// The result of compiling source files.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The files, for messages.
    pub sources: Sources,
    /// The compiled games; `None` if there are errors.
    pub artifact: Option<Artifact>,
    /// Problems, ordered by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts of rules texts that no template covers.
    pub gaps: Vec<text::TextGap>,
}

impl Compilation {
    /// Whether a diagnostic is an error.
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

/// As [`compile`], with the levels of warnings that `levels` sets.
#[must_use]
pub fn compile_at(files: Vec<SourceFile>, levels: &LintLevels) -> Compilation {
    compile_as(files, levels, false)
}

/// As [`compile`]. `with_texts`: the artifact also gets the rules texts of all cards.
#[must_use]
pub fn compile_with(files: Vec<SourceFile>, with_texts: bool) -> Compilation {
    compile_as(files, &LintLevels::default(), with_texts)
}

fn compile_as(files: Vec<SourceFile>, levels: &LintLevels, with_texts: bool) -> Compilation {
    let sources = Sources::new(files);
    let mut diagnostics = Vec::new();
    let numbers: Vec<u32> = (0..sources.len() as u32).collect();
    let parsed: Vec<_> = numbers.par_iter().map(|file| parse(*file, sources.text(*file))).collect();
    let mut unparsed_names = BTreeSet::new();
    let mut trees = Vec::with_capacity(parsed.len());
    for file in parsed {
        diagnostics.extend(file.errors.iter().map(syntax_diagnostics::diagnostic));
        unparsed_names.extend(file.unparsed_names);
        trees.push(file.items);
    }
    let files: Vec<packs::ParsedFile<'_>> = (0..)
        .zip(&trees)
        .map(|(file, items)| packs::ParsedFile { path: sources.path(file), items: items.iter().collect() })
        .collect();
    let games = packs::games(&files, &mut diagnostics);
    let names: Vec<NameTable<'_>> = games.iter().map(|game| NameTable::collect(game, &mut diagnostics)).collect();
    let models: Vec<Vec<ResolvedFormat<'_>>> =
        games.iter().zip(&names).map(|(game, names)| formats::resolve_formats(game, names, &mut diagnostics)).collect();
    let announces: BTreeMap<SmolStr, Option<&AnnouncePolicy>> =
        models.iter().flatten().map(|model| (model.name.clone(), model.announce)).collect();
    let leaf_files = packs::leaf_pack_file_numbers(&files);
    let lowered: Vec<(CompiledGame, text::ChoiceSpans, Vec<Diagnostic>)> = (0..games.len())
        .into_par_iter()
        .map(|index| lower_game(&games[index], &names[index], &models[index], &announces, &leaf_files, &sources))
        .collect();
    let mut artifact = Artifact::default();
    let mut choice_spans = Vec::new();
    for (game, choices, problems) in lowered {
        artifact.games.push(game);
        choice_spans.push(choices);
        diagnostics.extend(problems);
    }
    for (game, models) in games.iter().zip(&models) {
        lints::lint_differences(game, models, &sources, &mut diagnostics);
    }
    lints::lint_declarations(&files, &sources, &mut diagnostics);
    for (file, edition) in files.iter().zip(packs::editions(&files)) {
        diagnostics.extend(file.items.iter().flat_map(|item| packs::forms_of_other_editions(item, edition)));
    }
    let packs = packs::lint_levels_of_files(&files, &mut diagnostics);
    diagnostics::reset_comparisons();
    diagnostics.retain(|problem| !syntax_diagnostics::is_caused_by_unparsed(problem, &unparsed_names, &sources));
    // A broken item may contain the missing action or use.
    if diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.retain(|problem| !problem.depends_on_whole_program());
    }
    diagnostics::lint_levels::apply(&mut diagnostics, levels, &packs, &sources);
    diagnostics::tidy(&mut diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    let mut gaps = Vec::new();
    if with_texts && !failed {
        for ((((items, names), models), game), choice_spans) in
            games.iter().zip(&names).zip(&models).zip(&mut artifact.games).zip(&choice_spans)
        {
            let errata = text::errata_cards(models, &game.formats);
            game.texts = text::texts(items, names, models, &game.formats, &errata, &sources, &mut gaps);
            text::prompts(items, names, &sources, game.library.sites.entries_from(0), choice_spans, &mut game.texts);
        }
    }
    Compilation { sources, artifact: (!failed).then_some(artifact), diagnostics, gaps }
}

/// The minimal number of items that one thread parses. A smaller file is not split among threads.
const MIN_PARALLEL_ITEMS: usize = 64;

/// Parses a file. The items of a long file are parsed in parallel.
fn parse(file: u32, text: &str) -> fizzle_grammar::Parsed {
    if text.len() < MIN_PARALLEL_ITEMS * 16 || u32::try_from(text.len()).is_err() {
        return fizzle_grammar::parse_file(file, text);
    }
    let split = fizzle_grammar::split(file, text);
    let item = |range| fizzle_grammar::parse_item(file, text, &split, range);
    let items = split.items.par_iter().with_min_len(MIN_PARALLEL_ITEMS).map(item).collect();
    fizzle_grammar::assemble(text, split, items)
}

fn lower_game<'a>(
    items: &GameItems<'a>,
    names: &'a NameTable<'a>,
    models: &[ResolvedFormat<'a>],
    announces: &BTreeMap<SmolStr, Option<&'a AnnouncePolicy>>,
    leaf_files: &BTreeSet<u32>,
    sources: &'a Sources,
) -> (CompiledGame, text::ChoiceSpans, Vec<Diagnostic>) {
    let mut lower = Lowering::new(names, sources);
    lower.declarations(&items.items);
    let errata = lower.definitions(models);
    let formats_known: Vec<SmolStr> = models.iter().map(|model| model.name.clone()).collect();
    let mut scenarios = Vec::new();
    for item in &items.items {
        match &item.kind {
            ItemKind::Deck(deck) => {
                lower.diagnostics.extend(lints::lint_deck(deck, &items.name, models, names));
                let deck = lower.deck(deck, &items.name, &formats_known);
                lower.decks.push(deck);
            }
            ItemKind::Scenario(scenario) => scenarios.push(scenario),
            _ => {}
        }
    }
    let scenarios = scenarios.into_iter().map(|scenario| lower.scenario(scenario, &items.name, &formats_known)).collect();
    let formats = lower.formats(models, &errata, announces);
    let used = lower.used_keywords();
    lints::lint_removed_keywords(&items.items, models, names, &used, leaf_files, &mut lower.diagnostics);
    let (done, filled) = lower.check_unreferenced(models);
    lower.lint_triggers(models, done);
    lower.diagnostics.extend(lints::lint_unfilled_zones(names, &items.items, &filled));
    lower.check_clauses();
    lower.check_scripted_verbs();
    text::check(items, names, &mut lower.diagnostics);
    let Lowering { library, diagnostics, decks, choice_spans, .. } = lower;
    (
        CompiledGame { name: items.name.to_string(), library, formats, decks, scenarios, ..CompiledGame::default() },
        choice_spans,
        diagnostics,
    )
}
