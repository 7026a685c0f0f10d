//! Test support for whole games: the shipped packs, linked programs, decks and bots.

use fizzle_bots::{self as bot, Bot};
use fizzle_runtime::game::{SeatCards, seat_cards};
use fizzle_runtime::ir::{Artifact, CompiledGame};
use fizzle_runtime::program::Program;
use std::sync::{Arc, OnceLock};

mod sources;

/// A format of each shipped family.
pub const FORMATS: [&str; 4] = ["duel_masters", "duel_magic", "magic", "yugioh"];

/// The number of games of each family: `FIZZLE_GAMES`, or `short` if it is not set.
pub fn game_count(short: u64) -> u64 {
    std::env::var("FIZZLE_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(short)
}

/// The formats among `formats` to play: all, or only the one that `FIZZLE_FORMAT` names.
pub fn selected_formats<'f>(formats: &[&'f str]) -> Vec<&'f str> {
    let only = std::env::var("FIZZLE_FORMAT").ok();
    formats.iter().copied().filter(|format| only.as_ref().is_none_or(|only| only == format)).collect()
}

/// The shipped packs, compiled once.
pub fn artifact() -> &'static Artifact {
    static SHIPPED: OnceLock<Artifact> = OnceLock::new();
    SHIPPED.get_or_init(|| fizzle_compiler::compile(sources::sources()).artifact.unwrap())
}

/// The program of a format for two players, and all decks of the format with their names.
pub fn decks(format: &str) -> (Arc<Program>, Vec<(String, SeatCards)>) {
    decks_for(format, 2)
}

/// The game that contains a format, and the index of the format in it.
fn game_of(format: &str) -> (&'static CompiledGame, usize) {
    let number = |game: &CompiledGame| game.formats.iter().position(|it| it.name == format);
    artifact().games.iter().find_map(|game| Some((game, number(game)?))).unwrap()
}

/// Links a format for a card pool and a number of players.
pub fn link(format: &str, pool: &[fizzle_runtime::ir::DefId], seats: usize) -> Arc<Program> {
    let (game, index) = game_of(format);
    Arc::new(Program::link_for(game, index, pool, seats).unwrap())
}

/// As [`link`], without specialisation for the card pool.
pub fn link_unspecialized(format: &str, pool: &[fizzle_runtime::ir::DefId], seats: usize) -> Arc<Program> {
    let (game, index) = game_of(format);
    Arc::new(Program::link_unspecialized(game, index, pool, seats).unwrap())
}

/// As [`decks`], for `seats` players.
pub fn decks_for(format: &str, seats: usize) -> (Arc<Program>, Vec<(String, SeatCards)>) {
    let (game, index) = game_of(format);
    let program = Arc::new(Program::link_for(game, index, &[], seats).unwrap());
    let decks = game.decks.iter().filter(|deck| deck.format == format);
    let decks = decks.map(|deck| (deck.name.clone(), seat_cards(&program, deck))).collect();
    (program, decks)
}

/// The program of a format for two players, and the cards of its first two decks. A format with fewer decks uses those of its base.
pub fn game_setup(format: &str) -> (Arc<Program>, Vec<SeatCards>) {
    game_setup_for(format, 2)
}

/// As [`game_setup`], for `players` players; the decks repeat if there are fewer.
pub fn game_setup_for(format: &str, players: usize) -> (Arc<Program>, Vec<SeatCards>) {
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

/// A random bot for each of two seats.
pub fn bots(seed: u64, game: u64) -> Vec<Box<dyn Bot>> {
    bots_for(2, seed, game)
}

/// As [`bots`], for `seats` players.
pub fn bots_for(seats: usize, seed: u64, game: u64) -> Vec<Box<dyn Bot>> {
    (0..seats).map(|seat| bot::named("random", seed, game, seat).unwrap()).collect()
}
