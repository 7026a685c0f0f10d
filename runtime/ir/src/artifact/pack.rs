//! Opens compiled packs: checks size, version and checksums, and verifies what it loads: a whole pack, or only the cards that are played and what
//! they reach.

use super::section::{Entries, Section};
use super::{
    ArtifactError, ByteSource, EDITION, FIXED_HEADER_LEN, GameHeader, IR_VERSION, MAGIC, MAX_BYTES, PackHeader, checksum, tokens,
};
use crate::reachability::{ReachableSet, TableSource, errata_of};
use crate::sparse_table::SparseTable;
use crate::verify::verify;
use crate::{
    Ability, AbilityBundle, Artifact, CardText, ChoiceSite, CompiledGame, DefId, Definition, Function, KeywordId, Library,
    Modification, Prompt,
};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of sections before those of the formats.
const FIXED_SECTIONS: usize = 7;

/// What to load of a game in addition to its rules and some cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackContents {
    /// Nothing else.
    Play,
    /// The rules texts of the loaded cards and rules.
    Texts,
}

/// An open compiled pack. Its header is not verified; the games that it returns are.
#[derive(Debug)]
pub struct Pack<S> {
    source: S,
    headers: Artifact,
    sections: Vec<GameSections>,
}

/// The sections of a game, from the header.
#[derive(Debug)]
struct GameSections {
    hashes: Vec<u64>,
    tokens: Vec<u32>,
    sections: Vec<Section>,
    /// The offset of the first section.
    from: u64,
}

impl<S: ByteSource> Pack<S> {
    /// Reads the header of a compiled pack.
    ///
    /// # Errors
    /// Returns an [`ArtifactError`] if the header is invalid.
    pub fn open(source: S) -> Result<Self, ArtifactError> {
        let size = source.size();
        if size > MAX_BYTES as u64 {
            return Err(ArtifactError::Length);
        }
        let header = source.read(0, FIXED_HEADER_LEN.min(size as usize))?;
        let (magic, rest) = header.split_first_chunk::<4>().ok_or(ArtifactError::Magic)?;
        if *magic != MAGIC {
            return Err(ArtifactError::Magic);
        }
        let (version, rest) = rest.split_first_chunk::<4>().ok_or(ArtifactError::Length)?;
        let found = u32::from_le_bytes(*version);
        if found != IR_VERSION {
            return Err(ArtifactError::Version { found });
        }
        let (edition, rest) = rest.split_first_chunk::<4>().ok_or(ArtifactError::Length)?;
        let found = u32::from_le_bytes(*edition);
        if found != EDITION {
            return Err(ArtifactError::Edition { found });
        }
        let (length, rest) = rest.split_first_chunk::<8>().ok_or(ArtifactError::Length)?;
        let (sum, _) = rest.split_first_chunk::<8>().ok_or(ArtifactError::Length)?;
        let length = u64::from_le_bytes(*length);
        if length > size - FIXED_HEADER_LEN as u64 {
            return Err(ArtifactError::Length);
        }
        let bytes = source.read(FIXED_HEADER_LEN as u64, length as usize)?;
        if checksum(header.get(..FIXED_HEADER_LEN - 8).unwrap_or_default(), &bytes) != u64::from_le_bytes(*sum) {
            return Err(ArtifactError::Checksum);
        }
        let (head, left) = postcard::take_from_bytes::<PackHeader>(&bytes).map_err(|e| ArtifactError::Payload(e.to_string()))?;
        if !left.is_empty() {
            return Err(ArtifactError::Length);
        }
        let mut from = FIXED_HEADER_LEN as u64 + length;
        let (mut heads, mut rest) = (Artifact::default(), Vec::new());
        for GameHeader { game, hashes, tokens, sections } in head.games {
            let formats = game.formats.len();
            if sections.len() != FIXED_SECTIONS + formats + 2 * game.texts.len() || hashes.len() != formats {
                return Err(ArtifactError::Payload("a table is missing".into()));
            }
            let begins = from;
            for section in &sections {
                from = from.checked_add(section.bytes).ok_or(ArtifactError::Length)?;
            }
            heads.games.push(game);
            rest.push(GameSections { hashes, tokens, sections, from: begins });
        }
        drop((header, bytes));
        if from == size { Ok(Self { source, headers: heads, sections: rest }) } else { Err(ArtifactError::Length) }
    }

    /// The games without cards, code, scenarios and texts. They contain the names of formats and decks, and cannot be played.
    pub fn headers(&self) -> &Artifact {
        &self.headers
    }

