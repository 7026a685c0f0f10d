//! What bounds the clients of the server. Tests use smaller limits.

use std::time::Duration;

/// The limits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest message of a client, in bytes.
    pub message_bytes: usize,
    /// The largest body of a request, in bytes.
    pub body_bytes: usize,
    /// Messages a second.
    pub messages_a_second: u32,
    /// Messages that a client may send at once after a pause.
    pub message_reserve: u32,
    /// Sockets of one address that is not this machine's.
    pub sockets_an_address: usize,
    /// Sockets in all.
    pub sockets: usize,
    /// Clients without a seat at one table.
    pub watchers: usize,
    /// Tables that run at once.
    pub tables: usize,
    /// How long a connection may wait with its first message.
    pub hello: Duration,
    /// How long a connection may be silent. Clients send pings, or answer those of the server.
    pub silence: Duration,
    /// Bytes that wait for a client that does not read. Then it is cut off.
    pub unread_bytes: usize,
    /// How long a seat is held for a client that is gone, in milliseconds.
    pub grace: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 64 << 10,
            body_bytes: 256 << 10,
            messages_a_second: 20,
            message_reserve: 60,
            sockets_an_address: 8,
            sockets: 4_096,
            watchers: 64,
            tables: 1_000,
            hello: Duration::from_secs(10),
            silence: Duration::from_secs(60),
            unread_bytes: 256 << 10,
            grace: 300_000,
        }
    }
}
