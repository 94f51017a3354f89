//! Queue of messages to the client of one socket, bounded by the socket's memory limit.

use std::sync::Arc;

use axum::extract::ws::Message;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::budget::{Account, Held, OverBudget};
use crate::counters::COUNTERS;
use crate::frame::{self, Shared, SharedFrame, Version};

/// Sending end of a socket's queue of messages to its client. If the queue exceeds the socket's memory limit, the socket is disconnected.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    pub(crate) version: Version,
    pub(crate) sender: mpsc::UnboundedSender<Queued>,
    pub(crate) account: Arc<Account>,
    /// Cancelled to disconnect the socket.
    pub(crate) end: CancellationToken,
    /// Notified when the auth session of the socket or of one of its channels has ended.
    pub(crate) wake: Arc<Notify>,
}

/// A queued message, and the value that counts the message towards the socket's memory limit.
#[derive(Debug)]
pub(crate) struct Queued {
    pub(crate) message: Message,
    pub(crate) held: Held,
}

impl Outbox {
    pub(crate) fn send(&self, message: Message) {
        let charge = self.account.budget().charge_frame(frame::length(&message));
        self.send_frame((message, charge));
    }

    pub(crate) fn send_shared(&self, shared: &Shared) {
        if let Some(frame) = shared.frame(self.version) {
            self.send_frame(frame);
        }
    }

    /// Queues a frame whose memory other sockets may share.
    pub(crate) fn send_frame(&self, (message, charge): SharedFrame) {
        match self.account.hold_shared(charge) {
            Ok(held) => drop(self.sender.send(Queued { message, held })),
            Err(OverBudget) => {
                COUNTERS.dropped_sockets.add(1);
                self.end.cancel();
            }
        }
    }
}
