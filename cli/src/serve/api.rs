//! Requests of the lobby. All need the key of the host; the key of a seat also suffices for the trace of its table.

use super::answers::{Json, Refusal, away, bad, key_of};
use super::app::App;
use super::catalog::{ListedFormat, PlayableFormat};
use super::keys::Key;
use super::saved::{SavedSeat, SavedTable, Who, is_table_name};
use super::table_handle::{Access, Mail, TableHandle};
use super::tables::{TableTask, set_up};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fizzle_runtime::ir::Deck;
use fizzle_table::table::Table;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal(StatusCode::BAD_REQUEST, format!("the request is not understood: {error}")))
}

/// A link to a table.
#[derive(Clone, Debug, Serialize)]
pub struct Link {
    /// Its seat; absent for watchers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// `seat` or `watch`.
    #[serde(rename = "as")]
    pub role: &'static str,
    /// The key.
    pub key: String,
}

/// The links of a table that are not used up.
fn links(saved: &SavedTable) -> Vec<Link> {
    let open = |(seat, known): (usize, &SavedSeat)| {
        (!known.key.is_empty()).then(|| Link { seat: Some(seat), role: "seat", key: known.key.clone() })
    };
    saved.seats.iter().enumerate().filter_map(open).collect()
}

#[derive(Serialize)]
struct Lobby {
    formats: Vec<ListedFormat>,
    bots: Vec<String>,
    lan: bool,
    addresses: Vec<String>,
    pack: String,
    tables: Vec<ListedTable>,
    /// Whether there is a workbench.
    bench: bool,
}

#[derive(Serialize)]
struct ListedTable {
    name: String,
    format: String,
    title: String,
    turn: u32,
    over: bool,
    links: Vec<Link>,
}

fn list_table(table: &TableHandle) -> ListedTable {
    let saved = table.saved();
    let mut links = links(&saved);
    links.push(Link { seat: None, role: "watch", key: saved.watch.clone() });
    ListedTable {
        name: table.name.clone(),
        format: table.format.clone(),
        title: table.title.clone(),
        turn: table.turn.load(Ordering::Relaxed),
        over: table.is_over.load(Ordering::Relaxed),
        links,
    }
}

/// `GET /api/lobby`.
pub async fn lobby(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let lobby = away(move || Lobby {
        formats: app.catalog.listed(),
        bots: listed_bots(&app),
        lan: app.lan,
        addresses: app.addresses.clone(),
        pack: app.pack.clone(),
        tables: app.all_tables().iter().filter(|table| !table.saved().is_try).map(|table| list_table(table)).collect(),
        bench: app.bench.is_some(),
    });
    Ok(Json(lobby.await?).into_response())
}

#[derive(Deserialize)]
struct DeckRequest {
    format: String,
    text: String,
}

#[derive(Serialize)]
struct DeckResponse {
    cards: Vec<fizzle::deck_list::ListedCard>,
    problems: Vec<super::catalog::ListProblem>,
    notes: Vec<String>,
}

/// `POST /api/deck`.
pub async fn deck(State(app): State<Arc<App>>, headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let request: DeckRequest = read(&body)?;
    let found = away(move || app.catalog.find(&request.format).map(|format| format.read_deck(&request.text))).await?;
    let found = found.ok_or_else(|| bad("there is no such format"))?;
    Ok(Json(DeckResponse { cards: found.cards, problems: found.problems, notes: found.notes }).into_response())
}

/// A table that is wanted.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct TableRequest {
    /// The format.
    pub format: String,
    /// The seats.
    #[serde(default)]
    pub seats: Vec<SeatRequest>,
    /// The number of games.
    #[serde(default)]
    pub best_of: Option<u32>,
    /// The seed; by default a random one.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Whether undo is free; by default if one person decides alone.
    #[serde(default)]
    pub sandbox: Option<bool>,
}

/// A seat that is wanted.
#[derive(Clone, Debug, Deserialize)]
pub struct SeatRequest {
    /// Who plays.
    pub who: Who,
    /// The bot.
    #[serde(default)]
    pub bot: Option<String>,
    /// The deck; by default a legal one.
    #[serde(default)]
    pub deck: Option<DeckChoice>,
    /// The name of the player.
    #[serde(default)]
    pub name: String,
}

/// A deck that is wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum DeckChoice {
    /// A deck of the packs.
    Named(String),
    /// A list.
    Own {
        /// Its text.
        text: String,
    },
}

/// A table that was made.
#[derive(Clone, Debug, Serialize)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// The links of its seats.
    pub links: Vec<Link>,
    /// The key of watchers.
    pub watch: String,
}

/// The bot of a seat for which none is named.
const USUAL_BOT: &str = "greedy";

