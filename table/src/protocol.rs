//! The protocol between a table and its clients, version 1: one JSON object a message, whose type is in `t`.
//!
//! Fields can be added within a version, and unknown fields are ignored. All texts are in the language of the client. Objects are named by the client's own
//! handles, which are void when an object moves to a place where the client cannot identify it.
//!
//! This module is the only place that names fields of the JSON.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The versions of the protocol that a table speaks.
pub const VERSIONS: [u32; 1] = [1];

/// What a client takes part as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A player.
    Seat,
    /// A watcher, who sees what is public.
    Watch,
    /// Who opened the table.
    Host,
}

/// A language of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

/// For how long a seat passes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum YieldUntil {
    /// Until something is added to the list.
    Added,
    /// Until the player's own turn begins.
    Mine,
    /// Until the turn ends.
    End,
    /// Until the player could do something else than pass.
    Could,
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first message of a connection.
    Hello {
        /// The versions that the client speaks.
        v: Vec<u32>,
        /// The language of texts.
        #[serde(default)]
        lang: Lang,
        /// The key of an invite, or the token of a seat: 128 bits as hexadecimal digits.
        key: String,
        /// What the client wants to take part as.
        #[serde(rename = "as")]
        role: Role,
        /// The name of the player, at most 40 characters.
        #[serde(default)]
        name: String,
        /// The name of the table, if the key is that of the host.
        #[serde(default)]
        table: String,
    },
    /// The answer to a decision. One of `picks`, `number` and `shares` is given, by the kind of the decision.
    Answer {
        /// The number of the decision ([`Ask::id`]).
        ask: u64,
        /// Indices into the options.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        picks: Option<Vec<u32>>,
        /// A number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<i64>,
        /// A share for each option.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shares: Option<Vec<i64>>,
    },
    /// Why can this object not be used or chosen now? Without `on`: why can other plays not be chosen?
    Why {
        /// The handle of the object.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<u32>,
    },
    /// Pass by itself.
    Yield {
        /// Until when.
        until: YieldUntil,
        /// Only for this ability, by the name of its card.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ability: Option<String>,
    },
    /// Ends every yield.
    Hold,
    /// Takes the last answer back, or asks the others for it.
    Undo,
    /// Agrees to an undo that another player wants, or refuses it.
    UndoVote {
        /// Whether the client agrees.
        agree: bool,
    },
    /// Gives the game up.
    Concede,
    /// A text for everybody at the table.
    Chat {
        /// The text, at most 500 characters.
        text: String,
    },
    /// The whole view, because messages are missing.
    Again,
    /// Another language.
    Lang {
        /// The language.
        lang: Lang,
    },
    /// Between games of a match: the player's deck for the next one, as a list of names by section. Without `deck`: the same deck.
    Ready {
        /// The cards by section.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deck: Option<BTreeMap<String, BTreeMap<String, u32>>>,
    },
    /// What happens to a seat whose client is absent for longer than the grace time.
    Absent {
        /// `wait`, `bot` or `end`.
        choice: AbsentChoice,
    },
    /// Shows that the connection is alive.
    Ping {
        /// A number that is returned.
        at: u64,
    },
}

/// What the others choose when a player is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbsentChoice {
    /// Wait longer.
    Wait,
    /// A bot takes the seat.
    Bot,
    /// The player loses.
    End,
}

