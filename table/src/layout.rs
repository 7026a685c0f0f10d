//! How a board is laid out, as data for a page: rows of zones, the numbers of a player, the faces of cards, hues.
//!
//! The row of an object, and which conditions of its face hold, are computed by the table and sent with the object
//! ([`Object::row`](crate::protocol::Object::row), [`Object::look`](crate::protocol::Object::look)).

use crate::protocol::{Lang, Span};
use crate::words::pack_texts::{name, spaced};
use fizzle_ir::layout::{LayoutArea, LayoutRow};
use fizzle_ir::{CompiledGame, DECK_ZONE, Format, Type, Visibility, ZoneKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The layout of a format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// What each player has, from the middle of the table outwards.
    pub seat: Vec<Row>,
    /// To the left of the numbered places of a player.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Row>,
    /// To their right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub right: Vec<Row>,
    /// What is shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub middle: Vec<Row>,
    /// The list (stack, chain), if the format has one: the zone's key and its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Row>,
    /// Statuses whose object is shown next to the one that it refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Statuses whose object is shown under the one that it refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<String>,
    /// Statuses that are shown as a line to what they refer to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrow: Vec<String>,
    /// The hues of words.
    pub hues: BTreeMap<String, Hue>,
}

impl Layout {
    /// The statuses that are shown by where their object is, or by a line.
    pub fn links(&self) -> impl Iterator<Item = &String> {
        self.arrow.iter().chain(&self.beside).chain(&self.under)
    }
}

/// How a row shows its objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStyle {
    /// Cards side by side.
    #[default]
    Row,
    /// Names only.
    Tiles,
    /// Large cards; others see backs.
    Fan,
    /// Hidden ones, one by one, numbered.
    Backs,
    /// The top card and how many.
    Pile,
    /// Numbered places.
    Places,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its number in the layout, which objects name.
    pub id: usize,
    /// How it shows its objects.
    pub style: RowStyle,
    /// The names of the zones whose objects lie here (those without a row of their own lie in the last row of their zone).
    pub zones: Vec<String>,
    /// Its label in words.
    pub label: String,
    /// For numbered places, how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<usize>,
    /// Equal objects are shown once, with their number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equal_together: bool,
    /// It is shown only while it has cards: a pile that the layout of the format does not name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_filled: bool,
}

/// The hue of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hue {
    /// In degrees, 0 to 359.
    pub degrees: u16,
    /// How strong it is.
    #[serde(default)]
    pub tone: Tone,
}

/// How strong a hue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// As it is.
    #[default]
    Full,
    /// Softer.
    Soft,
    /// Nearly grey.
    Grey,
    /// Nearly white.
    Pale,
}

/// The layout of a format: what its pack says, and the defaults for zones that it does not name.
#[must_use]
pub fn of_format(game: &CompiledGame, format: &Format, lang: Lang) -> Layout {
    let mut layout = default_layout(game);
    let written = &format.layout;
    let library = &game.library;
    if *written != fizzle_ir::layout::Layout::default() {
        let mut made = Layout { list: layout.list.take(), ..Layout::default() };
        for (id, row) in written.rows.iter().enumerate() {
            let row_made = Row {
                id,
                style: row_style(row.style),
                zones: row_zones(game, row),
                label: String::new(),
                places: row.places.map(|(count, _)| usize::from(count)),
                equal_together: row.equal_together,
                only_filled: false,
            };
            match row.area {
                LayoutArea::Seat => made.seat.push(row_made),
                LayoutArea::Left => made.left.push(row_made),
                LayoutArea::Right => made.right.push(row_made),
                LayoutArea::Middle => made.middle.push(row_made),
            }
        }
        let named: Vec<&String> = named_zones(game, written);
        let is_left = |row: &Row| !row.zones.iter().any(|zone| named.contains(&zone));
        let mut id = written.rows.len();
        let defaults = [(&layout.seat, &mut made.seat), (&layout.middle, &mut made.middle)];
        for (rows, made) in defaults {
            for row in rows.iter().filter(|row| is_left(row)) {
                made.push(Row { id, only_filled: row.style == RowStyle::Pile, ..row.clone() });
                id += 1;
            }
        }
        let status = |numbers: &[u16]| {
            let statuses = numbers.iter().filter_map(|number| library.statuses.get(usize::from(*number)));
            statuses.map(|status| status.name.clone()).collect::<Vec<_>>()
        };
        let [next_to, under, arrow] = written.links().map(status);
        (made.beside, made.under, made.arrow) = (next_to, under, arrow);
        made.hues = if written.hues.is_empty() {
            layout.hues
        } else {
            let hue = |hue: &fizzle_ir::layout::WordHue| Hue { degrees: hue.degrees, tone: tone(hue.tone) };
            written.hues.iter().map(|written| (written.word.clone(), hue(written))).collect()
        };
        layout = made;
    }
    let rows = [&mut layout.seat, &mut layout.left, &mut layout.right, &mut layout.middle].into_iter().flatten();
    for row in rows.chain(&mut layout.list) {
        // A label needs no article, which sentences have.
        let names = row.zones.iter().map(|zone| name(game, format, zone, lang));
        let names: Vec<String> = names.map(|name| name.strip_prefix("the ").map_or(name.clone(), str::to_owned)).collect();
        row.label = names.join(", ");
    }
    layout
}

