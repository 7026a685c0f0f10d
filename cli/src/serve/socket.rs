//! The WebSocket of a client: its first message, its rate limit, and the messages that it is sent.

use super::app::App;
use super::guard::Addresses;
use super::keys::Key;
use super::limits::Limits;
use super::outbox::{Waiting, outbox};
use super::table_handle::{Access, Mail, TableHandle};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use axum::extract::{ConnectInfo, State, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fizzle_table::protocol::{ClientMessage, ErrorCode, Role, ServerMessage, VERSIONS};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The bytes that are read at once from a connection.
const READ_BUFFER: usize = 4 << 10;

/// `GET /ws`.
pub async fn open(State(app): State<Arc<App>>, ConnectInfo(at): ConnectInfo<Addresses>, upgrade: WebSocketUpgrade) -> Response {
    let Some(counted) = app.sockets.enter(at.peer.ip(), app.limits.sockets_per_address) else {
        return (StatusCode::TOO_MANY_REQUESTS, "too many sockets from this address").into_response();
    };
    let most = app.limits.message_bytes;
    // Messages of clients are short, and each connection keeps its buffer.
    let upgrade = upgrade.max_message_size(most).max_frame_size(most).read_buffer_size(READ_BUFFER).write_buffer_size(0);
    upgrade.max_write_buffer_size(app.limits.waiting_bytes.max(4 << 20)).on_upgrade(move |socket| async move {
        let _counted = counted;
        run(&app, socket).await;
    })
}

fn error(code: ErrorCode, words: &str) -> String {
    serde_json::to_string(&ServerMessage::Error { code, words: words.to_owned() }).unwrap_or_default()
}

type Sink = SplitSink<WebSocket, Message>;

/// Sends an error and closes. The client may be gone already.
async fn refuse(mut sink: Sink, code: ErrorCode, words: &str) {
    let close = async {
        sink.send(Message::Text(error(code, words).into())).await?;
        sink.send(Message::Close(Some(CloseFrame { code: 1008, reason: "".into() }))).await
    };
    let _ = timeout(Duration::from_secs(1), close).await;
}

/// What a client that has sent `hello` takes part as.
struct Guest {
    handle: Arc<TableHandle>,
    join: Box<dyn FnOnce(super::outbox::Outbox, fizzle_table::table::ClientId) -> Mail + Send>,
    is_watcher: bool,
}

fn admit(app: &App, text: &str) -> Result<Guest, (ErrorCode, &'static str)> {
    let Ok(ClientMessage::Hello { v, lang, key, role, name, table }) = serde_json::from_str(text) else {
        return Err((ErrorCode::Unknown, "the first message must be `hello`"));
    };
    if !v.iter().any(|version| VERSIONS.contains(version)) {
        return Err((ErrorCode::Version, "the server speaks version 1 of the protocol"));
    }
    let no_key = (ErrorCode::Key, "this key opens nothing (any more)");
    let key = Key::parse(&key).ok_or(no_key)?;
    let (handle, access) = app.find_by_key(&table, key).ok_or(no_key)?;
    match (role, access) {
        (Role::Seat | Role::Host, Access::Seat(seat)) => {
            let (token, known) = handle.take_seat(seat, key).ok_or(no_key)?;
            let name = if name.trim().is_empty() { known } else { name };
            let join = move |outbox, client| Mail::Join { client, seat: Some(seat), name, lang, token, outbox };
            Ok(Guest { handle, join: Box::new(join), is_watcher: false })
        }
        (Role::Watch | Role::Host, _) => {
            if handle.watchers.fetch_add(1, Ordering::SeqCst) >= app.limits.watchers {
                handle.watchers.fetch_sub(1, Ordering::SeqCst);
                return Err((ErrorCode::Full, "the table has no room for more watchers"));
            }
            let join = move |outbox, client| Mail::Join { client, seat: None, name, lang, token: String::new(), outbox };
            Ok(Guest { handle, join: Box::new(join), is_watcher: true })
        }
        (Role::Seat, Access::Watch) => Err(no_key),
    }
}

async fn run(app: &Arc<App>, socket: WebSocket) {
    let (sink, mut stream) = socket.split();
    let first = timeout(app.limits.hello, async {
        loop {
            match stream.next().await {
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => return other,
            }
        }
    });
    let text = match first.await {
        Ok(Some(Ok(Message::Text(text)))) => text,
        Ok(Some(Ok(Message::Binary(_)))) => return refuse(sink, ErrorCode::Unknown, "messages are text, not binary").await,
        Ok(Some(Err(_))) => return refuse(sink, ErrorCode::Size, "the message is too long or damaged").await,
        Ok(Some(Ok(Message::Close(_) | Message::Ping(_) | Message::Pong(_))) | None) => return,
        Err(_) => return refuse(sink, ErrorCode::Key, "no `hello` has come").await,
    };
    let guest = match admit(app, &text) {
        Ok(guest) => guest,
        Err((code, words)) => return refuse(sink, code, words).await,
    };
    let (outbox, waiting) = outbox(app.limits.waiting_bytes);
    let client = guest.handle.new_client();
    let cut = waiting.cut();
    let mail = guest.handle.mail.clone();
    if mail.send((guest.join)(outbox.clone(), client)).await.is_err() {
        if guest.is_watcher {
            guest.handle.watchers.fetch_sub(1, Ordering::SeqCst);
        }
        return refuse(sink, ErrorCode::Key, "this table has ended").await;
    }
    let mut writer = tokio::spawn(write(sink, waiting, app.limits.ping));
    let reader = Reader { limits: &app.limits, rate: Rate::new(&app.limits), refused: 0, chat: None };
    tokio::select! {
        () = reader.read(&mut stream, &mail, client, &outbox) => {
            outbox.close();
            let _ = timeout(Duration::from_secs(1), &mut writer).await;
        }
        // The table has closed it, or the client has left.
        _ = &mut writer => {}
        () = cut => {}
    }
    writer.abort();
    // It fails only if the table has ended.
    let _ = mail.send(Mail::Leave(client)).await;
}

async fn write(mut sink: Sink, mut waiting: Waiting, pause: Duration) {
    let mut ping = tokio::time::interval_at(tokio::time::Instant::now() + pause, pause);
    loop {
        let sent = tokio::select! {
            message = waiting.next() => match message {
                Some(text) if !text.is_empty() => {
                    let bytes = text.len();
                    let sent = sink.send(Message::Text(text.into())).await;
                    waiting.sent(bytes);
                    sent
                }
                Some(_) | None => {
                    // The client may be gone already.
                    let _ = sink.send(Message::Close(None)).await;
                    return;
                }
            },
            _ = ping.tick() => sink.send(Message::Ping(Vec::new().into())).await,
        };
        if sent.is_err() {
            return;
        }
    }
}

/// A reserve of messages that fills with time.
struct Rate {
    left: f64,
    at: Instant,
}

impl Rate {
    fn new(limits: &Limits) -> Self {
        Self { left: limits.message_reserve, at: Instant::now() }
    }

    /// Takes a message, and returns how long the next one waits. What is not read slows the client down.
    fn take(&mut self, limits: &Limits) -> Option<Duration> {
        let now = Instant::now();
        let grown = self.left + (now - self.at).as_secs_f64() * limits.messages_per_second;
        self.at = now;
        self.left = grown.min(limits.message_reserve) - 1.0;
        let missing = (-self.left / limits.messages_per_second).min(limits.silence.as_secs_f64());
        (missing > 0.0).then(|| Duration::from_secs_f64(missing))
    }
}

struct Reader<'a> {
    limits: &'a Limits,
    rate: Rate,
    refused: u32,
    chat: Option<Instant>,
}

