//! All games of a session, and the decision how much of them an edit touches.

use super::game::{Announces, Game, UpdateResult};
use super::interface::Interface;
use super::item_result::{self, ItemResult};
use super::store::{ItemChange, ItemSource, SourceStore};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::LintLevels;
use crate::lints::{self, NamedDeclaration, WordCounts};
use crate::packs;
use fizzle_grammar::Edition;
use fizzle_grammar::ast::{Item, ItemKind, Span};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use typed_arena::Arena;

/// What analyses refer to: trees and paths, kept as long as they are.
#[derive(Default)]
pub struct AnalysisArena {
    parts: Arena<Arc<ItemSource>>,
    paths: Arena<Arc<str>>,
}

/// What is known of all games.
#[derive(Debug, Default)]
pub struct Analysis<'a> {
    /// The games.
    pub games: Vec<Game<'a>>,
    /// Problems of packs.
    pub packs: Vec<Diagnostic>,
    game_of: BTreeMap<usize, usize>,
    manifests: BTreeSet<u32>,
    /// Files that belong to a game because of a format that they name.
    implicit: BTreeSet<usize>,
    /// What the manifest of each file's pack says of warnings.
    pub levels: BTreeMap<usize, LintLevels>,
    /// The edition that each file is written in, if a manifest says it.
    pub editions: BTreeMap<usize, Option<Edition>>,
    declared: Vec<NamedDeclaration<'a>>,
    /// Declarations that nothing uses.
    unused: Vec<Diagnostic>,
}

self_cell::self_cell!(
    /// An analysis with what it refers to.
    pub struct OwnedAnalysis {
        owner: AnalysisArena,
        #[covariant]
        dependent: Analysis,
    }
);

impl std::fmt::Debug for OwnedAnalysis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.borrow_dependent().fmt(f)
    }
}

/// What an earlier analysis found out about single parts, by game, with the declarations that it found them under.
pub type SalvagedResults = BTreeMap<SmolStr, (Interface, BTreeMap<u32, ItemResult>)>;

/// Analyses everything.
#[must_use]
pub fn build(store: &SourceStore, known: SalvagedResults) -> OwnedAnalysis {
    OwnedAnalysis::new(AnalysisArena::default(), |ground| Analysis::new(ground, store, known))
}

/// Takes out of an analysis what a new one may use again.
pub fn reusable_results(built: &mut OwnedAnalysis) -> SalvagedResults {
    built.with_dependent_mut(|_, analysis| {
        let take =
            |game: &mut Game<'_>| (game.name.clone(), (std::mem::take(&mut game.interface), std::mem::take(&mut game.outcomes)));
        analysis.games.iter_mut().map(take).collect()
    })
}

