//! The queue of messages to other nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Message;
use crate::counters::COUNTERS;

/// Bytes of messages that wait to be sent.
const MAX_WAITING_BYTES: usize = 64 << 20;
/// Memory of a waiting message in addition to its contents.
const MESSAGE_OVERHEAD_BYTES: usize = 256;
/// Messages that an engine sends at once.
const MAX_BATCH: usize = 256;
/// Bytes of messages that an engine sends at once; a single one may exceed it.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// The end where messages are queued. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    sender: UnboundedSender<(Message, usize)>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Other nodes that are alive.
    peers: AtomicUsize,
    waiting_bytes: AtomicUsize,
    /// Whether messages were dropped because too many wait.
    overflowed: AtomicBool,
    /// Whether there were broadcasts since the last of the other nodes left.
    skipped: AtomicBool,
}

/// The end where an engine takes them.
#[derive(Debug)]
pub(crate) struct Outgoing {
    receiver: UnboundedReceiver<(Message, usize)>,
    shared: Arc<Shared>,
}

/// A new queue.
pub(crate) fn outlet() -> (Outlet, Outgoing) {
    let (sender, receiver) = unbounded_channel();
    let shared = Arc::<Shared>::default();
    (Outlet { sender, shared: Arc::clone(&shared) }, Outgoing { receiver, shared })
}

impl Outlet {
    /// Whether there are other nodes: without, nothing has to be queued.
    pub(crate) fn has_peers(&self) -> bool {
        self.shared.peers.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn set_peers(&self, count: usize) {
        let before = self.shared.peers.swap(count, Ordering::Relaxed);
        if before > 0 && count == 0 {
            self.shared.skipped.store(false, Ordering::Relaxed);
        }
    }

    /// Takes note of a broadcast that is not queued, because there are no other nodes.
    pub(crate) fn skip(&self) {
        self.shared.skipped.store(true, Ordering::Relaxed);
    }

    /// Whether there were broadcasts since the last of the other nodes left.
    pub(crate) fn has_skipped(&self) -> bool {
        self.shared.skipped.load(Ordering::Relaxed)
    }

    /// Queues a message with contents of this size. Dropped if too much waits.
    pub(crate) fn send(&self, message: Message, bytes: usize) {
        let bytes = bytes + MESSAGE_OVERHEAD_BYTES;
        let before = self.shared.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > MAX_WAITING_BYTES {
            self.shared.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.shared.overflowed.store(true, Ordering::Relaxed);
            COUNTERS.bus_dropped.add(1);
            return;
        }
        // The receiver lives as long as the program.
        let _ = self.sender.send((message, bytes));
    }

    /// Whether messages were dropped since the last call.
    pub(crate) fn has_overflowed(&self) -> bool {
        self.shared.overflowed.swap(false, Ordering::Relaxed)
    }
}

impl Outgoing {
    /// The messages that wait, at least one. Cancel safe.
    pub(crate) async fn next_batch(&mut self) -> Vec<Message> {
        let mut batch = Vec::new();
        let Some((first, mut total)) = self.receiver.recv().await else { return std::future::pending().await };
        batch.push(first);
        while batch.len() < MAX_BATCH
            && total < MAX_BATCH_BYTES
            && let Ok((message, bytes)) = self.receiver.try_recv()
        {
            total += bytes;
            batch.push(message);
        }
        self.shared.waiting_bytes.fetch_sub(total, Ordering::Relaxed);
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_messages_without_contents_so_many_wait_and_no_more() {
        let (outlet, mut outgoing) = outlet();
        let most = MAX_WAITING_BYTES / MESSAGE_OVERHEAD_BYTES;
        (0..most).for_each(|_| outlet.send(Message::Gap, 0));
        assert!(!outlet.has_overflowed());
        outlet.send(Message::Gap, 0);
        assert!(outlet.has_overflowed());
        assert_eq!(outgoing.next_batch().await.len(), MAX_BATCH);
        outlet.send(Message::Gap, 0);
        assert!(!outlet.has_overflowed(), "there is room again");
    }
}
