//! Executable rule examples, compiled.

use super::op::Source;
use super::{Deck, DefId, FnId, MatchRules, PeriodId, ZoneKindId};
use serde::{Deserialize, Serialize};

/// A scenario. Names bound in it are *slots*; expressions are pure functions (this = 0, you = 0, slots…).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// What it shows.
    pub title: String,
    /// Ids of claims.
    pub claims: Vec<String>,
    /// The format it is played under.
    pub format: String,
    /// The names of the slots: players first (`A` is seat 0), then objects.
    pub slots: Vec<String>,
    /// How many of them are players.
    pub players: u8,
    /// The match that the game is one of.
    pub contest: Option<ScenarioMatch>,
    /// Objects and values; `None`: the setup of the game is run.
    pub position: Option<Vec<PositionEntry>>,
    /// The script.
    pub steps: Vec<ScenarioStep>,
    /// Where it is written.
    pub source: Source,
}

/// A match of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioMatch {
    /// How many games at most; `None`: as the format says.
    pub best_of: Option<u32>,
    /// The registered decks, by seat.
    pub decks: Vec<Deck>,
}

/// A step about a match. Players are seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a step are named in its description")]
pub enum MatchStep {
    /// The game under way ends: this player, or nobody, has won.
    Wins(Option<u8>),
    /// Cards leave one section for another one, and others the other way. `refused`: it is not legal, for these reasons.
    Exchange { player: u8, gives: (String, Vec<(u32, DefId)>), takes: (String, Vec<(u32, DefId)>), refused: Option<Vec<String>> },
    /// These players exchange no more.
    Ready(Vec<u8>),
    /// Another match with the registered decks.
    Next,
    /// The games won, by seat.
    Score(Vec<u32>),
    /// `playing`, `exchanging` or `over`.
    Phase(String),
    /// What the format says of matches; what is not said here (0 games, empty lists, no minutes) is not compared.
    Rules(MatchRules),
    /// How many cards a section has, or how many copies of one.
    Section { section: String, player: u8, counts: Vec<(u32, Option<DefId>)> },
    /// Whether a card is in a player's view of the match.
    Sees { player: u8, card: DefId, negated: bool },
}

/// One entry of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PositionEntry {
    /// Objects.
    Cards {
        /// Whose (owner and controller).
        player: u8,
        /// Where, bottom to top.
        zone: ZoneKindId,
        /// How many.
        count: u32,
        /// Which.
        card: DefId,
        /// Statuses, their keys (0 for those without) and their values: pure functions.
        statuses: Vec<(u16, u16, FnId)>,
        /// Bound to this slot (the last one of them).
        slot: Option<u16>,
    },
    /// A player's variable.
    Value {
        /// Whose.
        player: u8,
        /// Which.
        variable: u16,
        /// Its key; 0 for one without.
        key: u16,
        /// Its value.
        value: FnId,
    },
}

/// A scripted answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScriptedAnswer {
    /// Objects, players or numbers: pure functions. A card (see `Expected::Card`) stands for any object of it.
    Values(Vec<Expected>),
    /// None.
    Nothing,
    /// Yes.
    Yes,
    /// No.
    No,
    /// Modes, from 0.
    Modes(Vec<u32>),
}

/// Something compared with an object or value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expected {
    /// A pure function of the slots.
    Value(FnId),
    /// Any object of this card, or an ability whose source is one.
    Card(DefId),
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioStep {
    /// What.
    pub kind: ScenarioStepKind,
    /// Where.
    pub source: Source,
    /// The words of the source, for messages.
    pub text: String,
}

/// The kinds of steps. Players are seats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a step are named in its description")]
pub enum ScenarioStepKind {
    /// The game starts in this span of this player's turn.
    Start { player: u8, span: PeriodId },
    /// Everybody passes and declines until then.
    GoTo { player: u8, span: PeriodId },
    /// The act decision. `play` as written (`casts`); an activated ability is named by its label or by `activate`.
    Act { player: u8, play: String, object: Option<Expected>, choosing: Vec<ScriptedAnswer> },
    /// These players pass, in order.
    Pass(Vec<u8>),
    /// This player gives the game up.
    Concede(u8),
    /// The pending decision.
    Answer { player: u8, answer: ScriptedAnswer },
    /// A condition.
    Expect(FnId),
    /// The list, bottom to top.
    ExpectList(Vec<Expected>),
    /// Who has the decision, and of which kind (`act`, `choose`, `order`, `yes_no`, `number`, `pay`).
    ExpectAsked { player: u8, kind: Option<String> },
    /// Exactly these are legal now.
    ExpectChoices(Vec<Expected>),
    /// Recorded since the last such step, in this order, others between allowed. Names of actions or paths of spans.
    ExpectEvents(Vec<String>),
    /// As `ExpectEvents`; and nothing else with one of these names was recorded.
    ExpectAllEvents(Vec<String>),
    /// Not recorded since the last `ExpectEvents`.
    ExpectNoEvents(Vec<String>),
    /// The steps in which the player was asked to act since the start, in order, repetitions folded.
    ExpectWindows { player: u8, spans: Vec<PeriodId> },
    /// Not a legal answer now. `because`: the path of the rule that forbids it.
    Refuse { player: u8, play: String, objects: Vec<Expected>, because: Option<String> },
    /// A declaration: objects, each with another one or a player; with whatever there is, if nothing is said. `verb` as written.
    Assign { player: u8, verb: String, pairs: Vec<(Expected, Option<Expected>)> },
    /// Not a legal declaration now. `because`: the path of the rule, or the card, that stands against it. `offering`: what is offered
    /// instead.
    RefuseAssign {
        player: u8,
        verb: String,
        pairs: Vec<(Expected, Option<Expected>)>,
        because: Option<String>,
        offering: Option<Vec<(Expected, Option<Expected>)>>,
    },
    /// Binds a slot.
    Let { slot: u16, value: FnId },
    /// The numbers that chance gives next.
    Chance(Vec<u32>),
    /// Whether a deck is legal. `because`: words of each problem, none when there is none.
    ExpectDeck { deck: Deck, because: Vec<String> },
    /// A step about a match.
    Match(MatchStep),
    /// How decisions left open are answered: `first`.
    Rest(String),
    /// Whether a player can tell which cards these objects (a pure list) are; `of`: and that they were chosen for that object.
    ExpectSees { player: u8, sees: bool, what: FnId, of: Option<FnId> },
    /// Whether a player was shown this card while it was hidden, in this zone if one is given.
    ExpectSeen { player: u8, seen: bool, card: DefId, zone: Option<FnId> },
}
