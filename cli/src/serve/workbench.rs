//! The workbench: the sources of one folder, a language server for them, and tables that begin in a position.
//!
//! It is served to loopback only, and needs the key of the host. Reading and writing sources is in [`folder`], the socket of the language server in
//! [`lsp_socket`], trying a card in [`try_card`].

pub mod folder;
pub mod lsp_socket;
mod try_card;

use super::answers::{Json, Refusal, away, bad};
use super::app::App;
use super::guard::Addresses;
use super::table_handle::Mail;
use super::tables::set_up;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use folder::{Bench, ListedFile, WriteError};
use serde::Serialize;
use std::sync::Arc;

/// The workbench, for a request of the host on this machine.
fn enter(app: &App, at: &Addresses, headers: &HeaderMap) -> Result<Arc<Bench>, Refusal> {
    app.check_host(headers)?;
    if !at.peer.ip().to_canonical().is_loopback() {
        return Err(Refusal(StatusCode::FORBIDDEN, "the workbench is open on this machine only".into()));
    }
    let none = || Refusal(StatusCode::NOT_FOUND, "there is no folder to write in; start with `fizzle serve FOLDER`".into());
    app.bench.clone().ok_or_else(none)
}

#[derive(Serialize)]
struct BenchInfo {
    /// The name of the folder.
    name: String,
    /// Its address as a URI of the language server.
    root: String,
    files: Vec<ListedFile>,
}

/// `GET /api/bench`: the folder and its files.
pub async fn info(
    State(app): State<Arc<App>>,
    ConnectInfo(at): ConnectInfo<Addresses>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let bench = enter(&app, &at, &headers)?;
    let found = away(move || {
        let folder = &bench.folder;
        folder.list().map(|files| BenchInfo { name: folder.name(), root: folder.root_uri(), files })
    });
    let info = found.await?;
    Ok(Json(info.map_err(|error| bad(format!("the folder cannot be read: {error}")))?).into_response())
}

#[derive(Serialize)]
struct SourceText {
    text: String,
    hash: String,
}

/// `GET /api/bench/file/PATH`: a source with its hash.
pub async fn read(
    State(app): State<Arc<App>>,
    ConnectInfo(at): ConnectInfo<Addresses>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let bench = enter(&app, &at, &headers)?;
    let found = away(move || bench.folder.read(&path)).await?;
    let (text, hash) = found.map_err(|words| Refusal(StatusCode::NOT_FOUND, words))?;
    Ok(Json(SourceText { text, hash }).into_response())
}

#[derive(Serialize)]
struct Written {
    hash: String,
}

/// `PUT /api/bench/file/PATH`: writes a source. `If-Match` has the hash of what was read; without it the file must not exist yet. If the file
/// has changed since, nothing is written, and the answer is 409 with the text on disk.
pub async fn write(
    State(app): State<Arc<App>>,
    ConnectInfo(at): ConnectInfo<Addresses>,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    let bench = enter(&app, &at, &headers)?;
    let known = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let written = away(move || {
        let text = std::str::from_utf8(&body).map_err(|_| WriteError::Refused("the text is not UTF-8".to_owned()))?;
        bench.folder.write(&path, text, known.as_deref())
    });
    match written.await? {
        Ok(hash) => Ok(Json(Written { hash }).into_response()),
        Err(WriteError::Changed { text, hash }) => Ok((StatusCode::CONFLICT, Json(SourceText { text, hash })).into_response()),
        Err(WriteError::Refused(words)) => Err(bad(words)),
    }
}

#[derive(Serialize)]
struct Reloaded {
    /// The formats that can be played now.
    formats: usize,
    /// The tables that were played again.
    tables: usize,
}

/// `POST /api/bench/reload`: compiles the sources again. New tables have the new rules, and so have those where one person decides alone: they are played again.
pub async fn reload(
    State(app): State<Arc<App>>,
    ConnectInfo(at): ConnectInfo<Addresses>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let bench = enter(&app, &at, &headers)?;
    let shared = Arc::clone(&app);
    let done = away(move || {
        let pack = (bench.compile)()?;
        let formats = pack.0.iter().map(|game| game.formats.len()).sum();
        shared.catalog.replace(pack);
        let open = shared.all_tables().into_iter().filter(|table| {
            let saved = table.saved();
            saved.sandbox && !saved.is_try
        });
        let letters = open.map(|table| {
            let saved = table.saved().clone();
            let setup = set_up(&shared, &saved).map(Box::new);
            (table, Mail::Reload(setup))
        });
        Ok::<_, String>((formats, letters.collect::<Vec<_>>()))
    });
    let (formats, letters) = done.await?.map_err(bad)?;
    let tables = letters.len();
    for (table, letter) in letters {
        // It fails only if the table has ended.
        let _ = table.mail.send(letter).await;
    }
    Ok(Json(Reloaded { formats, tables }).into_response())
}
