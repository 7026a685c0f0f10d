//! Requests: which addresses there are, who may ask for what, and the headers of each answer.

use super::rooms::{Rooms, WantedTable};
use super::{assets, room, socket};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{get, post};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

/// What a page may do: scripts and styles of this server, connections to it, nothing else. Markup is made by the template library alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html";

/// All addresses. `hosts`: the values of `Host` that are answered.
pub fn router(rooms: Arc<Rooms>, hosts: Vec<String>) -> Router {
    let api = Router::new()
        .route("/api/lobby", get(lobby))
        .route("/api/deck", post(deck))
        .route("/api/table", post(table))
        .layer(from_fn_with_state(Arc::clone(&rooms), require_host_key))
        .route("/api/trace/{name}", get(trace))
        .layer(DefaultBodyLimit::max(rooms.limits.body_bytes));
    let hosts: Arc<Vec<String>> = Arc::new(hosts);
    Router::new()
        .merge(api)
        .route("/ws", get(connect))
        .fallback(file)
        .layer(from_fn_with_state(hosts, require_known_host))
        .layer(from_fn(add_headers))
        .with_state(rooms)
}

fn plain(status: StatusCode, words: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(words.to_owned()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

fn as_json(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert("cache-control", HeaderValue::from_static("no-store"));
    response
}

fn problem(words: &str) -> Response<Body> {
    as_json(StatusCode::UNPROCESSABLE_ENTITY, &json!({"words": words}))
}

async fn add_headers(request: Request, next: Next) -> Response<Body> {
    let mut response = next.run(request).await;
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Answers only names of this machine, and only pages that come from here. A client without `Origin` is a script; it needs a key as anybody.
async fn require_known_host(State(hosts): State<Arc<Vec<String>>>, request: Request, next: Next) -> Response<Body> {
    let headers = request.headers();
    let host = text(headers, &HOST).map(str::to_lowercase);
    let Some(host) = host.filter(|host| hosts.contains(host)) else {
        return plain(StatusCode::MISDIRECTED_REQUEST, "this server does not answer to that name; see `fizzle serve --host`");
    };
    let origin = headers.get(ORIGIN).map(|origin| origin.to_str().map(str::to_lowercase).unwrap_or_default());
    if origin.is_some_and(|origin| origin != format!("http://{host}") && origin != format!("https://{host}")) {
        return plain(StatusCode::FORBIDDEN, "requests of other pages are not answered");
    }
    next.run(request).await
}

fn bearer(headers: &HeaderMap) -> &str {
    text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or("")
}

async fn require_host_key(State(rooms): State<Arc<Rooms>>, request: Request, next: Next) -> Response<Body> {
    if super::keys::same_key(rooms.host_key(), bearer(request.headers())) {
        next.run(request).await
    } else {
        as_json(StatusCode::UNAUTHORIZED, &json!({"words": "open the link that the program printed"}))
    }
}

async fn lobby(State(rooms): State<Arc<Rooms>>) -> Response<Body> {
    let tables = rooms.list().await;
    let mut lobby = rooms.catalogue.lobby();
    lobby["bots"] = json!(["greedy", "random", "mcts:200"]);
    lobby["tables"] = json!(tables);
    lobby["lan"] = json!(false);
    as_json(StatusCode::OK, &lobby)
}

async fn deck(State(rooms): State<Arc<Rooms>>, body: Bytes) -> Response<Body> {
    let wanted: Option<Value> = serde_json::from_slice(&body).ok();
    let field = |name: &str| wanted.as_ref().and_then(|wanted| wanted[name].as_str()).unwrap_or_default();
    let Some(picked) = rooms.catalogue.format(field("format")) else { return problem("there is no such format") };
    let (deck, problems) = picked.read_list(field("text"));
    let mut problems: Vec<Value> = problems.into_iter().map(|it| json!({"line": it.line, "words": it.words})).collect();
    if problems.is_empty() {
        problems.extend(rooms.catalogue.problems(&picked, &deck).into_iter().map(|words| json!({"line": 0, "words": words})));
    }
    let cards = deck.sections.iter().flat_map(|(section, cards)| {
        let picked = &picked;
        cards.iter().map(move |(count, card)| json!({"section": section, "count": count, "name": picked.card_name(*card)}))
    });
    as_json(StatusCode::OK, &json!({"cards": cards.collect::<Vec<_>>(), "problems": problems}))
}

async fn table(State(rooms): State<Arc<Rooms>>, body: Bytes) -> Response<Body> {
    let wanted: WantedTable = match serde_json::from_slice(&body) {
        Ok(wanted) => wanted,
        Err(error) => return problem(&format!("the table is not understood: {error}")),
    };
    let made = tokio::task::spawn_blocking({
        let rooms = Arc::clone(&rooms);
        let runtime = tokio::runtime::Handle::current();
        move || {
            let _guard = runtime.enter();
            rooms.create(&wanted)
        }
    });
    match made.await {
        Ok(Ok(answer)) => as_json(StatusCode::OK, &answer),
        Ok(Err(words)) => problem(&words),
        Err(_) => as_json(StatusCode::INTERNAL_SERVER_ERROR, &json!({"words": "a defect of the program; please report it"})),
    }
}

async fn trace(State(rooms): State<Arc<Rooms>>, Path(name): Path<String>, headers: HeaderMap) -> Response<Body> {
    let room = rooms.find(&name, bearer(&headers));
    let bytes = match room {
        Some(room) => room.ask(room::RoomMessage::Trace).await,
        None => None,
    };
    match bytes {
        Some(bytes) => {
            let mut response = Response::new(Body::from(bytes));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
            response
        }
        None => plain(StatusCode::NOT_FOUND, "there is no such table"),
    }
}

async fn connect(
    State(rooms): State<Arc<Rooms>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    upgrade: WebSocketUpgrade,
) -> Response<Body> {
    let bytes = rooms.limits.message_bytes;
    upgrade.max_message_size(bytes).max_frame_size(bytes).on_upgrade(move |socket| socket::serve(socket, rooms, address.ip()))
}

async fn file(request: Request) -> Response<Body> {
    let path = request.uri().path().trim_start_matches('/');
    assets::answer(path, request.headers()).unwrap_or_else(|| plain(StatusCode::NOT_FOUND, "there is no such page"))
}
