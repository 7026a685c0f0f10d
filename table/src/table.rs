//! A table: seats, watchers, bots, undo. It receives the messages of clients and the time, and returns the messages to send.

use crate::ask;
use crate::face::{apply_look, face};
use crate::layout;
use crate::playing::{GameStart, Playing};
use crate::protocol::{
    AbsentChoice, Ask, Card, ClientMessage, ErrorCode, Event, Lang, MatchState, OutcomeKind, Reason, Seat, ServerMessage, Span,
    TableInfo, TableView, ViewCause, Welcome, YieldUntil, Yielding,
};
use crate::shown::{ViewShape, patch, table_view};
use crate::words::log::{EventLog, ending};
use crate::words::pack_texts::spaced;
use crate::words::phrases::Speaker;
use fizzle_bots::named;
use fizzle_ir::{CompiledGame, Deck, DefId};
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::matches::{Match, MatchPhase};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::event_stream::ViewEvent;
use fizzle_runtime::view::look::printed_look;
use fizzle_runtime::view::{answer_refusal_text, candidate_refusal, refusals};
use fizzle_runtime::vm::Outcome;
use fizzle_runtime::vm::decision::{AnswerError, Decision, DecisionKind};
use fizzle_runtime::vm::machine::Machine;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A connection of a client, numbered by the driver. A number is not used twice at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(pub u64);

/// Milliseconds since some moment that the driver has chosen.
pub type Millis = u64;

/// Who plays in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A person or a script, through a client.
    Client,
    /// A bot, by its name: `random`, `greedy`, `mcts`, `mcts:N`.
    Bot(String),
}

/// What a table begins with.
#[derive(Clone, Debug)]
pub struct TableSetup {
    /// The name of the table.
    pub name: String,
    /// The compiled pack.
    pub game: Arc<CompiledGame>,
    /// The linked program of the format and decks; tables with the same ones share it.
    pub program: Arc<Program>,
    /// The decks, by seat.
    pub decks: Vec<Deck>,
    /// Who plays, by seat.
    pub occupants: Vec<Occupant>,
    /// Whether one client answers for all seats that are not bots.
    pub hot_seat: bool,
    /// Whether undo is free, because one person decides alone.
    pub sandbox: bool,
    /// The maximum number of games of the match with a winner, an odd number.
    pub best_of: u32,
    /// The seed of the match.
    pub seed: u64,
    /// The seed of what is not part of the game: bots, and how long forced answers wait.
    pub timing_seed: u64,
    /// For how long a seat is held for a client that has left.
    pub grace: Millis,
}

/// Why a table cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

/// A client at the table.
#[derive(Debug)]
struct Client {
    id: ClientId,
    /// Its seat; `None` for a watcher.
    seat: Option<usize>,
    /// The viewer whose view it has: its seat, another one of the same screen, or the watchers.
    viewer: usize,
    speaker: Speaker,
    token: String,
    n: u64,
    view: TableView,
    log: EventLog,
    cards: BTreeSet<String>,
    /// The view that it must be sent as a whole, and why.
    wants_view: Option<ViewCause>,
}

/// An answer that can be taken back.
#[derive(Clone, Copy, Debug)]
struct UndoPoint {
    seat: usize,
    /// The number of answers before it.
    before: usize,
    /// Whether a player saw something hidden since.
    learnt: bool,
}

/// A yield of a seat, with what it began at.
#[derive(Clone, Debug)]
struct SeatYield {
    until: YieldUntil,
    ability: Option<String>,
    turn: u32,
    waiting: usize,
}

/// An undo that others must agree to.
#[derive(Clone, Debug)]
struct UndoRequest {
    by: usize,
    agreed: BTreeSet<usize>,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    setup: TableSetup,
    names: Vec<String>,
    definitions: BTreeMap<String, DefId>,
    shape: ViewShape,
    game_match: Match,
    playing: Playing,
    /// The number of the pending decision. It grows with each decision, also after an undo.
    ask: u64,
    /// The decision for which a bot thinks.
    thinking: Option<u64>,
    clients: Vec<Client>,
    messages: Vec<(ClientId, ServerMessage)>,
    undo_points: Vec<UndoPoint>,
    undo_request: Option<UndoRequest>,
    yields: Vec<Vec<SeatYield>>,
    /// The seats that must be ready before the next game.
    unready: BTreeSet<usize>,
    /// For a seat whose client is absent: when the others receive a message.
    absent: BTreeMap<usize, Millis>,
    is_end_sent: bool,
}

/// What a bot must decide. It can be computed on another thread, and the table continues meanwhile.
#[derive(Debug)]
pub struct BotTask {
    ask: u64,
    bot: String,
    seed: u64,
    machine: Machine,
    decision: Decision,
}

/// What a bot has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotAnswer {
    ask: u64,
    picks: Vec<u32>,
}

impl BotTask {
    /// Thinks.
    #[must_use]
    pub fn run(self) -> BotAnswer {
        let bot = named(&self.bot, self.seed, self.ask, self.decision.player);
        let picks = bot.map(|mut bot| bot.choose(&self.machine, &self.decision)).unwrap_or_default();
        BotAnswer { ask: self.ask, picks }
    }
}

