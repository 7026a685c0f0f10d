//! What a refusal says, as data: drivers write it in their languages. [`Display`](fmt::Display) writes it in English.

use super::seat_name;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a refusal says. Names are those of the sources, cards by their names; nothing in it is hidden from the player.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RefusalWords {
    /// Something hidden forbids it.
    Hidden,
    /// A hidden effect forbids it.
    HiddenEffect,
    /// A rule or another declaration forbids it, by its name: `rule no_attack`.
    Rule(String),
    /// A keyword forbids it, of the game or of an object.
    Keyword {
        /// Its name.
        name: String,
        /// The object that has it.
        of: Option<String>,
    },
    /// The text of an object forbids it.
    Text(String),
    /// An effect of an object forbids it.
    Effect(String),
    /// The condition of the play does not hold.
    Condition,
    /// It cannot be used in this period: its name; empty between two.
    Period(String),
    /// It is another player's turn.
    OtherTurn,
    /// Something is on the list.
    ListWaits,
    /// The decision is another player's.
    OtherDecision,
    /// It is not among what the window offers.
    Window,
    /// A price cannot be paid.
    Price {
        /// The price in the notation of the game; empty if another cost is the obstacle.
        price: String,
        /// What of it cannot be paid.
        unpaid: String,
    },
    /// Its limit is reached.
    Limit,
    /// There is nothing to choose.
    NoChoice,
    /// An ability does not function in this zone.
    Zone(String),
    /// The object is not among what a text chooses from: its source text.
    NotAmong(String),
    /// The object does not fit what a text chooses: its source text, and the facts because of which.
    NoFit(String, Vec<FactWords>),
}

/// A fact about an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FactWords {
    /// Whether it has a word, or a property that is true or false.
    Is(String, bool),
    /// Whether it has a keyword.
    Has(String, bool),
    /// Whether it is in a zone.
    In(String, bool),
    /// A number of it.
    Number(String, i64),
    /// A player that it refers to; `None`: no player.
    Player(String, Option<usize>),
    /// Its owner.
    Owner(Option<usize>),
    /// Its controller.
    Controller(Option<usize>),
    /// Its card.
    Card(String),
}

fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

impl fmt::Display for RefusalWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => f.write_str("something hidden forbids it"),
            Self::HiddenEffect => f.write_str("an effect forbids it"),
            Self::Rule(name) => match name.strip_prefix("rule ") {
                Some(rule) => write!(f, "the rule {} forbids it", spaced(rule)),
                None => write!(f, "{name} forbids it"),
            },
            Self::Keyword { name, of: None } => write!(f, "the keyword {} forbids it", spaced(name)),
            Self::Keyword { name, of: Some(of) } => write!(f, "the keyword {} of {of} forbids it", spaced(name)),
            Self::Text(of) => write!(f, "the text of {of} forbids it"),
            Self::Effect(of) => write!(f, "an effect of {of} forbids it"),
            Self::Condition => f.write_str("what it asks for does not hold now"),
            Self::Period(here) if here.is_empty() => f.write_str("not at this point of the turn"),
            Self::Period(here) => write!(f, "not in this step ({here})"),
            Self::OtherTurn => f.write_str("it is not your turn"),
            Self::ListWaits => f.write_str("not while something waits to be carried out"),
            Self::OtherDecision => f.write_str("it is not yours to decide now"),
            Self::Window => f.write_str("it is not among what can be done at this point"),
            Self::Price { price, .. } if price.is_empty() => f.write_str("it cannot be paid for"),
            Self::Price { price, unpaid } if price == unpaid => write!(f, "it cannot be paid for: nothing pays {price}"),
            Self::Price { price, unpaid } => write!(f, "it cannot be paid for: of {price} nothing pays {unpaid}"),
            Self::Limit => f.write_str("it was used as often as it may be"),
            Self::NoChoice => f.write_str("there is nothing legal to choose for it"),
            Self::Zone(zone) => write!(f, "it does not work in {}", spaced(zone)),
            Self::NotAmong(text) => write!(f, "it is not among `{text}`"),
            Self::NoFit(text, facts) => {
                write!(f, "it does not fit `{text}`")?;
                for (number, fact) in facts.iter().enumerate() {
                    write!(f, "{} {fact}", if number == 0 { ":" } else { "," })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for FactWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seat = |seat: &Option<usize>| seat.map_or_else(|| "no player".to_owned(), seat_name);
        let is = |holds: &bool| if *holds { "it is" } else { "it is not" };
        match self {
            Self::Is(word, holds) => write!(f, "{} {}", is(holds), spaced(word)),
            Self::Has(keyword, true) => write!(f, "it has {}", spaced(keyword)),
            Self::Has(keyword, false) => write!(f, "it has no {}", spaced(keyword)),
            Self::In(zone, inside) => write!(f, "{} in {}", is(inside), spaced(zone)),
            Self::Number(name, value) => write!(f, "its {} is {value}", spaced(name)),
            Self::Player(name, player) => write!(f, "its {} is {}", spaced(name), seat(player)),
            Self::Owner(player) => write!(f, "its owner is {}", seat(player)),
            Self::Controller(player) => write!(f, "its controller is {}", seat(player)),
            Self::Card(name) => write!(f, "it is {name}"),
        }
    }
}