/// The names of the zones of a row.
fn row_zones(game: &CompiledGame, row: &LayoutRow) -> Vec<String> {
    let mut zones = Vec::new();
    for zone in row.contents.iter().flat_map(|content| &content.zones) {
        if let Some(kind) = game.library.zones.get(zone.index())
            && !zones.contains(&kind.name)
        {
            zones.push(kind.name.clone());
        }
    }
    zones
}

/// The zones that a layout says something about.
fn named_zones<'g>(game: &'g CompiledGame, layout: &fizzle_ir::layout::Layout) -> Vec<&'g String> {
    let zones = layout.rows.iter().flat_map(|row| &row.contents).flat_map(|content| &content.zones);
    zones.chain(&layout.hidden).filter_map(|zone| game.library.zones.get(zone.index())).map(|kind| &kind.name).collect()
}

fn row_style(style: fizzle_ir::layout::RowStyle) -> RowStyle {
    match style {
        fizzle_ir::layout::RowStyle::Row => RowStyle::Row,
        fizzle_ir::layout::RowStyle::Tiles => RowStyle::Tiles,
        fizzle_ir::layout::RowStyle::Fan => RowStyle::Fan,
        fizzle_ir::layout::RowStyle::Backs => RowStyle::Backs,
        fizzle_ir::layout::RowStyle::Pile => RowStyle::Pile,
        fizzle_ir::layout::RowStyle::Places => RowStyle::Places,
    }
}

fn tone(tone: fizzle_ir::layout::Tone) -> Tone {
    match tone {
        fizzle_ir::layout::Tone::Full => Tone::Full,
        fizzle_ir::layout::Tone::Soft => Tone::Soft,
        fizzle_ir::layout::Tone::Grey => Tone::Grey,
        fizzle_ir::layout::Tone::Pale => Tone::Pale,
    }
}

/// Whether a format shows a zone.
#[must_use]
pub fn shows_zone(game: &CompiledGame, format: &Format, zone: &ZoneKind) -> bool {
    let is_hidden =
        |hidden: &fizzle_ir::ZoneKindId| game.library.zones.get(hidden.index()).is_some_and(|kind| kind.name == zone.name);
    is_shown(zone) && !format.layout.hidden.iter().any(is_hidden)
}

/// The largest number of words of a trait set that gives cards their hues.
const MAX_HUES: usize = 8;