/// Words that names of tables are made of.
const TABLE_WORDS: [&str; 24] = [
    "alder", "amber", "birch", "brook", "cedar", "cloud", "coral", "delta", "ember", "fern", "heron", "ivory", "kite", "lark",
    "linen", "maple", "moss", "olive", "pearl", "quill", "reed", "slate", "tulip", "willow",
];

pub(super) fn new_key() -> Result<Key, String> {
    Key::random().map_err(|error| format!("the system has no random numbers: {error}"))
}

pub(super) fn new_name(app: &App) -> Result<String, String> {
    for _ in 0..64 {
        let number = new_key()?.number();
        let word = TABLE_WORDS.get((number % TABLE_WORDS.len() as u64) as usize).copied().unwrap_or("table");
        let name = format!("{word}-{}", 10 + (number >> 32) % 9990);
        if app.find_table(&name).is_none() && app.store.read_trace(&name).is_none() {
            return Ok(name);
        }
    }
    Err("no free name for a table".to_owned())
}

fn choose_deck(format: &PlayableFormat, choice: Option<&DeckChoice>, seat: usize) -> Result<Deck, String> {
    match choice {
        Some(DeckChoice::Own { text }) => {
            let read = format.read_deck(text);
            read.problems.first().map_or(Ok(read.deck), |problem| {
                let line = if problem.line == 0 { String::new() } else { format!("line {}: ", problem.line) };
                Err(format!("the deck list: {line}{}", problem.words))
            })
        }
        Some(DeckChoice::Named(name)) if !name.is_empty() => {
            format.decks().find(|deck| deck.name == *name).cloned().ok_or_else(|| format!("there is no deck `{name}`"))
        }
        Some(DeckChoice::Named(_)) | None => {
            let legal: Vec<&Deck> = format.decks().filter(|deck| format.problems(deck).is_empty()).collect();
            let chosen = legal.get(seat % legal.len().max(1)).copied();
            chosen.cloned().ok_or_else(|| "the format has no legal deck; write a list".to_owned())
        }
    }
}

/// The bots that a seat can have: the usual one first, a searching one with as many playouts as are allowed.
fn listed_bots(app: &App) -> Vec<String> {
    let others = fizzle_bots::NAMES.into_iter().filter(|name| *name != USUAL_BOT);
    std::iter::once(USUAL_BOT).chain(others).filter_map(|name| check_bot(app, Some(name)).ok()).collect()
}

/// The name of a bot that a seat may have: the usual one if none is named.
///
/// # Errors
/// There is no such bot, or it has more playouts than are allowed.
pub fn check_bot(app: &App, bot: Option<&str>) -> Result<String, String> {
    let bot = bot.unwrap_or(USUAL_BOT);
    fizzle_bots::check(bot).map_err(|error| error.to_string())?;
    let most = app.limits.bot_playouts;
    match bot.split_once(':') {
        Some((_, number)) if number.parse::<u32>().is_ok_and(|number| number <= most) => Ok(bot.to_owned()),
        Some(_) => Err(format!("a bot has at most {most} playouts")),
        None if bot == "mcts" => Ok(format!("mcts:{most}")),
        None => Ok(bot.to_owned()),
    }
}

/// Makes a table and starts its task. Runs on a thread that may block, within the runtime.
///
/// # Errors
/// In words: why it is not possible.
pub fn make_table(app: &Arc<App>, request: &TableRequest) -> Result<Made, String> {
    let format = app.catalog.find(&request.format).ok_or_else(|| format!("there is no format `{}`", request.format))?;
    let rules = format.format().ok_or("the format cannot be read")?;
    let (least, most) = (usize::from(rules.min_players), usize::from(rules.max_players));
    if !(least..=most).contains(&request.seats.len()) {
        return Err(format!("{} seats for {least} to {most} players", request.seats.len()));
    }
    let mut seats = Vec::new();
    for (number, wanted) in request.seats.iter().enumerate() {
        let deck = choose_deck(&format, wanted.deck.as_ref(), number)?;
        let is_bot = wanted.who == Who::Bot;
        // At one screen, the link of the first seat is for all.
        let is_at_screen = wanted.who == Who::Hot && seats.iter().any(|seat: &SavedSeat| seat.who == Who::Hot);
        let has_link = !is_bot && !is_at_screen;
        seats.push(SavedSeat {
            who: wanted.who,
            bot: if is_bot { check_bot(app, wanted.bot.as_deref())? } else { String::new() },
            name: wanted.name.chars().filter(|c| !c.is_control()).take(40).collect(),
            key: if has_link { new_key()?.text() } else { String::new() },
            token: String::new(),
            cards: format.card_names(&deck),
            deck: deck.name,
        });
    }
    let is_hot = seats.iter().any(|seat| seat.who == Who::Hot);
    if is_hot && seats.iter().any(|seat| !matches!(seat.who, Who::Hot | Who::Bot)) {
        return Err("at a table with one screen, all seats are at this screen or bots".to_owned());
    }
    let people = seats.iter().filter(|seat| seat.who != Who::Bot).count();
    let sandbox = request.sandbox.unwrap_or(true) && (people <= 1 || is_hot);
    let mut saved = SavedTable {
        fizzle_table: 1,
        name: new_name(app)?,
        format: request.format.clone(),
        rules_hash: String::new(),
        seats,
        watch: new_key()?.text(),
        sandbox,
        best_of: request.best_of.unwrap_or(1),
        seed: request.seed.map_or_else(|| new_key().map(Key::number), Ok)?.to_string(),
        timing_seed: new_key()?.number().to_string(),
        is_try: false,
    };
    let setup = set_up(app, &saved)?;
    saved.rules_hash = setup.rules_hash();
    let table = catch_unwind(AssertUnwindSafe(|| Table::new(setup)))
        .map_err(|_| "a defect of the program; please report it".to_owned())?;
    open_table(app, saved, table.map_err(|error| error.to_string())?, false)
}

