//! Rules texts: what the cards of a game say, written down for people. No rule reads them, and the hash of the rules does not see them.

use super::DefId;
use serde::{Deserialize, Serialize};

/// The texts of a game in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The language: `en`, `ja`.
    pub language: String,
    /// The format in which, and in those that extend it and have none of their own, cards say this instead of what they say elsewhere;
    /// nothing for the game's own texts, which come first.
    pub format: String,
    /// One entry for each card that has a text, in the order written.
    #[serde(skip)]
    pub cards: Vec<CardText>,
    /// What is asked at choices, of those that can be said; only the game's own texts have them.
    #[serde(skip)]
    pub prompts: Vec<Prompt>,
    /// What state rules say, by their names.
    pub rules: Vec<(String, String)>,
}

/// What somebody is asked at a choice, in words to the player who chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The choice, a [`SiteId`](super::ChoiceSiteId).
    pub site: u32,
    /// What is chosen.
    pub text: String,
    /// What each mode does, if modes are chosen.
    pub modes: Vec<String>,
}

/// What one card says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardText {
    /// The card, a [`DefId`].
    pub card: u32,
    /// Its name in this language, if it has one of its own there.
    pub name: String,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Texts {
    /// The text of a card.
    #[must_use]
    pub fn of(&self, card: DefId) -> Option<&CardText> {
        self.cards.iter().find(|text| text.card == card.0)
    }

    /// What a state rule says.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&str> {
        self.rules.iter().find(|(rule, _)| rule == name).map(|(_, text)| text.as_str())
    }

    /// What is asked at a choice.
    #[must_use]
    pub fn prompt(&self, site: u32) -> Option<&Prompt> {
        self.prompts.iter().find(|prompt| prompt.site == site)
    }
}
