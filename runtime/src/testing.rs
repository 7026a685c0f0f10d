//! Support for unit tests: a tiny game, and random functions for differential tests of the execution tiers.

pub(crate) mod random_functions;
mod tiny_game;

pub(crate) use tiny_game::*;
