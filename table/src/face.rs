//! Faces: a card as it is printed, in a language and a format.

use crate::protocol::{Card, Event, Lang, TableView};
use crate::table_view::PackIndex;
use crate::words::pack_texts::{card_name, name, rules_text};
use fizzle_ir::{CompiledGame, DefId, Definition, Format, Type, Variable};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::look::{Look, ShownNumber, printed_look};
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
            kind.extend(words.map(|word| name(game, format, word, lang)));
        } else {
            line.extend(words.map(|word| name(game, format, word, lang)));
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
        let printed: BTreeSet<&str> = printed_words(game, self.0).flat_map(|(_, words)| words).map(String::as_str).collect();
        printed == words.iter().map(SmolStr::as_str).collect()
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

/// A card as its game prints it: what stands at which place, in words of a language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedCard {
    /// Its name.
    pub name: String,
    /// The price, or the number with its name, in the corner; empty if there is none.
    pub corner: String,
    /// Its kinds, colours and types.
    pub line: String,
    /// The numbers at the foot; empty if there are none.
    pub stat: String,
    /// Further properties that it writes.
    pub further: Vec<String>,
}

/// A card as it is printed, laid out as the format of a program does. Errata are not applied: `card` is what is shown.
#[must_use]
pub fn printed_card(game: &CompiledGame, program: &Arc<Program>, card: DefId, lang: Lang) -> Option<PrintedCard> {
    let definition = game.library.definitions.get(card.index())?;
    let look = printed_look(program, card).unwrap_or_else(|| default_look(game, definition));
    let printer = Printer { game, format: &program.format, definition, lang };
    let stats = look.printed_stats.as_slice();
    let placed: BTreeSet<usize> = stats.iter().flatten().map(|number| number.property).chain(look.corner).collect();
    Some(PrintedCard {
        name: card_name(game, card, lang),
        corner: look.corner.map_or_else(String::new, |corner| printer.corner(corner)),
        line: printer.line(&look),
        stat: printer.stats(stats),
        further: printer.further(&placed),
    })
}

/// The look of a card whose format has no layout. Numbers that a card neither writes nor defines are no part of it.
fn default_look(game: &CompiledGame, definition: &Definition) -> Look {
    let number = |name: &String| {
        let property = game.library.properties.iter().position(|known| known.name == *name)?;
        let is_printed = |list: &[u16]| list.iter().any(|known| usize::from(*known) == property);
        let value = i64::from(*definition.properties.get(property)?);
        let is_shown = is_printed(&definition.written) || is_printed(&definition.defined);
        is_shown.then_some(ShownNumber { property, value, printed: value })
    };
    let stat: Vec<ShownNumber> = crate::layout::stat_properties(game).iter().filter_map(number).collect();
    let price = game.library.properties.iter().position(|property| property.ty == Type::Price);
    let corner = crate::layout::corner_property(game).and_then(|name| number(&name)).map(|number| number.property).or(price);
    Look { corner, printed_stats: Vec::from_iter((!stat.is_empty()).then_some(stat)), ..Look::default() }
}

/// Writes the parts of a printed card.
struct Printer<'g> {
    game: &'g CompiledGame,
    format: &'g Format,
    definition: &'g Definition,
    lang: Lang,
}

