//! One client's WebSocket: incoming and outgoing frames, and its joined channels.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use cloch_sql::Caller;
use futures_util::SinkExt;
use http::HeaderMap;
use serde_json::json;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, timeout, timeout_at};

use super::budget::Account;
use super::channel::{Channel, Next};
use super::counters::COUNTERS;
use super::error::JoinError;
use super::frame::{self, Payload, Push, Version};
use super::hub::{Outbox, Queued};
use super::join::{self, JoinRequest, MAX_JOIN_BYTES};
use super::rate_limit::RateLimit;
use super::state::RealtimeState;

/// The largest WebSocket frame.
pub(super) const MAX_FRAME_BYTES: usize = 5_000_000;
/// Time without any frame after which a client is disconnected: clients send heartbeats.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(60);
/// Frames of one write.
const MAX_GATHERED_FRAMES: usize = 64;
/// Timeout of one write.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// The window of the rate limits of joins, frames and bytes.
const RATE_WINDOW: Duration = Duration::from_secs(1);

struct Socket {
    state: RealtimeState,
    caller: Caller,
    headers: Arc<HeaderMap>,
    outbox: Outbox,
    channels: HashMap<String, Channel>,
    joins: RateLimit,
    frames: RateLimit,
    bytes: RateLimit,
    /// Until when the socket is not read, because of a channel's rate limit.
    pause: Option<Instant>,
}

/// Serves a client until it disconnects, is silent or too slow, or the program stops.
pub(super) async fn run(
    state: RealtimeState,
    version: Version,
    (caller, account): (Caller, Arc<Account>),
    headers: HeaderMap,
    mut connection: WebSocket,
) {
    let _open = COUNTERS.sockets.enter();
    let (sender, mut waiting) = mpsc::unbounded_channel();
    let end = state.shutdown.child_token();
    let outbox = Outbox { version, sender, account, end: end.clone() };
    let mut socket = Socket::new(state, caller, Arc::new(headers), outbox);
    let mut last_received = Instant::now();
    let mut next_read = last_received;
    loop {
        tokio::select! {
            () = end.cancelled() => break,
            Some(queued) = waiting.recv() => {
                if !send(&mut connection, queued, &mut waiting).await {
                    return;
                }
            }
            received = receive(&mut connection, next_read, last_received + HEARTBEAT_TIMEOUT) => {
                let Some(message) = received else { break };
                last_received = Instant::now();
                socket.outbox.account.received();
                let pause = socket.next_read(frame::length(&message));
                if !socket.take(version, &message).await {
                    break;
                }
                next_read = pause.max(socket.pause.take()).unwrap_or(last_received);
            }
            () = tokio::time::sleep_until(socket.next_check()) => socket.check(),
        }
    }
    // Messages queued before the end are still sent, because they include the reason for it.
    while let Ok(queued) = waiting.try_recv() {
        if !send(&mut connection, queued, &mut waiting).await {
            return;
        }
    }
    let end = Message::Close(Some(CloseFrame { code: close_code::NORMAL, reason: "".into() }));
    let _ = timeout(SEND_TIMEOUT, connection.send(end)).await;
}

/// Receives the next message, not before `next_read`; `None` if the client disconnected or was silent until `end`.
async fn receive(connection: &mut WebSocket, next_read: Instant, end: Instant) -> Option<Message> {
    // A client over its rate limit is not read for a while: TCP flow control makes it wait, and nothing is buffered here.
    if next_read > Instant::now() {
        tokio::time::sleep_until(next_read).await;
    }
    timeout_at(end.max(next_read), connection.recv()).await.ok()??.ok()
}

/// Sends a frame, and those that wait behind it, as one write; returns false if the client is gone or too slow.
async fn send(connection: &mut WebSocket, first: Queued, waiting: &mut UnboundedReceiver<Queued>) -> bool {
    // What is not sent yet is still charged to the socket.
    let mut charged = Vec::new();
    let work = async {
        let mut next = Some(first);
        while let Some(Queued { message, held }) = next {
            COUNTERS.messages_out.add(1);
            COUNTERS.bytes_out.add(frame::length(&message));
            charged.push(held);
            connection.feed(message).await?;
            next = if charged.len() < MAX_GATHERED_FRAMES { waiting.try_recv().ok() } else { None };
        }
        connection.flush().await
    };
    match timeout(SEND_TIMEOUT, work).await {
        Ok(sent) => sent.is_ok(),
        Err(_) => {
            COUNTERS.dropped_sockets.add(1);
            false
        }
    }
}

