//! Compiled scenarios: executable rule examples.

use super::op::Source;
use crate::format::{Deck, MatchRules};
use crate::ids::{DefId, FnId, PeriodId, ZoneKindId};
use serde::{Deserialize, Serialize};

/// A scenario. Names bound in it are *slots*; expressions are pure functions (this = 0, you = 0, slots…).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The title: what the scenario shows.
    pub title: String,
    /// The identifiers of the rule claims that it covers.
    pub claims: Vec<String>,
    /// Whether every answer is written: none is given automatically, except that payments are made as proposed.
    pub strict: bool,
    /// The format it is played under.
    pub format: String,
    /// The names of the slots: players first (`A` is seat 0), then objects.
    pub slots: Vec<String>,
    /// The number of player slots.
    pub players: u8,
    /// The match to play, if the scenario is about a match of several games.
    pub match_setup: Option<ScenarioMatch>,
    /// The objects and values at the start. `None`: the setup of the game runs.
    pub position: Option<Vec<PositionEntry>>,
    /// The script.
    pub steps: Vec<ScenarioStep>,
    /// The place in the source.
    pub source: Source,
}

/// A position in which a card is tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The cards that it is for: a condition as in a [layout](crate::layout).
    pub filter: FnId,
    /// The position and what leads up to it. The card that is tried is [`Stage::THIS`] in it.
    pub scenario: Scenario,
}

impl Stage {
    /// The definition that stands for the card that is tried.
    pub const THIS: DefId = DefId(0);

    /// The scenario with a card in the place of [`Stage::THIS`].
    #[must_use]
    pub fn with_card(&self, card: DefId) -> Scenario {
        let mut scenario = self.scenario.clone();
        for entry in scenario.position.iter_mut().flatten() {
            if let PositionEntry::Cards { card: placed, .. } = entry
                && *placed == Self::THIS
            {
                *placed = card;
            }
        }
        scenario
    }
}

/// A match of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioMatch {
    /// The maximum number of games; `None`: as the format defines.
    pub best_of: Option<u32>,
    /// The registered decks, by seat.
    pub decks: Vec<Deck>,
}

/// A step about a match. Players are seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a step are named in its description")]
pub enum MatchStep {
    /// The current game ends; the player wins, or no player (`None`).
    Wins(Option<u8>),
    /// A player exchanges cards between two sections. `refused`: the exchange is illegal, for these reasons.
    Exchange { player: u8, gives: (String, Vec<(u32, DefId)>), takes: (String, Vec<(u32, DefId)>), refused: Option<Vec<String>> },
    /// These players have finished exchanging.
    Ready(Vec<u8>),
    /// Starts another match with the registered decks.
    Next,
    /// Expects this number of won games, by seat.
    Score(Vec<u32>),
    /// Expects a phase of the match: `playing`, `exchanging` or `over`.
    Phase(String),
    /// Expects match rules of the format. Values that the step does not state (0 games, empty lists, no minutes) are not
    /// compared.
    Rules(MatchRules),
    /// Expects a number of cards in a section, in total or of one definition.
    Section { section: String, player: u8, counts: Vec<(u32, Option<DefId>)> },
    /// Expects that a card is, or is not, in a player's view of the match.
    Sees { player: u8, card: DefId, negated: bool },
}

/// One entry of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PositionEntry {
    /// Objects.
    Cards {
        /// The player who owns and controls them.
        player: u8,
        /// The zone; the objects are listed bottom to top.
        zone: ZoneKindId,
        /// The number of objects.
        count: u32,
        /// Their definition.
        card: DefId,
        /// Statuses, their keys (0 for those without) and their values: pure functions.
        statuses: Vec<(u16, u16, FnId)>,
        /// The slot that the last of them is bound to.
        slot: Option<u16>,
    },
    /// A player's variable.
    Value {
        /// The player.
        player: u8,
        /// The number of the variable.
        variable: u16,
        /// Its key; 0 for a variable without keys.
        key: u16,
        /// Its value.
        value: FnId,
    },
    /// A variable of the game.
    GameValue {
        /// The number of the variable.
        variable: u16,
        /// Its value.
        value: FnId,
    },
    /// An effect that is carried out when the period begins at which the game starts.
    Effect {
        /// The player whose effect it is.
        player: u8,
        /// The slot of the object that is its source.
        source: Option<u16>,
        /// Its statements: a function of the slots that is not pure.
        function: FnId,
    },
}

