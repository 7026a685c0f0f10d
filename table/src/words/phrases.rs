//! Fixed phrases in each language, and how players and zones are named.

use super::pack_texts::spaced;
use crate::protocol::{Lang, OutcomeKind, YieldUntil};
use fizzle_runtime::view::{period_name, seat_name};

/// Who is spoken to, and what the players are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The language.
    pub lang: Lang,
    /// The seat of the client, who is called "you"; `None` for a watcher, and if several people read the screen.
    pub you: Option<usize>,
    /// The names of the players, by seat.
    pub names: Vec<String>,
}

impl Speaker {
    /// A phrase in the language.
    #[must_use]
    pub fn say<'w>(&self, en: &'w str, ja: &'w str) -> &'w str {
        match self.lang {
            Lang::En => en,
            Lang::Ja => ja,
        }
    }

    /// Whether a seat is the client's.
    #[must_use]
    pub fn is_you(&self, seat: usize) -> bool {
        self.you == Some(seat)
    }

    /// A player as the subject of a sentence, within it.
    #[must_use]
    pub fn player(&self, seat: usize) -> String {
        if self.is_you(seat) { self.say("you", "あなた").to_owned() } else { self.name(seat) }
    }

    /// The name of a player.
    #[must_use]
    pub fn name(&self, seat: usize) -> String {
        self.names.get(seat).filter(|name| !name.is_empty()).cloned().unwrap_or_else(|| seat_name(seat))
    }

    /// A player as an owner.
    #[must_use]
    pub fn whose(&self, seat: usize) -> String {
        match self.lang {
            Lang::En if self.is_you(seat) => "your".to_owned(),
            Lang::En => format!("{}'s", self.name(seat)),
            Lang::Ja => format!("{}の", self.player(seat)),
        }
    }

    /// A zone with its owner; empty for no zone.
    #[must_use]
    pub fn zone(&self, name: &str, owner: Option<usize>) -> String {
        let zone = spaced(name);
        match (owner, self.lang) {
            (Some(owner), Lang::En) if !zone.is_empty() => format!("{} {zone}", self.whose(owner)),
            (Some(owner), Lang::Ja) if !zone.is_empty() => format!("{}{zone}", self.whose(owner)),
            _ => zone,
        }
    }

    /// The heading of a turn or period.
    #[must_use]
    pub fn period(&self, path: &str, turn: u32, active: usize) -> String {
        let step = period_name(path);
        let turn = match self.lang {
            Lang::En => format!("Turn {turn}, {}", self.name(active)),
            Lang::Ja => format!("第{turn}ターン、{}", self.name(active)),
        };
        if step.is_empty() { turn } else { format!("{turn}: {step}") }
    }

    /// How a game ended.
    #[must_use]
    pub fn outcome(&self, outcome: OutcomeKind, by: Option<usize>) -> String {
        match (outcome, by, self.lang) {
            (OutcomeKind::Won, Some(seat), Lang::En) if self.is_you(seat) => "You have won".to_owned(),
            (OutcomeKind::Won, Some(seat), Lang::En) => format!("{} has won", self.name(seat)),
            (OutcomeKind::Won, Some(seat), Lang::Ja) => format!("{}の勝ち", self.player(seat)),
            (OutcomeKind::Void, ..) => self.say("The game is void: it exceeded a limit", "ゲームは無効：制限を超えた").to_owned(),
            (OutcomeKind::Won | OutcomeKind::Drawn, ..) => self.say("No player has won", "引き分け").to_owned(),
        }
    }

    /// A yield in words.
    #[must_use]
    pub fn yielding(&self, until: YieldUntil, ability: Option<&str>) -> String {
        let until = match until {
            YieldUntil::Added => self.say("until something is added", "何かが積まれるまでパス"),
            YieldUntil::Mine => self.say("until my turn", "自分のターンまでパス"),
            YieldUntil::End => self.say("until the end of the turn", "ターンの終わりまでパス"),
            YieldUntil::Could => self.say("until I could do something", "何かできるまでパス"),
        };
        match ability {
            Some(ability) => format!("{until}: {ability}"),
            None => until.to_owned(),
        }
    }
}