/// A message to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The client takes part. `view` follows.
    Welcome(Box<Welcome>),
    /// Faces of cards that the client meets for the first time.
    Cards {
        /// The faces by name.
        cards: BTreeMap<String, Card>,
    },
    /// The whole view.
    View {
        /// The number of the message: each `step` adds 1.
        n: u64,
        /// Why it is sent.
        why: ViewCause,
        /// The view.
        view: TableView,
        /// The latest events in words, as if the client had been there: they replace its log.
        events: Vec<Event>,
        /// How many of them, the last ones, the client was not sent before.
        #[serde(default, skip_serializing_if = "is_default")]
        fresh: usize,
        /// The pending decision, if it is the client's.
        ask: Option<Ask>,
        /// The seat that must answer, if the client may know that.
        waits: Option<usize>,
    },
    /// What happened, and what is different now.
    Step {
        /// The number of the message.
        n: u64,
        /// The events in words.
        events: Vec<Event>,
        /// What differs: the same shape as a view, with only what changed; `null` removes.
        patch: serde_json::Value,
        /// The pending decision, if it is the client's.
        ask: Option<Ask>,
        /// The seat that must answer, if the client may know that.
        waits: Option<usize>,
    },
    /// An answer was refused. Nothing has changed.
    Refused {
        /// The number of the decision.
        ask: u64,
        /// The reason.
        why: Reason,
        /// A legal answer that is near, if one is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<Vec<u32>>,
    },
    /// The answer to `why`.
    Why {
        /// The handle of the object.
        on: Option<u32>,
        /// The reasons, the most helpful first. Empty: nothing forbids it.
        reasons: Vec<Reason>,
    },
    /// The yields of the client's seat now.
    Yielding {
        /// The yields.
        until: Vec<Yielding>,
    },
    /// Who sits where.
    Seats {
        /// The seats.
        seats: Vec<Seat>,
        /// The number of watchers.
        watchers: usize,
    },
    /// Another player wants to take an answer back.
    UndoRequested {
        /// Their seat.
        by: usize,
    },
    /// An undo was agreed to, refused, or is not possible.
    UndoAnswered {
        /// Whether it was done.
        done: bool,
        /// Why not; empty if it was done.
        words: String,
    },
    /// The pack has changed, and the game was played again with the answers given so far. A view follows.
    Reloaded {
        /// The number of decisions that could be repeated.
        repeated: u64,
        /// The number of decisions before.
        of: u64,
        /// Where the game waits, in words; empty if all were repeated.
        words: String,
    },
    /// A text of a player or watcher.
    Chat {
        /// The name.
        from: String,
        /// The text.
        text: String,
    },
    /// The game is over.
    Over {
        /// How.
        outcome: OutcomeKind,
        /// The seat that has won.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<usize>,
        /// In words.
        words: String,
        /// The path of its trace, empty if there is none.
        trace: String,
        /// The match, if it has several games.
        #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
        state: Option<MatchState>,
    },
    /// A player is absent for longer than the grace time.
    Absent {
        /// The seat.
        seat: usize,
    },
    /// The answer to `ping`.
    Pong {
        /// The number of the ping.
        at: u64,
    },
    /// A message was not accepted.
    Error {
        /// The kind.
        code: ErrorCode,
        /// In words.
        words: String,
    },
}

/// Kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The decision is over.
    Stale,
    /// Too many messages.
    Rate,
    /// A message or text is too long.
    Size,
    /// The message is not understood, or not possible now.
    Unknown,
    /// There is no free place.
    Full,
    /// No common version.
    Version,
    /// The key opens nothing.
    Key,
    /// Another connection has taken the seat.
    Taken,
    /// A defect; the trace of the game is kept.
    Defect,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// A player has won.
    Won,
    /// No player has won.
    Drawn,
    /// The game exceeded a budget.
    Void,
}

/// Why a whole view is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewCause {
    /// The client joined.
    Join,
    /// The client wanted it.
    Again,
    /// An answer was taken back.
    Undo,
    /// The language changed.
    Lang,
    /// The pack changed.
    Reload,
    /// Another game began.
    NextGame,
    /// Another seat of the same screen must answer.
    Seat,
}

/// The score of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchState {
    /// The maximum number of games with a winner.
    pub best_of: u32,
    /// The number of the game, from 1; once one has ended, that of the next one, unless cards are exchanged before it.
    pub game: u32,
    /// Games won, by seat.
    pub wins: Vec<u32>,
    /// `playing`, `exchanging` or `over`.
    pub phase: String,
    /// Who is ready for the next game.
    pub ready: Vec<bool>,
    /// Between two games: the cards of the client's own deck, by section and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deck: Option<BTreeMap<String, BTreeMap<String, u32>>>,
}

/// A yield that is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yielding {
    /// Until when.
    pub until: YieldUntil,
    /// Only for this ability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ability: Option<String>,
    /// In words.
    pub words: String,
}

/// The first message to a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// The version of the protocol.
    pub v: u32,
    /// The seat of the client; `None` for a watcher.
    pub seat: Option<usize>,
    /// Takes the seat again from anywhere; empty for a watcher.
    pub token: String,
    /// The table.
    pub table: TableInfo,
    /// How the board is laid out.
    pub layout: crate::layout::Layout,
    /// The periods of a turn, in order.
    pub spans: Vec<Span>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableInfo {
    /// Its name.
    pub name: String,
    /// The name of the format.
    pub format: String,
    /// The title of the format.
    pub title: String,
    /// The seats.
    pub seats: Vec<Seat>,
    /// Whether one person alone decides, so that undo is free.
    pub sandbox: bool,
    /// The match, if it has several games.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub state: Option<MatchState>,
}

/// A seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The name of the player.
    pub name: String,
    /// The name of its bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// The name of the deck, if everybody may know it.
    #[serde(default)]
    pub deck: String,
    /// Whether a client is connected (always for a bot).
    pub here: bool,
}

/// A period of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its path: `turn.main`.
    pub path: String,
    /// In words.
    pub label: String,
}

