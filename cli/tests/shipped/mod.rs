//! The shipped packs and a table to play each family at, for tests of whole games.

use fizzle_runtime::bot::{self, Bot};
use fizzle_runtime::game::{SeatCards, seat_cards};
use fizzle_runtime::ir::{Artifact, CompiledGame};
use fizzle_runtime::program::Program;
use std::sync::{Arc, OnceLock};

mod sources;

/// A format of each shipped family.
pub const FORMATS: [&str; 4] = ["duel_masters", "duel_magic", "magic", "yugioh"];

/// How many games of each family are played: `FIZZLE_GAMES`, or what a test takes for its short form.
pub fn games(short: u64) -> u64 {
    std::env::var("FIZZLE_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(short)
}

/// The formats among `formats` that are played: all, or the one that `FIZZLE_FORMAT` names.
pub fn played<'f>(formats: &[&'f str]) -> Vec<&'f str> {
    let only = std::env::var("FIZZLE_FORMAT").ok();
    formats.iter().copied().filter(|format| only.as_ref().is_none_or(|only| only == format)).collect()
}

/// The shipped packs, compiled once.
pub fn artifact() -> &'static Artifact {
    static SHIPPED: OnceLock<Artifact> = OnceLock::new();
    SHIPPED.get_or_init(|| fizzle_compiler::compile(sources::sources()).artifact.unwrap())
}

/// The program of a format and all its decks: (name, cards).
pub fn decks(format: &str) -> (Arc<Program>, Vec<(String, SeatCards)>) {
    decks_for(format, 2)
}

/// The game that has a format, and the format's number in it.
fn game_of(format: &str) -> (&'static CompiledGame, usize) {
    let number = |game: &CompiledGame| game.formats.iter().position(|it| it.name == format);
    artifact().games.iter().find_map(|game| Some((game, number(game)?))).unwrap()
}

/// The program of a format for these cards and so many players.
pub fn linked(format: &str, pool: &[fizzle_runtime::ir::DefId], seats: usize) -> Arc<Program> {
    let (game, index) = game_of(format);
    Arc::new(Program::link_for(game, index, pool, seats).unwrap())
}

/// As [`linked`], with all code as it is written.
pub fn linked_as_written(format: &str, pool: &[fizzle_runtime::ir::DefId], seats: usize) -> Arc<Program> {
    let (game, index) = game_of(format);
    Arc::new(Program::link_unspecialized(game, index, pool, seats).unwrap())
}

/// As [`decks`], for so many players.
pub fn decks_for(format: &str, seats: usize) -> (Arc<Program>, Vec<(String, SeatCards)>) {
    let (game, index) = game_of(format);
    let program = Arc::new(Program::link_for(game, index, &[], seats).unwrap());
    let decks = game.decks.iter().filter(|deck| deck.format == format);
    let decks = decks.map(|deck| (deck.name.clone(), seat_cards(&program, deck))).collect();
    (program, decks)
}

/// The program of a format and the cards of its first two decks (of the format itself, else of the one it extends).
pub fn table(format: &str) -> (Arc<Program>, Vec<SeatCards>) {
    table_for(format, 2)
}

/// As [`table`], for so many players.
pub fn table_for(format: &str, players: usize) -> (Arc<Program>, Vec<SeatCards>) {
    let (game, index) = game_of(format);
    let mut decks: Vec<_> = game.decks.iter().filter(|d| d.format == format).collect();
    if decks.len() < 2 {
        let base = game.formats[index].base.clone().unwrap();
        decks = game.decks.iter().filter(|d| d.format == base).collect();
    }
    let program = Arc::new(Program::link_for(game, index, &[], players).unwrap());
    let seats = decks.iter().cycle().take(players).map(|deck| seat_cards(&program, deck)).collect();
    (program, seats)
}

/// A random bot for each seat.
pub fn bots(seed: u64, game: u64) -> Vec<Box<dyn Bot>> {
    bots_for(2, seed, game)
}

/// As [`bots`], for so many players.
pub fn bots_for(seats: usize, seed: u64, game: u64) -> Vec<Box<dyn Bot>> {
    (0..seats).map(|seat| bot::named("random", seed, game, seat).unwrap()).collect()
}
