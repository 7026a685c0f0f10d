//! A card as it reads: its faces in both languages, and what it does, in each format.

use crate::notes::CardNotes;
use crate::pack_compiler::source_path;
use fizzle_runtime::ir::{CompiledGame, DefId, Format};
use fizzle_runtime::program::Program;
use fizzle_table::face::{printed_face, stat_text};
use fizzle_table::layout::{self, Hue};
use fizzle_table::protocol::{Card, Lang};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The card at a place of the sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CardPreview {
    /// Its name.
    pub name: String,
    /// Its source, `file:line`.
    pub place: String,
    /// How it reads in each format, the base format first.
    pub formats: Vec<FormatPreview>,
}

/// A card in a format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormatPreview {
    /// The name of the format.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Whether decks can have it: false for a banned card.
    pub is_legal: bool,
    /// The hues of words.
    pub hues: BTreeMap<String, Hue>,
    /// In English.
    pub en: LanguagePreview,
    /// In Japanese.
    pub ja: LanguagePreview,
}

/// A card in a format and a language.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LanguagePreview {
    /// Its faces, the front first.
    pub faces: Vec<FacePreview>,
    /// Its abilities.
    pub notes: Vec<NotePreview>,
    /// What holds for the whole card.
    pub closing: Vec<&'static str>,
}

/// A face.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FacePreview {
    /// What is printed.
    #[serde(flatten)]
    pub card: Card,
    /// Its numbers at the foot, as the layout of the format shows them.
    pub stat: String,
}

/// An ability.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotePreview {
    /// Its kind.
    pub kind: String,
    /// Its place.
    pub place: String,
    /// Its choices, each with the moment at which it is made.
    pub choices: Vec<String>,
}

/// The card of a game that a line belongs to: the last one of the file that begins there or above, else the first one below.
#[must_use]
pub fn card_at(game: &CompiledGame, path: &str, line: u32) -> Option<DefId> {
    let cards = game.library.definitions.numbered().skip(1).filter(|(_, card)| !card.part && card.source.line != 0);
    let of_file = cards.filter(|(_, card)| source_path(game, card.source.file) == path);
    let (above, below): (Vec<_>, Vec<_>) = of_file.partition(|(_, card)| card.source.line <= line);
    let found = above.into_iter().max_by_key(|(_, card)| card.source.line);
    let found = found.or_else(|| below.into_iter().min_by_key(|(_, card)| card.source.line));
    found.map(|(number, _)| DefId(number as u32))
}

/// The card of a name that a file declares.
#[must_use]
pub fn card_of_file(game: &CompiledGame, path: &str, name: &str) -> Option<DefId> {
    let cards = game.library.definitions.numbered().skip(1).filter(|(_, card)| !card.part && card.name == name);
    let mut of_file = cards.filter(|(_, card)| source_path(game, card.source.file) == path);
    of_file.next().map(|(number, _)| DefId(number as u32))
}

/// The card of a game with the name that the text of a file gives to the card at a line: for a text with errors.
#[must_use]
pub fn card_written_at(game: &CompiledGame, text: &str, line: u32) -> Option<DefId> {
    let above: Vec<&str> = text.lines().take(line as usize).collect();
    let head = above.iter().rev().find_map(|line| line.trim_start().strip_prefix("card ")?.trim_start().strip_prefix('"'))?;
    let name = head.split('"').next()?;
    let mut named = game.library.definitions.numbered().skip(1).filter(|(_, card)| !card.part && card.name == name);
    named.next().map(|(number, _)| DefId(number as u32))
}

/// How a card reads in all formats of its game. Formats that read alike are shown once, under the first of them.
#[must_use]
pub fn preview(game: &CompiledGame, card: DefId) -> Option<CardPreview> {
    let definition = game.library.definitions.get(card.index())?;
    let place = format!("{}:{}", source_path(game, definition.source.file), definition.source.line);
    let mut formats: Vec<FormatPreview> = Vec::new();
    for (index, format) in game.formats.iter().enumerate() {
        let Some(program) = Program::link_to_show(game, index, &[card]).map(Arc::new) else { continue };
        let [en, ja] = [Lang::En, Lang::Ja].map(|lang| in_language(game, &program, format, card, lang));
        let is_legal = !format.deck.banned.contains(&card);
        if formats.iter().any(|known| known.en == en && known.ja == ja && known.is_legal == is_legal) {
            continue;
        }
        let title = format.shown_title().to_owned();
        let hues = layout::of_format(game, format, Lang::En).hues;
        formats.push(FormatPreview { name: format.name.clone(), title, is_legal, hues, en, ja });
    }
    Some(CardPreview { name: definition.name.clone(), place, formats })
}

fn in_language(game: &CompiledGame, program: &Arc<Program>, format: &Format, card: DefId, lang: Lang) -> LanguagePreview {
    let further = game.library.definitions.get(card.index()).map(|definition| definition.faces.as_slice()).unwrap_or_default();
    let faces = std::iter::once(card).chain(further.iter().copied()).filter_map(|face_of| {
        let (card, look) = printed_face(game, program, face_of, lang)?;
        Some(FacePreview { card, stat: look.map_or_else(String::new, |look| stat_text(&look)) })
    });
    let notes = CardNotes::new(game, program, format, format.corrected(card), lang);
    let abilities = notes.groups.into_iter().flat_map(|group| {
        let keyword = group.keyword;
        group.abilities.into_iter().map(move |ability| NotePreview {
            kind: keyword.as_ref().map_or_else(|| ability.kind.clone(), |keyword| format!("{keyword}: {}", ability.kind)),
            place: ability.place,
            choices: ability.choices,
        })
    });
    LanguagePreview { faces: faces.collect(), notes: abilities.collect(), closing: notes.closing }
}
