//! Lowers the match rules of formats, and the matches and decks of scenarios.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::scenario::ScenarioNames;
use fizzle_grammar::ast::{DeckExpr, DeckSection, MatchHeader, MatchRules as Written, MatchStep as WrittenStep, Name, Span};
use fizzle_ir::encoding_limits::MAX_GAMES;
use fizzle_ir::scenario::{MatchStep, ScenarioMatch};
use fizzle_ir::{Deck, DeckRules, DefId, MatchRules};
use smol_str::SmolStr;

/// The cards of a section, with their numbers of copies.
type Cards = Vec<(u32, DefId)>;

impl<'a> Lowering<'a> {
    /// Lowers the match rules of a format. `deck`: its deck rules.
    pub fn match_rules(&mut self, written: &'a Written, deck: &DeckRules) -> MatchRules {
        for span in &written.repeated {
            self.report(Diagnostic::new(&codes::BAD_MATCH, *span, "this is written twice in one match").help("write it once"));
        }
        if let Some((number, span)) = written.best_of {
            self.check_best_of(number, span);
        }
        for section in &written.exchange {
            self.check_section(section, deck);
        }
        if let Some((least, most, span)) = written.minutes
            && most < least
        {
            self.report(
                Diagnostic::new(
                    &codes::BAD_MATCH,
                    span,
                    format!("the minimum of {least} minutes is greater than the maximum of {most}"),
                )
                .help(format!("write `minutes {most} to {least}`")),
            );
        }
        MatchRules {
            best_of: written.best_of.map_or(1, |(number, _)| number),
            exchange: written.exchange.iter().map(|section| section.text.to_string()).collect(),
            minutes: written.minutes.map(|(least, most, _)| (least, most)),
            aids: written.aids.iter().map(|aid| aid.text.to_string()).collect(),
        }
    }

    fn check_best_of(&mut self, number: u32, span: Span) {
        if !number.is_multiple_of(2) && number <= MAX_GAMES {
            return;
        }
        let message = if number.is_multiple_of(2) {
            format!("a match cannot be best of {number} games: it could end in a tie")
        } else {
            format!("a match has at most {MAX_GAMES} games")
        };
        self.report(
            Diagnostic::new(&codes::BAD_MATCH, span, message).help("write an odd number: `best of 1`, `best of 3`, `best of 5`"),
        );
    }

    /// Reports a section that the deck rules do not have. Deck rules without sizes allow all sections.
    pub fn check_section(&mut self, section: &Name, deck: &DeckRules) {
        if deck.sizes.is_empty() || deck.sizes.iter().any(|(known, _, _)| *known == section.text) {
            return;
        }
        self.report(
            Diagnostic::new(&codes::BAD_MATCH, section.span, format!("the deck rules have no section `{}`", section.text))
                .did_you_mean(&section.text, deck.sizes.iter().map(|(known, _, _)| known.as_str()))
                .help("declare its size: `deck rules { main 40  side 0 to 10 }`"),
        );
    }

    // ---- scenarios ----

    /// Lowers the match of a scenario.
    pub(crate) fn scenario_match(&mut self, written: &'a MatchHeader, format: &str, slots: &ScenarioNames) -> ScenarioMatch {
        if let Some((number, span)) = written.best_of {
            self.check_best_of(number, span);
        }
        let mut decks: Vec<Option<Deck>> = vec![None; usize::from(slots.players)];
        for (player, deck) in &written.seats {
            let Some(seat) = self.seat(player, slots) else { continue };
            let lowered = self.written_deck(deck, format);
            if let Some(place) = decks.get_mut(usize::from(seat)) {
                *place = Some(lowered);
            }
        }
        if decks.iter().any(Option::is_none) {
            self.report(
                Diagnostic::new(&codes::BAD_SCENARIO, written.span, "each player of a match needs a deck")
                    .help("write `match { A: \"…\"  B: \"…\" }`"),
            );
        }
        ScenarioMatch { best_of: written.best_of.map(|(number, _)| number), decks: decks.into_iter().flatten().collect() }
    }

