//! Decks as text: as sources write them, and as plain lists.

use fizzle_grammar::hidden_characters::first_hidden;
use fizzle_runtime::game::MAIN_SECTION;
use fizzle_runtime::ir::{CompiledGame, Deck, DefId};
use std::fmt::Write as _;

/// The cards of a deck, by section: the number of copies and the name, once for each card.
fn sections<'a>(deck: &'a Deck, game: &'a CompiledGame) -> impl Iterator<Item = (&'a str, Vec<(u32, &'a str)>)> {
    deck.sections.iter().map(|(section, cards)| {
        let mut merged: Vec<(u32, DefId)> = Vec::new();
        for (count, card) in cards {
            match merged.iter_mut().find(|(_, known)| known == card) {
                Some((all, _)) => *all = all.saturating_add(*count),
                None => merged.push((*count, *card)),
            }
        }
        let name = |(count, card): (u32, DefId)| {
            (count, game.library.definitions.get(card.index()).map_or("", |card| card.name.as_str()))
        };
        (section.as_str(), merged.into_iter().map(name).collect())
    })
}

/// A name in the quotes of the language. A name that has both kinds of quotes, or hidden characters, loses them.
fn quoted(name: &str) -> String {
    let is_shown = |character: &char| first_hidden(character.encode_utf8(&mut [0; 4])).is_none();
    let name: String = name.chars().filter(is_shown).collect();
    if !name.contains('"') { format!("\"{name}\"") } else { format!("《{}》", name.replace('》', "")) }
}

/// The deck as sources write it: `deck "NAME" { format F  main { 4 "CARD" } }`, formatted.
#[must_use]
pub fn to_source(deck: &Deck, game: &CompiledGame) -> String {
    let mut text = format!("deck {} {{\n  format {}\n", quoted(&deck.name), deck.format);
    for (section, cards) in sections(deck, game) {
        let _ = writeln!(text, "  {section} {{");
        for (count, name) in cards {
            let _ = writeln!(text, "    {count} {}", quoted(name));
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    fizzle_grammar::format(&text)
}

/// The deck as a plain list, which deck editors import: `4 CARD`, sections with a heading.
#[must_use]
pub fn to_plain_list(deck: &Deck, game: &CompiledGame) -> String {
    let mut text = String::new();
    for (section, cards) in sections(deck, game) {
        if !text.is_empty() {
            text.push('\n');
        }
        match section {
            MAIN_SECTION => text.push_str("Deck\n"),
            "side" => text.push_str("Sideboard\n"),
            other => {
                let _ = writeln!(text, "[{other}]");
            }
        }
        for (count, name) in cards {
            let _ = writeln!(text, "{count} {name}");
        }
    }
    text
}
