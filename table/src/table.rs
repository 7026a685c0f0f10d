//! A table: seats, watchers, bots, undo. It receives the messages of clients and the time, and returns the messages to send.

use crate::after_pass;
use crate::ask;
use crate::face::cards_of;
use crate::layout;
use crate::playing::{GameStart, Playing};
use crate::protocol::{
    ClientMessage, ErrorCode, Event, Lang, Seat, ServerMessage, TableInfo, TableView, ViewCause, Welcome, YieldUntil,
};
use crate::rule_text::Sources;
use crate::table_view::{PackIndex, patch, share_objects, table_view};
use crate::words::phrases::Speaker;
use fizzle_bots::named;
use fizzle_ir::{CompiledGame, Deck};
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::matches::{Match, MatchPhase};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::{View, determinise};
use fizzle_runtime::vm::decision::{AnswerError, Decision, DecisionKind};
use fizzle_runtime::vm::knowledge::can_look_into;
use fizzle_runtime::vm::machine::Machine;
use history::History;
use reload::Given;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;
use undo::UndoRequest;

mod absence;
mod auto_yields;
mod history;
mod match_games;
mod reasons;
mod reload;
mod saved;
mod undo;

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
    /// What is looked up in it for each view; tables of the same pack share it.
    pub pack_index: Arc<PackIndex>,
    /// Its sources, from which the text of a rule is shown; empty if there are none.
    pub sources: Arc<Sources>,
    /// The linked program of the format and decks; tables with the same ones share it.
    pub program: Arc<Program>,
    /// The decks, by seat.
    pub decks: Vec<Deck>,
    /// Whether decks that are not legal are played too, in a match of one game.
    pub any_deck: bool,
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
    /// The position in which the only game of the match begins, without decks. `None`: the setup of the format.
    pub position: Option<Box<Machine>>,
    /// The seed of what is not part of the game: bots, and how long forced answers wait.
    pub timing_seed: u64,
    /// For how long a seat is held for a client that has left.
    pub grace: Millis,
    /// For how long an automatic pass waits before the others see it, at a table of several people: else its time would show that
    /// a player has nothing to play. `None`: not at all.
    pub forced_wait: Option<RangeInclusive<Millis>>,
}

impl TableSetup {
    /// The hash of the rules, in hexadecimal digits.
    #[must_use]
    pub fn rules_hash(&self) -> String {
        format!("{:016x}", self.program.rules_hash)
    }
}

/// Why a table cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

/// A client at the table.
#[derive(Clone, Debug)]
struct Client {
    id: ClientId,
    /// Its seat; `None` for a watcher.
    seat: Option<usize>,
    /// The viewer whose view it has: its seat, another one of the same screen, or the watchers.
    viewer: usize,
    speaker: Speaker,
    token: String,
    n: u64,
    /// What it was sent; clients with the same view share it.
    view: Arc<TableView>,
    cards: BTreeSet<String>,
    /// The number of events that it was sent, by viewer.
    read: BTreeMap<usize, u64>,
    /// The view that it must be sent as a whole, and why.
    wants_view: Option<ViewCause>,
}