    fn game_sections(&self, game: usize) -> Result<&GameSections, ArtifactError> {
        self.sections.get(game).ok_or(ArtifactError::Length)
    }

    /// All definitions of a game that have one of some names: cards, tokens and parts of cards.
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn find_definitions(&self, game: usize, names: &BTreeSet<&str>) -> Result<Vec<DefId>, ArtifactError> {
        let definitions = self.game_sections(game)?.section(&self.source, 0)?;
        let mut found = Vec::new();
        // Definition 0 has no name.
        for number in 1..definitions.len() {
            if names.contains(definitions.name(number)?) {
                found.push(DefId(number as u32));
            }
        }
        Ok(found)
    }

    /// Loads and verifies a game with its rules and all that some cards can reach. Reads nothing else of the file but section
    /// offsets.
    ///
    /// # Errors
    /// Returns an error if a table that is read is damaged, or if the verifier rejects the result.
    pub fn load_part(&self, game: usize, cards: &[DefId], wanted: PackContents) -> Result<CompiledGame, ArtifactError> {
        let rest = self.game_sections(game)?;
        let head = self.headers.games.get(game).ok_or(ArtifactError::Length)?;
        let mut game = head.clone();
        let library = Arc::unwrap_or_clone(std::mem::take(&mut game.library));
        let mut some = PartialGame::open(head, rest, &self.source)?;
        let cards = cards.iter().map(|card| card.0).chain(rest.tokens.iter().copied());
        let mut reach = ReachableSet::new(&library, game.formats.iter(), cards);
        reach.close(&library, &mut some)?;
        let PartialGame { definitions, functions, sites, abilities, modifications, bundles: units, .. } = some;
        let prompted: Vec<u32> = sites.read.keys().copied().collect();
        let described: Vec<u32> = definitions.read.keys().copied().collect();
        game.library = Arc::new(Library {
            definitions: definitions.table(),
            functions: functions.table(),
            sites: sites.table(),
            abilities: abilities.table(),
            modifications: modifications.table(),
            ..library
        });
        for (format, units) in game.formats.iter_mut().zip(units) {
            format.bundles = units.table();
        }
        if wanted == PackContents::Texts {
            for (number, texts) in game.texts.iter_mut().enumerate() {
                let first = FIXED_SECTIONS + head.formats.len() + 2 * number;
                texts.cards = texts_of::<CardText>(&rest.section(&self.source, first)?, &described)?;
                texts.prompts = texts_of::<Prompt>(&rest.section(&self.source, first + 1)?, &prompted)?;
            }
        } else {
            game.texts.clear();
        }
        game.hashes.clone_from(&rest.hashes);
        let mut artifact = Artifact { games: vec![game] };
        verify(&artifact)?;
        artifact.games.pop().ok_or(ArtifactError::Length)
    }

    /// Loads and verifies all games completely.
    ///
    /// # Errors
    /// Returns an error if the file is damaged, or if the verifier rejects it.
    pub fn load_whole(self) -> Result<Artifact, ArtifactError> {
        let Self { source, headers: mut artifact, sections: rest } = self;
        for (game, rest) in artifact.games.iter_mut().zip(&rest) {
            rest.fill(game, &source)?;
        }
        verify(&artifact)?;
        Ok(artifact)
    }
}

impl GameSections {
    /// Reads and checks a section.
    fn section<'s, S: ByteSource>(&self, source: &'s S, number: usize) -> Result<Entries<'s>, ArtifactError> {
        let before = self.sections.iter().take(number).map(|section| section.bytes).sum::<u64>();
        let section: &Section = self.sections.get(number).ok_or(ArtifactError::Length)?;
        let bytes = usize::try_from(section.bytes).map_err(|_| ArtifactError::Length)?;
        section.open(source.read(self.from + before, bytes)?)
    }

    /// Reads all sections of a game.
    fn fill<S: ByteSource>(&self, game: &mut CompiledGame, source: &S) -> Result<(), ArtifactError> {
        let library = game.library_mut();
        library.definitions = self.section(source, 0)?.all()?;
        library.functions = self.section(source, 1)?.all()?;
        library.sites = self.section(source, 2)?.all()?;
        library.abilities = self.section(source, 3)?.all()?;
        library.modifications = self.section(source, 4)?.all()?;
        game.scenarios = self.section(source, 5)?.all()?;
        game.stages = self.section(source, 6)?.all()?;
        for (number, format) in game.formats.iter_mut().enumerate() {
            format.bundles = self.section(source, FIXED_SECTIONS + number)?.all()?;
        }
        let first = FIXED_SECTIONS + game.formats.len();
        for (number, texts) in game.texts.iter_mut().enumerate() {
            texts.cards = self.section(source, first + 2 * number)?.all()?;
            texts.prompts = self.section(source, first + 2 * number + 1)?.all()?;
        }
        // Partial loading relies on these values and cannot compute them.
        if self.tokens != tokens(game) || self.hashes != crate::rules_hash::of_game(game) {
            return Err(ArtifactError::Payload("its head speaks of other rules".into()));
        }
        Ok(())
    }
}

