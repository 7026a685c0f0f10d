//! Recorded games that the host reads: a trace is opened once, then its positions are requested one by one.

use super::answers::{Json, Refusal, away};
use super::app::App;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use fizzle_runtime::trace::Trace;
use fizzle_table::protocol::{Lang, ReplayInfo};
use fizzle_table::replay::Replay;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What an address requests after `?`.
#[derive(Debug, Default)]
struct Wanted {
    /// Whose view: a seat, or the number of seats for what is public.
    viewer: usize,
    /// The language.
    lang: Lang,
}

impl Wanted {
    fn of(uri: &Uri) -> Result<Self, Refusal> {
        let mut wanted = Self::default();
        for part in uri.query().unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("viewer", number)) => wanted.viewer = number.parse().map_err(refused)?,
                Some(("lang", "ja")) => wanted.lang = Lang::Ja,
                Some(("lang", "en")) => wanted.lang = Lang::En,
                _ => return Err(refused(format!("`{part:.40}` is not understood"))),
            }
        }
        Ok(wanted)
    }
}

#[derive(Serialize)]
struct Opened {
    id: String,
    #[serde(flatten)]
    info: ReplayInfo,
}

fn refused(words: impl ToString) -> Refusal {
    Refusal(StatusCode::BAD_REQUEST, words.to_string())
}

/// `POST /api/replay?lang=…` with the bytes of a trace: opens it.
pub async fn open(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let wanted = Wanted::of(&uri)?;
    let opened = away(move || {
        let trace = Trace::decode(&body).map_err(refused)?;
        let format = app.catalog.find(&trace.header.format);
        let format = format.ok_or_else(|| refused(format!("this pack has no format `{}`", trace.header.format)))?;
        // A game of a stranger's trace can only end by its budgets; a defect is none of the server's.
        let replay = catch_unwind(AssertUnwindSafe(|| Replay::new(&format.game, &trace)));
        let replay = replay.map_err(|_| refused("a defect of the program; please report it with the trace"))?.map_err(refused)?;
        let info = replay.info(wanted.lang);
        let id = app.replays.add(replay).map_err(refused)?;
        Ok(Json(Opened { id, info }).into_response())
    });
    opened.await?
}

/// `GET /api/replay/ID?lang=…`: the list of decisions, in another language.
pub async fn info(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let wanted = Wanted::of(&uri)?;
    let replay = app.replays.find(&id)?;
    let info = away(move || replay.info(wanted.lang)).await?;
    Ok(Json(Opened { id, info }).into_response())
}

/// `GET /api/replay/ID/STEP?viewer=…&lang=…`: the position before a step.
pub async fn position(
    State(app): State<Arc<App>>,
    Path((id, step)): Path<(String, usize)>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    app.check_host(&headers)?;
    let wanted = Wanted::of(&uri)?;
    let replay = app.replays.find(&id)?;
    let position = away(move || replay.position(step, wanted.viewer, wanted.lang)).await?;
    let position = position.ok_or_else(|| Refusal(StatusCode::NOT_FOUND, "there is no such step or viewer".into()))?;
    Ok(Json(position).into_response())
}