/// A card as it is printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its name.
    pub name: String,
    /// Its kind in words.
    pub kind: String,
    /// The words that give its hues ([`crate::layout::Layout::hues`]).
    pub hue: Vec<String>,
    /// Its price as a text; empty without one.
    pub cost: String,
    /// The line under the name: types, races, in words.
    pub line: String,
    /// The lines of its rules text.
    pub text: Vec<String>,
    /// Its printed numbers, by property.
    pub props: BTreeMap<String, i64>,
    /// Its printed words: kinds, colours, types, as the sources name them.
    pub words: Vec<String>,
    /// Its source, `file:line`; empty if it has none.
    pub source: String,
}

/// A view, flat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableView {
    /// The objects by handle (as a decimal number). Views of one moment share equal ones.
    pub objects: BTreeMap<String, Arc<Object>>,
    /// The zones by key: `battle` for a shared one, `hand.1` for one of a seat.
    pub zones: BTreeMap<String, Zone>,
    /// Everything else.
    pub facts: Facts,
}

/// Values by name: few, so that they take less memory than in a map. In JSON an object, without an order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named<V>(Vec<(SmolStr, V)>);

impl<V> Named<V> {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&SmolStr, &V)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> FromIterator<(SmolStr, V)> for Named<V> {
    fn from_iter<I: IntoIterator<Item = (SmolStr, V)>>(values: I) -> Self {
        let mut named: Vec<(SmolStr, V)> = values.into_iter().collect();
        named.shrink_to_fit();
        Self(named)
    }
}

impl<V: Serialize> Serialize for Named<V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Named<V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(|named: BTreeMap<SmolStr, V>| named.into_iter().collect())
    }
}

/// An object. What is as always is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Object {
    /// The name of its card, of its source for an ability; empty if the client does not know it.
    pub card: SmolStr,
    /// Whether it is an ability.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ability: bool,
    /// The text of an ability, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Its owner.
    pub owner: usize,
    /// Its controller, if that is not its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<usize>,
    /// The key of its zone.
    #[serde(rename = "in")]
    pub zone: SmolStr,
    /// The id of the row of the layout ([`crate::layout::Row::id`]); absent for the zone's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// In a numbered row, its place, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<i64>,
    /// In a hidden zone with an order: its position from the bottom, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// Its properties, as far as they differ from those printed on its card ([`Card::props`]).
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub props: Named<i64>,
    /// Its words; `None`: those printed on its card ([`Card::words`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<SmolStr>>,
    /// Its statuses that are numbers or bools.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub is: Named<i64>,
    /// Its statuses that refer to an object (a handle as decimal number) or a player (`seat0`).
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub to: Named<String>,
    /// How its face is drawn: what of the layout's `when`s holds.
    #[serde(default, skip_serializing_if = "Look::is_plain")]
    pub look: Look,
    /// The cards under it, bottom to top.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<Under>,
    /// The objects that were announced for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<u32>,
    /// The players that were announced for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen_seats: Vec<usize>,
}

impl Object {
    /// Its controller.
    #[must_use]
    pub fn controller(&self) -> usize {
        self.by.unwrap_or(self.owner)
    }
}

/// How an object is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Look {
    /// Sideways.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub turned: bool,
    /// Paler.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dim: bool,
    /// Towards the middle.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forward: bool,
    /// Why it is sideways, paler or towards the middle, in words: its bools on which that depends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// The number in its corner in words: `8000`, `2/1`; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stat: String,
    /// Whether this number differs from the printed one: -1 lower, 1 higher.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stat_change: i8,
    /// Words on it: statuses and marks, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// Counts on it: words and numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<(String, i64)>,
    /// The words that give its hues; `None`: those of its card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hue: Option<Vec<String>>,
}

impl Look {
    /// Whether nothing of it is set.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a field has its usual value, which is not written.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A card under another one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Under {
    /// Its handle.
    pub handle: u32,
    /// Its name.
    pub card: SmolStr,
    /// Its owner.
    pub owner: usize,
}

/// A zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zone {
    /// The handles of the objects that the client can identify, bottom to top; by name in a hidden zone without an order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<u32>,
    /// The number of other objects.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: usize,
    /// Whether hidden objects have places with numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
}

/// What is neither an object nor a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The number of the turn.
    pub turn: u32,
    /// The active player.
    pub active: usize,
    /// The path of the innermost open period.
    pub span: String,
    /// The numbers of each player, in the order of the layout's plate: label, value, and whether it is large.
    pub seats: Vec<Plate>,
    /// The numbers of the game: label and value.
    pub game: Vec<(String, String)>,
    /// Lines from one object to another, which the statuses of a third object name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrows: Vec<(u32, u32)>,
    /// The hidden cards that the client was shown: turn, card, key of the zone.
    pub shown: Vec<(u32, String, String)>,
}

/// The numbers of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plate {
    /// Whether the player takes no part any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out: bool,
    /// The large number, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large: Option<(String, String)>,
    /// The others: label and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<(String, String)>,
}