/// A yield of a seat, with what it began at.
#[derive(Clone, Debug)]
struct SeatYield {
    until: YieldUntil,
    ability: Option<String>,
    turn: u32,
    waiting: usize,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    setup: TableSetup,
    names: Vec<String>,
    game_match: Match,
    /// The match as it was when the game began.
    begun_in: Match,
    playing: Playing,
    /// What happened, by viewer.
    histories: Vec<History>,
    /// The number of the pending decision. It grows with each decision, also after an undo.
    ask: u64,
    /// The decision for which a bot thinks.
    thinking: Option<u64>,
    clients: Vec<Client>,
    messages: Vec<(ClientId, ServerMessage)>,
    undo_request: Option<UndoRequest>,
    yields: Vec<Vec<SeatYield>>,
    /// The seats that must be ready before the next game.
    unready: BTreeSet<usize>,
    /// For a seat whose client is absent: when the others receive a message.
    absent: BTreeMap<usize, Millis>,
    is_end_sent: bool,
    /// When the clients are shown what an automatic pass has led to.
    shown_at: Option<Millis>,
    /// The answers that the last reload could not repeat all.
    given: Option<Given>,
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

impl Table {
    /// The bots that have seats, by their names.
    pub fn bots(&self) -> impl Iterator<Item = &str> {
        self.setup
            .occupants
            .iter()
            .filter_map(|occupant| if let Occupant::Bot(name) = occupant { Some(name.as_str()) } else { None })
    }

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
        if setup.position.is_none() && setup.occupants.len() != setup.decks.len() {
            return Err(SetupError(format!("{} players have {} decks", setup.occupants.len(), setup.decks.len())));
        }
        let game_match = match &setup.position {
            Some(machine) if machine.program.players() == setup.occupants.len() => {
                Match::of_one_game(&vec![Deck::default(); setup.occupants.len()], 0)
            }
            Some(_) => return Err(SetupError("the position has another number of players".to_owned())),
            None if setup.any_deck && setup.best_of == 1 => Match::of_one_game(&setup.decks, setup.seed),
            None => {
                let ancestors = setup.game.ancestors(&setup.program.format.name);
                let game_match = Match::new(&setup.program, &ancestors, Some(setup.best_of), &setup.decks, setup.seed);
                game_match.map_err(|error| failed(&error))?
            }
        };
        let playing = begin(&setup, &game_match).map_err(|error| failed(&error))?;
        Ok(Self::with_game(setup, game_match, playing))
    }

    /// A table that continues a game of one match from its recorded answers. Those of which there is only one are given at once.
    pub(crate) fn resume(setup: TableSetup, start: GameStart, answers: &[RecordedAnswer]) -> Result<Self, SetupError> {
        let seats = setup.program.players();
        if setup.occupants.len() != seats {
            return Err(SetupError(format!("the game has {seats} players")));
        }
        let playing = Playing::replay(&setup.program, start, answers);
        let mut playing = playing.map_err(|error| SetupError(error.to_string()))?;
        playing.take_forced();
        let game_match = Match::of_one_game(&vec![Deck::default(); seats], setup.seed);
        let mut table = Self::with_game(setup, game_match, playing);
        table.read_events_again();
        Ok(table)
    }

