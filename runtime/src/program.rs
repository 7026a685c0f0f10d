//! A program: the linked tables of a format, with what the machine derives from them once and shares between games.

use crate::ir::{CompiledGame, DefId, Format, Library};
use crate::specialize::SpecializedCode;
use crate::tables::LinkedTables;
use crate::vm::optimized::code::OptimizedFunctions;
use crate::vm::pay::price_dependencies::PaymentDependencies;
use crate::vm::scratch::ScratchPool;
use std::ops::Deref;
use std::sync::Arc;

/// A linked program. It is immutable but for caches, and all games that play it share it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its tables.
    pub tables: LinkedTables,
    /// Scratch memory left by finished games.
    pub(crate) scratch_pool: ScratchPool,
    /// The functions translated for the optimized interpreter.
    pub(crate) optimized: OptimizedFunctions,
    /// What payments read.
    pub(crate) payment_dependencies: PaymentDependencies,
    /// The functions compiled to native code.
    #[cfg(feature = "jit")]
    pub jit: crate::jit::Jit,
}

impl Deref for Program {
    type Target = LinkedTables;

    #[inline]
    fn deref(&self) -> &LinkedTables {
        &self.tables
    }
}

impl Program {
    /// Links a format of a game for the definitions in `pool` (tokens are added). An empty pool means all definitions that are
    /// loaded. Returns `None` if the format does not exist, or if the game was read from a compiled pack without some cards of
    /// the pool.
    #[must_use]
    pub fn link(game: &CompiledGame, format: usize, pool: &[DefId]) -> Option<Self> {
        let min_players = usize::from(game.formats.get(format)?.min_players);
        Self::link_for(game, format, pool, min_players)
    }

    /// As [`Program::link`], for a number of players. Returns `None` if the format does not allow it.
    #[must_use]
    pub fn link_for(game: &CompiledGame, format: usize, pool: &[DefId], seats: usize) -> Option<Self> {
        Self::link_checked(game, format, pool, seats, !pool.is_empty())
    }

    /// As [`Program::link_for`], without specialisation for the card pool. Tests compare it with the specialised program.
    #[must_use]
    pub fn link_unspecialized(game: &CompiledGame, format: usize, pool: &[DefId], seats: usize) -> Option<Self> {
        Self::link_checked(game, format, pool, seats, false)
    }

    /// As [`Program::link`], to show cards, not to play with them. It is not specialised: that reads all code that the pool reaches several times, and
    /// would be done for each format in which a card is shown.
    #[must_use]
    pub fn link_to_show(game: &CompiledGame, format: usize, pool: &[DefId]) -> Option<Self> {
        let min_players = usize::from(game.formats.get(format)?.min_players);
        Self::link_unspecialized(game, format, pool, min_players)
    }

    fn link_checked(game: &CompiledGame, format: usize, pool: &[DefId], seats: usize, specialize: bool) -> Option<Self> {
        let tables = game.formats.get(format)?;
        let definitions = &game.library.definitions;
        let is_missing = |card: &DefId| card.index() < definitions.len() && definitions.get(card.index()).is_none();
        if !tables.takes(seats) || pool.iter().any(is_missing) {
            return None;
        }
        let hash = game.hashes.get(format).copied();
        let specialized = if specialize { SpecializedCode::new(&game.library, tables, pool) } else { SpecializedCode::default() };
        let (library, format) = (Arc::clone(&game.library), Arc::new(tables.clone()));
        Some(Self::from_tables(LinkedTables::link(library, format, (pool, specialized), seats, hash)))
    }

    /// As [`Program::link_for`], from shared tables, without the checks.
    #[must_use]
    pub fn link_shared(library: Arc<Library>, format: Arc<Format>, pool: &[DefId], seats: usize) -> Self {
        let specialized =
            if pool.is_empty() { SpecializedCode::default() } else { SpecializedCode::new(&library, &format, pool) };
        Self::from_tables(LinkedTables::link(library, format, (pool, specialized), seats, None))
    }

    fn from_tables(tables: LinkedTables) -> Self {
        Self {
            scratch_pool: ScratchPool::default(),
            optimized: OptimizedFunctions::new(tables.library.functions.len()),
            payment_dependencies: PaymentDependencies::of(&tables),
            #[cfg(feature = "jit")]
            jit: crate::jit::Jit::default(),
            tables,
        }
    }

    /// A copy of the program for another thread. Threads that share one reference count would slow each other down. The native
    /// code is shared.
    #[must_use]
    pub fn clone_for_thread(&self) -> Self {
        Self {
            #[cfg(feature = "jit")]
            jit: self.jit.clone_shared(),
            ..self.clone()
        }
    }
}
