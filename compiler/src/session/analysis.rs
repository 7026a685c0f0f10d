//! The analysis of all games of a session. Decides whether an edit can be applied to it or needs a rebuild.

use super::game::{Announces, Game, UpdateResult};
use super::interface::Interface;
use super::item_result::{self, ItemResult};
use super::store::{ItemChange, ItemSource, SourceStore};
use crate::card_scopes::CardScopes;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::LintLevels;
use crate::limits::MAX_ITEM_EXPANSION;
use crate::lints::{self, NamedDeclaration, WordCounts};
use crate::packs;
use fizzle_grammar::Edition;
use fizzle_grammar::ast::{Item, ItemKind, Span};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use typed_arena::Arena;

/// Arena of the syntax trees and paths that an analysis borrows. It lives as long as the analysis.
#[derive(Default)]
pub struct AnalysisArena {
    items: Arena<Arc<ItemSource>>,
    paths: Arena<Arc<str>>,
    /// Items that were rewritten: shorthand forms are expanded, names of cards are qualified.
    rewritten: Arena<Item>,
}

/// The games of a session with their diagnostics.
#[derive(Debug, Default)]
pub struct Analysis<'a> {
    /// The games.
    pub games: Vec<Game<'a>>,
    /// Problems of packs and manifests.
    pub packs: Vec<Diagnostic>,
    game_of: BTreeMap<usize, usize>,
    manifests: BTreeSet<u32>,
    /// Files without a pack. They belong to the game of a format that they name.
    implicit_files: BTreeSet<usize>,
    /// The lint levels of each file, from the manifest of its pack.
    pub levels: BTreeMap<usize, LintLevels>,
    /// The edition of each file, from the manifest of its pack.
    pub editions: BTreeMap<usize, Option<Edition>>,
    leaf_declarations: Vec<NamedDeclaration<'a>>,
    /// Diagnostics of declarations that nothing uses.
    unused: Vec<Diagnostic>,
}

self_cell::self_cell!(
    /// An analysis with the arena that it borrows from.
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

/// Results of items of an earlier analysis, with the interface of the declarations and the packs under which they were computed.
#[derive(Debug, Default)]
pub struct Salvaged {
    interface: Interface,
    scopes: Arc<CardScopes>,
    results: BTreeMap<u32, Box<ItemResult>>,
}

/// Results of items of an earlier analysis, by game.
pub type SalvagedResults = BTreeMap<SmolStr, Salvaged>;

/// Analyses all files. Results in `known` are reused if they are still valid.
#[must_use]
pub fn build(store: &SourceStore, salvaged: SalvagedResults) -> OwnedAnalysis {
    OwnedAnalysis::new(AnalysisArena::default(), |arena| {
        let (mut analysis, whole) = Analysis::collect(arena, store);
        analysis.lower(&whole, store, salvaged);
        analysis
    })
}

/// Analyses all files, and compiles each game as one program. Its code has positions in files.
#[must_use]
pub fn build_whole(store: &SourceStore) -> OwnedAnalysis {
    OwnedAnalysis::new(AnalysisArena::default(), |arena| {
        let (mut analysis, whole) = Analysis::collect(arena, store);
        analysis.games.par_iter_mut().for_each(|game| game.compile(store.sources(), &whole.announces, &whole.leaf_files));
        analysis
    })
}

/// What lowering a game needs from the other games.
struct WholeContext<'a> {
    announces: Announces<'a>,
    /// The files of packs that no other pack extends.
    leaf_files: BTreeSet<u32>,
}

/// Takes the results of items out of an analysis, for a new one.
pub fn reusable_results(built: &mut OwnedAnalysis) -> SalvagedResults {
    built.with_dependent_mut(|_, analysis| {
        let take = |game: &mut Game<'_>| {
            let interface = std::mem::take(&mut game.interface);
            let results = std::mem::take(&mut game.results);
            (game.name.clone(), Salvaged { interface, scopes: Arc::clone(&game.names.scopes), results })
        };
        analysis.games.iter_mut().map(take).collect()
    })
}