/// The most characters of a chat message.
const MAX_CHAT_CHARS: usize = 500;
/// The most characters of a name.
const MAX_NAME_CHARS: usize = 40;
/// The most reasons in one message.
const MAX_REASONS: usize = 40;

impl Table {
    /// Begins a match, and plays up to its first decision.
    ///
    /// # Errors
    /// [`SetupError`] if the decks do not fit the format, or the number of games or seats is not possible.
    pub fn new(setup: TableSetup) -> Result<Self, SetupError> {
        let failed = |error: &dyn std::fmt::Display| SetupError(error.to_string());
        for occupant in &setup.occupants {
            if let Occupant::Bot(name) = occupant {
                fizzle_bots::check(name).map_err(|error| failed(&error))?;
            }
        }
        if setup.occupants.len() != setup.decks.len() {
            return Err(SetupError(format!("{} players have {} decks", setup.occupants.len(), setup.decks.len())));
        }
        let ancestors = setup.game.ancestors(&setup.program.format.name);
        let game_match = Match::new(&setup.program, &ancestors, Some(setup.best_of), &setup.decks, setup.seed);
        let game_match = game_match.map_err(|error| failed(&error))?;
        let playing = begin(&setup, &game_match).map_err(|error| failed(&error))?;
        Ok(Self::with_game(setup, game_match, playing))
    }

    fn with_game(setup: TableSetup, game_match: Match, playing: Playing) -> Self {
        let seats = setup.occupants.len();
        let library = &setup.game.library;
        let mut definitions = BTreeMap::new();
        for (id, definition) in library.definitions.numbered().skip(1).filter(|(_, definition)| !definition.part) {
            definitions.entry(definition.name.clone()).or_insert(DefId(id as u32));
        }
        let names = setup.occupants.iter().enumerate().map(|(seat, occupant)| match occupant {
            Occupant::Client => String::new(),
            Occupant::Bot(name) => format!("{name} {}", fizzle_runtime::view::seat_name(seat)),
        });
        Self {
            names: names.collect(),
            definitions,
            shape: ViewShape::new(&setup.game),
            setup,
            game_match,
            playing,
            ask: 1,
            thinking: None,
            clients: Vec::new(),
            messages: Vec::new(),
            undo_points: Vec::new(),
            undo_request: None,
            yields: vec![Vec::new(); seats],
            unready: BTreeSet::new(),
            absent: BTreeMap::new(),
            is_end_sent: false,
        }
    }

    fn seats(&self) -> usize {
        self.setup.occupants.len()
    }

    /// The seats that a client answers for.
    fn seats_of(&self, client: &Client) -> Vec<usize> {
        match client.seat {
            None => Vec::new(),
            Some(_) if self.setup.hot_seat => self.person_seats(),
            Some(seat) => vec![seat],
        }
    }

    fn person_seats(&self) -> Vec<usize> {
        (0..self.seats()).filter(|seat| self.setup.occupants.get(*seat) == Some(&Occupant::Client)).collect()
    }

    fn client(&self, id: ClientId) -> Option<&Client> {
        self.clients.iter().find(|client| client.id == id)
    }

    fn send(&mut self, to: ClientId, message: ServerMessage) {
        self.messages.push((to, message));
    }

    fn send_error(&mut self, to: ClientId, code: ErrorCode, words: &str) {
        self.send(to, ServerMessage::Error { code, words: words.to_owned() });
    }

    /// Sends a message to every client, each in its language.
    fn send_all(&mut self, message: impl Fn(&Speaker) -> ServerMessage) {
        let all = self.clients.iter().map(|client| (client.id, message(&client.speaker)));
        self.messages.extend(all);
    }

    /// A client takes part: in a seat (or, at a table with one screen, in all that are not bots), or as a watcher. The driver has checked its key, and has made its token.
    /// A client that was in this seat receives a message and is removed.
    pub fn join(&mut self, client: ClientId, seat: Option<usize>, name: &str, lang: Lang, token: &str, now: Millis) {
        let seat = seat.filter(|seat| *seat < self.seats());
        if let Some(seat) = seat {
            if let Some(at) = self.clients.iter().position(|other| other.seat == Some(seat)) {
                let older = self.clients.remove(at);
                let words = older.speaker.say("another connection has taken the seat", "別の接続が席を取った");
                self.send_error(older.id, ErrorCode::Taken, words);
            }
            let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
            if let Some(known) = self.names.get_mut(seat).filter(|_| !name.trim().is_empty()) {
                name.trim().clone_into(known);
            }
            self.absent.remove(&seat);
        }
        let you = seat.filter(|_| !self.setup.hot_seat);
        let viewer = seat.unwrap_or(self.seats());
        self.clients.push(Client {
            id: client,
            seat,
            viewer,
            speaker: Speaker { lang, you, names: self.names.clone() },
            token: token.to_owned(),
            n: 0,
            view: TableView::default(),
            log: EventLog::new(&self.setup.program),
            cards: BTreeSet::new(),
            wants_view: Some(ViewCause::Join),
        });
        for client in &mut self.clients {
            client.speaker.names.clone_from(&self.names);
        }
        let welcome = self.welcome(client);
        if let Some(welcome) = welcome {
            self.send(client, ServerMessage::Welcome(Box::new(welcome)));
        }
        self.advance(now);
        self.send_seats();
        if self.playing.outcome().is_some() {
            self.send_over(Some(client));
        }
    }

