//! The server over a connection in memory: messages in, messages out, and no file.

#![expect(clippy::unwrap_used, reason = "tests")]

use fizzle_lsp::{Host, SessionEnd, serve, serve_bytes, serve_stream};
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// An editor that talks to a server on another thread.
struct Editor {
    connection: Connection,
    server: JoinHandle<SessionEnd>,
    requests: i32,
}

impl Editor {
    /// Starts a server whose editor has this folder open.
    fn start(root: &str) -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || serve(server, Host::default()));
        let mut editor = Self { connection, server, requests: 0 };
        editor.request("initialize", json!({ "capabilities": {}, "rootUri": root }));
        editor
    }

    fn notify(&self, method: &str, params: Value) {
        self.connection.sender.send(Message::Notification(Notification { method: method.to_owned(), params })).unwrap();
    }

    /// Sends a request. Returns the result, and the notifications before it.
    fn request(&mut self, method: &str, params: Value) -> (Value, Vec<Notification>) {
        self.requests += 1;
        self.connection.sender.send(Message::Request(Request::new(self.requests.into(), method.to_owned(), params))).unwrap();
        let mut notifications = Vec::new();
        loop {
            match self.connection.receiver.recv().unwrap() {
                Message::Notification(notification) => notifications.push(notification),
                Message::Response(response) => return (response.response_result.unwrap(), notifications),
                Message::Request(_) => {}
            }
        }
    }

    fn open(&self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "fizzle", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }
}

/// The codes of the diagnostics that were published.
fn codes(notifications: &[Notification]) -> Vec<String> {
    let published = notifications.iter().filter(|notification| notification.method == "textDocument/publishDiagnostics");
    let diagnostics = published.flat_map(|notification| notification.params["diagnostics"].as_array().unwrap());
    diagnostics.map(|diagnostic| diagnostic["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn documents_are_checked_without_a_file() {
    let mut editor = Editor::start("file:///nowhere");
    editor.open("file:///nowhere/pack.fz", "pack small { edition 2  title \"Small\" }\nnoun thing = thign\n");
    let (symbols, notifications) =
        editor.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": "file:///nowhere/pack.fz" } }));
    assert!(symbols.to_string().contains("\"thing\""), "{symbols}");
    assert!(codes(&notifications).contains(&"E0201".to_owned()), "{notifications:?}");
    editor.request("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.server.join().unwrap(), SessionEnd::ShutDown);
}

#[test]
fn the_default_host_reads_no_file() {
    let cards = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sprint").canonicalize().unwrap();
    let uri = format!("file://{}", cards.display());
    let mut editor = Editor::start(&uri);
    let (symbols, _) = editor.request("workspace/symbol", json!({ "query": "sprint" }));
    assert_eq!(symbols, json!([]));
    editor.open(&format!("{uri}/more.fz"), "card \"Alone\" { }\n");
    let (symbols, _) = editor.request("workspace/symbol", json!({ "query": "sprint" }));
    assert_eq!(symbols, json!([]));
}

#[test]
fn a_dropped_connection_ends_the_session() {
    let Editor { connection, server, .. } = Editor::start("file:///nowhere");
    drop(connection);
    assert_eq!(server.join().unwrap(), SessionEnd::Disconnected);
}

/// What a server has written.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_wrong_length_costs_one_message_at_most() {
    let body = |id: i32| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"shutdown\"}}");
    for difference in -40..=120 {
        let mut stream = String::new();
        for id in 1..=4 {
            let length = body(id).len() as i64 + if id == 1 { difference } else { 0 };
            stream += &format!("Content-Length: {length}\r\n\r\n{}", body(id));
        }
        let written = Written::default();
        let (same_end, answers) = serve_bytes(stream.as_bytes(), Host::default());
        let end = serve_stream(Cursor::new(stream), written.clone(), Host::default());
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        assert_eq!(end, same_end, "{difference}");
        assert!(answers.iter().all(|answer| text.contains(answer.as_str())), "{difference}: {answers:?} {text}");
        for id in if difference < 0 { 2..=4 } else { 1..=4 } {
            assert!(
                text.contains(&format!("\"id\":{id},")) || text.contains(&format!("\"id\":{id}}}")),
                "{difference}: {end:?} {text}"
            );
        }
    }
}
