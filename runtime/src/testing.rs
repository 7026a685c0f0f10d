//! Support for unit tests: a tiny game, linked, and random functions for differential tests of the execution tiers.

pub(crate) mod random_functions;

use crate::program::Program;
pub(crate) use fizzle_ir::tiny_game::*;
use std::sync::Arc;

/// The tiny game, linked for all its cards.
pub(crate) fn program() -> Arc<Program> {
    Arc::new(Program::link(&game(), 0, &[]).expect("the format exists"))
}