impl<'a> Analysis<'a> {
    /// Groups the files into games, and collects names and formats.
    fn collect(arena: &'a AnalysisArena, store: &SourceStore) -> (Self, WholeContext<'a>) {
        let mut analysis = Self::default();
        let mut files: Vec<packs::ParsedFile<'a>> = Vec::new();
        let mut numbers = Vec::new();
        for (number, document) in store.documents() {
            let mut items = Vec::with_capacity(document.items.len());
            for placed in &document.items {
                let Some(item_number) = store.item_source(placed.number) else { continue };
                let item_number: &'a Arc<ItemSource> = arena.items.alloc(Arc::clone(item_number));
                items.extend(item_number.item.as_ref());
            }
            let path: &'a str = arena.paths.alloc(Arc::clone(&document.path));
            for item in &items {
                if let ItemKind::Pack(_) = item.kind {
                    analysis.manifests.insert(item.span.file);
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
                analysis.implicit_files.insert(*number);
            }
        }
        let mut game_items = packs::games(&files, &mut analysis.packs);
        for game in &mut game_items {
            game.expand(&arena.rewritten, store.sources());
            let path_of =
                |item: u32| store.position_of(item).and_then(|(file, _)| store.document(file)).map(|document| &*document.path);
            let is_fixture = |item: u32| path_of(item).is_some_and(packs::is_fixture_path);
            game.scopes.separate(&mut game.items, &arena.rewritten, is_fixture, &mut analysis.packs);
        }
        let levels = packs::lint_levels_of_files(&files, &mut analysis.packs);
        analysis.levels = numbers.iter().copied().zip(levels).collect();
        analysis.editions = numbers.iter().copied().zip(packs::editions(&files)).collect();
        let leaf_files = packs::leaf_pack_file_numbers(&files);
        analysis.leaf_declarations = lints::leaf_pack_declarations(&files);
        analysis.games = game_items.into_iter().map(Game::new).collect();
        let announces: BTreeMap<SmolStr, _> =
            analysis.games.iter().flat_map(|game| &game.models).map(|model| (model.name.clone(), model.announce)).collect();
        for (number, game) in analysis.games.iter().enumerate() {
            for (item_number, _) in &game.items {
                if let Some((file, _)) = store.position_of(*item_number) {
                    analysis.game_of.insert(file, number);
                }
            }
        }
        (analysis, WholeContext { announces, leaf_files })
    }

    /// Lowers the items of all games separately.
    fn lower(&mut self, whole: &WholeContext<'a>, store: &SourceStore, mut salvaged: SalvagedResults) {
        for game in &mut self.games {
            // Computed now, since the store drops the texts of items that an edit removes.
            game.interface = Interface::of(&game.declarations, &game.names, &game.renamed, store);
            let outcomes = salvaged
                .remove(&game.name)
                .filter(|before| before.scopes.keeps_meanings(&game.names.scopes))
                .map(|before| game.interface.still_valid(&before.interface, before.results, store));
            let outcomes = outcomes.unwrap_or_default();
            game.lower_all(store.sources(), &whole.announces, &whole.leaf_files, outcomes);
        }
    }

    /// The game of a file.
    #[must_use]
    pub fn game_of(&self, file: usize) -> Option<&Game<'a>> {
        self.games.get(*self.game_of.get(&file)?)
    }

    /// Whether a change concerns only cards, decks and scenarios, so that [`Self::update`] can apply it.
    #[must_use]
    pub fn can_update(&self, file: usize, change: &ItemChange, store: &SourceStore) -> bool {
        let Some(game) = self.game_of(file).filter(|_| !self.implicit_files.contains(&file)) else { return false };
        let declares = |item_number: &u32| game.declarations.iter().any(|item| item.span.file == *item_number);
        let single = |item_number: &u32| {
            store
                .item_source(*item_number)
                .and_then(|item_number| item_number.item.as_ref())
                .is_none_or(item_result::is_independent)
        };
        !change.removed.iter().any(|item_number| self.manifests.contains(item_number) || declares(item_number))
            && change.added.iter().all(single)
    }

    /// Applies a change for which [`Self::can_update`] holds.
    pub fn update(&mut self, arena: &'a AnalysisArena, file: usize, change: &ItemChange, store: &SourceStore) -> UpdateResult {
        let Some(game) = self.game_of.get(&file).and_then(|game| self.games.get_mut(*game)) else { return UpdateResult::Rebuild };
        let others = store.document(file).into_iter().flat_map(|document| &document.items).map(|placed| placed.number);
        let Some(pack) = change.removed.iter().copied().chain(others).find_map(|number| game.names.scopes.pack_of(number)) else {
            return UpdateResult::Rebuild;
        };
        let mut added: Vec<(u32, &'a Item)> = Vec::new();
        let expansion = Cell::new(game.expansion);
        for item_number in &change.added {
            let Some(found) = store.item_source(*item_number) else { continue };
            let found: &'a Arc<ItemSource> = arena.items.alloc(Arc::clone(found));
            let item = found
                .item
                .as_ref()
                .map(|item| game.renamed.rewritten(item, store.sources().text(*item_number), &arena.rewritten));
            let expanded = item.into_iter().flat_map(|item| game.shorthands.expanded(item, &arena.rewritten, &expansion));
            added.extend(expanded.map(|item| (*item_number, item)));
        }
        // What the removed items were expanded to counts until the game is built again.
        game.expansion = expansion.get();
        if game.expansion + MAX_ITEM_EXPANSION > game.shorthands.max_expansion() {
            return UpdateResult::Rebuild;
        }
        game.update(store, pack, &change.removed, &added)
    }

    /// Whether diagnostics depend on the words of all texts: there are declarations that could be unused.
    #[must_use]
    pub fn counts_words(&self) -> bool {
        !self.leaf_declarations.is_empty()
    }

    /// Finds declarations that nothing uses, by the words of all texts. Returns the places of these and of the earlier ones.
    pub fn find_unused(&mut self, words: &WordCounts) -> Vec<Span> {
        let mut touched: Vec<Span> = self.unused.iter().map(|problem| problem.span).collect();
        self.unused.clear();
        lints::report_unused(&self.leaf_declarations, words, &mut self.unused);
        touched.extend(self.unused.iter().map(|problem| problem.span));
        touched
    }

    /// All problems except for syntax errors.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.packs.iter().chain(self.games.iter().flat_map(Game::problems)).chain(&self.unused)
    }
}

fn has_manifest(items: &[&Item]) -> bool {
    items.iter().any(|item| matches!(item.kind, ItemKind::Pack(_)))
}
