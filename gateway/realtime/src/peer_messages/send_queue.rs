//! Send queue of messages to other nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Message;
use crate::counters::COUNTERS;

/// Maximum size of all queued messages in bytes. If the queue is full, new messages are discarded.
const MAX_WAITING_BYTES: usize = 64 << 20;
/// Estimated memory of a queued message in addition to its content, in bytes.
const MESSAGE_OVERHEAD_BYTES: usize = 256;
/// Maximum number of messages that a bus engine sends in one call.
const MAX_BATCH: usize = 256;
/// Maximum size in bytes of the messages that a bus engine sends in one call. A single message may exceed it.
const MAX_BATCH_BYTES: usize = 1 << 20;

/// Sending end of the queue of messages to other nodes. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    sender: UnboundedSender<(Message, usize)>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Number of other nodes that are alive.
    peers: AtomicUsize,
    waiting_bytes: AtomicUsize,
    /// Whether messages were discarded because the queue was full. Reset by [`Outlet::has_overflowed`].
    overflowed: AtomicBool,
    /// Whether a broadcast was skipped (not queued) because no other node is alive. Reset when the last other node is lost.
    skipped: AtomicBool,
}

/// Receiving end of the queue of messages to other nodes, from which a bus engine reads.
#[derive(Debug)]
pub(crate) struct Outgoing {
    receiver: UnboundedReceiver<(Message, usize)>,
    shared: Arc<Shared>,
}

pub(crate) fn outlet() -> (Outlet, Outgoing) {
    let (sender, receiver) = unbounded_channel();
    let shared = Arc::<Shared>::default();
    (Outlet { sender, shared: Arc::clone(&shared) }, Outgoing { receiver, shared })
}

impl Outlet {
    /// Whether other nodes are alive. Without other nodes, messages need not be queued.
    pub(crate) fn has_peers(&self) -> bool {
        self.shared.peers.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn set_peers(&self, count: usize) {
        let before = self.shared.peers.swap(count, Ordering::Relaxed);
        if before > 0 && count == 0 {
            self.shared.skipped.store(false, Ordering::Relaxed);
        }
    }

    /// Records that a broadcast was not queued because no other node is alive.
    pub(crate) fn skip(&self) {
        self.shared.skipped.store(true, Ordering::Relaxed);
    }

    /// Whether a broadcast was skipped (not queued) since the last other node was lost.
    pub(crate) fn has_skipped(&self) -> bool {
        self.shared.skipped.load(Ordering::Relaxed)
    }

    /// Queues a message with `bytes` bytes of content. Discards the message if the queue is full.
    pub(crate) fn send(&self, message: Message, bytes: usize) {
        let bytes = bytes + MESSAGE_OVERHEAD_BYTES;
        let before = self.shared.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > MAX_WAITING_BYTES {
            self.shared.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.shared.overflowed.store(true, Ordering::Relaxed);
            COUNTERS.bus_dropped.add(1);
            return;
        }
        // Sending cannot fail, because the receiver lives as long as the program.
        let _ = self.sender.send((message, bytes));
    }

    /// Whether messages were discarded since the last call.
    pub(crate) fn has_overflowed(&self) -> bool {
        self.shared.overflowed.swap(false, Ordering::Relaxed)
    }
}

impl Outgoing {
    /// Waits for queued messages and returns at least one. Cancel safe.
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