    fn welcome(&self, id: ClientId) -> Option<Welcome> {
        let client = self.client(id)?;
        let (game, format) = (&self.setup.game, &self.setup.program.format);
        let periods = format.periods.iter().filter(|period| period.path.contains('.') && !period.name.starts_with('_'));
        Some(Welcome {
            v: 1,
            seat: client.seat,
            token: client.token.clone(),
            table: self.info(),
            layout: layout::of_format(game, format, client.speaker.lang),
            spans: periods.map(|period| Span { path: period.path.clone(), label: spaced(&period.name) }).collect(),
        })
    }

    /// The table as its clients know it.
    #[must_use]
    pub fn info(&self) -> TableInfo {
        let format = &self.setup.program.format;
        TableInfo {
            name: self.setup.name.clone(),
            format: format.name.clone(),
            title: if format.title.is_empty() { format.name.clone() } else { format.title.clone() },
            seats: self.seat_list(),
            sandbox: self.setup.sandbox,
            state: self.match_state(),
        }
    }

    fn seat_list(&self) -> Vec<Seat> {
        let seat = |(seat, occupant): (usize, &Occupant)| {
            let bot = if let Occupant::Bot(name) = occupant { Some(name.clone()) } else { None };
            let here = bot.is_some() || self.clients.iter().any(|client| self.seats_of(client).contains(&seat));
            let speaker = Speaker { names: self.names.clone(), ..Speaker::default() };
            Seat { name: speaker.name(seat), bot, deck: String::new(), here }
        };
        self.setup.occupants.iter().enumerate().map(seat).collect()
    }

    fn match_state(&self) -> Option<MatchState> {
        (self.game_match.best_of() > 1).then(|| MatchState {
            best_of: self.game_match.best_of(),
            game: self.game_match.game(),
            wins: self.game_match.wins().to_vec(),
            phase: self.game_match.phase().name().to_owned(),
            ready: (0..self.seats()).map(|seat| !self.unready.contains(&seat)).collect(),
        })
    }

    fn send_seats(&mut self) {
        let (seats, watchers) = (self.seat_list(), self.clients.iter().filter(|client| client.seat.is_none()).count());
        self.send_all(|_| ServerMessage::Seats { seats: seats.clone(), watchers });
    }

    /// The connection of a client is closed. Its seat is held for the grace time.
    pub fn leave(&mut self, client: ClientId, now: Millis) {
        let Some(at) = self.clients.iter().position(|other| other.id == client) else { return };
        let gone = self.clients.remove(at);
        if !self.is_over() {
            for seat in self.seats_of(&gone) {
                self.absent.insert(seat, now.saturating_add(self.setup.grace));
            }
        }
        self.send_seats();
    }

    /// A message of a client that takes part. `Hello` is the driver's to read.
    pub fn receive(&mut self, client: ClientId, message: ClientMessage, now: Millis) {
        let Some(known) = self.client(client) else { return };
        let (seats, viewer) = (self.seats_of(known), known.viewer);
        let speaker = known.speaker.clone();
        match message {
            ClientMessage::Hello { .. } => {
                self.send_error(
                    client,
                    ErrorCode::Unknown,
                    speaker.say("the connection has begun already", "すでに接続している"),
                );
            }
            ClientMessage::Answer { ask, picks, number, shares } => {
                if ask != self.ask || self.playing.decision().is_none_or(|decision| !seats.contains(&decision.player)) {
                    self.send_error(client, ErrorCode::Stale, speaker.say("this decision is over", "この選択は終わっている"));
                    return;
                }
                self.answer(client, picks, number, shares, now);
            }
            ClientMessage::Why { on } => {
                let reasons = self.reasons(&seats, on);
                self.send(client, ServerMessage::Why { on, reasons });
            }
            ClientMessage::Yield { until, ability } => {
                let (turn, waiting) = (self.playing.game.machine.state.turn(), self.waiting_objects());
                for seat in &seats {
                    if let Some(yields) = self.yields.get_mut(*seat) {
                        yields.retain(|other| other.ability != ability);
                        yields.push(SeatYield { until, ability: ability.clone(), turn, waiting });
                    }
                }
                self.send_yields(&seats);
                self.advance(now);
            }
            ClientMessage::Hold => {
                for seat in &seats {
                    self.yields.get_mut(*seat).into_iter().for_each(Vec::clear);
                }
                self.send_yields(&seats);
            }
            ClientMessage::Undo => self.undo(client, &seats, now),
            ClientMessage::UndoVote { agree } => self.vote(client, &seats, agree, now),
            ClientMessage::Concede => {
                let seat = seats.iter().copied().find(|seat| *seat == viewer).or_else(|| seats.first().copied());
                if seat.is_some_and(|seat| self.playing.concede(seat)) {
                    self.decided();
                    self.advance(now);
                }
            }
            ClientMessage::Chat { text } => {
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                if text.chars().count() > MAX_CHAT_CHARS {
                    self.send_error(client, ErrorCode::Size, speaker.say("the text is too long", "文が長すぎる"));
                } else if !text.trim().is_empty() {
                    let from =
                        seats.first().map_or_else(|| speaker.say("watcher", "観戦者").to_owned(), |seat| speaker.name(*seat));
                    self.send_all(|_| ServerMessage::Chat { from: from.clone(), text: text.clone() });
                }
            }
            ClientMessage::Again => self.send_view(client, ViewCause::Again),
            ClientMessage::Lang { lang } => {
                if let Some(known) = self.clients.iter_mut().find(|other| other.id == client) {
                    known.speaker.lang = lang;
                    known.cards.clear();
                }
                let welcome = self.welcome(client);
                if let Some(welcome) = welcome {
                    self.send(client, ServerMessage::Welcome(Box::new(welcome)));
                }
                self.send_view(client, ViewCause::Lang);
            }
            ClientMessage::Ready { deck } => self.ready(client, &seats, deck, now),
            ClientMessage::Absent { choice } => self.absent_choice(&seats, choice, now),
            ClientMessage::Ping { at } => self.send(client, ServerMessage::Pong { at }),
        }
    }