/// The texts of some cards or choice sites; each entry begins with the number of its card or site.
fn texts_of<T: DeserializeOwned>(entries: &Entries<'_>, wanted: &[u32]) -> Result<Vec<T>, ArtifactError> {
    let mut found = Vec::new();
    for number in 0..entries.len() {
        let of = entries.first_field::<u32>(number)?;
        if of.is_some_and(|of| wanted.binary_search(&of).is_ok()) {
            found.extend(entries.get(number)?);
        }
    }
    Ok(found)
}

/// A section and the entries read so far.
struct SectionReader<'a, T> {
    entries: Entries<'a>,
    read: BTreeMap<u32, T>,
}

impl<'a, T: DeserializeOwned> SectionReader<'a, T> {
    fn new(entries: Entries<'a>) -> Self {
        Self { entries, read: BTreeMap::new() }
    }

    fn get(&mut self, number: u32) -> Result<Option<&T>, ArtifactError> {
        if !self.read.contains_key(&number)
            && let Some(entry) = self.entries.get(number as usize)?
        {
            self.read.insert(number, entry);
        }
        Ok(self.read.get(&number))
    }

    fn table(self) -> SparseTable<T> {
        SparseTable::part(self.entries.len(), self.read.into_iter().collect())
    }
}

/// The entries of a game that were read so far.
struct PartialGame<'a> {
    head: &'a CompiledGame,
    definitions: SectionReader<'a, Definition>,
    functions: SectionReader<'a, Function>,
    sites: SectionReader<'a, ChoiceSite>,
    abilities: SectionReader<'a, Ability>,
    modifications: SectionReader<'a, Modification>,
    bundles: Vec<SectionReader<'a, AbilityBundle>>,
}

impl<'a> PartialGame<'a> {
    fn open<S: ByteSource>(head: &'a CompiledGame, rest: &GameSections, source: &'a S) -> Result<Self, ArtifactError> {
        let section = |number| rest.section(source, number);
        let formats = 0..head.formats.len();
        Ok(Self {
            head,
            definitions: SectionReader::new(section(0)?),
            functions: SectionReader::new(section(1)?),
            sites: SectionReader::new(section(2)?),
            abilities: SectionReader::new(section(3)?),
            modifications: SectionReader::new(section(4)?),
            bundles: formats.map(|format| section(FIXED_SECTIONS + format).map(SectionReader::new)).collect::<Result<_, _>>()?,
        })
    }
}

impl TableSource for PartialGame<'_> {
    type Error = ArtifactError;

    fn function(&mut self, number: u32) -> Result<Option<&Function>, ArtifactError> {
        self.functions.get(number)
    }

    fn site(&mut self, number: u32) -> Result<Option<&ChoiceSite>, ArtifactError> {
        self.sites.get(number)
    }

    fn ability(&mut self, number: u32) -> Result<Option<&Ability>, ArtifactError> {
        self.abilities.get(number)
    }

    fn modification(&mut self, number: u32) -> Result<Option<&Modification>, ArtifactError> {
        self.modifications.get(number)
    }

    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, ArtifactError> {
        self.definitions.get(number)
    }

    fn bundles(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, ArtifactError> {
        let mut found = Vec::new();
        for units in &mut self.bundles {
            found.extend(units.get(number)?);
        }
        Ok(found)
    }

    fn bundles_with_keywords(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, ArtifactError> {
        let mut found = BTreeSet::new();
        for units in &self.bundles {
            for number in 0..units.entries.len() {
                let keyword = units.entries.first_field::<Option<(KeywordId, Vec<i32>)>>(number)?.flatten();
                if keyword.is_some_and(|(keyword, _)| keywords.contains(&keyword)) {
                    found.insert(number as u32);
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    fn errata_of(&self, number: u32) -> Vec<DefId> {
        self.head.formats.iter().flat_map(|format| errata_of(format, number)).collect()
    }
}
