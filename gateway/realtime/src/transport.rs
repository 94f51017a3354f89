//! Transport of frames between a client and its socket: a WebSocket, or long polling ([`super::longpoll`]).

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::SinkExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, timeout};

use super::counters::COUNTERS;
use super::frame;
use super::hub::Queued;

/// Time without any frame after which a client is disconnected. Clients send heartbeats more often.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_GATHERED_FRAMES: usize = 64;
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) trait Transport: Send {
    /// Whether a waker registered by `receive` is still called after the future of `receive` was dropped.
    const KEEPS_WAKER: bool;

    /// Waits for the next message from the client. Does not read from the connection before the time `next_read`. `None` if the client has
    /// disconnected. Cancel safe.
    ///
    /// While a client exceeds its rate limit, its connection is not read, so that its data is not buffered in this process.
    fn receive(&mut self, next_read: Option<Instant>) -> impl Future<Output = Option<Message>> + Send;

    /// Returns the time at which a client counts as silent if its last frame arrived at `last_received`.
    fn end_of_silence(&self, last_received: Instant) -> Instant;

    /// Sends a frame to the client, followed by the frames in the queue `waiting`. Returns false if the client has disconnected or is too
    /// slow.
    fn send(&mut self, first: Queued, waiting: &mut UnboundedReceiver<Queued>) -> impl Future<Output = bool> + Send;

    /// Closes the connection after the frames that were passed to `send`.
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
        // Keeps the values that count the frames towards the socket's memory until the frames are sent.
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
