//! Rules texts: the printed text of cards, prompts and state rules, for people. No rule reads them, and the rules hash excludes
//! them.

use crate::ids::DefId;
use crate::op::Source;
use serde::{Deserialize, Serialize};

/// The texts of a game in one language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The language: `en`, `ja`.
    pub language: String,
    /// The format whose cards have these texts instead of the game's own. It also applies to formats that extend it and have no
    /// texts themselves. Empty for the game's own texts, which come first.
    pub format: String,
    /// One entry for each card that has a text, in source order.
    #[serde(skip)]
    pub cards: Vec<CardText>,
    /// The prompts of choices that can be put into words. Only the game's own texts have them.
    #[serde(skip)]
    pub prompts: Vec<Prompt>,
    /// The texts of state rules: name and text.
    pub rules: Vec<(String, String)>,
    /// The names of declarations in this language: of zones, properties, statuses, variables of players, words and periods.
    pub names: Vec<(String, String)>,
}

/// The text of a choice, addressed to the player who chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The choice site, a [`ChoiceSiteId`](crate::ids::ChoiceSiteId).
    pub site: u32,
    /// What is chosen.
    pub text: String,
    /// The text of each mode, if modes are chosen.
    pub modes: Vec<String>,
}

/// The text of one card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardText {
    /// The card, a [`DefId`].
    pub card: u32,
    /// The card's name in this language; empty if it has no separate one.
    pub name: String,
    /// The lines of the text.
    pub lines: Vec<String>,
    /// The texts of single abilities, which a line may have only together with others.
    pub abilities: Vec<AbilityText>,
}

/// The text of an ability of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbilityText {
    /// Where the ability is in the sources.
    pub place: Source,
    /// Its text.
    pub text: String,
}

impl Texts {
    /// The text of a card.
    #[must_use]
    pub fn of(&self, card: DefId) -> Option<&CardText> {
        self.cards.iter().find(|text| text.card == card.0)
    }

    /// The text of a state rule.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&str> {
        self.rules.iter().find(|(rule, _)| rule == name).map(|(_, text)| text.as_str())
    }

    /// The name of a declaration, by its name in the sources.
    #[must_use]
    pub fn name(&self, declared: &str) -> Option<&str> {
        self.names.iter().find(|(name, _)| name == declared).map(|(_, text)| text.as_str())
    }

    /// The prompt of a choice site.
    #[must_use]
    pub fn prompt(&self, site: u32) -> Option<&Prompt> {
        self.prompts.iter().find(|prompt| prompt.site == site)
    }
}
