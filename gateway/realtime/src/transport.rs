//! What carries the frames of a client: a WebSocket, or long polling ([`super::longpoll`]).

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::SinkExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout};

use super::counters::COUNTERS;
use super::frame;
use super::hub::Queued;

/// Time without any frame after which a client is disconnected: clients send heartbeats.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(60);
/// Frames of one write.
const MAX_GATHERED_FRAMES: usize = 64;
/// Timeout of one write.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// Carries the frames of one client.
pub(super) trait Transport: Send {
    /// Whether a waker that `receive` has left is woken by a message also after its future was dropped.
    const KEEPS_WAKER: bool;

    /// The next message, not before `next_read`; `None` if the client is gone. Cancel safe.
    ///
    /// A client over its rate limit is not read for a while: it waits, and nothing is buffered here.
    fn receive(&mut self, next_read: Option<Instant>) -> impl Future<Output = Option<Message>> + Send;

    /// When a client that was heard last at this time has been silent for too long.
    fn end_of_silence(&self, last_received: Instant) -> Instant;

    /// Sends a frame, and those that wait behind it; returns false if the client is gone or too slow.
    fn send(&mut self, first: Queued, waiting: &mut UnboundedReceiver<Queued>) -> impl Future<Output = bool> + Send;

    /// Ends the connection after what was sent.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}

impl Transport for WebSocket {
    const KEEPS_WAKER: bool = true;

    async fn receive(&mut self, next_read: Option<Instant>) -> Option<Message> {
        if let Some(next_read) = next_read {
            tokio::time::sleep_until(next_read).await;
        }
        self.recv().await?.ok()
    }

    fn end_of_silence(&self, last_received: Instant) -> Instant {
        last_received + HEARTBEAT_TIMEOUT
    }

    async fn send(&mut self, first: Queued, waiting: &mut UnboundedReceiver<Queued>) -> bool {
        // What is not sent yet is still charged to the socket.
        let mut charged = Vec::new();
        let work = async {
            let mut next = Some(first);
            while let Some(Queued { message, held }) = next {
                COUNTERS.messages_out.add(1);
                COUNTERS.bytes_out.add(frame::length(&message));
                charged.push(held);
                self.feed(message).await?;
                next = if charged.len() < MAX_GATHERED_FRAMES { waiting.try_recv().ok() } else { None };
            }
            self.flush().await
        };
        match timeout(SEND_TIMEOUT, work).await {
            Ok(sent) => sent.is_ok(),
            Err(_) => {
                COUNTERS.dropped_sockets.add(1);
                false
            }
        }
    }

    async fn close(&mut self) {
        let end = Message::Close(Some(CloseFrame { code: close_code::NORMAL, reason: "".into() }));
        let _ = timeout(SEND_TIMEOUT, SinkExt::send(self, end)).await;
    }
}
