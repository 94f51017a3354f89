//! One client's connection: frames in, frames out, and the channels it joined.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use cloch_sql::Caller;
use http::HeaderMap;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use super::allowance::Allowance;
use super::channel::{Channel, Next};
use super::error::JoinError;
use super::frame::{self, Payload, Push, Version};
use super::hub::Outbox;
use super::join::{self, JoinRequest};
use super::state::RealtimeState;

/// The largest frame, in bytes.
pub(super) const MAX_FRAME: usize = 5_000_000;
/// A client that is silent for this long is gone: it should have sent a heartbeat.
const SILENCE: Duration = Duration::from_secs(60);
/// A client that does not take a frame for this long is cut off.
const STALL: Duration = Duration::from_secs(20);
/// Messages that may wait for one client.
const OUTBOX: usize = 2_000;
/// Channels of one client.
const MAX_CHANNELS: usize = 100;
/// Joins of one client in a second.
const MAX_JOINS: u32 = 100;

struct Socket {
    state: RealtimeState,
    caller: Caller,
    headers: HeaderMap,
    outbox: Outbox,
    channels: HashMap<String, Channel>,
    joins: Allowance,
}

/// Serves a client until it goes, falls silent, is too slow, or the program stops.
pub(super) async fn run(
    state: RealtimeState,
    version: Version,
    caller: Caller,
    headers: HeaderMap,
    mut connection: WebSocket,
) {
    let (sender, mut waiting) = mpsc::channel(OUTBOX);
    let end = state.shutdown.child_token();
    let outbox = Outbox { version, sender, end: end.clone() };
    let joins = Allowance::new(MAX_JOINS, Duration::from_secs(1));
    let mut socket = Socket { state, caller, headers, outbox, channels: HashMap::new(), joins };
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            () = end.cancelled() => break,
            Some(message) = waiting.recv() => {
                if !send(&mut connection, message).await {
                    return;
                }
            }
            received = timeout_at(heard + SILENCE, connection.recv()) => {
                let Ok(Some(Ok(message))) = received else { break };
                heard = Instant::now();
                if !socket.take(version, &message).await {
                    break;
                }
            }
            () = tokio::time::sleep_until(socket.next_check()) => socket.check(),
        }
    }
    // What was said before the end, the reason for it among it, still goes out.
    while let Ok(message) = waiting.try_recv() {
        if !send(&mut connection, message).await {
            return;
        }
    }
    let _ =
        send(&mut connection, Message::Close(Some(CloseFrame { code: close_code::NORMAL, reason: "".into() }))).await;
}

async fn send(connection: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(STALL, connection.send(message)).await, Ok(Ok(())))
}

impl Socket {
    /// Handles a frame; false when the connection has to end.
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
                    if channel.handle(&self.state, &push).await == Next::End {
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
        // A client that lost track of itself joins again: the channel before ends.
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
        if !self.joins.take() {
            return Err(JoinError::TooManyJoins);
        }
        if self.channels.len() >= MAX_CHANNELS {
            return Err(JoinError::TooManyChannels);
        }
        let nothing = serde_json::Value::Null;
        let payload = match &push.payload {
            Payload::Json(payload) => payload,
            Payload::Broadcast(_) => &nothing,
        };
        let request = JoinRequest::read(&push.topic, payload)?;
        let caller = match &request.access_token {
            Some(token) => self.state.caller_of_token(token)?,
            None => self.caller.clone(),
        };
        join::join(&self.state, push, request, caller, &self.headers, &self.outbox).await
    }

    fn reply(&self, push: &Push, status: &str, response: serde_json::Value) {
        self.outbox.send(frame::reply(self.outbox.version, push, status, response));
    }

    /// When a channel's token has to be looked at again.
    fn next_check(&self) -> Instant {
        let far = Instant::now() + Duration::from_hours(1);
        self.channels.values().map(Channel::next_check).min().unwrap_or(far)
    }

    fn check(&mut self) {
        self.channels.retain(|_, channel| channel.check() == Next::Stay);
    }
}