/// The layout of a game that says nothing about it: zones lie by who sees them and whether they have an order, hues are spread over the words of
/// one trait set.
fn default_layout(game: &CompiledGame) -> Layout {
    let mut layout = Layout::default();
    let mut rows: Vec<(u8, bool, Row)> = Vec::new();
    let mut fans = 0;
    for zone in game.library.zones.iter().filter(|zone| is_shown(zone)) {
        let row = |style: RowStyle| Row { style, zones: vec![zone.name.clone()], label: spaced(&zone.name), ..Row::default() };
        if zone.list {
            layout.list = Some(row(RowStyle::Row));
            continue;
        }
        let (rank, style) = match zone.visibility {
            _ if zone.field => (0, RowStyle::Row),
            Visibility::Owner if fans == 0 => {
                fans += 1;
                (3, RowStyle::Fan)
            }
            Visibility::Hidden if zone.ordered && zone.name != DECK_ZONE && !zone.name.ends_with(DECK_ZONE) => {
                (1, RowStyle::Backs)
            }
            Visibility::Public if !zone.ordered => (2, RowStyle::Tiles),
            Visibility::Owner | Visibility::Hidden | Visibility::Public => (4, RowStyle::Pile),
        };
        rows.push((rank, zone.each_player || zone.field, row(style)));
    }
    rows.sort_by_key(|(rank, ..)| *rank);
    for (id, (_, of_seat, row)) in rows.into_iter().enumerate() {
        let row = Row { id, ..row };
        if of_seat { layout.seat.push(row) } else { layout.middle.push(row) }
    }
    if let Some(words) = hue_set(game).and_then(|set| game.library.traits.get(set)).map(|set| &set.words) {
        let count = words.len().max(1);
        let hue = |at: usize| Hue { degrees: ((at * 360 / count + 30) % 360) as u16, tone: Tone::Full };
        layout.hues = words.iter().enumerate().map(|(at, word)| (word.clone(), hue(at))).collect();
    }
    layout
}

/// Whether players are shown a zone. Zones of bookkeeping, and those whose objects count as not there, are not.
#[must_use]
pub fn is_shown(zone: &ZoneKind) -> bool {
    !zone.absent && !zone.name.starts_with('_')
}

/// The number of the trait set that gives cards their hues: the first one of two to [`MAX_HUES`] words of which most cards have one.
#[must_use]
pub fn hue_set(game: &CompiledGame) -> Option<usize> {
    let cards = || game.library.definitions.present().skip(1).filter(|card| !card.token && !card.part);
    let all = cards().count();
    let fits = |number: usize, words: usize| {
        let with = cards().filter(|card| card.words.get(number).is_some_and(|words| !words.is_empty())).count();
        (2..=MAX_HUES).contains(&words) && with * 2 > all
    };
    game.library.traits.iter().enumerate().position(|(number, set)| fits(number, set.words.len()))
}

/// The property in the corner of a face: none if the game has prices, else its first number.
#[must_use]
pub fn corner_property(game: &CompiledGame) -> Option<String> {
    let shown = || game.library.properties.iter().filter(|property| !property.name.starts_with('_'));
    if shown().any(|property| property.ty == Type::Price) {
        return None;
    }
    shown().find(|property| property.ty == Type::Number).map(|property| property.name.clone())
}

/// The properties whose values stand at the foot of a face: at most two numbers, without the one in the corner and those that repeat one.
#[must_use]
pub fn stat_properties(game: &CompiledGame) -> Vec<String> {
    let corner = corner_property(game);
    let numbers = game.library.properties.iter().filter(|property| property.ty == Type::Number);
    let names: Vec<&str> = numbers.map(|property| property.name.as_str()).collect();
    let repeats =
        |name: &str| name.match_indices('_').any(|(at, _)| name.get(at + 1..).is_some_and(|rest| names.contains(&rest)));
    let shown = names.iter().filter(|name| !name.starts_with('_') && corner.as_deref() != Some(**name) && !repeats(name));
    shown.take(2).map(|name| (*name).to_owned()).collect()
}

/// The periods of a turn, for the track of a page.
#[must_use]
pub fn spans(game: &CompiledGame, format: &Format, lang: Lang) -> Vec<Span> {
    let shown = format.periods.iter().filter(|period| period.path.contains('.') && !period.name.starts_with('_'));
    shown.map(|period| Span { path: period.path.clone(), label: name(game, format, &period.name, lang) }).collect()
}

/// A period in words, by its path.
#[must_use]
pub fn span_label(game: &CompiledGame, format: &Format, path: &str, lang: Lang) -> String {
    path.rsplit('.').next().map(|period| name(game, format, period, lang)).unwrap_or_default()
}
