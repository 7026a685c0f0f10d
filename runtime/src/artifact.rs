//! Compiled packs as bytes (`.fzb`): magic, versions, a head with all that is small, then a section for each table that grows with the cards.
//!
//! The head has its checksum in front of it, and has those of the sections in it, so each byte of a file is under one. What was read is
//! verified before anything runs it: all of it ([`decode`]), or what some cards can come to ([`Pack::part`]).

mod pack;
mod section;
#[cfg(test)]
mod tests;

use crate::ir::{Artifact, CompiledGame};
use crate::verify::{VerifyError, verify};
pub use pack::{Pack, PackContents};
use section::Section;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The first bytes of a file.
pub const MAGIC: [u8; 4] = *b"FZB\0";

/// The edition of the language that this program compiles.
pub const EDITION: u32 = 1;

/// The version of the intermediate representation. It changes whenever a type of [`crate::ir`], or the order of a file, does.
pub const IR_VERSION: u32 = 13;

/// The largest file that is read.
pub const MAX_BYTES: usize = 256 << 20;

/// Magic, version, edition, length of the head, checksum of all that stands before it and of the head.
const HEADER: usize = 4 + 4 + 4 + 8 + 8;

/// Why bytes are not a usable artifact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// Something else.
    #[error("this is not a compiled pack")]
    Magic,
    /// Written by another version.
    #[error(
        "the compiled pack has version {found} of the intermediate representation, this program reads version {IR_VERSION}: build it again"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// Written for another edition of the language.
    #[error("the compiled pack is of edition {found}, this program knows edition {EDITION}")]
    Edition {
        /// Its edition.
        found: u32,
    },
    /// Cut off, too long or too large.
    #[error("the compiled pack has another length than it says, or is too large")]
    Length,
    /// Damaged.
    #[error("the compiled pack is damaged: its checksum is wrong")]
    Checksum,
    /// The payload cannot be read.
    #[error("the compiled pack cannot be read: {0}")]
    Payload(String),
    /// It was read, but does not hold together.
    #[error("the compiled pack does not hold together: {0}")]
    Unsound(#[from] VerifyError),
}

/// A file, or what is in memory of one.
pub trait ByteSource {
    /// How many bytes it has.
    fn size(&self) -> u64;

    /// So many bytes from a place on, which are there.
    ///
    /// # Errors
    /// What came in between.
    fn read(&self, from: u64, count: usize) -> Result<Cow<'_, [u8]>, ArtifactError>;
}

impl ByteSource for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, from: u64, count: usize) -> Result<Cow<'_, [u8]>, ArtifactError> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        self.get(from..from.saturating_add(count)).map(Cow::Borrowed).ok_or(ArtifactError::Length)
    }
}

/// All that is small, and where the rest is.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PackHeader {
    games: Vec<GameHead>,
}

/// A game without its sections.
#[derive(Debug, Default, Serialize, Deserialize)]
struct GameHead {
    game: CompiledGame,
    /// The hash of the rules, by format.
    hashes: Vec<u64>,
    /// The numbers of the tokens, which are there whatever cards are played.
    tokens: Vec<u32>,
    /// In the order of [`sections`], one behind the other.
    sections: Vec<Section>,
}

/// The numbers of the tokens.
fn tokens(game: &CompiledGame) -> Vec<u32> {
    game.library.definitions.numbered().filter(|(_, it)| it.token).map(|(number, _)| number as u32).collect()
}

