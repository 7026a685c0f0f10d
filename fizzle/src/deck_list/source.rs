//! A deck as sources write it: `deck "NAME" { format F  main { 4 "CARD" } }`.

use super::{CardLine, DeckList, EntryKind, ListFormat, ListProblem, ListProblemKind, MAX_COPIES};
use fizzle_grammar::ast::ItemKind;

/// Whether the first line that is no comment begins a deck.
pub fn looks_like(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("//"));
    first
        .and_then(|line| line.strip_prefix("deck "))
        .is_some_and(|rest| rest.trim_start().starts_with(['"', '《']) || rest.contains('{'))
}

/// Reads the deck of a source.
pub fn read(text: &str) -> Result<DeckList, ListProblem> {
    let line_of = |at: u32| text.get(..at as usize).map_or(1, |before| before.matches('\n').count() + 1);
    let parsed = fizzle_grammar::parse_file(0, text);
    if let Some(error) = parsed.errors.first() {
        return Err(ListProblemKind::Syntax(error.to_string()).at(line_of(error.span.start)));
    }
    let [item] = parsed.items.as_slice() else { return Err(ListProblemKind::OtherSource.at(0)) };
    let ItemKind::Deck(deck) = &item.kind else { return Err(ListProblemKind::OtherSource.at(0)) };
    let mut list = DeckList::new(ListFormat::Source);
    list.set_name(line_of(deck.name.span.start), &deck.name.text);
    list.game_format = deck.format.as_ref().map(|format| format.text.to_string());
    for section in &deck.sections {
        list.add(line_of(section.name.span.start), EntryKind::Heading(section.name.text.to_string()));
        for (count, name) in &section.cards {
            let line = line_of(name.span.start);
            if (1..=MAX_COPIES).contains(count) {
                list.add_card(line, CardLine { readings: vec![(*count, name.text.to_string())], is_bare: false, section: None });
            } else {
                list.report(line, ListProblemKind::Copies(count.to_string()));
            }
        }
    }
    Ok(list)
}
