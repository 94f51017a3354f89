//! Socket of one client, over WebSocket or long polling ([`super::transport`]): incoming and outgoing frames, and the joined channels.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Message;
use cloch_sql::Caller;
use http::HeaderMap;
use serde_json::json;
use tokio::sync::Notify;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::budget::Account;
use super::channel::{Channel, Next};
use super::counters::COUNTERS;
use super::error::{JoinError, TokenRefused};
use super::event::{Event, next_event};
use super::frame::{self, Payload, Push, Version};
use super::hub::Outbox;
use super::join;
use super::join_request::{JoinRequest, MAX_JOIN_BYTES};
use super::rate_limit::RateLimit;
use super::sessions::Watch;
use super::state::{RealtimeState, expiry, now};
use super::transport::Transport;
use super::waker_gate::WakeFlag;

pub(super) const MAX_FRAME_BYTES: usize = 5_000_000;
/// Window of the rate limits of joins, frames and bytes.
const RATE_WINDOW: Duration = Duration::from_secs(1);

struct Socket {
    state: Arc<RealtimeState>,
    caller: Caller,
    /// Auth session of the user's token with which the client connected. `None` if the client connected with an API key.
    session: Option<Watch>,
    headers: Arc<HeaderMap>,
    outbox: Outbox,
    /// Joined channels by topic. The values are boxed, because a map reserves memory for several entries and most sockets have one channel.
    channels: HashMap<String, Box<Channel>>,
    joins: RateLimit,
    frames: RateLimit,
    bytes: RateLimit,
    /// Time until which the socket is not read because of a channel's rate limit.
    pause: Option<Instant>,
}

/// Serves a client until the client disconnects, is silent for too long or reads too slowly, or until `end` is cancelled.
pub(super) async fn run<T: Transport>(
    state: Arc<RealtimeState>,
    version: Version,
    (caller, account, end): (Caller, Arc<Account>, CancellationToken),
    headers: HeaderMap,
    mut transport: T,
) {
    let _open = COUNTERS.sockets.enter();
    let (sender, mut waiting) = mpsc::unbounded_channel();
    let wake = Arc::<Notify>::default();
    let outbox = Outbox { version, sender, account, end: end.clone(), wake: Arc::clone(&wake) };
    let mut socket = Socket::new(state, caller, Arc::new(headers), outbox);
    let mut last_received = Instant::now();
    let mut next_read = None;
    // One timer serves both for the client's silence and for token checks. The timer is reset only when it has expired or when an earlier
    // time is needed, so a frame to the client does not reset the timer.
    let mut alarm = pin!(tokio::time::sleep_until(transport.end_of_silence(last_received)));
    let (mut ended, mut woken) = (pin!(end.cancelled()), pin!(wake.notified()));
    let flag = WakeFlag::new();
    loop {
        let event = next_event(&flag, &mut waiting, async {
            tokio::select! {
                () = &mut ended => Event::End,
                received = transport.receive(next_read) => Event::Received(received),
                () = &mut alarm => Event::Alarm,
                () = &mut woken => Event::Woken,
            }
        })
        .await;
        match event {
            Event::End | Event::Received(None) => break,
            Event::Queued(queued) => {
                if !transport.send(queued, &mut waiting).await {
                    return;
                }
                if next_read.is_some() || !T::KEEPS_WAKER {
                    flag.set();
                }
            }
            Event::Received(Some(message)) => {
                last_received = Instant::now();
                socket.outbox.account.received();
                let pause = socket.next_read(frame::length(&message));
                // The future is boxed, because its size would otherwise be part of the memory of an idle socket.
                if !Box::pin(socket.take(version, &message)).await {
                    break;
                }
                next_read = pause.max(socket.pause.take());
                let due = socket.next_check();
                if due < alarm.deadline() {
                    alarm.as_mut().reset(due);
                }
            }
            Event::Alarm => {
                let now = Instant::now();
                let silence = transport.end_of_silence(next_read.map_or(last_received, |next| next.max(last_received)));
                if silence <= now {
                    break;
                }
                if socket.next_check() <= now {
                    socket.check();
                }
                alarm.as_mut().reset(silence.min(socket.next_check()));
            }
            Event::Woken => {
                woken.set(wake.notified());
                socket.check();
            }
        }
    }
    // Messages queued before the end are still sent, because they may contain the reason of the end.
    while let Ok(queued) = waiting.try_recv() {
        if !transport.send(queued, &mut waiting).await {
            return;
        }
    }
    Box::pin(transport.close()).await;
}