/// The sections of a game: the tables of its library, its scenarios, then the units of each format and the cards and prompts of each text.
fn sections(game: &CompiledGame) -> Result<Vec<(Section, Vec<u8>)>, ArtifactError> {
    let library = &game.library;
    let whole = library.definitions.is_whole()
        && library.functions.is_whole()
        && library.sites.is_whole()
        && library.abilities.is_whole()
        && library.mods.is_whole()
        && game.formats.iter().all(|format| format.units.is_whole());
    if !whole {
        return Err(ArtifactError::Payload("only a part of it is here".into()));
    }
    let mut made = vec![
        section::write(library.definitions.present())?,
        section::write(library.functions.present())?,
        section::write(library.sites.present())?,
        section::write(library.abilities.present())?,
        section::write(library.mods.present())?,
        section::write(game.scenarios.iter())?,
    ];
    for format in &game.formats {
        made.push(section::write(format.units.present())?);
    }
    for texts in &game.texts {
        made.push(section::write(texts.cards.iter())?);
        made.push(section::write(texts.prompts.iter())?);
    }
    Ok(made)
}

/// The bytes of a file.
///
/// # Errors
/// When the artifact does not hold together: nothing is written that would not be read.
pub fn encode(artifact: &Artifact) -> Result<Vec<u8>, ArtifactError> {
    verify(artifact)?;
    assemble(artifact)
}

/// The bytes of a file, whatever they say.
fn assemble(artifact: &Artifact) -> Result<Vec<u8>, ArtifactError> {
    let (mut head, mut parts) = (PackHeader::default(), Vec::new());
    for game in &artifact.games {
        let made = sections(game)?;
        head.games.push(GameHead {
            hashes: crate::rules_hash::of_game(game),
            tokens: tokens(game),
            sections: made.iter().map(|(section, _)| section.clone()).collect(),
            game: without_sections(game),
        });
        parts.extend(made.into_iter().map(|(_, bytes)| bytes));
    }
    let head = postcard::to_stdvec(&head).map_err(|e| ArtifactError::Payload(e.to_string()))?;
    let mut bytes = Vec::with_capacity(HEADER + head.len() + parts.iter().map(Vec::len).sum::<usize>());
    bytes.extend(MAGIC);
    bytes.extend(IR_VERSION.to_le_bytes());
    bytes.extend(EDITION.to_le_bytes());
    bytes.extend((head.len() as u64).to_le_bytes());
    let sum = checksum(&bytes, &head);
    bytes.extend(sum.to_le_bytes());
    bytes.extend(head);
    parts.iter().for_each(|part| bytes.extend(part));
    Ok(bytes)
}

/// A game without what is in its sections.
fn without_sections(game: &CompiledGame) -> CompiledGame {
    use crate::ir::sparse_table::SparseTable;
    use crate::ir::{Format, Library, Texts};
    let library = &game.library;
    CompiledGame {
        name: game.name.clone(),
        library: Library {
            files: library.files.clone(),
            traits: library.traits.clone(),
            layers: library.layers.clone(),
            properties: library.properties.clone(),
            statuses: library.statuses.clone(),
            arrival_statuses: library.arrival_statuses.clone(),
            player_variables: library.player_variables.clone(),
            globals: library.globals.clone(),
            zones: library.zones.clone(),
            keywords: library.keywords.clone(),
            lists: library.lists.clone(),
            windows: library.windows.clone(),
            exceptions: library.exceptions.clone(),
            definitions: SparseTable::default(),
            functions: SparseTable::default(),
            sites: SparseTable::default(),
            abilities: SparseTable::default(),
            mods: SparseTable::default(),
        },
        formats: game.formats.iter().map(|format| Format { units: SparseTable::default(), ..format.clone() }).collect(),
        decks: game.decks.clone(),
        scenarios: Vec::new(),
        texts: game.texts.iter().map(|texts| Texts { cards: Vec::new(), prompts: Vec::new(), ..texts.clone() }).collect(),
        hashes: Vec::new(),
    }
}

/// Reads the bytes of a file, all of them.
///
/// # Errors
/// [`ArtifactError`] says what is wrong with them.
pub fn decode(bytes: &[u8]) -> Result<Artifact, ArtifactError> {
    Pack::open(bytes)?.whole()
}

fn checksum(before: &[u8], bytes: &[u8]) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(before);
    hasher.update(bytes);
    hasher.digest()
}
