//! A server with a small game, and clients for it.

use crate::program::serve::limits::Limits;
use crate::program::serve::{BenchOptions, Options, Server, start};
use fizzle_compiler::{SourceFile, compile_with};
use fizzle_runtime::ir::CompiledGame;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
pub use tokio_tungstenite::tungstenite::{Error, Message};

pub const FORMAT: &str = "sprint";

static GAME: LazyLock<CompiledGame> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/sprint");
    let packs = fizzle::shipped::lineage("duel_magic").into_iter();
    let files = packs.flat_map(|pack| fizzle::Pack::shipped_sources(pack).unwrap());
    let mut files: Vec<SourceFile> = files.map(|(path, text)| SourceFile { path, text }).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "fz") {
            files.push(SourceFile { path: path.to_string_lossy().into_owned(), text: std::fs::read_to_string(path).unwrap() });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    // Names of fixtures of scenarios may be declared twice.
    files.retain(|file| !file.path.ends_with("sprint/scenarios.fz"));
    let compilation = compile_with(files, true);
    let errors: Vec<_> = compilation.diagnostics.iter().filter(|found| found.is_error()).collect();
    compilation
        .artifact
        .unwrap_or_else(|| panic!("{errors:?}"))
        .games
        .into_iter()
        .find(|game| game.formats.iter().any(|format| format.name == FORMAT))
        .unwrap()
});

pub fn folder() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

pub async fn serve_in(keep: PathBuf, limits: Limits) -> Server {
    start(options(keep, limits), (vec![GAME.clone()], BTreeMap::new())).await.unwrap()
}

fn options(keep: PathBuf, limits: Limits) -> Options {
    Options { port: Some(0), lan: false, hosts: Vec::new(), keep, pack: String::new(), bench: None, limits, report: |_| {} }
}

/// The game with other titles, as the sources are compiled after a change.
fn changed_game() -> CompiledGame {
    let mut game = GAME.clone();
    game.formats.iter_mut().for_each(|format| format.title = format!("Changed {}", format.name));
    game
}

/// A server with the workbench for a folder. Its formats are those of all servers of the tests; compiled again, they have other titles.
pub async fn serve_bench(pack: &Path, limits: Limits) -> Server {
    let bench = Some(BenchOptions { folder: pack.to_owned(), compile: Arc::new(|| Ok((vec![changed_game()], BTreeMap::new()))) });
    start(Options { bench, ..options(folder(), limits) }, (vec![GAME.clone()], BTreeMap::new())).await.unwrap()
}

pub async fn serve(limits: Limits) -> Server {
    serve_in(folder(), limits).await
}

/// Limits that no test with many messages meets.
pub fn wide() -> Limits {
    Limits {
        warm_tables: 2,
        messages_per_second: 1e9,
        message_reserve: 1e9,
        save_pause: Duration::from_millis(10),
        forced_wait: None,
        ..Limits::default()
    }
}

/// Sends a request and returns status, head and body.
pub async fn http(server: &Server, method: &str, path: &str, headers: &str, body: impl AsRef<[u8]>) -> (u16, String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let host =
        if headers.to_lowercase().contains("host:") { String::new() } else { format!("Host: 127.0.0.1:{}\r\n", server.port) };
    let request = format!(
        "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.as_ref().len()
    );
    stream.write_all(&[request.as_bytes(), body.as_ref()].concat()).await.unwrap();
    let mut bytes = Vec::new();
    let _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await.unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, head.to_owned(), body.to_owned())
}

pub async fn api(server: &Server, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let key = format!("Authorization: Bearer {}\r\n", server.host_key);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let (status, _, body) = http(server, method, path, &key, &body).await;
    (status, serde_json::from_str(&body).unwrap_or(Value::Null))
}

/// Makes a table with these players in the seats.
pub async fn table(server: &Server, who: [&str; 2], seed: u64) -> Value {
    let seats = who.map(|who| json!({"who": if who == "greedy" { "bot" } else { who }}));
    let (status, made) = api(server, "POST", "/api/table", &json!({"format": FORMAT, "seats": seats, "seed": seed})).await;
    assert_eq!(status, 200, "{made}");
    made
}

pub struct Client {
    pub socket: WebSocketStream<TcpStream>,
}

impl Client {
    pub async fn connect(server: &Server, origin: Option<&str>) -> Result<Self, Error> {
        let stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
        let mut request = format!("ws://127.0.0.1:{}/ws", server.port).into_client_request()?;
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        Ok(Self { socket })
    }

    pub async fn send(&mut self, message: Value) {
        // The server may have closed the connection.
        let _ = self.socket.send(Message::Text(message.to_string().into())).await;
    }

    /// The next message; `None` if the connection is closed.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            match timeout(Duration::from_secs(20), self.socket.next()).await.expect("an answer within 20 s")? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message of this type.
    pub async fn wait(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("closed before `{kind}`"));
            if message["t"] == kind {
                return message;
            }
        }
    }

    /// Whether the connection ends, after any messages.
    pub async fn is_closed(&mut self) -> bool {
        while self.next().await.is_some() {}
        true
    }

    pub async fn hello(server: &Server, key: &Value, role: &str) -> Self {
        let mut client = Self::connect(server, None).await.unwrap();
        client.send(json!({"t": "hello", "v": [1], "key": key, "as": role, "name": "Aki"})).await;
        client
    }
}
