//! What the compiler hands to the machine: games, each a library with its formats, decks and scenarios.

use super::scenario::Scenario;
use super::{Deck, Format, Library};
use serde::{Deserialize, Serialize};

/// A compiled set of packs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// One entry per game (a root pack and all that extends it).
    pub games: Vec<CompiledGame>,
}

/// A game, its formats and what was written for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompiledGame {
    /// Name of the root pack.
    pub name: String,
    /// What does not depend on a format.
    pub library: Library,
    /// The game itself first, then its formats.
    pub formats: Vec<Format>,
    /// Decks.
    pub decks: Vec<Deck>,
    /// Scenarios; a section of its own in a compiled pack, as the tables of the library.
    #[serde(skip)]
    pub scenarios: Vec<Scenario>,
    /// What its cards say, by language; none if nobody asked for it.
    pub texts: Vec<super::Texts>,
    /// The hashes of its rules, by format, where only a part of them is here to be hashed; else none.
    #[serde(skip)]
    pub hashes: Vec<u64>,
}
