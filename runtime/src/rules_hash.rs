//! A hash of the rules: code and tables without sources and names of files.

use crate::ir::op::Source;
use crate::ir::{AbilityKind, ChoiceSite, CompiledGame, Definition, Format, Function, Library};
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// The hashes of a game's rules, by format.
#[must_use]
pub fn of_game(game: &CompiledGame) -> Vec<u64> {
    let code = of_library(&game.library);
    game.formats.iter().map(|format| of_format(code, format)).collect()
}

/// The hash of a format over a library.
#[must_use]
pub fn of(library: &Library, format: &Format) -> u64 {
    of_format(of_library(library), format)
}

#[derive(Default)]
struct Hasher {
    sum: Xxh3,
    buffer: Vec<u8>,
}

impl Hasher {
    fn add<T: Serialize>(&mut self, value: &T) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        // Writing to memory does not fail.
        self.buffer = postcard::to_extend(value, buffer).unwrap_or_default();
        self.sum.update(&self.buffer);
    }
}

fn of_library(library: &Library) -> u64 {
    let Library {
        files: _,
        traits,
        layers,
        properties,
        statuses,
        arrival_statuses: arrivals,
        player_variables,
        globals,
        zones,
        keywords,
        definitions,
        functions,
        sites,
        lists,
        abilities,
        mods,
        windows,
        exceptions,
    } = library;
    let mut hasher = Hasher::default();
    hasher.add(&(traits, layers, properties, statuses, arrivals, player_variables, globals, zones));
    hasher.add(&(keywords, lists, windows, exceptions));
    hasher.add(&[definitions.len(), functions.len(), sites.len(), abilities.len(), mods.len()]);
    for definition in definitions.present() {
        let Definition { name, token, properties, words, units, faces, combined_faces: joined, part, source: _ } = definition;
        hasher.add(&(name, token, properties, words, units, faces, joined, part));
    }
    for function in functions.present() {
        let Function { name: _, registers, params, result, ops, sources: _, slots } = function;
        hasher.add(&(registers, params, result, ops, slots));
    }
    for site in sites.present() {
        hasher.add(&ChoiceSite { text: String::new(), source: Source::default(), ..site.clone() });
    }
    for ability in abilities.present() {
        hasher.add(&(&ability.name, ability.zones));
        match &ability.kind {
            AbilityKind::Activated { play } => {
                hasher.add(&crate::ir::Play { source: Source::default(), ..play.as_ref().clone() })
            }
            kind => hasher.add(kind),
        }
    }
    for change in mods.present() {
        hasher.add(change);
    }
    hasher.sum.digest()
}

fn of_format(code: u64, format: &Format) -> u64 {
    let mut tables = Format { units: crate::ir::sparse_table::SparseTable::default(), ..format.clone() };
    for action in &mut tables.actions {
        action.source = Source::default();
    }
    for play in &mut tables.plays {
        play.source = Source::default();
    }
    for span in &mut tables.spans {
        span.source = Source::default();
    }
    let mut hasher = Hasher::default();
    hasher.add(&(code, &tables, format.units.len()));
    for unit in format.units.present() {
        hasher.add(unit);
    }
    hasher.sum.digest()
}
