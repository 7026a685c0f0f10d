//! The deck checker: reports every deck rule of a format that a deck breaks.

use crate::ir::{Deck, DefId, FnId, ObjectRef};
use crate::program::Program;
use crate::vm::machine::Machine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A deck rule that a deck breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum DeckProblem {
    /// The deck is for another format.
    #[error("the deck is made for `{written}`, not for `{format}`")]
    Format {
        /// The format of the deck.
        written: String,
        /// The format that it is checked for.
        format: String,
    },
    /// A section has too few cards.
    #[error("section `{section}` has {}, at least {least} {} needed", cards(*count), are(*least))]
    TooFew {
        /// The section.
        section: String,
        /// The number of cards in it.
        count: u32,
        /// The minimum.
        least: u32,
    },
    /// A section has too many cards.
    #[error("section `{section}` has {}, at most {most} {} allowed", cards(*count), are(*most))]
    TooMany {
        /// The section.
        section: String,
        /// The number of cards in it.
        count: u32,
        /// The maximum.
        most: u32,
    },
    /// The format has no such section.
    #[error("the format has no section `{section}` ({})", cards(*count))]
    UnknownSection {
        /// The section.
        section: String,
        /// The number of cards in it.
        count: u32,
    },
    /// The deck has too many copies of a card.
    #[error("{} of `{card}`, at most {most} {} allowed", copies(*count), are(*most))]
    Copies {
        /// The card.
        card: String,
        /// The number of copies.
        count: u32,
        /// The maximum.
        most: u32,
    },
    /// A card is banned.
    #[error("`{card}` is banned ({})", copies(*count))]
    Banned {
        /// The card.
        card: String,
        /// The number of copies.
        count: u32,
    },
    /// A restricted card occurs more than once.
    #[error("`{card}` is restricted to one copy, there are {count}")]
    Restricted {
        /// The card.
        card: String,
        /// The number of copies.
        count: u32,
    },
    /// A condition of the format prohibits a card.
    #[error("`{card}` is refused: {message} ({})", copies(*count))]
    Refused {
        /// The card.
        card: String,
        /// The number of copies.
        count: u32,
        /// The message of the condition.
        message: String,
    },
    /// The game has no card with this number, or the number is 0.
    #[error("there is no card number {number}")]
    UnknownCard {
        /// The number.
        number: u32,
    },
    /// The conditions of the deck rules need too many operations for a card. The cards from this one on are not checked.
    #[error("the deck rules need more than {operations} operations for `{card}`: it and the cards after it are not checked")]
    TooMuchWork {
        /// The first card that is not checked.
        card: String,
        /// The budget.
        operations: u64,
    },
}

fn cards(count: u32) -> String {
    format!("{count} card{}", if count == 1 { "" } else { "s" })
}

fn copies(count: u32) -> String {
    format!("{count} cop{}", if count == 1 { "y" } else { "ies" })
}

fn are(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Returns all deck rules that a deck breaks: format, section sizes, then card by card. `ancestors` are the names of the format and of
/// all formats that it extends; a deck for one of them is accepted. An empty result means that the deck is legal.
#[must_use]
pub fn check(program: &Arc<Program>, deck: &Deck, ancestors: &[String]) -> Vec<DeckProblem> {
    let rules = &program.format.deck;
    let mut problems = Vec::new();
    if !deck.format.is_empty() && !ancestors.contains(&deck.format) {
        problems.push(DeckProblem::Format { written: deck.format.clone(), format: program.format.name.clone() });
    }
    let mut sections: BTreeMap<&str, u32> = BTreeMap::new();
    let mut copies: BTreeMap<DefId, u32> = BTreeMap::new();
    let mut within: BTreeMap<(DefId, &str), u32> = BTreeMap::new();
    for (section, cards) in &deck.sections {
        let size = sections.entry(section).or_default();
        for (count, card) in cards {
            *size = size.saturating_add(*count);
            let number = copies.entry(*card).or_default();
            *number = number.saturating_add(*count);
            let number = within.entry((*card, section)).or_default();
            *number = number.saturating_add(*count);
        }
    }
    if !rules.sizes.is_empty() {
        check_sizes(rules, &sections, &mut problems);
    }
    let mut conditions = CardConditions::new(program);
    for (card, count) in copies.iter().filter(|(_, count)| **count > 0) {
        if card.0 == 0 || program.library.definitions.get(card.index()).is_none() {
            problems.push(DeckProblem::UnknownCard { number: card.0 });
            continue;
        }
        let in_section = |section: &str| within.get(&(*card, section)).copied().unwrap_or(0);
        let known = problems.len();
        self::check_card(&mut conditions, *card, *count, &in_section, &mut problems);
        if conditions.are_exhausted_for(*card) {
            problems.truncate(known);
            let card = program.library.definitions.get(card.index()).map_or_else(String::new, |it| it.name.clone());
            problems.push(DeckProblem::TooMuchWork { card, operations: MAX_CARD_OPERATIONS });
            break;
        }
    }
    problems
}

/// The sections of the format that no condition refuses a card in. None if the operations of the conditions are used up.
#[must_use]
pub fn accepting_sections<'p>(conditions: &mut CardConditions<'p>, card: DefId) -> Vec<&'p str> {
    let rules = &conditions.program.format.deck;
    let mut refused = |section: &str| {
        rules.prohibitions.iter().any(|one| {
            let is_about = one.sections.is_empty() || one.sections.iter().any(|known| known == section);
            is_about && conditions.hold(one.cards, card)
        })
    };
    let accepting = rules.sizes.iter().map(|(section, ..)| section.as_str()).filter(|section| !refused(section)).collect();
    if conditions.are_exhausted_for(card) { Vec::new() } else { accepting }
}

