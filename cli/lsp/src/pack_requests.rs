//! The requests `fizzle/…` that the program adds ([`Host::pack_requests`](super::Host)): each runs on a separate thread with a copy of the sources.

use super::host::{PackRequest, PackRequests};
use super::server_state::ServerState;
use super::uri;
use lsp_types::{Position, TextDocumentIdentifier, Uri};
use serde::Deserialize;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::Arc;

/// Stack size of a thread that compiles.
pub(super) const STACK_BYTES: usize = 64 << 20;

/// The most requests, and scenarios of the command that runs one, that run at the same time; another one is refused.
pub(super) const MAX_RUNNING: usize = 8;

/// What all requests may name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    text_document: Option<TextDocumentIdentifier>,
    position: Option<Position>,
}

/// The request with the sources of the session.
pub(super) fn with_sources(state: &ServerState, method: String, params: Value) -> PackRequest {
    let place: Place = serde_json::from_value(params.clone()).unwrap_or(Place { text_document: None, position: None });
    PackRequest {
        method,
        params,
        path: place.text_document.map(|document| path_of(&document.uri)).unwrap_or_default(),
        line: place.position.map_or(0, |position| position.line.saturating_add(1)),
        files: state.source_files(),
    }
}

/// The path under which the session knows a document.
fn path_of(uri: &Uri) -> String {
    let path = uri::path_of(uri);
    super::shipped_copies::original_path(&path).unwrap_or(path)
}

/// The path under which the session knows the document of an address.
///
/// # Errors
/// It is no address, or the session has no such document.
pub(super) fn find_document(state: &ServerState, address: &str) -> Result<String, String> {
    let path = Uri::from_str(address).map(|uri| path_of(&uri)).map_err(|_| format!("`{address}` is no address"))?;
    state.session.store().number(&path).map(|_| path).ok_or_else(|| format!("there is no document `{address}`"))
}

/// Answers a request on a new thread and passes the result to `done`. Returns whether the thread was created.
pub(super) fn start(
    requests: Arc<dyn PackRequests>,
    request: PackRequest,
    done: impl FnOnce(Result<Value, String>) + Send + 'static,
) -> bool {
    run_apart(move || requests.answer(request), done)
}

/// Runs work that compiles on a new thread and passes the result to `done`. Returns whether the thread was created; else `done` is not called.
pub(super) fn run_apart<T: 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
    done: impl FnOnce(Result<T, String>) + Send + 'static,
) -> bool {
    let run = move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        done(result.unwrap_or_else(|_| Err("fizzle found a defect in itself".to_owned())));
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run).is_ok()
}