/// A part of a text that fizzles by itself. Numbers are from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FizzledPart {
    /// A paragraph.
    Paragraph(u32),
    /// A mode.
    Mode(u32),
}

/// A scripted answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScriptedAnswer {
    /// Objects, players or numbers: pure functions. A card (see [`ExpectedValue::Card`]) matches any object of it.
    Values(Vec<ExpectedValue>),
    /// An empty selection.
    Nothing,
    /// Yes.
    Yes,
    /// No.
    No,
    /// Numbers of modes, from 0.
    Modes(Vec<u32>),
    /// A pass. Only refused; steps that pass are [`ScenarioStepKind::Pass`].
    Pass,
}

/// An expected object or value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExpectedValue {
    /// The value of a pure function of the slots.
    Value(FnId),
    /// Any object of this card, or an ability whose source is one.
    Card(DefId),
}

/// One step of the script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioStep {
    /// The kind of step with its operands.
    pub kind: ScenarioStepKind,
    /// The place in the source.
    pub source: Source,
    /// The source text of the step, for messages.
    pub text: String,
}

/// The kinds of steps. Players are seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a step are named in its description")]
pub enum ScenarioStepKind {
    /// Starts the game in this period of this player's turn.
    Start { player: u8, period: PeriodId },
    /// All players pass and decline until this period of this player's turn.
    GoTo { player: u8, period: PeriodId },
    /// Answers the act decision. `play` as written (`casts`); an activated ability is named by its label or by `activate`.
    Act { player: u8, play: String, object: Option<ExpectedValue>, choosing: Vec<ScriptedAnswer> },
    /// These players pass, in order.
    Pass(Vec<u8>),
    /// This player concedes.
    Concede(u8),
    /// Answers the pending decision.
    Answer { player: u8, answer: ScriptedAnswer },
    /// An answer that is refused. `because`: the dotted name of what refuses it.
    RefuseAnswer { player: u8, answer: ScriptedAnswer, because: Option<String> },
    /// Pays with producers, one after another. The payment waits for further steps.
    PayWith { player: u8, producers: Vec<ExpectedValue> },
    /// Expects that a condition holds.
    Expect(FnId),
    /// Expects these objects on the list, bottom to top.
    ExpectList(Vec<ExpectedValue>),
    /// Expects the player who has the decision, and its kind (`act`, `choose`, `order`, `yes_no`, `number`, `pay`).
    ExpectDecision { player: u8, kind: Option<String> },
    /// Expects that exactly these choices are legal.
    /// `declining`: the player may choose nothing as well.
    ExpectChoices { options: Vec<ExpectedValue>, declining: bool },
    /// Expects these events since the last such step, in this order; others may occur in between. Names of actions or paths of
    /// periods.
    ExpectEvents(Vec<String>),
    /// As `ExpectEvents`, and no other event with one of these names was recorded.
    ExpectAllEvents(Vec<String>),
    /// Expects that none of these events was recorded since the last `ExpectEvents`.
    ExpectNoEvents(Vec<String>),
    /// Expects the periods in which the player had an act decision since the start, in order, repetitions folded.
    ExpectWindows { player: u8, periods: Vec<PeriodId> },
    /// Expects that an answer is illegal now. `because`: the path of the rule that forbids it.
    Refuse { player: u8, play: String, objects: Vec<ExpectedValue>, because: Option<String> },
    /// Answers a declaration: objects, each paired with an object or player (`None`: with any legal partner). `verb` as written.
    Assign { player: u8, verb: String, pairs: Vec<(ExpectedValue, Option<ExpectedValue>)> },
    /// Expects that a declaration is illegal now. `because`: the path of the rule, or the card, that is the obstacle. `offering`:
    /// the declaration that is offered instead.
    RefuseAssign {
        player: u8,
        verb: String,
        pairs: Vec<(ExpectedValue, Option<ExpectedValue>)>,
        because: Option<String>,
        offering: Option<Vec<(ExpectedValue, Option<ExpectedValue>)>>,
    },
    /// Binds a slot to a value.
    Let { slot: u16, value: FnId },
    /// Scripts the next random numbers.
    Chance(Vec<u32>),
    /// Expects whether a deck is legal. `because`: words of each problem, empty if there is none.
    ExpectDeck { deck: Deck, because: Vec<String> },
    /// A step about a match.
    Match(MatchStep),
    /// How remaining decisions are answered: `first`.
    RemainingAnswers(String),
    /// Expects whether a player knows which cards these objects (a pure list) are. `of`: and that they were chosen for that
    /// object, or for an ability of it that waits on the list.
    ExpectSees { player: u8, sees: bool, what: FnId, of: Option<ExpectedValue> },
    /// Expects whether a player was shown this card while it was hidden, in this zone if one is given.
    ExpectSeen { player: u8, seen: bool, card: DefId, zone: Option<FnId> },
    /// Expects whether an object, an ability of it, or a part of its text has fizzled since the last `ExpectEvents`.
    ExpectFizzles { what: ExpectedValue, part: Option<FizzledPart>, fizzles: bool },
    /// Scripts the objects on top after the next shuffle, the uppermost first.
    ChanceShuffle(Vec<ExpectedValue>),
    /// Expects that these producers cannot pay. `because`: as in `RefuseAnswer`.
    RefusePay { player: u8, producers: Vec<ExpectedValue>, because: Option<String> },
}