    fn answer(&mut self, client: ClientId, picks: Option<Vec<u32>>, number: Option<i64>, shares: Option<Vec<i64>>, now: Millis) {
        let Some(decision) = self.playing.decision().cloned() else { return };
        let question = self.playing.view(decision.player).decision.unwrap_or_default();
        let small = |value: i64| u32::try_from(value).ok();
        let options = match decision.kind {
            DecisionKind::Number => number.and_then(|number| i32::try_from(number).ok()).map(|number| vec![number as u32]),
            DecisionKind::Divide => shares.and_then(|shares| shares.into_iter().map(small).collect()),
            _ => picks,
        };
        let Some(options) = options else {
            self.refuse(client, &decision, &AnswerError::NoDecisionPending);
            return;
        };
        let before = self.playing.game.answers.len();
        match self.playing.answer(&question.picks(&options)) {
            Ok(()) => {
                self.undo_points.push(UndoPoint { seat: decision.player, before, learnt: false });
                self.decided();
                self.advance(now);
            }
            Err(refusal) => self.refuse(client, &decision, &refusal),
        }
    }

    fn refuse(&mut self, client: ClientId, decision: &Decision, refusal: &AnswerError) {
        let machine = &self.playing.game.machine;
        let words = match refusal {
            AnswerError::NoDecisionPending => "the answer has not the form that the decision needs".to_owned(),
            refusal => answer_refusal_text(machine, decision.player, decision, refusal),
        };
        let instead = match refusal {
            AnswerError::IllegalDeclaration { instead, .. } => instead.clone().or_else(|| decision.proposal()),
            _ => None,
        };
        let question = self.playing.view(decision.player).decision.unwrap_or_default();
        let instead = instead.map(|picks| question.options_of(&picks));
        let why = Reason { kind: "selection".to_owned(), words, ..Reason::default() };
        self.send(client, ServerMessage::Refused { ask: self.ask, why, instead });
    }

    /// After a decision, before the next one is shown.
    fn decided(&mut self) {
        self.ask += 1;
        self.undo_request = None;
    }

    /// Passes for seats that yield, and shows everybody where the game has stopped.
    fn advance(&mut self, now: Millis) {
        loop {
            self.end_yields();
            let Some(picks) = self.yielded_pass() else { break };
            if self.playing.answer(&picks).is_err() {
                break;
            }
            self.decided();
        }
        self.publish();
        self.finish_game(now);
    }

    /// The number of objects on the list.
    fn waiting_objects(&self) -> usize {
        let machine = &self.playing.game.machine;
        machine.program.list.map_or(0, |zone| machine.state.zone_items(&machine.program, zone).len())
    }

    /// The name of the card of the topmost object on the list.
    fn next_ability(&self) -> Option<String> {
        let machine = &self.playing.game.machine;
        let top = *machine.state.zone_items(&machine.program, machine.program.list?).last()?;
        Some(fizzle_runtime::view::object_name(&machine.program, &machine.state, fizzle_ir::ObjectRef(top)))
    }

    /// Ends the yields whose moment has come.
    fn end_yields(&mut self) {
        let state = &self.playing.game.machine.state;
        let (turn, active, waiting) = (state.turn(), state.active(), self.waiting_objects());
        let decider = self.playing.decision().map(|decision| decision.player);
        let mut ended = Vec::new();
        for (seat, yields) in self.yields.iter_mut().enumerate() {
            let before = yields.len();
            yields.retain_mut(|it| {
                let continues = match it.until {
                    YieldUntil::Added => waiting <= it.waiting,
                    YieldUntil::Mine => active != seat || turn == it.turn,
                    YieldUntil::End => turn == it.turn,
                    YieldUntil::Could => decider != Some(seat),
                };
                it.waiting = it.waiting.min(waiting);
                continues || it.ability.is_some()
            });
            if yields.len() < before {
                ended.push(seat);
            }
        }
        self.send_yields(&ended);
    }