impl<'a> Analysis<'a> {
    fn new(ground: &'a AnalysisArena, store: &SourceStore, mut known: SalvagedResults) -> Self {
        let mut made = Self::default();
        let mut files: Vec<packs::ParsedFile<'a>> = Vec::new();
        let mut numbers = Vec::new();
        for (number, document) in store.documents() {
            let mut items = Vec::with_capacity(document.parts.len());
            for placed in &document.parts {
                let Some(part) = store.part(placed.part) else { continue };
                let part: &'a Arc<ItemSource> = ground.parts.alloc(Arc::clone(part));
                items.extend(part.item.as_ref());
            }
            let path: &'a str = ground.paths.alloc(Arc::clone(&document.path));
            for item in &items {
                if let ItemKind::Pack(_) = item.kind {
                    made.manifests.insert(item.span.file);
                }
            }
            numbers.push(number);
            files.push(packs::ParsedFile { path, items });
        }
        let directories: Vec<&str> = files
            .iter()
            .filter(|file| has_manifest(&file.items))
            .filter_map(|file| {
                file.path.strip_suffix("pack.fz").filter(|directory| directory.is_empty() || directory.ends_with('/'))
            })
            .collect();
        for (file, number) in files.iter().zip(&numbers) {
            if !has_manifest(&file.items) && !directories.iter().any(|directory| file.path.starts_with(directory)) {
                made.implicit.insert(*number);
            }
        }
        let games = packs::games(&files, &mut made.packs);
        let levels = packs::levels(&files, &mut made.packs);
        made.levels = numbers.iter().copied().zip(levels).collect();
        made.editions = numbers.iter().copied().zip(packs::editions(&files)).collect();
        let own = packs::closed_numbers(&files);
        made.declared = lints::leaf_pack_declarations(&files);
        made.games = games.iter().map(Game::new).collect();
        let announces: BTreeMap<SmolStr, _> =
            made.games.iter().flat_map(|game| &game.models).map(|model| (model.name.clone(), model.announce)).collect();
        let announces: Announces<'_> = announces;
        for (number, game) in made.games.iter_mut().enumerate() {
            for (part, _) in &game.parts {
                if let Some((file, _)) = store.home(*part) {
                    made.game_of.insert(file, number);
                }
            }
            // Now: the texts of parts that an edit takes away are gone.
            game.interface = Interface::of(&game.declarations, &game.names, store);
            let outcomes =
                known.remove(&game.name).map(|(before, outcomes)| game.interface.still_valid(&before, outcomes, store));
            let outcomes = outcomes.unwrap_or_default();
            game.lower_all(store.sources(), &announces, &own, outcomes);
        }
        made
    }

    /// The game of a file.
    #[must_use]
    pub fn game_of(&self, file: usize) -> Option<&Game<'a>> {
        self.games.get(*self.game_of.get(&file)?)
    }

    /// Whether a change touches single cards, decks and scenarios only.
    #[must_use]
    pub fn is_single(&self, file: usize, change: &ItemChange, store: &SourceStore) -> bool {
        let Some(game) = self.game_of(file).filter(|_| !self.implicit.contains(&file)) else { return false };
        let declares = |part: &u32| game.declarations.iter().any(|item| item.span.file == *part);
        let single = |part: &u32| store.part(*part).and_then(|part| part.item.as_ref()).is_none_or(item_result::is_single);
        !change.removed.iter().any(|part| self.manifests.contains(part) || declares(part)) && change.added.iter().all(single)
    }

    /// Carries such a change out.
    pub fn update(&mut self, ground: &'a AnalysisArena, file: usize, change: &ItemChange, store: &SourceStore) -> UpdateResult {
        let Some(game) = self.game_of.get(&file).and_then(|game| self.games.get_mut(*game)) else { return UpdateResult::Rebuild };
        let mut added: Vec<(u32, &'a Item)> = Vec::new();
        for part in &change.added {
            let Some(found) = store.part(*part) else { continue };
            let found: &'a Arc<ItemSource> = ground.parts.alloc(Arc::clone(found));
            added.extend(found.item.as_ref().map(|item| (*part, item)));
        }
        game.update(store, &change.removed, &added)
    }

    /// Whether it depends on the words of all texts what is told.
    #[must_use]
    pub fn counts_words(&self) -> bool {
        !self.declared.is_empty()
    }

    /// Finds declarations that nothing uses, by the words of all texts. Gives where they stand, and where those found before did.
    pub fn count(&mut self, words: &WordCounts) -> Vec<Span> {
        let mut touched: Vec<Span> = self.unused.iter().map(|told| told.span).collect();
        self.unused.clear();
        lints::report_unused(&self.declared, words, &mut self.unused);
        touched.extend(self.unused.iter().map(|told| told.span));
        touched
    }

    /// All problems but those of reading.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.packs.iter().chain(self.games.iter().flat_map(Game::problems)).chain(&self.unused)
    }
}

fn has_manifest(items: &[&Item]) -> bool {
    items.iter().any(|item| matches!(item.kind, ItemKind::Pack(_)))
}