impl Socket {
    fn new(state: RealtimeState, caller: Caller, headers: Arc<HeaderMap>, outbox: Outbox) -> Self {
        let limits = state.limits;
        Self {
            joins: RateLimit::new(limits.joins_per_second, RATE_WINDOW),
            frames: RateLimit::new(limits.frames_per_second, RATE_WINDOW),
            bytes: RateLimit::new(limits.bytes_per_second as u64, RATE_WINDOW),
            channels: HashMap::new(),
            pause: None,
            state,
            caller,
            headers,
            outbox,
        }
    }

    /// Counts a frame; returns the time of the next read once a rate limit is reached.
    fn next_read(&mut self, bytes: usize) -> Option<Instant> {
        COUNTERS.messages_in.add(1);
        COUNTERS.bytes_in.add(bytes);
        let (frames, bytes) = (self.frames.consume(1), self.bytes.consume(bytes as u64));
        frames.max(bytes).map(Instant::from_std)
    }

    /// Handles a frame; returns false if the connection has to end.
    async fn take(&mut self, version: Version, message: &Message) -> bool {
        if matches!(message, Message::Close(_)) {
            return false;
        }
        match frame::read(version, message) {
            Ok(Some(push)) => self.handle(push).await,
            Ok(None) => true,
            Err(error) => {
                tracing::debug!(%error, "a realtime client is cut off");
                false
            }
        }
    }

    async fn handle(&mut self, push: Push) -> bool {
        match (push.topic.as_str(), push.event.as_str()) {
            ("phoenix", "heartbeat") => self.reply(&push, "ok", json!({})),
            (_, "phx_join") => return self.join(&push).await,
            (topic, event) => match self.channels.get_mut(topic) {
                Some(channel) => {
                    let next = channel.handle(&self.state, &push).await;
                    self.pause = channel.take_pause();
                    if next == Next::End {
                        self.channels.remove(&push.topic);
                    }
                }
                None if event == "phx_leave" => self.reply(&push, "ok", json!({})),
                None => self.reply(&push, "error", json!({ "reason": JoinError::UnmatchedTopic.to_string() })),
            },
        }
        true
    }

    async fn join(&mut self, push: &Push) -> bool {
        // A client that joins a channel again has lost its state: the previous membership ends.
        if let Some(before) = self.channels.remove(&push.topic) {
            before.close();
        }
        let joined = self.try_join(push).await;
        let too_many = matches!(joined, Err(JoinError::TooManyJoins));
        match joined {
            Ok(channel) => {
                self.channels.insert(push.topic.clone(), channel);
            }
            Err(error) => {
                if let JoinError::Database(source) = &error {
                    tracing::warn!(error = %source, "a channel cannot be joined");
                }
                self.reply(push, "error", json!({ "reason": error.to_string() }));
            }
        }
        !too_many
    }

    async fn try_join(&mut self, push: &Push) -> Result<Channel, JoinError> {
        COUNTERS.joins.add(1);
        if !self.joins.try_acquire() {
            return Err(JoinError::TooManyJoins);
        }
        if self.channels.len() >= self.state.limits.channels_per_socket {
            return Err(JoinError::TooManyChannels);
        }
        let (payload, bytes) = match &push.payload {
            Payload::Json(payload) => (payload.value(MAX_JOIN_BYTES).ok_or(JoinError::TooLarge)?, payload.len()),
            Payload::Broadcast(_) => (serde_json::Value::Null, 0),
        };
        let request = JoinRequest::read(&push.topic, &payload, self.state.limits.topic_bytes)?;
        let caller = match &request.access_token {
            Some(token) => self.state.caller_of_token(token)?,
            None => self.caller.clone(),
        };
        let bytes = bytes + push.topic.len();
        join::join(&self.state, push, (request, bytes), caller, &self.headers, &self.outbox).await
    }

    fn reply(&self, push: &Push, status: &str, response: serde_json::Value) {
        self.outbox.send(frame::reply(self.outbox.version, push, status, response));
    }

    /// The earliest time at which a channel's token has to be checked.
    fn next_check(&self) -> Instant {
        let far = Instant::now() + Duration::from_hours(1);
        self.channels.values().map(Channel::next_check).min().unwrap_or(far)
    }

    fn check(&mut self) {
        self.channels.retain(|_, channel| channel.check() == Next::Stay);
    }
}