    /// The pass of a seat that yields, if the pending decision is one that passing answers.
    fn yielded_pass(&self) -> Option<Vec<u32>> {
        let decision = self.playing.decision().filter(|decision| decision.kind == DecisionKind::Act)?;
        let yields = self.yields.get(decision.player)?;
        let holds = |it: &SeatYield| it.ability.is_none() || it.ability == self.next_ability();
        yields.iter().any(holds).then(|| ask::pass(decision)).flatten()
    }

    fn send_yields(&mut self, seats: &[usize]) {
        for seat in seats {
            let Some(client) = self.clients.iter().find(|client| self.seats_of(client).contains(seat)) else { continue };
            let words = |it: &SeatYield| client.speaker.yielding(it.until, it.ability.as_deref());
            let yields = self.yields.get(*seat).map_or(&[][..], Vec::as_slice).iter();
            let until = yields.map(|it| Yielding { until: it.until, ability: it.ability.clone(), words: words(it) }).collect();
            self.messages.push((client.id, ServerMessage::Yielding { until }));
        }
    }

    /// Sends every client what happened, and what differs.
    fn publish(&mut self) {
        let viewers = self.playing.viewers();
        let events: Vec<Vec<ViewEvent>> = (0..viewers).map(|viewer| self.playing.take_events(viewer)).collect();
        if events.iter().flatten().any(reveals) {
            self.undo_points.iter_mut().for_each(|point| point.learnt = true);
        }
        let decider = self.playing.decision().map(|decision| decision.player);
        for at in 0..self.clients.len() {
            let Some(client) = self.clients.get(at) else { continue };
            let own = self.seats_of(client);
            let viewer = decider.filter(|seat| own.contains(seat)).unwrap_or(client.viewer);
            self.update_client(at, viewer, events.get(viewer).map_or(&[][..], Vec::as_slice));
        }
    }

    /// Sends a client its new view: what differs, or all of it.
    fn update_client(&mut self, at: usize, viewer: usize, events: &[ViewEvent]) {
        let view = self.playing.view(viewer);
        let looks = self.playing.looks(viewer, &view);
        let lang = self.clients.get(at).map(|client| client.speaker.lang).unwrap_or_default();
        let shown = table_view(&view, (&self.setup.game, &self.setup.program.format), &self.shape, &looks, lang);
        let Some(client) = self.clients.get_mut(at) else { return };
        if client.viewer != viewer {
            client.viewer = viewer;
            client.log = EventLog::new(&self.setup.program);
            client.wants_view = client.wants_view.or(Some(ViewCause::Seat));
        }
        let program = &self.setup.program;
        let events = client.log.write(events, &client.speaker, program, &self.setup.game);
        let decision = self.playing.decision().filter(|decision| decision.player == viewer && client.seat.is_some());
        let ask = decision.and_then(|decision| {
            ask::ask(self.ask, &self.playing.game.machine, decision, &view, &self.setup.game, &client.speaker)
        });
        let cards = new_cards(client, &shown, &events, &self.setup, &self.definitions);
        let id = client.id;
        if !cards.is_empty() {
            self.messages.push((id, ServerMessage::Cards { cards }));
        }
        if let Some(why) = client.wants_view.take() {
            client.n += 1;
            client.view = shown.clone();
            self.messages.push((id, ServerMessage::View { n: client.n, why, view: shown, ask, waits: view.asked }));
            if !events.is_empty() && why != ViewCause::Join {
                client.n += 1;
                let (ask, patch) = (last_ask(&self.messages), serde_json::json!({}));
                self.messages.push((id, ServerMessage::Step { n: client.n, events, patch, ask, waits: view.asked }));
            }
            return;
        }
        let patch = patch(&client.view, &shown);
        client.n += 1;
        client.view = shown;
        self.messages.push((id, ServerMessage::Step { n: client.n, events, patch, ask, waits: view.asked }));
    }

    /// Sends one client the whole view.
    fn send_view(&mut self, id: ClientId, why: ViewCause) {
        let Some(at) = self.clients.iter().position(|client| client.id == id) else { return };
        let viewer = self.clients.get_mut(at).map(|client| {
            client.wants_view = Some(why);
            client.viewer
        });
        if let Some(viewer) = viewer {
            self.update_client(at, viewer, &[]);
        }
    }

    /// Records the result of a game that has ended, and waits for the next one.
    fn finish_game(&mut self, now: Millis) {
        let Some(outcome) = self.playing.outcome().filter(|_| !self.is_end_sent) else { return };
        self.is_end_sent = true;
        self.game_match.record_result(&self.setup.program, outcome);
        self.undo_points.clear();
        self.unready = if self.is_over() { BTreeSet::new() } else { self.person_seats().into_iter().collect() };
        self.send_over(None);
        if self.unready.is_empty() {
            self.next_game(now);
        }
    }

    fn send_over(&mut self, only: Option<ClientId>) {
        let Some(outcome) = self.playing.outcome() else { return };
        let (kind, by) = match outcome {
            Outcome::Won(seat) => (OutcomeKind::Won, Some(seat)),
            Outcome::Drawn => (OutcomeKind::Drawn, None),
            Outcome::Budget(_) => (OutcomeKind::Void, None),
        };
        let (state, trace) = (self.match_state(), format!("/api/trace/{}", self.setup.name));
        let conceded = self.playing.game.answers.last().is_some_and(RecordedAnswer::is_concession);
        let messages: Vec<_> = self
            .clients
            .iter()
            .filter(|client| only.is_none_or(|only| only == client.id))
            .map(|client| {
                let how = ending(&self.setup.game, &self.playing.game.machine, client.speaker.lang);
                let how = if conceded || how.is_empty() { String::new() } else { format!(" ({how})") };
                let words = format!("{}{how}", client.speaker.outcome(kind, by));
                (client.id, ServerMessage::Over { outcome: kind, by, words, trace: trace.clone(), state: state.clone() })
            })
            .collect();
        self.messages.extend(messages);
    }

