//! Faces: a card as it is printed, in a language and a format.

use crate::protocol::{Card, Event, Lang, TableView};
use crate::shown::PackIndex;
use crate::words::pack_texts::{card_name, name, rules_text, spaced};
use fizzle_ir::{CompiledGame, DefId, Definition, Format, Type, Variable};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::look::{Look, printed_look};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The face of a card; `None` if the game has no card with this number.
fn face(game: &CompiledGame, format: &Format, card: DefId, lang: Lang) -> Option<Card> {
    let library = &game.library;
    let errata = format.corrected(card);
    let definition = library.definitions.get(errata.index())?;
    let (mut kind, mut line, mut hue, mut all) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let hue_set = crate::layout::hue_set(game);
    for (number, words) in printed_words(game, definition) {
        all.extend(words.clone().cloned());
        if Some(number) == hue_set {
            hue.extend(words.cloned());
        } else if kind.is_empty() {
            kind.extend(words.map(|word| spaced(word)));
        } else {
            line.extend(words.map(|word| spaced(word)));
        }
    }
    let mut cost = String::new();
    let mut props = std::collections::BTreeMap::new();
    for (property, value) in library.properties.iter().zip(&definition.properties) {
        if property.name.starts_with('_') {
            continue;
        }
        if property.ty == Type::Price {
            if cost.is_empty() {
                cost = printed_price(game, property, *value);
            }
        } else if property.ty == Type::Number && *value != property.initial {
            props.insert(property.name.clone(), i64::from(*value));
        }
    }
    if cost.is_empty() {
        cost = crate::layout::corner_property(game).and_then(|name| props.get(&name)).map_or_else(String::new, i64::to_string);
    }
    let file = library.files.get(definition.source.file as usize).map_or("", String::as_str);
    Some(Card {
        name: card_name(game, card, lang),
        kind: kind.join(" "),
        hue,
        cost,
        line: line.join(" "),
        text: rules_text(game, format, errata, lang),
        props,
        words: all,
        source: if definition.source.line == 0 { String::new() } else { format!("{file}:{}", definition.source.line) },
    })
}

/// What is printed on a card in a format.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'g>(&'g Definition);

/// What is printed on a card in a format: on its errata, if it has some.
#[must_use]
pub fn printed<'g>(game: &'g CompiledGame, format: &Format, card: DefId) -> Option<Printed<'g>> {
    game.library.definitions.get(format.corrected(card).index()).map(Printed)
}

impl Printed<'_> {
    /// The value of a property by its number.
    #[must_use]
    pub fn number(self, property: usize) -> Option<i64> {
        self.0.properties.get(property).map(|value| i64::from(*value))
    }

    /// Whether these are its words.
    #[must_use]
    pub fn has_words(self, game: &CompiledGame, words: &[SmolStr]) -> bool {
        printed_words(game, self.0).flat_map(|(_, words)| words).map(String::as_str).eq(words.iter().map(SmolStr::as_str))
    }
}

/// The words of a card, by the number of their set.
fn printed_words<'g>(
    game: &'g CompiledGame,
    definition: &'g Definition,
) -> impl Iterator<Item = (usize, impl Iterator<Item = &'g String> + Clone)> {
    game.library.traits.iter().zip(&definition.words).enumerate().map(|(number, (set, own))| {
        let words = own.iter().filter_map(|word| set.words.get(usize::from(*word)));
        (number, words.filter(|word| !word.starts_with('_')))
    })
}

/// A card as it is printed in the format of a program, and its look, if the format has a layout.
#[must_use]
pub fn printed_face(game: &CompiledGame, program: &Arc<Program>, card: DefId, lang: Lang) -> Option<(Card, Option<Look>)> {
    let format = &*program.format;
    let mut made = face(game, format, card, lang)?;
    let look = printed_look(program, card);
    if let Some(look) = &look {
        apply_look(&mut made, (game, format), card, look, lang);
    }
    Some((made, look))
}

/// The numbers at the foot of a face.
#[must_use]
pub fn stat_text(look: &Look) -> String {
    let numbers: Vec<String> = look.stat.iter().map(|number| number.value.to_string()).collect();
    numbers.join("/")
}

