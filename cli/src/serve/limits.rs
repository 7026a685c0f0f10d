//! The limits of the server: sizes, rates and times. Tests use smaller ones.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest message of a client, in bytes.
    pub message_bytes: usize,
    /// The largest body of a request, in bytes.
    pub body_bytes: usize,
    /// The largest source that is written in the workbench, in bytes.
    pub source_bytes: usize,
    /// The largest trace that is accepted, in bytes.
    pub trace_bytes: usize,
    /// Messages per second that are read of a client, in the long run. Others wait.
    pub messages_per_second: f64,
    /// Messages that a client may send at once.
    pub message_reserve: f64,
    /// So many refused messages close a connection.
    pub refused_messages: u32,
    /// The longest text of a chat message, in characters.
    pub chat_chars: usize,
    /// The shortest time between two chat messages.
    pub chat_pause: Duration,
    /// Sockets of an address that is not loopback.
    pub sockets_per_address: usize,
    /// Connections of an address that is not loopback: sockets and requests.
    pub connections_per_address: usize,
    /// Connections of all addresses.
    pub sockets: usize,
    /// Watchers of a table.
    pub watchers: usize,
    /// Tables.
    pub tables: usize,
    /// Bytes of all saved tables that are read when the server starts. The answers of a game need about three times their text in memory.
    pub saved_bytes: u64,
    /// Tables that keep the caches of their games between two answers. If there are more, a table returns them after an answer: all wait most of the
    /// time.
    pub warm_tables: usize,
    /// Time for the headers of a request, and for the first message of a socket.
    pub hello: Duration,
    /// Time for the body of a request.
    pub body: Duration,
    /// The pause between two pings.
    pub ping: Duration,
    /// A connection without any message, also no pong, for so long is closed.
    pub silence: Duration,
    /// Bytes that wait for a client before it is cut off.
    pub waiting_bytes: usize,
    /// Messages that wait for a table.
    pub mailbox: usize,
    /// For how long a seat is held for a client that has left.
    pub grace: Duration,
    /// For how many milliseconds an automatic pass waits at a table of several people.
    pub forced_wait: Option<RangeInclusive<u64>>,
    /// The pause between an answer and saving the table.
    pub save_pause: Duration,
    /// For how long a table remains after its match.
    pub keep_finished: Duration,
    /// For how long it remains after its match when everybody has left.
    pub keep_left: Duration,
    /// Playouts per decision of a searching bot.
    pub bot_playouts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 64 << 10,
            body_bytes: 256 << 10,
            source_bytes: (1 << 20) + 1,
            trace_bytes: 4 << 20,
            messages_per_second: 20.0,
            message_reserve: 60.0,
            refused_messages: 100,
            chat_chars: 500,
            chat_pause: Duration::from_secs(1),
            sockets_per_address: 8,
            connections_per_address: 64,
            sockets: 4096,
            watchers: 64,
            tables: 1024,
            saved_bytes: 128 << 20,
            warm_tables: 16,
            hello: Duration::from_secs(10),
            body: Duration::from_secs(30),
            ping: Duration::from_secs(20),
            silence: Duration::from_secs(60),
            waiting_bytes: 256 << 10,
            mailbox: 64,
            grace: Duration::from_secs(300),
            forced_wait: Some(300..=900),
            save_pause: Duration::from_millis(300),
            keep_finished: Duration::from_secs(600),
            keep_left: Duration::from_secs(30),
            bot_playouts: 200,
        }
    }
}