/// The third person of a verb, by spelling: `casts`, `carries`, `draws_for`.
#[must_use]
pub fn third_person(name: &str) -> String {
    if let Some((first, rest)) = name.split_once('_') {
        return format!("{}_{rest}", third_person(first));
    }
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if name.ends_with(['s', 'x', 'z', 'h', 'o']) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// Whether a verb in the third person stands for a name: `casts` for `cast`, `draws_for` for `draw_for`. Also true for the name itself.
pub fn is_verb(written: &str, name: &str) -> bool {
    if written == name {
        return true;
    }
    let is_ending = |found: Option<&str>| matches!(found, Some("s" | "es"));
    // the first word with an ending, and the rest of the name
    let first = name.split('_').next().unwrap_or(name);
    let rest = name.strip_prefix(first).unwrap_or("");
    let word = written.strip_suffix(rest);
    let stem = first.strip_suffix('y');
    is_ending(word.and_then(|word| word.strip_prefix(first)))
        || stem.is_some_and(|stem| word.and_then(|word| word.strip_prefix(stem)) == Some("ies"))
        || is_ending(written.strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_match_in_the_third_person() {
        for (written, name) in
            [("casts", "cast"), ("cast", "cast"), ("catches", "catch"), ("carries", "carry"), ("sets_down", "set_down")]
        {
            assert!(is_verb(written, name), "{written} {name}");
        }
        for (written, name) in [("set_downs", "set_down"), ("set_downes", "set_down"), ("setes_down", "set_down")] {
            assert!(is_verb(written, name), "{written} {name}");
        }
        for (written, name) in
            [("casts", "case"), ("set", "set_down"), ("sets", "set_down"), ("down", "set_down"), ("", "a"), ("carrys_x", "carry")]
        {
            assert!(!is_verb(written, name), "{written} {name}");
        }
    }
}
