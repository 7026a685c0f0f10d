//! The connection of one client: its first message, its rate, its messages to the room and from it.

use super::limits::Limits;
use super::room::{Joining, Outbox, RoomHandle, RoomMessage};
use super::rooms::{NotOpened, Opened, Rooms};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use fizzle_table::protocol::{ClientMessage, ErrorCode, Lang, Role, ServerMessage, VERSIONS};
use fizzle_table::table::ClientId;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Serves a connection until it ends.
pub async fn serve(socket: WebSocket, rooms: Arc<Rooms>, address: IpAddr) {
    if !rooms.open_socket(address) {
        refuse(socket, ErrorCode::Full, "there are too many connections").await;
        return;
    }
    connect(socket, &rooms).await;
    rooms.close_socket(address);
}

async fn connect(mut socket: WebSocket, rooms: &Arc<Rooms>) {
    let limits = rooms.limits;
    let first = tokio::time::timeout(limits.hello, socket.recv()).await;
    let Ok(Some(Ok(Message::Text(text)))) = first else {
        refuse(socket, ErrorCode::Unknown, "a connection begins with a message of the type hello").await;
        return;
    };
    let Ok(ClientMessage::Hello { v, lang, key, role, name, table }) = serde_json::from_str(&text) else {
        refuse(socket, ErrorCode::Unknown, "a connection begins with a message of the type hello").await;
        return;
    };
    if !v.iter().any(|version| VERSIONS.contains(version)) {
        refuse(socket, ErrorCode::Version, "this server speaks version 1 of the protocol").await;
        return;
    }
    let role = if role == Role::Host { Role::Seat } else { role };
    match rooms.open(&table, &key, role) {
        Ok(opened) => join(socket, rooms, opened, name, lang).await,
        Err(NotOpened::Full) => refuse(socket, ErrorCode::Full, "the table has no free place").await,
        Err(NotOpened::Key) => {
            // Guessing is slow, and a key that was used up looks like one that never was.
            tokio::time::sleep(Duration::from_millis(200)).await;
            refuse(socket, ErrorCode::Key, "this link opens nothing (any more)").await;
        }
    }
}

async fn join(socket: WebSocket, rooms: &Arc<Rooms>, opened: Opened, name: String, lang: Lang) {
    let client = rooms.new_client();
    let (outbox, mut frames, waiting) = Outbox::new(rooms.limits.unread_bytes);
    let (mut sink, stream) = socket.split();
    let seat = opened.seat;
    let joining = Joining { client, seat, name, lang, token: opened.token, outbox: outbox.clone() };
    if opened.room.send(RoomMessage::Join(joining)).await {
        // The room holds the other end: when it lets go, the connection ends.
        let own = outbox.clone();
        drop(outbox);
        let read = read(stream, &opened.room, client, rooms.limits, own);
        let write = async {
            while let Some(frame) = frames.recv().await {
                let bytes = frame.len();
                if sink.send(Message::Text(frame.into())).await.is_err() {
                    break;
                }
                waiting.fetch_sub(bytes, Ordering::Relaxed);
            }
            close(sink).await;
        };
        tokio::select! {
            () = read => {}
            () = write => {}
        }
    }
    opened.room.send(RoomMessage::Leave(client)).await;
    if seat.is_none() {
        rooms.close_watcher(&opened.name);
    }
}

/// Reads messages until the client is gone, silent for too long, or breaks the protocol.
async fn read(
    mut stream: futures_util::stream::SplitStream<WebSocket>,
    room: &RoomHandle,
    client: ClientId,
    limits: Limits,
    outbox: Outbox,
) {
    // The room holds an outbox of its own; this one only carries errors, and must not keep the connection open.
    let errors = outbox.downgrade();
    drop(outbox);
    let mut rate = Rate::new(limits);
    loop {
        let message = match tokio::time::timeout(limits.silence, stream.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(_)) | None) | Err(_) => return,
        };
        let is_allowed = rate.allows();
        let problem = match message {
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) if is_allowed => continue,
            _ if !is_allowed => Some((ErrorCode::Rate, "too many messages")),
            Message::Text(text) => match serde_json::from_str::<ClientMessage>(&text) {
                Ok(message) => {
                    if !room.send(RoomMessage::Said(client, message)).await {
                        return;
                    }
                    None
                }
                Err(_) => Some((ErrorCode::Unknown, "the message is not understood")),
            },
            Message::Binary(_) | Message::Ping(_) | Message::Pong(_) => Some((ErrorCode::Unknown, "messages are texts")),
        };
        if let Some((code, words)) = problem {
            let sent = errors.send(&ServerMessage::Error { code, words: words.to_owned() });
            if !sent || rate.is_abused() {
                return;
            }
        }
    }
}

async fn refuse(mut socket: WebSocket, code: ErrorCode, words: &str) {
    let message = ServerMessage::Error { code, words: words.to_owned() };
    if let Ok(text) = serde_json::to_string(&message) {
        // A client that is gone needs no reason.
        let _ = socket.send(Message::Text(text.into())).await;
    }
    let _ = socket.send(Message::Close(Some(CloseFrame { code: 1008, reason: "".into() }))).await;
}

async fn close(mut sink: SplitSink<WebSocket, Message>) {
    let _ = sink.send(Message::Close(None)).await;
}

/// A bucket of messages that fills with time.
struct Rate {
    limits: Limits,
    left: f64,
    last: Instant,
    refused: u32,
}

impl Rate {
    fn new(limits: Limits) -> Self {
        Self { limits, left: f64::from(limits.message_reserve), last: Instant::now(), refused: 0 }
    }

    fn allows(&mut self) -> bool {
        let now = Instant::now();
        let gained = now.duration_since(self.last).as_secs_f64() * f64::from(self.limits.messages_a_second);
        self.left = (self.left + gained).min(f64::from(self.limits.message_reserve));
        self.last = now;
        let is_allowed = self.left >= 1.0;
        if is_allowed {
            self.left -= 1.0;
        } else {
            self.refused += 1;
        }
        is_allowed
    }

    /// Whether so many messages were refused that the connection ends.
    fn is_abused(&self) -> bool {
        self.refused > self.limits.message_reserve
    }
}