    fn with_game(setup: TableSetup, game_match: Match, playing: Playing) -> Self {
        let seats = setup.occupants.len();
        let names = setup.occupants.iter().enumerate().map(|(seat, occupant)| match occupant {
            Occupant::Client => String::new(),
            Occupant::Bot(name) => format!("{name} {}", fizzle_runtime::view::seat_name(seat)),
        });
        Self {
            names: names.collect(),
            begun_in: game_match.clone(),
            histories: vec![History::new(&setup.program, playing.first_turn()); seats + 1],
            setup,
            game_match,
            playing,
            ask: 1,
            thinking: None,
            clients: Vec::new(),
            messages: Vec::new(),
            undo_request: None,
            yields: vec![Vec::new(); seats],
            unready: BTreeSet::new(),
            absent: BTreeMap::new(),
            is_end_sent: false,
            shown_at: None,
            given: None,
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
            // A bot that has taken the seat gives it back.
            if let Some(occupant) = self.setup.occupants.get_mut(seat) {
                *occupant = Occupant::Client;
            }
            let seats = if self.setup.hot_seat { self.person_seats() } else { vec![seat] };
            self.absent.retain(|absent, _| !seats.contains(absent));
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
            view: Arc::default(),
            cards: BTreeSet::new(),
            read: BTreeMap::new(),
            wants_view: Some(ViewCause::Join),
        });
        for client in &mut self.clients {
            client.speaker.names.clone_from(&self.names);
        }
        // Who has not come yet, or not again after the table was restored, is waited for as long as who has left.
        let is_here = |seat: &usize| self.clients.iter().any(|client| self.seats_of(client).contains(seat));
        let missing: Vec<usize> = self.person_seats().into_iter().filter(|seat| !is_here(seat)).collect();
        for seat in missing {
            self.absent.entry(seat).or_insert(now.saturating_add(self.setup.grace));
        }
        let welcome = self.welcome(client);
        if let Some(welcome) = welcome {
            self.send(client, ServerMessage::Welcome(Box::new(welcome)));
        }
        if self.shown_at.is_none() {
            self.advance(now);
        }
        let mut own: Vec<usize> = self.client(client).map(|known| self.seats_of(known)).unwrap_or_default();
        own.retain(|seat| self.yields.get(*seat).is_some_and(|yields| !yields.is_empty()));
        self.send_yields(&own);
        self.send_seats();
        if self.is_end_sent && self.playing.outcome().is_some() {
            self.send_over(Some(client));
        }
    }

    fn welcome(&self, id: ClientId) -> Option<Welcome> {
        let client = self.client(id)?;
        let (game, format) = (&self.setup.game, &self.setup.program.format);
        Some(Welcome {
            v: 1,
            seat: client.seat,
            token: client.token.clone(),
            table: self.info(),
            layout: layout::of_format(game, format, client.speaker.lang),
            spans: layout::spans(game, format, client.speaker.lang),
        })
    }

    /// The table as its clients know it.
    #[must_use]
    pub fn info(&self) -> TableInfo {
        let format = &self.setup.program.format;
        TableInfo {
            name: self.setup.name.clone(),
            format: format.name.clone(),
            title: format.shown_title().to_owned(),
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

    fn send_seats(&mut self) {
        let (seats, watchers) = (self.seat_list(), self.clients.iter().filter(|client| client.seat.is_none()).count());
        self.send_all(|_| ServerMessage::Seats { seats: seats.clone(), watchers });
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
                if ask != self.ask
                    || self.shown_at.is_some()
                    || self.playing.decision().is_none_or(|decision| !seats.contains(&decision.player))
                {
                    self.send_error(client, ErrorCode::Stale, speaker.say("this decision is over", "この選択は終わっている"));
                    return;
                }
                self.answer(client, picks, number, shares, now);
            }
            ClientMessage::Why { on } => {
                let reasons = self.reasons(&seats, on, &speaker);
                self.send(client, ServerMessage::Why { on, reasons });
            }
            ClientMessage::Yield { until, ability } => {
                self.begin_yield(&seats, until, ability);
                self.pass_for_yield(&seats);
                self.advance(now);
            }
            ClientMessage::Hold => {
                self.hold(&seats);
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
        let question = self.playing.question().unwrap_or_default();
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
        match self.playing.answer(&question.picks(&options)) {
            Ok(()) => {
                self.decided();
                self.advance(now);
            }
            Err(refusal) => self.refuse(client, &decision, &refusal),
        }
    }

    /// After a decision, before the next one is shown.
    fn decided(&mut self) {
        self.ask += 1;
        self.undo_request = None;
    }

    /// Passes for seats that yield, and shows all clients where the game has stopped: at once, or after [`TableSetup::forced_wait`].
    fn advance(&mut self, now: Millis) {
        let mut automatic = self.playing.take_forced();
        loop {
            self.end_yields();
            let Some(picks) = self.yielded_pass() else { break };
            automatic.extend(self.playing.decision().map(|decision| decision.player));
            if self.playing.answer_automatically(&picks).is_err() {
                break;
            }
            self.decided();
        }
        automatic.extend(self.playing.take_forced());
        let persons = self.person_seats();
        let may_hide = |seat: &usize| persons.contains(seat) && self.has_hidden_cards(*seat);
        let wait = self.setup.forced_wait.clone().filter(|_| persons.len() > 1 && !self.setup.hot_seat && !self.setup.sandbox);
        match wait.filter(|_| automatic.iter().any(may_hide)) {
            Some(wait) => {
                let range = wait.end().saturating_sub(*wait.start()).saturating_add(1);
                let pause = wait.start().saturating_add(derive(self.setup.timing_seed, self.ask, 1) % range);
                self.shown_at = Some(now.saturating_add(pause));
            }
            // What already waits is not shown earlier because a client sends something.
            None if self.shown_at.is_some() => {}
            None => self.show(now),
        }
    }

    /// Whether a seat has cards that only its player sees.
    fn has_hidden_cards(&self, seat: usize) -> bool {
        let machine = &self.playing.game.machine;
        let program = &machine.program;
        (0..program.layout.instances).any(|zone| {
            program.zone_owner(zone) == Some(seat)
                && can_look_into(program, seat, zone)
                && !program.is_public(zone)
                && !machine.state.zone_items(program, zone).is_empty()
        })
    }

    /// Shows all clients where the game has stopped.
    fn show(&mut self, now: Millis) {
        self.shown_at = None;
        self.publish();
        self.finish_game(now);
    }

    /// Sends every client what happened, and what differs.
    fn publish(&mut self) {
        let decider = self.playing.decision().map(|decision| decision.player);
        let mut objects = BTreeSet::new();
        for at in 0..self.clients.len() {
            let Some(client) = self.clients.get(at) else { continue };
            let viewer = decider.filter(|seat| self.seats_of(client).contains(seat)).unwrap_or(client.viewer);
            let Some(client) = self.clients.get_mut(at).filter(|client| client.viewer != viewer) else { continue };
            client.viewer = viewer;
            client.wants_view = client.wants_view.or(Some(ViewCause::Seat));
        }
        for viewer in 0..self.playing.viewers() {
            let items = self.playing.take_events(viewer);
            let readers: Vec<usize> = (0..self.clients.len())
                .filter(|at| self.clients.get(*at).is_some_and(|client| client.viewer == viewer))
                .collect();
            // Watchers mostly read the same words.
            let mut speakers: Vec<&Speaker> = Vec::new();
            let mut of_reader = Vec::new();
            for client in readers.iter().filter_map(|at| self.clients.get(*at)) {
                let known = speakers.iter().position(|speaker| **speaker == client.speaker);
                of_reader.push(known.unwrap_or(speakers.len()));
                if known.is_none() {
                    speakers.push(&client.speaker);
                }
            }
            let (program, game) = (&self.setup.program, &self.setup.game);
            let Some(history) = self.histories.get_mut(viewer) else { continue };
            let written = history.add(&items, &speakers, program, game);
            if readers.is_empty() {
                continue;
            }
            let view = self.playing.view(viewer);
            let mut shown: BTreeMap<Lang, Arc<TableView>> = BTreeMap::new();
            for (at, written_for) in readers.into_iter().zip(of_reader) {
                let Some(lang) = self.clients.get(at).map(|client| client.speaker.lang) else { continue };
                let in_lang = match shown.get(&lang) {
                    Some(known) => Arc::clone(known),
                    None => {
                        let mut new = self.shown(viewer, &view, lang);
                        share_objects(&mut new, &mut objects);
                        Arc::clone(shown.entry(lang).or_insert(Arc::new(new)))
                    }
                };
                self.update_client(at, &view, in_lang, written.get(written_for).cloned().unwrap_or_default());
            }
        }
    }

    /// A view in the form of the protocol.
    fn shown(&mut self, viewer: usize, view: &View, lang: Lang) -> TableView {
        let looks = self.playing.looks(viewer, view);
        let setup = &self.setup;
        table_view(view, (&setup.game, &setup.program), &setup.pack_index, &looks, lang)
    }

    /// Sends a client its new view: what differs, or all of it.
    fn update_client(&mut self, at: usize, view: &View, shown: Arc<TableView>, mut events: Vec<Event>) {
        let Some(client) = self.clients.get_mut(at) else { return };
        let (program, game) = (&self.setup.program, &self.setup.game);
        let why = client.wants_view.take();
        let mut fresh = 0;
        if let Some(history) = self.histories.get(client.viewer) {
            let read = client.read.insert(client.viewer, history.added).unwrap_or(0);
            if why.is_some() {
                (events, fresh) = history.written(&client.speaker, read, program, game);
            }
        }
        let decision = self.playing.decision().filter(|decision| decision.player == client.viewer && client.seat.is_some());
        let mut ask = decision.and_then(|decision| ask::ask(self.ask, &self.playing, decision, view, game, &client.speaker));
        if let Some(ask) = &mut ask {
            after_pass::add_hint(ask, &self.playing.game.machine, view, game, &client.speaker);
        }
        let lang = client.speaker.lang;
        let cards = cards_of(&shown, &events, &mut client.cards, &self.setup.pack_index, (game, program), lang);
        if !cards.is_empty() {
            self.messages.push((client.id, ServerMessage::Cards { cards }));
        }
        client.n += 1;
        let (n, waits) = (client.n, view.asked);
        let message = match why {
            Some(why) => ServerMessage::View { n, why, view: (*shown).clone(), events, fresh, ask, waits },
            None => ServerMessage::Step { n, events, patch: patch(&client.view, &shown), ask, waits },
        };
        client.view = shown;
        self.messages.push((client.id, message));
    }

    /// Sends one client the whole view; while an automatic answer waits, later.
    fn send_view(&mut self, id: ClientId, why: ViewCause) {
        let Some(at) = self.clients.iter().position(|client| client.id == id) else { return };
        let Some(client) = self.clients.get_mut(at) else { return };
        client.wants_view = Some(why);
        let (viewer, lang) = (client.viewer, client.speaker.lang);
        if self.shown_at.is_none() {
            let view = self.playing.view(viewer);
            let mut shown = self.shown(viewer, &view, lang);
            let mut objects = self.clients.iter().flat_map(|client| client.view.objects.values()).cloned().collect();
            share_objects(&mut shown, &mut objects);
            // Watchers mostly have the same view.
            let same = self.clients.iter().find(|client| client.id != id && *client.view == shown);
            let shown = same.map_or_else(|| Arc::new(shown), |client| Arc::clone(&client.view));
            self.update_client(at, &view, shown, Vec::new());
        }
    }

    /// Sends a note about the table to all clients.
    pub fn announce(&mut self, words: &str) {
        self.send_all(|_| ServerMessage::Error { code: ErrorCode::Unknown, words: words.to_owned() });
    }

    /// The messages since the last call, in order.
    pub fn take_messages(&mut self) -> Vec<(ClientId, ServerMessage)> {
        std::mem::take(&mut self.messages)
    }

    /// Returns the caches of the game, so that a table at which people think needs less memory. They are computed again at the next answer.
    pub fn release_caches(&mut self) {
        self.playing.game.machine.release_memory();
    }

    /// What a bot must decide now, once for each decision.
    pub fn take_bot_task(&mut self) -> Option<BotTask> {
        let decision = self.playing.decision()?;
        let Some(Occupant::Bot(bot)) = self.setup.occupants.get(decision.player) else { return None };
        if self.thinking == Some(self.ask) || self.shown_at.is_some() {
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
        let Some(decision) = self.playing.decision().cloned() else { return };
        // A bot that answers against the rules concedes, so that no table waits for ever.
        if self.playing.answer_automatically(&answer.picks).is_ok() || self.playing.concede(decision.player) {
            self.decided();
            self.advance(now);
        }
    }

    /// The trace of the current game, or of the last one; `None` if it has begun in a position.
    #[must_use]
    pub fn trace(&self) -> Option<Vec<u8>> {
        self.playing.trace(&self.setup.game.name)
    }

    /// The answers of the current game, or of the last one, also forced ones.
    #[must_use]
    pub fn answers(&self) -> Vec<RecordedAnswer> {
        self.playing.game.answers.iter().collect()
    }

    /// The hash of its rules, in hexadecimal digits.
    #[must_use]
    pub fn rules_hash(&self) -> String {
        self.setup.rules_hash()
    }

    /// The game.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.playing.game.machine
    }

    /// Replaces what a viewer cannot know about the game by chance, with [`determinise`]: what this viewer is sent must not
    /// depend on it. Later games of the match are as before.
    pub fn determinise(&mut self, viewer: usize, seed: u64) {
        self.playing.game.machine = determinise(&self.playing.game.machine, viewer, seed);
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

    /// The match.
    #[must_use]
    pub fn game_match(&self) -> &Match {
        &self.game_match
    }

    /// Whether the match is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.game_match.phase() == MatchPhase::Over
    }
}

fn game_start(setup: &TableSetup, game_match: &Match) -> GameStart {
    if let Some(machine) = &setup.position {
        return GameStart::Position(machine.clone());
    }
    GameStart::Decks { seats: game_match.seats(&setup.program), seed: game_match.game_seed(), context: game_match.context() }
}

fn begin(setup: &TableSetup, game_match: &Match) -> Result<Playing, fizzle_runtime::game::StartError> {
    Playing::begin(&setup.program, game_start(setup, game_match))
}