    fn ready(&mut self, client: ClientId, seats: &[usize], deck: Option<BTreeMap<String, BTreeMap<String, u32>>>, now: Millis) {
        let Some(seat) = seats.iter().copied().find(|seat| self.unready.contains(seat)) else {
            self.send_error(client, ErrorCode::Unknown, "no game is awaited");
            return;
        };
        if let Some(deck) = deck {
            let mut sections = Vec::new();
            for (section, cards) in deck {
                let mut list = Vec::new();
                for (name, count) in cards {
                    let Some(card) = self.definitions.get(&name) else {
                        self.send_error(client, ErrorCode::Unknown, &format!("no card is called {name}"));
                        return;
                    };
                    list.push((count, *card));
                }
                sections.push((section, list));
            }
            if let Err(error) = self.game_match.exchange(&self.setup.program, seat, sections) {
                self.send_error(client, ErrorCode::Unknown, &error.to_string());
                return;
            }
        }
        self.unready.remove(&seat);
        if self.unready.is_empty() {
            self.next_game(now);
        } else {
            self.send_over(None);
        }
    }

    fn next_game(&mut self, now: Millis) {
        if self.is_over() {
            return;
        }
        if self.game_match.phase() == MatchPhase::Exchanging {
            (0..self.seats()).for_each(|seat| self.game_match.set_ready(seat));
        }
        // The decks were legal before, and an exchange keeps them legal.
        let Ok(playing) = begin(&self.setup, &self.game_match) else { return };
        self.playing = playing;
        self.is_end_sent = false;
        self.decided();
        self.yields.iter_mut().for_each(Vec::clear);
        for client in &mut self.clients {
            client.log = EventLog::new(&self.setup.program);
            client.cards.clear();
            client.wants_view = Some(ViewCause::NextGame);
        }
        self.advance(now);
    }

    /// Why something cannot be used or chosen now.
    fn reasons(&mut self, seats: &[usize], on: Option<u32>) -> Vec<Reason> {
        let unknown = |words: &str| vec![Reason { kind: "unknown".to_owned(), words: words.to_owned(), ..Reason::default() }];
        let Some(decision) = self.playing.decision().cloned() else { return unknown("the game is over") };
        if !seats.contains(&decision.player) {
            return unknown("another player decides now");
        }
        let Some(handles) = self.playing.observer(decision.player).map(|observer| observer.handles().clone()) else {
            return Vec::new();
        };
        // Reasons refresh caches, so they are computed on a copy.
        let mut machine = self.playing.game.machine.clone();
        let reason = |play: &str, why: fizzle_runtime::view::RefusalReason| Reason {
            play: spaced(play),
            kind: kind_name(why.kind).to_owned(),
            words: why.words,
            path: why.path,
            place: why.place,
            ..Reason::default()
        };
        if decision.kind == DecisionKind::Act {
            let refused = refusals(&mut machine, &handles, &decision).into_iter();
            let refused = refused.filter(|one| on.is_none() || one.handle == on);
            let mut reasons: Vec<_> = refused.map(|one| (one.why.kind, reason(&one.play, one.why))).collect();
            reasons.sort_by_key(|(kind, _)| *kind);
            return reasons.into_iter().map(|(_, reason)| reason).take(MAX_REASONS).collect();
        }
        let Some(on) = on else { return unknown("the options are all that can be chosen here") };
        match candidate_refusal(&mut machine, &handles, &decision, on) {
            Some(why) => vec![reason("", why)],
            None => unknown("nothing is known of it"),
        }
    }

    fn undo(&mut self, client: ClientId, seats: &[usize], now: Millis) {
        let at = self.undo_points.iter().rposition(|point| seats.contains(&point.seat));
        let Some(point) = at.and_then(|at| self.undo_points.get(at)).copied() else {
            self.send(client, ServerMessage::UndoAnswered { done: false, words: "there is nothing to take back".to_owned() });
            return;
        };
        let others: Vec<usize> = self.person_seats().into_iter().filter(|seat| !seats.contains(seat)).collect();
        if self.setup.sandbox || others.is_empty() {
            self.go_back(point.before, now);
        } else if point.learnt {
            let words = "a player has seen something hidden since".to_owned();
            self.send(client, ServerMessage::UndoAnswered { done: false, words });
        } else {
            self.undo_request = Some(UndoRequest { by: point.seat, agreed: BTreeSet::new() });
            let voters = self.clients.iter().filter(|other| other.seat.is_some_and(|seat| others.contains(&seat)));
            let messages: Vec<_> = voters.map(|other| (other.id, ServerMessage::UndoRequested { by: point.seat })).collect();
            self.messages.extend(messages);
        }
    }

