//! The outgoing queue of a client. A client that does not read is disconnected when too much waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::{Notify, mpsc};

/// The counters that both ends share.
#[derive(Debug, Default)]
struct Shared {
    waiting: AtomicUsize,
    is_cut: AtomicBool,
    cut: Notify,
}

/// The end of a table.
#[derive(Clone, Debug)]
pub struct Outbox {
    send: mpsc::UnboundedSender<String>,
    shared: Arc<Shared>,
    max: usize,
}

/// The end of a socket.
#[derive(Debug)]
pub struct Waiting {
    receive: mpsc::UnboundedReceiver<String>,
    shared: Arc<Shared>,
}

/// Makes both ends. `max`: the bytes that may wait.
pub fn outbox(max: usize) -> (Outbox, Waiting) {
    let (send, receive) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared::default());
    (Outbox { send, shared: Arc::clone(&shared), max }, Waiting { receive, shared })
}

impl Outbox {
    /// Adds a message. One message can always wait, however long it is.
    pub fn push(&self, message: String) {
        let waiting = self.shared.waiting.fetch_add(message.len(), Ordering::SeqCst);
        if self.shared.is_cut.load(Ordering::SeqCst) {
            return;
        }
        if waiting > 0 && waiting.saturating_add(message.len()) > self.max {
            self.shared.is_cut.store(true, Ordering::SeqCst);
            self.shared.cut.notify_one();
            return;
        }
        // It fails only if the socket has ended.
        let _ = self.send.send(message);
    }

    /// Closes the connection after what waits.
    pub fn close(&self) {
        // It fails only if the socket has ended.
        let _ = self.send.send(String::new());
    }
}

impl Waiting {
    /// The next message; `None` if nothing can follow. An empty message closes the connection.
    pub async fn next(&mut self) -> Option<String> {
        self.receive.recv().await
    }

    /// A message of this length was sent.
    pub fn sent(&self, bytes: usize) {
        self.shared.waiting.fetch_sub(bytes, Ordering::SeqCst);
    }

    /// Waits until the client is cut off.
    pub fn cut(&self) -> impl Future<Output = ()> + 'static {
        let shared = Arc::clone(&self.shared);
        async move { shared.cut.notified().await }
    }
}