    /// Lowers a deck of a scenario: a declared deck or lists of cards, with cards added and removed.
    pub(crate) fn written_deck(&mut self, written: &'a DeckExpr, format: &str) -> Deck {
        let mut deck = Deck { name: "of the scenario".to_owned(), format: format.to_owned(), ..Deck::default() };
        if let Some(name) = &written.name {
            match self.decks.iter().find(|deck| deck.name == name.text) {
                Some(known) => deck = known.clone(),
                None => {
                    let known: Vec<SmolStr> = self.decks.iter().map(|deck| SmolStr::new(&deck.name)).collect();
                    let problem = Diagnostic::new(&codes::BAD_SCENARIO, name.span, format!("there is no deck `{}`", name.text))
                        .did_you_mean(&name.text, known.iter().map(SmolStr::as_str));
                    self.report(problem);
                }
            }
        }
        for section in written.lists.iter().chain(&written.with) {
            let (name, cards) = self.section(section);
            if !deck.sections.iter().any(|(known, _)| *known == name) {
                deck.sections.push((name.clone(), Vec::new()));
            }
            let Some((_, list)) = deck.sections.iter_mut().find(|(known, _)| *known == name) else { continue };
            for (count, card) in cards {
                match list.iter_mut().find(|(_, known)| *known == card) {
                    Some((number, _)) => *number = number.saturating_add(count),
                    None => list.push((count, card)),
                }
            }
        }
        for section in &written.without {
            let (name, cards) = self.section(section);
            for ((count, card), (_, label)) in cards.into_iter().zip(&section.cards) {
                let place = deck.sections.iter_mut().filter(|(known, _)| *known == name).flat_map(|(_, list)| list);
                let Some((number, _)) = place.into_iter().find(|(number, known)| *known == card && *number >= count) else {
                    self.report(Diagnostic::new(
                        &codes::BAD_SCENARIO,
                        label.span,
                        format!("section `{name}` does not have {count} `{}` to remove", label.text),
                    ));
                    continue;
                };
                *number -= count;
            }
        }
        for (_, list) in &mut deck.sections {
            list.retain(|(number, _)| *number > 0);
        }
        deck
    }

    fn section(&mut self, written: &'a DeckSection) -> (String, Cards) {
        let mut cards = Cards::new();
        for (count, name) in &written.cards {
            // An unknown card is reported and becomes the nameless definition.
            if self.names.is_face(name) {
                let message = format!("`{}` is a face, not a card by itself", name.text);
                self.report_not_here(name.span, &message, "name the card by its front");
            }
            cards.push((self.check_copies(*count, name), self.card_or_nameless(name)));
        }
        (written.name.text.to_string(), cards)
    }

    fn card_or_nameless(&mut self, name: &Name) -> DefId {
        self.names.card_id(name).unwrap_or_else(|| {
            self.report_unknown_card(name);
            DefId(0)
        })
    }

    /// Lowers a step of a match.
    pub(crate) fn match_step(&mut self, step: &'a WrittenStep, slots: &ScenarioNames) -> Option<MatchStep> {
        Some(match step {
            WrittenStep::Wins(name) if name.text == "nobody" => MatchStep::Wins(None),
            WrittenStep::Wins(name) => MatchStep::Wins(Some(self.seat(name, slots)?)),
            WrittenStep::Exchange { player, gives, takes, refused } => MatchStep::Exchange {
                player: self.seat(player, slots)?,
                gives: self.section(gives),
                takes: self.section(takes),
                refused: refused.as_ref().map(|texts| texts.iter().map(|text| text.text.to_string()).collect()),
            },
            WrittenStep::Ready(players) => {
                MatchStep::Ready(players.iter().filter_map(|player| self.seat(player, slots)).collect())
            }
            WrittenStep::Next => MatchStep::Next,
            WrittenStep::Score(score) => MatchStep::Score(score.clone()),
            WrittenStep::Phase(word) => {
                const KNOWN: [&str; 3] = ["playing", "exchanging", "over"];
                if !KNOWN.contains(&word.text.as_str()) {
                    self.report(
                        Diagnostic::new(&codes::BAD_SCENARIO, word.span, format!("a match has no phase `{}`", word.text))
                            .did_you_mean(&word.text, KNOWN)
                            .help("phases of a match are `playing`, `exchanging` and `over`"),
                    );
                }
                MatchStep::Phase(word.text.to_string())
            }
            WrittenStep::Rules(rules) => MatchStep::Rules(MatchRules {
                best_of: rules.best_of.map_or(0, |(number, _)| number),
                ..self.match_rules(rules, &DeckRules::default())
            }),
            WrittenStep::Section { section, player, counts } => {
                let player = self.seat(player, slots)?;
                let mut lowered = Vec::new();
                for (count, card) in counts {
                    lowered.push((*count, card.as_ref().map(|name| self.card_or_nameless(name))));
                }
                MatchStep::Section { section: section.text.to_string(), player, counts: lowered }
            }
            WrittenStep::Sees { player, card, negated } => {
                MatchStep::Sees { player: self.seat(player, slots)?, card: self.card_or_nameless(card), negated: *negated }
            }
        })
    }
}