    fn vote(&mut self, client: ClientId, seats: &[usize], agree: bool, now: Millis) {
        let Some(request) = &mut self.undo_request else {
            self.send(client, ServerMessage::UndoAnswered { done: false, words: "nothing is to be taken back".to_owned() });
            return;
        };
        let by = request.by;
        if !agree {
            self.undo_request = None;
            self.send_all(|_| ServerMessage::UndoAnswered { done: false, words: "a player does not agree".to_owned() });
            return;
        }
        request.agreed.extend(seats.iter().copied());
        let agreed = request.agreed.clone();
        if self.person_seats().into_iter().all(|seat| seat == by || agreed.contains(&seat)) {
            let point = self.undo_points.iter().rfind(|point| point.seat == by && !point.learnt).copied();
            if let Some(point) = point {
                self.go_back(point.before, now);
            }
        }
    }

    /// Plays the game again up to a number of answers.
    fn go_back(&mut self, answers: usize, now: Millis) {
        let kept = self.playing.game.answers.get(..answers).unwrap_or(&[]).to_vec();
        let Ok(playing) = Playing::replay(&self.setup.program, self.playing.start().clone(), &kept) else { return };
        self.playing = playing;
        self.undo_points.retain(|point| point.before < answers);
        self.yields.iter_mut().for_each(Vec::clear);
        self.decided();
        // What happened before was written already.
        for viewer in 0..self.playing.viewers() {
            let events = self.playing.take_events(viewer);
            for client in self.clients.iter_mut().filter(|client| client.viewer == viewer) {
                client.log = EventLog::new(&self.setup.program);
                client.log.write(&events, &client.speaker, &self.setup.program, &self.setup.game);
                client.wants_view = Some(ViewCause::Undo);
            }
        }
        self.send_all(|_| ServerMessage::UndoAnswered { done: true, words: String::new() });
        self.advance(now);
    }

    fn absent_choice(&mut self, seats: &[usize], choice: AbsentChoice, now: Millis) {
        if seats.is_empty() {
            return;
        }
        let late: Vec<usize> = self.absent.iter().filter(|(_, at)| **at <= now).map(|(seat, _)| *seat).collect();
        for seat in late {
            match choice {
                AbsentChoice::Wait => {
                    self.absent.insert(seat, now.saturating_add(self.setup.grace));
                }
                AbsentChoice::Bot => {
                    self.absent.remove(&seat);
                    if let Some(occupant) = self.setup.occupants.get_mut(seat) {
                        *occupant = Occupant::Bot("greedy".to_owned());
                    }
                    self.unready.remove(&seat);
                }
                AbsentChoice::End => {
                    self.absent.remove(&seat);
                    if self.playing.concede(seat) {
                        self.decided();
                    }
                }
            }
        }
        self.advance(now);
        self.send_seats();
    }

    /// When the table must be woken, even if no message comes until then.
    #[must_use]
    pub fn wake_at(&self) -> Option<Millis> {
        if self.is_over() { None } else { self.absent.values().copied().filter(|at| *at > 0).min() }
    }

    /// The time has come.
    pub fn wake(&mut self, now: Millis) {
        let late: Vec<usize> = self.absent.iter().filter(|(_, at)| **at > 0 && **at <= now).map(|(seat, _)| *seat).collect();
        for seat in late {
            // Sent once; a choice of the others is accepted from now on.
            self.absent.insert(seat, 0);
            self.send_all(|_| ServerMessage::Absent { seat });
        }
    }

    /// The messages since the last call, in order.
    pub fn take_messages(&mut self) -> Vec<(ClientId, ServerMessage)> {
        std::mem::take(&mut self.messages)
    }

    /// What a bot must decide now, once for each decision.
    pub fn take_bot_task(&mut self) -> Option<BotTask> {
        let decision = self.playing.decision()?;
        let Some(Occupant::Bot(bot)) = self.setup.occupants.get(decision.player) else { return None };
        if self.thinking == Some(self.ask) {
            return None;
        }
        self.thinking = Some(self.ask);
        let seed = derive(self.setup.timing_seed, u64::from(self.game_match.game()), decision.player as u64);
        let machine = self.playing.game.machine.clone();
        Some(BotTask { ask: self.ask, bot: bot.clone(), seed, machine, decision: decision.clone() })
    }

    /// A bot has decided. An answer that is too late is ignored.
    pub fn bot_answered(&mut self, answer: BotAnswer, now: Millis) {
        if answer.ask != self.ask || self.thinking != Some(self.ask) {
            return;
        }
        if self.playing.answer(&answer.picks).is_ok() {
            self.decided();
            self.advance(now);
        }
    }

    /// The trace of the current game, or of the last one.
    #[must_use]
    pub fn trace(&self) -> Vec<u8> {
        self.playing.trace(&self.setup.game.name)
    }

    /// A hash of the position, for tests.
    #[must_use]
    pub fn position_hash(&self) -> u64 {
        let machine = &self.playing.game.machine;
        machine.state.board_hash(&machine.program)
    }

