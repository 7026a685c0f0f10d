//! Verifies the names of an artifact: none contains a hidden character, as in sources (`E0002`). Paths of sources are shown by messages only.

use super::{Verifier, VerifyError};
use crate::{Deck, Format, Variable};
use fizzle_hidden_characters::first_hidden;

impl Verifier<'_> {
    pub(super) fn names(&self) -> Result<(), VerifyError> {
        let library = self.library;
        let mut names: Vec<(&str, &str)> = vec![("game", &self.game.name)];
        names.extend(
            library.traits.iter().flat_map(|set| set.words.iter().chain([&set.name])).map(|name| ("word", name.as_str())),
        );
        names.extend(library.layers.iter().map(|name| ("layer", name.as_str())));
        let variables = [&library.properties, &library.statuses, &library.player_variables, &library.globals];
        names.extend(variables.into_iter().flatten().map(|Variable { name, .. }| ("variable", name.as_str())));
        names.extend(library.zones.iter().map(|zone| ("zone", zone.name.as_str())));
        names.extend(library.keywords.iter().map(|keyword| ("keyword", keyword.name.as_str())));
        names.extend(library.definitions.numbered().map(|(_, card)| ("card", card.name.as_str())));
        names.extend(library.abilities.numbered().map(|(_, ability)| ("ability", ability.name.as_str())));
        names.extend(library.functions.numbered().map(|(_, function)| ("function", function.name.as_str())));
        names.extend(library.windows.iter().map(|window| ("window", window.name.as_str())));
        self.game.formats.iter().for_each(|format| names.extend(format_names(format)));
        self.game.decks.iter().for_each(|deck| names.extend(deck_names(deck)));
        let staged = self.game.stages.iter().map(|stage| &stage.scenario);
        for scenario in self.game.scenarios.iter().chain(staged) {
            names.extend([("scenario", scenario.title.as_str()), ("format", scenario.format.as_str())]);
            names.extend(scenario.claims.iter().map(|claim| ("claim", claim.as_str())));
            names.extend(scenario.slots.iter().map(|slot| ("slot", slot.as_str())));
            scenario.match_setup.iter().flat_map(|setup| &setup.decks).for_each(|deck| names.extend(deck_names(deck)));
        }
        names.into_iter().try_for_each(|(what, name)| short(what, name).and_then(|()| visible(what, name)))
    }
}

fn format_names(format: &Format) -> impl Iterator<Item = (&'static str, &str)> {
    let own =
        [("format", &format.name), ("title", &format.title)].into_iter().chain(format.base.iter().map(|base| ("format", base)));
    let rules = format.rules.iter().map(|rule| ("rule", &rule.name));
    let deck = format.deck.sizes.iter().map(|(section, _, _)| ("section", section));
    let reasons = format.deck.prohibitions.iter().map(|prohibition| ("message", &prohibition.message));
    let matches = format.match_rules.exchange.iter().chain(&format.match_rules.aids).map(|name| ("match rule", name));
    let hues = format.layout.hues.iter().map(|hue| ("word", &hue.word));
    own.chain(hues)
        .chain(format.actions.iter().map(|action| ("action", &action.name)))
        .chain(rules)
        .chain(format.state_rules.iter().map(|rule| ("state rule", &rule.name)))
        .chain(format.plays.iter().flat_map(|play| play.classes.iter().chain([&play.name])).map(|name| ("play", name)))
        .chain(format.periods.iter().map(|period| ("period", &period.name)))
        .chain(format.constants.iter().map(|(name, _)| ("constant", name)))
        .chain(deck)
        .chain(reasons)
        .chain(matches)
        .map(|(what, name)| (what, name.as_str()))
}

fn deck_names(deck: &Deck) -> impl Iterator<Item = (&'static str, &str)> {
    let sections = deck.sections.iter().map(|(section, _)| ("section", section.as_str()));
    [("deck", deck.name.as_str()), ("format", deck.format.as_str())].into_iter().chain(sections)
}

/// The greatest length of the name of a card, a deck or a printed word, in characters. Each object of a position is shown by its name.
pub const MAX_NAME_CHARS: usize = 200;

/// Checks the length of a name that is shown for each object.
fn short(what: &str, name: &str) -> Result<(), VerifyError> {
    let is_shown_often = matches!(what, "card" | "deck" | "word");
    if is_shown_often && name.chars().nth(MAX_NAME_CHARS).is_some() {
        return Err(VerifyError::new(what, format!("its name has more than {MAX_NAME_CHARS} characters")));
    }
    Ok(())
}

/// Checks that a text has no hidden character.
pub(super) fn visible(what: &str, text: &str) -> Result<(), VerifyError> {
    match first_hidden(text) {
        None => Ok(()),
        Some((_, hidden)) => Err(VerifyError::new(what, format!("it has the hidden character U+{:04X}", u32::from(hidden)))),
    }
}
