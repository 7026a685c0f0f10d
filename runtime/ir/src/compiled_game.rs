//! The output of the compiler: compiled games, each a library with its formats, decks and scenarios.

use super::scenario::{Scenario, Stage};
use crate::format::{Deck, Format};
use crate::library::Library;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A compiled set of packs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// The games: a root pack and all packs that extend it make one.
    pub games: Vec<CompiledGame>,
}

/// A compiled game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompiledGame {
    /// Name of the root pack.
    pub name: String,
    /// The part that does not depend on a format. Linked programs share it.
    pub library: Arc<Library>,
    /// The game itself first, then its formats.
    pub formats: Vec<Format>,
    /// The registered decks.
    pub decks: Vec<Deck>,
    /// The scenarios; a separate section of a compiled pack, as are the tables of the library.
    #[serde(skip)]
    pub scenarios: Vec<Scenario>,
    /// The stages, in the order of the source; a separate section as well.
    #[serde(skip)]
    pub stages: Vec<Stage>,
    /// The rules texts by language; empty if the compiler was not requested to produce them.
    pub texts: Vec<crate::text::Texts>,
    /// The rules hashes by format, if the game was loaded in part and they cannot be computed from it; else empty.
    #[serde(skip)]
    pub hashes: Vec<u64>,
}

impl CompiledGame {
    /// The library, to be changed. Copies it if a program shares it.
    pub fn library_mut(&mut self) -> &mut Library {
        Arc::make_mut(&mut self.library)
    }

    /// The names of a format and of all formats that it extends, nearest first. Empty if there is no such format.
    #[must_use]
    pub fn ancestors(&self, format: &str) -> Vec<String> {
        let find = |name: &str| self.formats.iter().find(|format| format.name == name);
        let mut names: Vec<String> = Vec::new();
        let mut at = find(format);
        while let Some(format) = at.filter(|format| !names.contains(&format.name)) {
            names.push(format.name.clone());
            at = format.base.as_deref().and_then(find);
        }
        names
    }

    /// Returns a price in the notation of the game: `{2}{R}`. `list` is a number of [`Library::lists`]; one that there is not is free.
    #[must_use]
    pub fn format_price(&self, list: i32) -> String {
        let units = usize::try_from(list).ok().and_then(|list| self.library.lists.get(list)).map_or(&[][..], Vec::as_slice);
        let units: Vec<u32> = units.iter().map(|unit| *unit as u32).collect();
        let payment = self.formats.first().and_then(|format| format.payments.first());
        payment.map_or_else(|| format!("{{{}}}", units.len()), |payment| payment.format_price(&self.library, &units))
    }
}