/// Changes a face to what the layout of the format says of it.
fn apply_look(face: &mut Card, (game, format): (&CompiledGame, &Format), card: DefId, look: &Look, lang: Lang) {
    if !look.hues.is_empty() {
        face.hue.clone_from(&look.hues);
    }
    if !look.line.is_empty() {
        let words: Vec<String> = look.line.iter().map(|word| name(game, format, word, lang)).collect();
        face.line = words.join(" ");
    }
    let Some(corner) = look.corner else { return };
    let errata = format.corrected(card);
    let value = game.library.definitions.get(errata.index()).and_then(|definition| definition.properties.get(corner));
    let property = game.library.properties.get(corner);
    face.cost = match (property.map(|property| property.ty), value) {
        (Some(Type::Price), Some(value)) => property.map_or_else(String::new, |property| printed_price(game, property, *value)),
        (Some(_), Some(value)) => value.to_string(),
        _ => String::new(),
    };
}

/// The price that a card prints, in the notation of the game; empty if the card does not say one, so that it has what cards have without it.
fn printed_price(game: &CompiledGame, property: &Variable, value: i32) -> String {
    let units = |list: i32| usize::try_from(list).ok().and_then(|list| game.library.lists.get(list));
    let (Some(own), usual) = (units(value), units(property.initial)) else { return String::new() };
    if usual == Some(own) {
        return String::new();
    }
    let payment = game.formats.first().and_then(|format| format.payments.first());
    let units: Vec<u32> = own.iter().map(|unit| *unit as u32).collect();
    payment.map_or_else(|| units.len().to_string(), |payment| payment.format_price(&game.library, &units))
}

/// Faces of cards, shared by all tables of a pack.
///
/// Key: format, card and language. Value: the face. Valid as long as the pack is the same. A miss evaluates the layout for the card in a new
/// game, some 0.1 ms; a hit is a look-up under a lock.
#[derive(Debug, Default)]
pub struct Faces(Mutex<BTreeMap<String, FormatFaces>>);

/// The faces of a format, by card and language.
type FormatFaces = BTreeMap<(u32, Lang), Arc<Card>>;

impl Faces {
    /// The face of a card in the format of a program; `None` if the game has no card with this number.
    pub fn of(&self, game: &CompiledGame, program: &Arc<Program>, card: DefId, lang: Lang) -> Option<Arc<Card>> {
        let (format, key) = (&program.format.name, (card.0, lang));
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(face) = known().get(format).and_then(|faces| faces.get(&key)) {
            return Some(Arc::clone(face));
        }
        let (face, _) = printed_face(game, program, card, lang)?;
        Some(Arc::clone(known().entry(format.clone()).or_default().entry(key).or_insert(Arc::new(face))))
    }
}

/// The cards of a pack by name, without parts of cards.
#[must_use]
pub fn definitions(game: &CompiledGame) -> BTreeMap<String, DefId> {
    let mut found = BTreeMap::new();
    for (id, definition) in game.library.definitions.numbered().skip(1).filter(|(_, definition)| !definition.part) {
        found.entry(definition.name.clone()).or_insert(DefId(id as u32));
    }
    found
}

/// The faces of the cards in a view and its events that a client does not have yet. They are added to `known`.
#[must_use]
pub fn cards_of(
    view: &TableView,
    events: &[Event],
    known: &mut BTreeSet<String>,
    index: &PackIndex,
    (game, program): (&CompiledGame, &Arc<Program>),
    lang: Lang,
) -> BTreeMap<String, Card> {
    let objects = view.objects.values().flat_map(|it| std::iter::once(&it.card).chain(it.under.iter().map(|under| &under.card)));
    let objects = objects.map(SmolStr::as_str);
    let shown = view.facts.shown.iter().map(|(_, card, _)| card.as_str());
    let named = events.iter().flat_map(|event| &event.words).map(|piece| piece.card.as_str());
    let mut cards = BTreeMap::new();
    for name in objects.chain(shown).chain(named) {
        if name.is_empty() || known.contains(name) {
            continue;
        }
        known.insert(name.to_owned());
        let face = index.definitions.get(name).and_then(|card| index.faces.of(game, program, *card, lang));
        cards.extend(face.map(|face| (name.to_owned(), (*face).clone())));
    }
    cards
}
