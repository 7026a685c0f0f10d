//! The socket of the language server: one message of the protocol a frame. The first frame is the key of the host.

use super::super::app::App;
use super::super::guard::Addresses;
use super::super::keys::Key;
use super::try_card::WorkbenchRequests;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use axum::extract::{ConnectInfo, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use crossbeam_channel::bounded;
use fizzle_lsp::{Host, serialize_message};
use futures_util::{SinkExt, StreamExt};
use lsp_server::Connection;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The most bytes of a message of the editor.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// The most editors that are connected.
const MAX_EDITORS: usize = 4;
/// The most messages that wait in each direction.
const MAX_WAITING: usize = 64;
/// The code with which a socket is closed whose first frame has not the key.
const WRONG_KEY: u16 = 4401;
/// The stack of the language server. Deeply nested sources need it.
const STACK_BYTES: usize = 256 << 20;

/// Counts an editor while it exists.
struct Counted(Arc<App>);

impl Counted {
    fn new(app: &Arc<App>) -> Option<Self> {
        let counted = Self(Arc::clone(app));
        (app.editors.fetch_add(1, Ordering::SeqCst) < MAX_EDITORS).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.editors.fetch_sub(1, Ordering::SeqCst);
    }
}

/// `GET /ws/lsp`.
pub async fn open(State(app): State<Arc<App>>, ConnectInfo(at): ConnectInfo<Addresses>, upgrade: WebSocketUpgrade) -> Response {
    if app.bench.is_none() || !at.peer.ip().to_canonical().is_loopback() {
        return (StatusCode::FORBIDDEN, "the workbench is open on this machine only, and needs a folder").into_response();
    }
    let Some(counted) = Counted::new(&app) else {
        return (StatusCode::TOO_MANY_REQUESTS, "too many editors are open").into_response();
    };
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    upgrade.on_upgrade(move |socket| async move {
        run(&app, socket).await;
        drop(counted);
    })
}

/// Reads the first frame, `{"key": …}`.
async fn has_key(app: &App, socket: &mut WebSocket) -> bool {
    let first = timeout(app.limits.hello, socket.recv()).await;
    let Ok(Some(Ok(Message::Text(text)))) = first else { return false };
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    value.get("key").and_then(Value::as_str).and_then(Key::parse).is_some_and(|key| key == app.host_key)
}

async fn run(app: &Arc<App>, mut socket: WebSocket) {
    if !has_key(app, &mut socket).await {
        let reason = CloseFrame { code: WRONG_KEY, reason: "the key opens nothing".into() };
        // The client may be gone already.
        let _ = socket.send(Message::Close(Some(reason))).await;
        return;
    }
    let (mut sink, mut stream) = socket.split();
    let (to_server, incoming) = bounded::<lsp_server::Message>(MAX_WAITING);
    let (outgoing, from_server) = bounded::<lsp_server::Message>(MAX_WAITING);
    let (texts, mut to_write) = mpsc::channel::<String>(MAX_WAITING);
    let (parsed, mut to_handle) = mpsc::channel::<lsp_server::Message>(MAX_WAITING);
    let host = Host { reads_files: true, write_copy: None, pack_requests: Some(Arc::new(WorkbenchRequests::new(app))) };
    let server = std::thread::Builder::new().stack_size(STACK_BYTES);
    let connection = Connection { sender: outgoing, receiver: incoming };
    // How the session ends is of no interest: the page connects again.
    if server.spawn(move || fizzle_lsp::serve(connection, host)).is_err() {
        return;
    }
    // The channels of the server block, so that each has a thread; all end when the socket is closed.
    tokio::task::spawn_blocking(move || {
        while let Some(message) = to_handle.blocking_recv() {
            if to_server.send(message).is_err() {
                return;
            }
        }
    });
    let answers = texts.clone();
    tokio::task::spawn_blocking(move || {
        for message in from_server {
            if answers.blocking_send(serialize_message(&message)).is_err() {
                return;
            }
        }
    });
    // Reading and writing wait for nothing of each other, so that a server that is busy keeps neither.
    let mut writer = tokio::spawn(async move {
        while let Some(text) = to_write.recv().await {
            if sink.send(Message::Text(text.into())).await.is_err() {
                return;
            }
        }
    });
    let root = app.bench.as_ref().map(|bench| bench.folder.root_uri());
    let reader = async {
        loop {
            let text = match stream.next().await {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => return,
            };
            let message = serde_json::from_str::<Value>(&text).and_then(|value| {
                let is_within = root.as_deref().is_none_or(|root| names_files_within(&value, root));
                if is_within {
                    serde_json::from_value(value)
                } else {
                    Err(serde::de::Error::custom("a file outside of the folder"))
                }
            });
            let sent = match message {
                Ok(message) => parsed.send(message).await.is_ok(),
                Err(error) => {
                    let error = json!({ "code": -32700, "message": error.to_string() });
                    texts.send(json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string()).await.is_ok()
                }
            };
            if !sent {
                return;
            }
        }
    };
    tokio::select! {
        () = reader => {}
        _ = &mut writer => {}
    }
    writer.abort();
}

/// Whether all addresses of files in a message are the folder with this address, or within it. The language server reads what it is given.
fn names_files_within(value: &Value, root: &str) -> bool {
    match value {
        Value::String(text) => {
            let is_file = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
            let within = text.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            let leaves = text.split('/').any(|part| part.to_ascii_lowercase().replace("%2e", ".") == "..") || text.contains('\\');
            !is_file || within && !leaves
        }
        Value::Array(values) => values.iter().all(|value| names_files_within(value, root)),
        // The text of a file may mention any address.
        Value::Object(fields) => fields.iter().all(|(name, value)| name == "text" || names_files_within(value, root)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::names_files_within;
    use serde_json::json;

    #[test]
    fn files_outside_of_the_folder_are_refused() {
        let within = |uri: &str| names_files_within(&json!({ "params": { "textDocument": { "uri": uri } } }), "file:///a/bench");
        assert!(within("file:///a/bench") && within("file:///a/bench/cards/b.fz") && within("untitled:1"));
        for outside in
            ["file:///a/benches/b.fz", "FILE:///a/b.fz", "file:///a/bench/../b.fz", "file:///a/bench/%2E%2e/b.fz", "file:///proc"]
        {
            assert!(!within(outside), "{outside}");
        }
        let text = json!({ "contentChanges": [{ "text": "// file:///etc/passwd" }] });
        assert!(names_files_within(&text, "file:///a/bench"));
    }
}