impl Printer<'_> {
    fn named(&self, word: &str) -> String {
        // A word that is written before a noun can end with the dot between them.
        capitalised(name(self.game, self.format, word, self.lang).trim_end_matches('・'))
    }

    /// The kinds of the card, then behind a dash the words of sets that cards add to. Hues that no line names and no price shows come first.
    fn line(&self, look: &Look) -> String {
        let price = look.corner.and_then(|corner| self.price(corner)).unwrap_or_default();
        let place = |word: &String| look.line.iter().position(|shown| shown == word);
        let mut sets: Vec<(bool, Vec<&String>)> = printed_words(self.game, self.definition)
            .map(|(set, words)| (self.game.library.traits.get(set).is_some_and(|set| set.open), words.collect()))
            .collect();
        let is_hue = |word: &String| look.hues.contains(word) && place(word).is_none();
        if !look.line.is_empty() {
            sets.retain(|(_, words)| words.iter().any(|word| is_hue(word) || place(word).is_some()));
        }
        sets.sort_by_key(|(_, words)| words.first().map(|word| (!is_hue(word), place(word))));
        let (mut kinds, mut types) = (Vec::new(), Vec::new());
        for (is_open, words) in sets {
            let shown = words.into_iter().filter(|word| !is_hue(word) || !self.shows_kind(&price, word));
            let part = if is_open { &mut types } else { &mut kinds };
            for word in shown.map(|word| self.named(word)) {
                // `Counter Trap` and `Fusion Monster` contain the kind of the card.
                if !part.last().is_some_and(|last: &String| last.ends_with(&word)) {
                    part.push(word);
                }
            }
        }
        let parts = [kinds, types].map(|words| self.joined(&words)).into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(" — ")
    }

    /// Words of one part of the line: with spaces, in Japanese with dots, except behind a word that ends in の.
    fn joined(&self, words: &[String]) -> String {
        let mut text = String::new();
        for word in words {
            let between = match self.lang {
                _ if text.is_empty() => "",
                Lang::En => " ",
                Lang::Ja if text.ends_with('の') => "",
                Lang::Ja => "・",
            };
            text.extend([between, word.as_str()]);
        }
        text
    }

    /// Whether a price contains the symbol of a kind of unit whose name is a word, or begins with it: `red_mana`.
    fn shows_kind(&self, price: &str, word: &str) -> bool {
        self.format.payments.iter().any(|payment| {
            let kinds = self.game.library.traits.get(payment.kinds.index()).map_or(&[][..], |set| set.words.as_slice());
            let is_of_word = |kind: &str| kind.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
            let symbols = kinds.iter().zip(&payment.symbols).filter(|(kind, symbol)| is_of_word(kind) && !symbol.is_empty());
            symbols.into_iter().any(|(_, symbol)| price.contains(symbol.as_str()))
        })
    }

    /// The price that the card writes; `None` for another property.
    fn price(&self, property: usize) -> Option<String> {
        let (known, value) = (self.game.library.properties.get(property)?, self.definition.properties.get(property)?);
        (known.ty == Type::Price).then(|| printed_price(self.game, known, *value))
    }

    fn corner(&self, property: usize) -> String {
        self.price(property).unwrap_or_else(|| self.named_number(property))
    }

    /// A number of the card, `*` for one that its text defines.
    fn number(&self, property: usize) -> String {
        if self.definition.defined.iter().any(|known| usize::from(*known) == property) {
            return "*".to_owned();
        }
        self.definition.properties.get(property).map_or_else(String::new, i32::to_string)
    }

    fn named_number(&self, property: usize) -> String {
        let known = self.game.library.properties.get(property).map_or("", |property| property.name.as_str());
        let label = self.named(known);
        if label.is_empty() { String::new() } else { format!("{label} {}", self.number(property)) }
    }

    /// Numbers under one condition are joined by a stroke. A single number, and those of several conditions, have their names.
    fn stats(&self, stats: &[Vec<ShownNumber>]) -> String {
        let joined = |numbers: &Vec<ShownNumber>, written: &dyn Fn(usize) -> String| {
            numbers.iter().map(|number| written(number.property)).collect::<Vec<_>>().join("/")
        };
        match stats {
            [] => String::new(),
            [numbers] if numbers.len() == 1 => joined(numbers, &|property| self.named_number(property)),
            [numbers] => joined(numbers, &|property| self.number(property)),
            several => {
                let named = several.iter().map(|numbers| joined(numbers, &|property| self.named_number(property)));
                named.collect::<Vec<_>>().join("  ")
            }
        }
    }

    /// The properties that the card writes and that have no place of their own.
    fn further(&self, placed: &BTreeSet<usize>) -> Vec<String> {
        let written = self.definition.written.iter().map(|property| usize::from(*property));
        let rest = written.filter(|property| !placed.contains(property));
        let shown = rest.filter_map(|property| {
            let known = self.game.library.properties.get(property).filter(|known| !known.name.starts_with('_'))?;
            match known.ty {
                Type::Bool => Some(self.named(&known.name)),
                Type::Price => Some(format!("{} {}", self.named(&known.name), self.price(property)?)),
                _ => Some(self.named_number(property)),
            }
        });
        shown.filter(|fact| !fact.is_empty()).collect()
    }
}

/// A name with its first letter, and those behind spaces, as capitals.
fn capitalised(name: &str) -> String {
    let mut capital = true;
    let letters = name.chars().flat_map(|letter| {
        let upper = std::mem::replace(&mut capital, letter == ' ');
        let written: Vec<char> = if upper { letter.to_uppercase().collect() } else { vec![letter] };
        written
    });
    letters.collect()
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
    match game.formats.first().and_then(|format| format.payments.first()) {
        Some(_) => game.format_price(value),
        None => own.len().to_string(),
    }
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

/// The cards of a pack by name, then the further faces of cards.
#[must_use]
pub fn definitions(game: &CompiledGame) -> BTreeMap<String, DefId> {
    let mut found = BTreeMap::new();
    let named = || game.library.definitions.numbered().skip(1);
    let (cards, faces) = (named().filter(|(_, it)| !it.part), named().filter(|(_, it)| it.part));
    for (id, definition) in cards.chain(faces) {
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