fn check_sizes(rules: &crate::ir::DeckRules, sections: &BTreeMap<&str, u32>, problems: &mut Vec<DeckProblem>) {
    for (section, least, most) in &rules.sizes {
        let count = sections.get(section.as_str()).copied().unwrap_or(0);
        let section = section.clone();
        if count < *least {
            problems.push(DeckProblem::TooFew { section, count, least: *least });
        } else if count > *most {
            problems.push(DeckProblem::TooMany { section, count, most: *most });
        }
    }
    for (section, count) in sections {
        if !rules.sizes.iter().any(|(known, _, _)| known == section) {
            problems.push(DeckProblem::UnknownSection { section: (*section).to_owned(), count: *count });
        }
    }
}

fn check_card(
    conditions: &mut CardConditions<'_>,
    id: DefId,
    count: u32,
    in_section: &dyn Fn(&str) -> u32,
    problems: &mut Vec<DeckProblem>,
) {
    let program = conditions.program;
    let rules = &program.format.deck;
    let card = program.library.definitions.get(id.index()).map_or_else(String::new, |d| d.name.clone());
    if rules.banned.contains(&id) {
        problems.push(DeckProblem::Banned { card, count });
        return;
    }
    if rules.restricted.contains(&id) && count > 1 {
        problems.push(DeckProblem::Restricted { card: card.clone(), count });
    }
    for refused in &rules.prohibitions {
        let count = match refused.sections.as_slice() {
            [] => count,
            sections => sections.iter().map(|section| in_section(section)).fold(0, u32::saturating_add),
        };
        if count > 0 && conditions.hold(refused.cards, id) {
            problems.push(DeckProblem::Refused { card: card.clone(), count, message: refused.message.clone() });
        }
    }
    // A limit for the card takes precedence over the general limit of copies.
    let own = rules.limits.iter().find(|(limited, _)| conditions.hold(*limited, id)).map(|(_, most)| *most);
    if let Some(most) = own.or(rules.copies)
        && count > most
        && !rules.unlimited.is_some_and(|unlimited| conditions.hold(unlimited, id))
    {
        problems.push(DeckProblem::Copies { card, count, most });
    }
}

/// Evaluates conditions on cards, each in a new game with only the card. Those of one card have [`MAX_CARD_OPERATIONS`]; then no condition holds.
///
/// The limit is one of each card, so that it depends on no other card or deck, and a list of many decks is checked soon.
#[derive(Debug)]
pub struct CardConditions<'p> {
    program: &'p Arc<Program>,
    /// The last card, and the game with it; `None` for a game without room for the card.
    current: Option<(DefId, Option<(Machine, ObjectRef)>)>,
    operations_left: u64,
}

/// The operations of all conditions of one card.
const MAX_CARD_OPERATIONS: u64 = 50_000;

impl<'p> CardConditions<'p> {
    /// Evaluates conditions under the format of a program.
    #[must_use]
    pub fn new(program: &'p Arc<Program>) -> Self {
        Self { program, current: None, operations_left: MAX_CARD_OPERATIONS }
    }

    /// The program under whose format conditions are evaluated.
    #[must_use]
    pub fn program(&self) -> &'p Arc<Program> {
        self.program
    }

    /// Whether a condition holds for a card.
    pub fn hold(&mut self, condition: FnId, card: DefId) -> bool {
        let is_known = self.current.as_ref().is_some_and(|(known, _)| *known == card);
        if is_known && self.operations_left == 0 {
            return false;
        }
        if !is_known {
            self.current = Some((card, game_with(self.program, card)));
            self.operations_left = MAX_CARD_OPERATIONS;
        }
        let Some((_, Some((machine, object)))) = &mut self.current else { return false };
        machine.scratch.reset_fuel();
        machine.scratch.limit = self.operations_left;
        let holds = machine.test(condition, &[0, 0, object.value()]);
        self.operations_left = self.operations_left.saturating_sub(machine.scratch.fuel);
        holds && self.operations_left > 0
    }

    /// Whether conditions on this card, the last one, have used up its operations.
    #[must_use]
    pub fn are_exhausted_for(&self, card: DefId) -> bool {
        self.operations_left == 0 && self.current.as_ref().is_some_and(|(known, _)| *known == card)
    }
}