/// The kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// A play, or pass: one option.
    Act,
    /// Objects, players or words.
    Choose,
    /// The next waiting trigger.
    Order,
    /// The replacement that applies.
    Replacement,
    /// Modes of a text.
    Modes,
    /// Yes or no.
    YesNo,
    /// A number.
    Number,
    /// Shares of a number.
    Divide,
    /// Pairs under the constraints of the rules.
    Assign,
    /// How a price is paid.
    Pay,
}

/// A decision of the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Its number.
    pub id: u64,
    /// Its kind.
    pub kind: AskKind,
    /// What is to be decided.
    pub prompt: String,
    /// More about it: what follows, the amount in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// The handle of the object that wants the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<u32>,
    /// The minimum number of picks; for a number, the minimum; for a division, the minimum of each share.
    pub min: i64,
    /// The maximum number of picks; for a number, the maximum; for a division, the sum.
    pub max: i64,
    /// Whether an option may be picked several times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
    /// The options.
    pub options: Vec<AskOption>,
    /// What the main button answers: picks (pass; the legal proposal of a declaration); `None` if it has nothing to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<Vec<u32>>,
    /// The seat that answers: that of the client, except at a table with one screen for all.
    pub seat: usize,
}

/// An option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskOption {
    /// In words, enough to be chosen from a plain list.
    pub label: String,
    /// The name of its play or answer: `pass`, `yes`, `cast`.
    #[serde(rename = "do", default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// In one or two words, for a button or a hint at the card.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub word: String,
    /// The handle of its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<u32>,
    /// For a pair: the handle of the other object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<u32>,
    /// Its player; for a pair: the player of the other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// A hidden object in a zone with an order: the key of the zone, and the position from the bottom, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<(String, usize)>,
    /// Its price in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cost: String,
}

/// Why something is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The play in words; empty for a choice.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub play: String,
    /// The handle of the object that cannot be played or chosen; `None` for a play without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<u32>,
    /// The kind: `forbidden`, `cost`, `no_choice`, `limit`, `moment`, `window`, `elsewhere`, `selection`, `unknown`.
    pub kind: String,
    /// In words.
    pub words: String,
    /// The rule, as a scenario names it after `because`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its file and line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The text of the rule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The parts of the condition that fail: ranges of characters in `source`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fails: Vec<(usize, usize)>,
}

/// Something that happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// In words: pieces of text, some with the handle and card of an object. Empty: nothing for the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Piece>,
    /// Whose event it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<usize>,
    /// Whether it is the heading of a turn or period.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heading: bool,
    /// For the heading of a turn, its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Moves to be shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// Events with the same number happen at once.
    pub beat: u32,
}

/// A piece of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The text.
    pub s: String,
    /// The handle of the object that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<u32>,
    /// The name of its card.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub card: String,
}

/// A move from one zone to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The handle before; `None` if the client could not identify the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<u32>,
    /// The handle now; `None` if the client cannot identify the object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<u32>,
    /// The key of the old zone; empty for none.
    pub from: String,
    /// The key of the new zone.
    pub to: String,
    /// How many objects, if several that cannot be identified.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: usize,
}

fn one() -> usize {
    1
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

/// A recorded game, read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayInfo {
    /// The format.
    pub format: String,
    /// Its title.
    pub title: String,
    /// The names of the players, by seat.
    pub players: Vec<String>,
    /// The decisions with several legal answers, in order.
    pub steps: Vec<ReplayStep>,
    /// How a board is laid out.
    pub layout: crate::layout::Layout,
    /// The periods of a turn.
    pub spans: Vec<Span>,
    /// How the game ended, or why it is read no further.
    pub outcome: String,
}

/// A decision of a recorded game, with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayStep {
    /// The number of the turn.
    pub turn: u32,
    /// The path of the period.
    pub span: String,
    /// The period in words.
    pub label: String,
    /// Who answered.
    pub seat: usize,
    /// The kind of the decision.
    pub kind: AskKind,
    /// The answer in words.
    pub words: String,
    /// What was to be decided.
    pub prompt: String,
    /// Whether the player passed.
    pub passes: bool,
    /// The number of the answer among all that are recorded, from 1; those of which there was only one are counted too.
    pub answer: usize,
}

/// A position of a recorded game, as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayPosition {
    /// The number of steps before it.
    pub n: usize,
    /// The view.
    pub view: TableView,
    /// The decision, if it is the viewer's.
    pub ask: Option<Ask>,
    /// The options that were picked, or the number or shares.
    pub picks: Vec<u32>,
    /// What happened since the step before.
    pub events: Vec<Event>,
    /// The faces of the cards that are named.
    pub cards: BTreeMap<String, Card>,
}
