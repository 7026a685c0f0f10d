//! Exchanging cards between two games of a match.

use super::prompt::read_line;
use crate::output;
use fizzle_runtime::ir::MatchRules;
use std::collections::BTreeMap;

/// A deck as the table sends it: the number of each card by section and name.
pub type DeckList = BTreeMap<String, BTreeMap<String, u32>>;

/// Asks a person for exchanges, one card for one, until the person is ready. `None` if the person quits.
pub fn ask(rules: &MatchRules, mut deck: DeckList, who: &str, game: u32) -> Option<DeckList> {
    for pair in rules.exchange.windows(2) {
        let [first, second] = pair else { continue };
        let allowed = rules.minutes.map_or_else(String::new, |(least, most)| match least == most {
            true => format!(", {least} minutes are allowed"),
            false => format!(", {least} to {most} minutes are allowed"),
        });
        output::line(format!(
            "{who} exchanges cards before game {game}{allowed}: `3 1` puts card 3 of `{first}` for card 1 of `{second}`; `ready` ends it"
        ));
        loop {
            let (ours, theirs) = (print_section(&deck, first), print_section(&deck, second));
            let line = read_line(&format!("{who} exchanges> "))?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["ready"] => break,
                ["quit" | "q" | "exit"] => return None,
                _ => {}
            }
            let card = |word: &str, cards: &[String]| cards.get(word.parse::<usize>().ok()?.checked_sub(1)?).cloned();
            let picked = if let [a, b] = words.as_slice() { card(a, &ours).zip(card(b, &theirs)) } else { None };
            let Some((ours, theirs)) = picked else {
                output::line(format!("answer with the number of a card of `{first}` and one of `{second}`, or `ready`"));
                continue;
            };
            put(&mut deck, (first, second), &ours);
            put(&mut deck, (second, first), &theirs);
        }
    }
    Some(deck)
}

/// Moves a card from one section to another.
fn put(deck: &mut DeckList, (from, to): (&str, &str), card: &str) {
    if let Some(section) = deck.get_mut(from) {
        let left = section.get(card).map_or(0, |count| count.saturating_sub(1));
        section.insert(card.to_owned(), left);
        section.retain(|_, count| *count > 0);
    }
    *deck.entry(to.to_owned()).or_default().entry(card.to_owned()).or_default() += 1;
}

/// Prints the numbered cards of a section. Returns their names in the order of these numbers.
fn print_section(deck: &DeckList, section: &str) -> Vec<String> {
    let empty = BTreeMap::new();
    let cards = deck.get(section).unwrap_or(&empty);
    output::line(format!("{section}: {} cards", cards.values().sum::<u32>()));
    for (number, (name, count)) in cards.iter().enumerate() {
        output::line(format!("  {}  {count} {name}", number + 1));
    }
    cards.keys().cloned().collect()
}