impl Reader<'_> {
    /// Reads until the connection ends, is silent for too long, or sends too much.
    async fn read(
        mut self,
        stream: &mut SplitStream<WebSocket>,
        mail: &tokio::sync::mpsc::Sender<Mail>,
        client: fizzle_table::table::ClientId,
        outbox: &super::outbox::Outbox,
    ) {
        loop {
            let next = timeout(self.limits.silence, stream.next()).await;
            if let Some(pause) = self.rate.take(self.limits) {
                tokio::time::sleep(pause).await;
            }
            let text = match next {
                Ok(Some(Ok(Message::Text(text)))) => text,
                Ok(Some(Ok(Message::Binary(_)))) => "".into(),
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => continue,
                Ok(Some(Err(_))) => return outbox.push(error(ErrorCode::Size, "the message is too long or damaged")),
                Ok(Some(Ok(Message::Close(_))) | None) | Err(_) => return,
            };
            match self.check(&text) {
                Ok(message) => {
                    if mail.send(Mail::Message(client, message)).await.is_err() {
                        return;
                    }
                }
                Err((code, words)) => {
                    outbox.push(error(code, words));
                    self.refused += 1;
                    if self.refused > self.limits.refused_messages {
                        return;
                    }
                }
            }
        }
    }

    fn check(&mut self, text: &str) -> Result<ClientMessage, (ErrorCode, &'static str)> {
        let message = serde_json::from_str(text).map_err(|_| (ErrorCode::Unknown, "the message is not understood"))?;
        match &message {
            ClientMessage::Hello { .. } => return Err((ErrorCode::Unknown, "`hello` is the first message only")),
            ClientMessage::Chat { text } => {
                if text.chars().count() > self.limits.chat_chars {
                    return Err((ErrorCode::Size, "the text is too long"));
                }
                let now = Instant::now();
                if self.chat.is_some_and(|last| now - last < self.limits.chat_pause) {
                    return Err((ErrorCode::Rate, "one text a second"));
                }
                self.chat = Some(now);
            }
            _ => {}
        }
        Ok(message)
    }
}