impl Socket {
    fn new(state: Arc<RealtimeState>, caller: Caller, headers: Arc<HeaderMap>, outbox: Outbox) -> Self {
        let limits = state.limits.get();
        Self {
            joins: RateLimit::new(limits.joins_per_second, RATE_WINDOW),
            frames: RateLimit::new(limits.frames_per_second, RATE_WINDOW),
            bytes: RateLimit::new(limits.bytes_per_second as u64, RATE_WINDOW),
            channels: HashMap::new(),
            pause: None,
            session: state.sessions.watch(&caller, &outbox.wake),
            state,
            caller,
            headers,
            outbox,
        }
    }

    /// Counts a frame from the client. Returns the time before which the socket must not be read again if a rate limit is reached,
    /// otherwise `None`.
    fn next_read(&mut self, bytes: usize) -> Option<Instant> {
        COUNTERS.messages_in.add(1);
        COUNTERS.bytes_in.add(bytes);
        let (frames, bytes) = (self.frames.consume(1), self.bytes.consume(bytes as u64));
        frames.max(bytes).map(Instant::from_std)
    }

    /// Handles a frame from the client. Returns false if the client has to be disconnected.
    async fn take(&mut self, version: Version, message: &Message) -> bool {
        if matches!(message, Message::Close(_)) {
            return false;
        }
        match frame::read(version, message) {
            Ok(Some(push)) => self.handle(push).await,
            Ok(None) => true,
            Err(error) => {
                tracing::debug!(%error, "realtime: invalid frame, client disconnected");
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
        // A client that joins a channel a second time has lost its state of the channel, so its previous membership ends.
        if let Some(before) = self.channels.remove(&push.topic) {
            before.close();
        }
        let joined = self.try_join(push).await;
        let too_many = matches!(joined, Err(JoinError::TooManyJoins));
        match joined {
            Ok(channel) => {
                self.channels.insert(push.topic.clone(), Box::new(channel));
            }
            Err(error) => {
                if let JoinError::Database(source) = &error {
                    tracing::warn!(error = %source, topic = push.topic, "realtime: joining a channel failed because of a database error, the client gets an error");
                }
                self.reply(push, "error", json!({ "reason": error.to_string() }));
            }
        }
        !too_many
    }

    async fn try_join(&mut self, push: &Push) -> Result<Channel, JoinError> {
        COUNTERS.joins.add(1);
        if !self.joins.try_acquire() || !self.state.project.try_join() {
            return Err(JoinError::TooManyJoins);
        }
        let limits = self.state.limits.get();
        if self.channels.len() >= limits.channels_per_socket {
            return Err(JoinError::TooManyChannels);
        }
        let (payload, bytes) = match &push.payload {
            Payload::Json(payload) => (payload.value(MAX_JOIN_BYTES)?, payload.len()),
            Payload::Broadcast(_) => (serde_json::Value::Null, 0),
        };
        let request = JoinRequest::read(&push.topic, &payload, limits.topic_bytes)?;
        let caller = match &request.access_token {
            Some(token) => self.state.caller_of_token(token).await?,
            None => unexpired(&self.caller)?,
        };
        let bytes = bytes + push.topic.len();
        join::join(&self.state, push, (request, bytes), caller, &self.headers, &self.outbox).await
    }

    fn reply(&self, push: &Push, status: &str, response: serde_json::Value) {
        self.outbox.send(frame::reply(self.outbox.version, push, status, response));
    }

    /// Returns the earliest time at which a channel's token has to be checked.
    fn next_check(&self) -> Instant {
        let far = Instant::now() + Duration::from_hours(1);
        self.channels.values().map(|channel| channel.next_check()).min().unwrap_or(far)
    }

    /// Disconnects the client if the auth session of the socket has ended. Checks the sessions and tokens of all channels, and removes
    /// channels that have closed.
    fn check(&mut self) {
        if self.session.as_ref().is_some_and(Watch::has_ended) {
            self.outbox.end.cancel();
        }
        self.channels.retain(|_, channel| channel.check() == Next::Stay);
    }
}

/// Returns the caller with which the socket was opened. Returns an error if the caller's token has expired.
fn unexpired(caller: &Caller) -> Result<Caller, TokenRefused> {
    match expiry(caller) {
        Some(end) if end <= now() => Err(TokenRefused::Expired(now() - end)),
        _ => Ok(caller.clone()),
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::WebSocket;

    use super::*;

    /// Returns the size in bytes of the future that an async function returns.
    fn future_bytes<A, B, C, D, E, F>(_: impl FnOnce(A, B, C, D, E) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_does_not_carry_room_for_rare_work() {
        let bytes = future_bytes(run::<WebSocket>);
        let parts = (size_of::<Socket>(), size_of::<WebSocket>());
        assert!(bytes <= 4_096, "{bytes} bytes; of the socket and its connection: {parts:?}");
    }
}
