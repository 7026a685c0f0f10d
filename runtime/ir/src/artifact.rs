//! Format of compiled packs (`.fzb`): magic, versions, a header with all small tables, then one section for each table that grows
//! with the cards.
//!
//! The checksum of the header precedes it, and the header holds the checksums of the sections, so every byte is covered. All data
//! is verified before use: a whole file ([`decode`]), or what some cards can reach ([`Pack::load_part`]).

mod pack;
mod section;
#[cfg(test)]
mod tests;

use crate::Op;
use crate::verbs::{BUILTINS, VERBS};
use crate::verify::{VerifyError, verify};
use crate::{Artifact, CompiledGame};
pub use pack::{Pack, PackContents};
use section::Section;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The magic number of a file.
pub const MAGIC: [u8; 4] = *b"FZB\0";

/// The edition of the language that this program compiles.
pub const EDITION: u32 = 1;

/// The version of the intermediate representation. It changes with every change of a type of [the crate](crate) or of the file layout. A new
/// operation, verb or built-in function raises it by itself.
pub const IR_VERSION: u32 = 31 + ROWS - ROWS_OF_VERSION_15;

/// The number of operations, verbs and built-in functions.
const ROWS: u32 = (Op::COUNT + VERBS.len() + BUILTINS.len()) as u32;

const ROWS_OF_VERSION_15: u32 = 140;

/// The maximum size of a file, in bytes.
pub const MAX_BYTES: usize = 256 << 20;

/// Size of the fixed part: magic, version, edition, length of the header, checksum of the preceding bytes and of the header.
const FIXED_HEADER_LEN: usize = 4 + 4 + 4 + 8 + 8;

/// Why bytes are not a valid artifact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// The magic number is missing.
    #[error("this is not a compiled pack")]
    Magic,
    /// The file has another version of the intermediate representation.
    #[error(
        "the compiled pack has version {found} of the intermediate representation, this program reads version {IR_VERSION}: build it again"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// The file is of another edition of the language.
    #[error("the compiled pack is of edition {found}, this program knows edition {EDITION}")]
    Edition {
        /// Its edition.
        found: u32,
    },
    /// The file is truncated, too long or too large.
    #[error("the compiled pack has another length than it says, or is too large")]
    Length,
    /// A checksum is wrong.
    #[error("the compiled pack is damaged: its checksum is wrong")]
    Checksum,
    /// The payload cannot be deserialised.
    #[error("the compiled pack cannot be read: {0}")]
    Payload(String),
    /// The artifact was read, but the verifier rejects it.
    #[error("the compiled pack does not hold together: {0}")]
    Unsound(#[from] VerifyError),
}

/// Random access to the bytes of a file, or of a buffer.
pub trait ByteSource {
    /// The size in bytes.
    fn size(&self) -> u64;

    /// Reads `count` bytes from an offset on; the range must exist.
    ///
    /// # Errors
    /// Returns the error of the read.
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

/// The header: everything small.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PackHeader {
    games: Vec<GameHeader>,
}

/// A game without its sections.
#[derive(Debug, Default, Serialize, Deserialize)]
struct GameHeader {
    game: CompiledGame,
    /// The rules hashes, by format.
    hashes: Vec<u64>,
    /// The numbers of the tokens; partial loading always includes them.
    tokens: Vec<u32>,
    /// In the order of [`sections`]; in the file they are contiguous.
    sections: Vec<Section>,
}

/// The numbers of the tokens.
fn tokens(game: &CompiledGame) -> Vec<u32> {
    game.library.definitions.numbered().filter(|(_, it)| it.token).map(|(number, _)| number as u32).collect()
}

/// The sections of a game: the tables of its library, its scenarios, its stages, the ability bundles of each format, then cards and prompts
/// of each text.
fn sections(game: &CompiledGame) -> Result<Vec<(Section, Vec<u8>)>, ArtifactError> {
    let library = &game.library;
    let whole = library.definitions.is_whole()
        && library.functions.is_whole()
        && library.sites.is_whole()
        && library.abilities.is_whole()
        && library.modifications.is_whole()
        && game.formats.iter().all(|format| format.bundles.is_whole());
    if !whole {
        return Err(ArtifactError::Payload("only a part of it is here".into()));
    }
    let mut sections = vec![
        section::encode_section(library.definitions.present())?,
        section::encode_section(library.functions.present())?,
        section::encode_section(library.sites.present())?,
        section::encode_section(library.abilities.present())?,
        section::encode_section(library.modifications.present())?,
        section::encode_section(game.scenarios.iter())?,
        section::encode_section(game.stages.iter())?,
    ];
    for format in &game.formats {
        sections.push(section::encode_section(format.bundles.present())?);
    }
    for texts in &game.texts {
        sections.push(section::encode_section(texts.cards.iter())?);
        sections.push(section::encode_section(texts.prompts.iter())?);
    }
    Ok(sections)
}