/// A new game with only one card, in the deck of the first player.
fn game_with(program: &Arc<Program>, card: DefId) -> Option<(Machine, ObjectRef)> {
    let mut machine = Machine::new(Arc::clone(program), 0);
    let zone = crate::game::zone_named(program, crate::ir::DECK_ZONE).map_or(0, |zone| zone.index());
    let instance = program.zone_instance(zone, 0).unwrap_or(0);
    let object = machine.add_object(card.0, 0, instance)?;
    Some((machine, object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DeckProhibition;
    use crate::testing;

    fn problems(sections: &[(&str, &[(u32, u32)])]) -> Vec<String> {
        let sections = sections
            .iter()
            .map(|(name, cards)| ((*name).to_owned(), cards.iter().map(|(n, card)| (*n, DefId(*card))).collect()))
            .collect();
        let deck = Deck { name: "D".into(), format: "tiny".into(), sections, ..Deck::default() };
        check(&testing::program(), &deck, &["tiny".into()]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn section_size_and_copies_are_checked() {
        assert!(problems(&[("main", &[(4, 1), (4, 2), (1, 3), (1, 2)])]).len() == 1, "five copies of Two");
        assert!(problems(&[("main", &[(4, 1), (4, 2), (1, 3)]), ("side", &[(0, 1)])]).len() == 1, "nine cards");
    }

    #[test]
    fn each_broken_rule_is_reported() {
        let found = problems(&[("main", &[(9, 1), (2, 3), (1, 4)]), ("extra", &[(1, 2)])]);
        assert_eq!(
            found,
            [
                "the format has no section `extra` (1 card)",
                "9 copies of `One`, at most 4 are allowed",
                "`Three` is restricted to one copy, there are 2",
                "`Four` is banned (1 copy)",
            ]
        );
    }

    #[test]
    fn condition_reads_the_card() {
        let mut game = testing::game();
        let refused = DeckProhibition { cards: testing::HEAVY, message: "no heavy cards".into(), sections: Vec::new() };
        game.formats[0].deck.prohibitions.push(refused);
        let program = Arc::new(Program::link(&game, 0, &[]).expect("it links"));
        let deck =
            Deck { name: "D".into(), sections: vec![("main".into(), vec![(9, DefId(1)), (1, DefId(3))])], ..Deck::default() };
        let found = check(&program, &deck, &[]);
        assert!(found.iter().any(|p| matches!(p, DeckProblem::Refused { card, .. } if card == "Three")), "{found:?}");
    }

    #[test]
    fn conditions_share_the_operations_of_their_card() {
        let program = testing::program();
        let card = DefId(1);
        let mut conditions = CardConditions::new(&program);
        let heavy = DefId(3);
        assert!(conditions.hold(testing::HEAVY, heavy));
        let of_one = MAX_CARD_OPERATIONS - conditions.operations_left;
        assert!(of_one > 0 && conditions.hold(testing::HEAVY, heavy));
        assert_eq!(conditions.operations_left, MAX_CARD_OPERATIONS - 2 * of_one);
        conditions.operations_left = of_one;
        assert!(!conditions.hold(testing::HEAVY, heavy), "the operations are used up");
        assert!(conditions.are_exhausted_for(heavy) && !conditions.are_exhausted_for(card));
        conditions.hold(testing::HEAVY, card);
        assert!(conditions.hold(testing::HEAVY, heavy), "the operations of another card are others");
    }

    #[test]
    fn unlimited_cards_have_no_limit_of_copies() {
        let mut game = testing::game();
        game.formats[0].deck.unlimited = Some(testing::HEAVY);
        let program = Arc::new(Program::link(&game, 0, &[]).expect("it links"));
        let cards = vec![(9, DefId(1)), (9, DefId(3))];
        let found = check(&program, &Deck { name: "D".into(), sections: vec![("main".into(), cards)], ..Deck::default() }, &[]);
        let over: Vec<_> = found.iter().filter(|p| matches!(p, DeckProblem::Copies { .. })).collect();
        assert!(matches!(over.as_slice(), [DeckProblem::Copies { card, .. }] if card == "One"), "{found:?}");
    }
}
