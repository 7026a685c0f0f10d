//! The state of the client at the terminal, put together from the messages of the table: the view, the log, the pending decision, and answers to
//! requests.

use fizzle_runtime::view::seat_name;
use fizzle_table::layout::Layout;
use fizzle_table::protocol::{
    Ask, Card, ClientMessage, Event, MatchState, Reason, ReplayPosition, Seat, ServerMessage, TableView,
};
use fizzle_table::table_view::apply;
use serde_json::Value;
use std::collections::BTreeMap;

/// The state of a client, put together from the messages of a table.
#[derive(Debug, Default)]
pub struct ClientState {
    /// How the board is laid out.
    pub layout: Option<Layout>,
    /// The seats.
    pub seats: Vec<Seat>,
    /// The position.
    pub view: TableView,
    /// The position as JSON, to which differences are applied.
    view_json: Value,
    /// The faces of cards, by name.
    pub cards: BTreeMap<String, Card>,
    /// The pending decision, if it is made at the terminal.
    pub ask: Option<Ask>,
    /// The lines of the log, as far as the table keeps them.
    pub log: Vec<String>,
    /// The number of lines before those that followed the last answer.
    pub read: usize,
    /// The end of the game.
    pub over: Option<GameOver>,
    /// Why the last answer was refused, and a legal one that is near.
    pub refused: Option<(Reason, Option<Vec<u32>>)>,
    /// The reasons that were requested last.
    pub reasons: Vec<Reason>,
    /// Notes for the person.
    pub notes: Vec<String>,
    /// Until when the persons at the terminal pass, in words.
    pub passing: Vec<String>,
}

/// The end of a game.
#[derive(Debug)]
pub struct GameOver {
    /// How it ended, in words.
    pub words: String,
    /// The match, if it has several games.
    pub state: Option<MatchState>,
}

impl ClientState {
    /// A position of a recorded game, for a board.
    pub fn of_position(position: ReplayPosition, layout: Layout, players: usize) -> Self {
        let seat = |seat: usize| Seat { name: seat_name(seat), ..Seat::default() };
        Self {
            layout: Some(layout),
            seats: (0..players).map(seat).collect(),
            view: position.view,
            cards: position.cards,
            ask: position.ask,
            ..Self::default()
        }
    }

    /// Takes a message.
    pub fn take(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Welcome(welcome) => {
                self.seats.clone_from(&welcome.table.seats);
                self.layout = Some(welcome.layout);
            }
            ServerMessage::Cards { cards } => self.cards.extend(cards),
            ServerMessage::View { view, events, fresh, ask, .. } => {
                self.view_json = serde_json::to_value(&view).unwrap_or_default();
                (self.view, self.ask) = (view, ask);
                self.log = events.iter().map(line).collect();
                self.read = self.log.len().saturating_sub(fresh);
            }
            ServerMessage::Step { events, patch, ask, .. } => {
                apply(&mut self.view_json, &patch);
                self.view = serde_json::from_value(self.view_json.clone()).unwrap_or_default();
                self.ask = ask;
                self.log.extend(events.iter().filter(|event| !event.words.is_empty()).map(line));
            }
            ServerMessage::Refused { why, instead, .. } => self.refused = Some((why, instead)),
            ServerMessage::Why { reasons, .. } => self.reasons = reasons,
            ServerMessage::Seats { seats, .. } => self.seats = seats,
            ServerMessage::UndoAnswered { done: true, .. } => self.notes.push("your last answer is taken back".to_owned()),
            ServerMessage::UndoAnswered { words, .. } | ServerMessage::Error { words, .. } => self.notes.push(words),
            ServerMessage::Yielding { until } => {
                self.passing = until.into_iter().map(|one| one.words).collect();
            }
            ServerMessage::Over { words, state, .. } => self.over = Some(GameOver { words, state }),
            // There is one client, so no other one is absent, chats, or reloads the rules.
            ServerMessage::Absent { .. }
            | ServerMessage::Chat { .. }
            | ServerMessage::Pong { .. }
            | ServerMessage::Reloaded { .. }
            | ServerMessage::UndoRequested { .. } => {}
        }
    }

    /// An answer is given: what comes into the log now is new.
    pub fn answered(&mut self) {
        self.read = self.log.len();
    }

    /// The lines of the log since the last answer.
    pub fn new_lines(&self) -> &[String] {
        self.log.get(self.read..).unwrap_or_default()
    }

    /// The name of the card of an object; empty if it is not known.
    pub fn name(&self, handle: u32) -> &str {
        let card = self.view.objects.get(&handle.to_string()).map_or("", |object| object.card.as_str());
        self.cards.get(card).map_or(card, |face| face.name.as_str())
    }

    /// The name of a player.
    pub fn player(&self, seat: usize) -> &str {
        self.seats.get(seat).map_or("", |seat| seat.name.as_str())
    }
}

/// An answer in the form that the kind of the decision needs.
pub fn answer(ask: &Ask, values: &[i64]) -> ClientMessage {
    use fizzle_table::protocol::AskKind;
    let mut message = (None, None, None);
    match ask.kind {
        AskKind::Number => message.1 = values.first().copied(),
        AskKind::Divide => message.2 = Some(values.to_vec()),
        AskKind::Act
        | AskKind::Choose
        | AskKind::Order
        | AskKind::Replacement
        | AskKind::Modes
        | AskKind::YesNo
        | AskKind::Assign
        | AskKind::Pay => message.0 = Some(values.iter().filter_map(|value| u32::try_from(*value).ok()).collect()),
    }
    let (picks, number, shares) = message;
    ClientMessage::Answer { ask: ask.id, picks, number, shares }
}

/// An event as a line: headings without indentation.
fn line(event: &Event) -> String {
    let indent = if event.heading { "" } else { "  " };
    format!("{indent}{}", event_words(event))
}

/// The words of an event, with the numbers of objects.
pub fn event_words(event: &Event) -> String {
    let mut text = String::new();
    for piece in &event.words {
        text.push_str(&piece.s);
        if let Some(handle) = piece.on {
            text.push_str(&format!(" #{handle}"));
        }
    }
    text
}