/// Encodes an artifact as the bytes of a file.
///
/// # Errors
/// Returns an error if the verifier rejects the artifact, since the result could not be read.
pub fn encode(artifact: &Artifact) -> Result<Vec<u8>, ArtifactError> {
    verify(artifact)?;
    encode_unverified(artifact)
}

/// Encodes an artifact without verifying it.
fn encode_unverified(artifact: &Artifact) -> Result<Vec<u8>, ArtifactError> {
    let (mut head, mut parts) = (PackHeader::default(), Vec::new());
    for game in &artifact.games {
        let encoded = sections(game)?;
        head.games.push(GameHeader {
            hashes: crate::rules_hash::of_game(game),
            tokens: tokens(game),
            sections: encoded.iter().map(|(section, _)| section.clone()).collect(),
            game: without_sections(game),
        });
        parts.extend(encoded.into_iter().map(|(_, bytes)| bytes));
    }
    let head = postcard::to_stdvec(&head).map_err(|e| ArtifactError::Payload(e.to_string()))?;
    let mut bytes = Vec::with_capacity(FIXED_HEADER_LEN + head.len() + parts.iter().map(Vec::len).sum::<usize>());
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

/// A game without the tables that are in its sections.
fn without_sections(game: &CompiledGame) -> CompiledGame {
    use crate::sparse_table::SparseTable;
    use crate::{Format, Library, Texts};
    let library = &game.library;
    CompiledGame {
        name: game.name.clone(),
        library: Arc::new(Library {
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
            shown_functions: library.shown_functions,
            shown_lists: library.shown_lists,
            definitions: SparseTable::default(),
            functions: SparseTable::default(),
            sites: SparseTable::default(),
            abilities: SparseTable::default(),
            modifications: SparseTable::default(),
        }),
        formats: game.formats.iter().map(|format| Format { bundles: SparseTable::default(), ..format.clone() }).collect(),
        decks: game.decks.clone(),
        scenarios: Vec::new(),
        stages: Vec::new(),
        texts: game.texts.iter().map(|texts| Texts { cards: Vec::new(), prompts: Vec::new(), ..texts.clone() }).collect(),
        hashes: Vec::new(),
    }
}

/// Decodes and verifies the bytes of a whole file.
///
/// # Errors
/// Returns an [`ArtifactError`] if the bytes are invalid.
pub fn decode(bytes: &[u8]) -> Result<Artifact, ArtifactError> {
    Pack::open(bytes)?.load_whole()
}

/// The same file with the checksums that its bytes have, so that tests reach the data behind them. `None` if header and sections cannot be
/// separated.
#[doc(hidden)]
#[must_use]
pub fn with_valid_checksums(bytes: &[u8]) -> Option<Vec<u8>> {
    let (fixed, rest) = bytes.split_at_checked(FIXED_HEADER_LEN)?;
    let length = u64::from_le_bytes(fixed.get(12..20)?.try_into().ok()?);
    let (head, mut body) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let mut head: PackHeader = postcard::from_bytes(head).ok()?;
    for section in head.games.iter_mut().flat_map(|game| &mut game.sections) {
        let (bytes, rest) = body.split_at_checked(usize::try_from(section.bytes).ok()?)?;
        *section = section.for_bytes(bytes);
        body = rest;
    }
    let head = postcard::to_stdvec(&head).ok()?;
    let mut forged = fixed.get(..12)?.to_vec();
    forged.extend((head.len() as u64).to_le_bytes());
    let sum = checksum(&forged, &head);
    forged.extend(sum.to_le_bytes());
    forged.extend(head);
    forged.extend(rest.get(length as usize..)?);
    Some(forged)
}

fn checksum(before: &[u8], bytes: &[u8]) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(before);
    hasher.update(bytes);
    hasher.digest()
}