    /// The number of the turn.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.playing.game.machine.state.turn()
    }

    /// Whether the match is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.game_match.phase() == MatchPhase::Over
    }

    /// The match in progress as plain data, for [`Table::restore`].
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let saved = SavedTable {
            game_match: self.game_match.clone(),
            answers: self.playing.game.answers.clone(),
            names: self.names.clone(),
            unready: self.unready.iter().copied().collect(),
            is_over: self.is_end_sent,
        };
        // Plain data can always be written.
        serde_json::to_vec(&saved).unwrap_or_default()
    }

    /// A table that continues from where another one was saved. Bytes of a stranger are safe.
    ///
    /// # Errors
    /// [`SetupError`] if the bytes are damaged, or do not fit the format or decks.
    pub fn restore(setup: TableSetup, bytes: &[u8]) -> Result<Self, SetupError> {
        let failed = |error: &dyn std::fmt::Display| SetupError(error.to_string());
        let saved: SavedTable = serde_json::from_slice(bytes).map_err(|error| failed(&error))?;
        let fresh = Self::new(setup)?;
        if saved.names.len() != fresh.seats() || !fresh.game_match.has_same_decks(&saved.game_match) {
            return Err(SetupError("the saved table has other players or decks".to_owned()));
        }
        // After the result was recorded, the match is one game ahead; the last game is not kept.
        let answers = if saved.is_over { Vec::new() } else { saved.answers };
        let setup = fresh.setup;
        let playing = Playing::replay(&setup.program, game_start(&setup, &saved.game_match), &answers).map_err(|e| failed(&e))?;
        if playing.game.answers.len() < answers.len() {
            return Err(SetupError("the rules now lead to another game".to_owned()));
        }
        let mut table = Self::with_game(setup, saved.game_match, playing);
        table.names = saved.names;
        Ok(table)
    }
}

/// A saved table.
#[derive(serde::Serialize, serde::Deserialize)]
struct SavedTable {
    game_match: Match,
    answers: Vec<RecordedAnswer>,
    names: Vec<String>,
    unready: Vec<usize>,
    is_over: bool,
}

fn game_start(setup: &TableSetup, game_match: &Match) -> GameStart {
    GameStart { seats: game_match.seats(&setup.program), seed: game_match.game_seed(), context: game_match.context() }
}

fn begin(setup: &TableSetup, game_match: &Match) -> Result<Playing, fizzle_runtime::game::StartError> {
    Playing::begin(&setup.program, game_start(setup, game_match))
}

/// The decision of the last message, to be sent again.
fn last_ask(messages: &[(ClientId, ServerMessage)]) -> Option<Ask> {
    match messages.last() {
        Some((_, ServerMessage::View { ask, .. })) => ask.clone(),
        _ => None,
    }
}

/// The faces of the cards that a client meets for the first time.
fn new_cards(
    client: &mut Client,
    view: &TableView,
    events: &[Event],
    setup: &TableSetup,
    definitions: &BTreeMap<String, DefId>,
) -> BTreeMap<String, Card> {
    let objects = view.objects.values().flat_map(|it| std::iter::once(&it.card).chain(it.under.iter().map(|under| &under.card)));
    let shown = view.facts.shown.iter().map(|(_, card, _)| card);
    let named = events.iter().flat_map(|event| &event.words).map(|piece| &piece.card);
    let mut cards = BTreeMap::new();
    for name in objects.chain(shown).chain(named) {
        if name.is_empty() || !client.cards.insert(name.clone()) {
            continue;
        }
        let card = definitions.get(name).and_then(|id| {
            let (pack, lang) = ((&*setup.game, &*setup.program.format), client.speaker.lang);
            let mut face = face(pack.0, pack.1, *id, lang)?;
            if let Some(look) = printed_look(&setup.program, *id) {
                apply_look(&mut face, pack, *id, &look, lang);
            }
            Some(face)
        });
        cards.extend(card.map(|card| (name.clone(), card)));
    }
    cards
}

/// Whether an event shows its viewer something that was hidden before.
fn reveals(event: &ViewEvent) -> bool {
    use fizzle_runtime::view::event_stream::EventArg;
    let unknown_before = |arg: &EventArg| matches!(arg, EventArg::Object { handle: None, became: Some(_) });
    match event {
        ViewEvent::Event { action, args, .. } => {
            matches!(action.as_str(), "reveal" | "shuffle") || args.iter().any(unknown_before)
        }
        ViewEvent::Met { .. }
        | ViewEvent::Lost { .. }
        | ViewEvent::Triggered { .. }
        | ViewEvent::Chosen { .. }
        | ViewEvent::Asked { .. }
        | ViewEvent::Question(_)
        | ViewEvent::Answered { .. }
        | ViewEvent::Passed { .. }
        | ViewEvent::TookBack { .. }
        | ViewEvent::Over { .. } => false,
    }
}

/// The name of a kind of reasons in messages.
fn kind_name(kind: fizzle_runtime::view::AgainstKind) -> &'static str {
    use fizzle_runtime::view::AgainstKind as Kind;
    match kind {
        Kind::Forbidden => "forbidden",
        Kind::Cost => "cost",
        Kind::NoChoice => "no_choice",
        Kind::Limit => "limit",
        Kind::Moment => "moment",
        Kind::Window => "window",
        Kind::Elsewhere => "elsewhere",
        Kind::Selection => "selection",
    }
}
