//! The rules hash: covers code and tables of a format, but no sources, file names, function names or prompts, and no layouts and stages.

use crate::op::Source;
use crate::{AbilityKind, ChoiceSite, CompiledGame, Definition, Format, Function, Keyword, Library, TraitSet};
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

/// The rules hashes of a game, by format.
#[must_use]
pub fn of_game(game: &CompiledGame) -> Vec<u64> {
    let code = hash_library(&game.library);
    game.formats.iter().map(|format| hash_format(code, format)).collect()
}

/// The rules hash of a format over a library.
#[must_use]
pub fn of_format(library: &Library, format: &Format) -> u64 {
    hash_format(hash_library(library), format)
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
        // Serialisation to memory does not fail.
        self.buffer = postcard::to_extend(value, buffer).unwrap_or_default();
        self.sum.update(&self.buffer);
    }
}

fn hash_library(library: &Library) -> u64 {
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
        modifications: mods,
        windows,
        exceptions,
        shown_functions: _,
        shown_lists: _,
    } = library;
    let rule_functions = library.rule_functions();
    let lists = lists.get(..library.rule_lists()).unwrap_or(lists);
    let mut hasher = Hasher::default();
    let traits: Vec<_> =
        traits.iter().map(|TraitSet { name, words, layer, changeable, open: _ }| (name, words, layer, changeable)).collect();
    hasher.add(&(traits, layers, properties, statuses, arrivals, player_variables, globals, zones));
    // `prices` is only shown.
    let keywords: Vec<_> = keywords.iter().map(|Keyword { name, params, words, prices: _ }| (name, params, words)).collect();
    hasher.add(&(keywords, lists, windows, exceptions));
    hasher.add(&[definitions.len(), rule_functions, sites.len(), abilities.len(), mods.len()]);
    for definition in definitions.present() {
        // `written` and `defined` are only shown.
        let Definition {
            name,
            token,
            properties,
            written: _,
            defined: _,
            words,
            bundles: units,
            faces,
            combined_faces: joined,
            part,
            source: _,
        } = definition;
        hasher.add(&(name, token, properties, words, units, faces, joined, part));
    }
    for (_, function) in functions.numbered().take_while(|(number, _)| *number < rule_functions) {
        let Function { name: _, registers, params, result, ops, sources: _, text_slots: slots } = function;
        hasher.add(&(registers, params, result, ops, slots));
    }
    for site in sites.present() {
        hasher.add(&ChoiceSite { text: String::new(), source: Source::default(), ..site.clone() });
    }
    for ability in abilities.present() {
        hasher.add(&(&ability.name, ability.zones));
        match &ability.kind {
            AbilityKind::Activated { play } => hasher.add(&crate::Play { source: Source::default(), ..play.as_ref().clone() }),
            kind => hasher.add(kind),
        }
    }
    for change in mods.present() {
        hasher.add(change);
    }
    hasher.sum.digest()
}

fn hash_format(code: u64, format: &Format) -> u64 {
    let mut tables = Format {
        bundles: crate::sparse_table::SparseTable::default(),
        layout: crate::layout::Layout::default(),
        ..format.clone()
    };
    for action in &mut tables.actions {
        action.source = Source::default();
    }
    for play in &mut tables.plays {
        play.source = Source::default();
    }
    for span in &mut tables.periods {
        span.source = Source::default();
    }
    let mut hasher = Hasher::default();
    hasher.add(&(code, &tables, format.bundles.len()));
    for unit in format.bundles.present() {
        hasher.add(unit);
    }
    hasher.sum.digest()
}