/// Starts the task of a table.
///
/// # Errors
/// In words: there are too many tables, or one of the same name.
pub fn open_table(app: &Arc<App>, saved: SavedTable, table: Table, is_restored: bool) -> Result<Made, String> {
    let made = Made { name: saved.name.clone(), links: links(&saved), watch: saved.watch.clone() };
    let format = app.catalog.find(&saved.format);
    let format = format.as_ref().and_then(PlayableFormat::format);
    let title = format.map_or_else(String::new, |format| format.shown_title().to_owned());
    let (handle, letters) = TableHandle::new(saved, title, app.limits.mailbox);
    app.add_table(&handle)?;
    TableTask::start(app, &handle, table, is_restored, letters);
    Ok(made)
}

/// `POST /api/table`.
pub async fn table(State(app): State<Arc<App>>, headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let request: TableRequest = read(&body)?;
    let made = away(move || make_table(&app, &request)).await?;
    Ok(Json(made.map_err(bad)?).into_response())
}

#[derive(Deserialize)]
struct InviteRequest {
    table: String,
    seat: usize,
}

/// `POST /api/invite`: a new link for a seat of another person. The older link, and the keys made with it, are no longer accepted.
pub async fn invite(State(app): State<Arc<App>>, headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let request: InviteRequest = read(&body)?;
    let table = app.find_table(&request.table).ok_or_else(|| bad("there is no such table"))?;
    let key = new_key().map_err(bad)?.text();
    let mut saved = table.saved();
    let seat =
        saved.seats.get_mut(request.seat).filter(|seat| seat.who == Who::Invite).ok_or_else(|| bad("this seat has no invite"))?;
    seat.key.clone_from(&key);
    seat.token.clear();
    Ok(Json(Link { seat: Some(request.seat), role: "seat", key }).into_response())
}

/// `GET /api/trace/NAME`.
pub async fn trace(State(app): State<Arc<App>>, Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Refusal> {
    let key = key_of(&headers);
    let is_host = key.is_some_and(|key| key == app.host_key);
    let handle = app.find_table(&name);
    let is_seat = || key.zip(handle.as_ref()).is_some_and(|(key, table)| matches!(table.access(key), Some(Access::Seat(_))));
    if !is_table_name(&name) || !(is_host || is_seat()) {
        return Err(Refusal(StatusCode::UNAUTHORIZED, "this needs the key of a seat, or of the host".into()));
    }
    // The trace of a running game holds the seed, and so all that is hidden. That of an earlier game of a match has the decks of the others, and a seed
    // from which those of later games could be computed.
    if handle.as_ref().is_some_and(|table| !table.is_over.load(Ordering::Relaxed) && !table.saved().sandbox) {
        return Err(Refusal(StatusCode::CONFLICT, "the game, or the match of several games, is not over".into()));
    }
    let mut found = None;
    if let Some(table) = handle {
        let (send, receive) = oneshot::channel();
        if table.mail.send(Mail::Trace(send)).await.is_ok() {
            found = receive.await.ok().flatten();
        }
    }
    found
        .or_else(|| app.store.read_trace(&name))
        .map(bytes)
        .ok_or_else(|| Refusal(StatusCode::NOT_FOUND, "there is no such trace".into()))
}

fn bytes(trace: Vec<u8>) -> Response {
    (
        [
            (header::CONTENT_TYPE, "application/octet-stream"),
            (header::CONTENT_DISPOSITION, "attachment"),
            (header::CACHE_CONTROL, "no-store"),
        ],
        trace,
    )
        .into_response()
}
