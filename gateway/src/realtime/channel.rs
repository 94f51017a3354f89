//! A channel that a socket has joined: handles its client's messages, and ends when its token expires.

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::Caller;
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::authorization::{Extension, Permissions};
use super::budget::Held;
use super::counters::{COUNTERS, Entered};
use super::error::TokenRefused;
use super::frame::{self, Content, Payload, Push, RawJson, Shared};
use super::hub::{Hears, Membership, Outbox, PresenceFull};
use super::join::{self, JoinRequest, MAX_JOIN_BYTES};
use super::postgres_changes::{Binding, Subscription};
use super::rate_limit::RateLimit;
use super::sessions::Watch;
use super::state::{RealtimeState, expiry, now};

/// Time between two checks of a token, unless it expires earlier.
const TOKEN_CHECK_INTERVAL: Duration = Duration::from_secs(300);
/// Bytes of a broadcast's payload.
pub(super) const MAX_PAYLOAD_BYTES: usize = 3_000_000;
/// Broadcasts of one channel in a second. Upstream closes a channel beyond it; here its socket is read more slowly.
pub(super) const MAX_BROADCASTS_PER_SECOND: u32 = 100;
/// Presence calls of one channel in a [`PRESENCE_WINDOW`].
const MAX_PRESENCE_CALLS: u32 = 5;
const PRESENCE_WINDOW: Duration = Duration::from_secs(30);

/// Whether a channel continues after a message or a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Stay,
    End,
}

pub(super) struct Channel {
    topic: String,
    join_ref: Option<String>,
    request: JoinRequest,
    caller: Caller,
    session: Option<Watch>,
    headers: Arc<HeaderMap>,
    permissions: Permissions,
    shows_presence: bool,
    membership: Membership,
    outbox: Outbox,
    subscription: Option<Subscription>,
    /// The memory charged for the join.
    _held: Held,
    check: Instant,
    broadcasts: RateLimit,
    presences: RateLimit,
    pause: Option<Instant>,
    is_tracked: bool,
    _joined: Entered,
}

impl Channel {
    pub(super) fn new(
        push: &Push,
        mut request: JoinRequest,
        (caller, session): (Caller, Option<Watch>),
        headers: Arc<HeaderMap>,
        permissions: Permissions,
        membership: Membership,
        (outbox, held): (Outbox, Held),
    ) -> Self {
        // It has become the caller.
        request.access_token = None;
        Self {
            topic: push.topic.clone(),
            // A join's own reference names the channel.
            join_ref: push.join_ref.clone().or_else(|| push.reference.clone()),
            check: check_of(&caller),
            request,
            caller,
            session,
            headers,
            permissions,
            shows_presence: false,
            membership,
            outbox,
            subscription: None,
            _held: held,
            broadcasts: RateLimit::new(MAX_BROADCASTS_PER_SECOND, Duration::from_secs(1)),
            presences: RateLimit::new(MAX_PRESENCE_CALLS, PRESENCE_WINDOW),
            pause: None,
            is_tracked: false,
            _joined: COUNTERS.channels.enter(),
        }
    }

    /// Sends the current presence state, and its changes from now on.
    pub(super) fn show_presence(&mut self) {
        self.shows_presence = true;
        self.membership.send_presence_state();
    }

    /// Subscribes to the database changes that the join named.
    pub(super) fn subscribe(&mut self, state: &RealtimeState, bindings: Vec<Binding>) {
        if !bindings.is_empty() {
            let target = super::postgres_changes::Target {
                topic: self.topic.clone(),
                channel: self.membership.topic().name.clone(),
                outbox: self.outbox.clone(),
            };
            self.subscription = Some(state.changes.subscribe(bindings, self.caller.clone(), target));
        }
    }

    /// Sends a message to this channel only.
    pub(super) fn send(&self, event: &str, payload: &Value) {
        self.outbox.send(frame::push(self.outbox.version, self.join_ref.as_deref(), &self.topic, event, payload));
    }

    /// Sends a message of before the join.
    pub(super) fn replay(&self, content: Content) {
        self.outbox.send_shared(&Shared::new(self.topic.clone(), content, Arc::clone(self.outbox.account.budget())));
    }

    /// Tells the client that broadcasts of the database arrive, if it asked to be told: now, or once they do.
    pub(super) fn announce_replication(&self, state: &RealtimeState) {
        if !self.request.replication_ready {
            return;
        }
        let channel = &self.membership.topic().name;
        let message = "Broadcasts of the database are being received";
        let payload = json!({ "extension": "system", "status": "ok", "message": message, "channel": channel });
        let frame = frame::push(self.outbox.version, self.join_ref.as_deref(), &self.topic, "system", &payload);
        let (outbox, mut listening) = (self.outbox.clone(), state.listening.clone());
        tokio::spawn(async move {
            let end = outbox.end.clone();
            if let Some(Ok(_)) = end.run_until_cancelled(listening.wait_for(|listening| *listening)).await {
                outbox.send(frame);
            }
        });
    }

    /// Until when the socket is not read, because the channel's rate of broadcasts is reached.
    pub(super) fn take_pause(&mut self) -> Option<Instant> {
        self.pause.take()
    }

    /// Closes the channel and notifies the client.
    pub(super) fn close(self) {
        self.send("phx_close", &json!({}));
    }

    fn reply(&self, push: &Push, status: &str, response: Value) {
        self.outbox.send(frame::reply(self.outbox.version, push, status, response));
    }

    fn fail(&self, message: &str) -> Next {
        let channel = &self.membership.topic().name;
        self.send(
            "system",
            &json!({ "extension": "system", "status": "error", "message": message, "channel": channel }),
        );
        self.send("phx_close", &json!({}));
        Next::End
    }

    /// The time of the token's next check.
    pub(super) fn next_check(&self) -> Instant {
        self.check
    }

    /// Checks the session, and the token if its check is due.
    pub(super) fn check(&mut self) -> Next {
        if self.session.as_ref().is_some_and(Watch::has_ended) {
            self.session = None;
            return self.lose_session();
        }
        if Instant::now() < self.check {
            return Next::Stay;
        }
        match expiry(&self.caller) {
            Some(end) if end <= now() => self.fail(&TokenRefused::Expired(now() - end).to_string()),
            _ => {
                self.check = check_of(&self.caller);
                Next::Stay
            }
        }
    }

    /// Ends what the session's token gave access to: a private channel as a whole, of a public one the changes of tables.
    fn lose_session(&mut self) -> Next {
        let ended = TokenRefused::SessionEnded.to_string();
        if self.membership.topic().private {
            return self.fail(&ended);
        }
        if let Some(subscription) = &self.subscription {
            subscription.end(&ended);
        }
        Next::Stay
    }

    /// Handles a message of the client on this channel.
    pub(super) async fn handle(&mut self, state: &RealtimeState, push: &Push) -> Next {
        match (push.event.as_str(), &push.payload) {
            ("phx_leave", _) => {
                self.reply(push, "ok", json!({}));
                self.send("phx_close", &json!({}));
                Next::End
            }
            ("access_token", Payload::Json(payload)) => match payload.value(MAX_JOIN_BYTES) {
                Some(payload) => Box::pin(self.renew(state, &payload)).await,
                None => self.fail(&TokenRefused::Malformed.to_string()),
            },
            ("broadcast", payload) => self.broadcast(state, push, payload).await,
            ("presence", Payload::Json(payload)) => self.presence(state, push, payload).await,
            // As upstream, unknown events are ignored.
            _ => Next::Stay,
        }
    }

    /// Replaces the token; the channel's permissions are checked again.
    async fn renew(&mut self, state: &RealtimeState, payload: &Value) -> Next {
        let Some(token) = join::token(payload) else { return Next::Stay };
        if self.caller.token().is_some_and(|before| before.matches(&token)) {
            return Next::Stay;
        }
        let caller = match state.caller_of_token(&token) {
            Ok(caller) => caller,
            Err(error) => return self.fail(&error.to_string()),
        };
        // Before the policies are asked: a session that ends meanwhile is not missed.
        let session = state.sessions.watch(&caller, &self.outbox.wake);
        if session.as_ref().is_some_and(Watch::has_ended) {
            return self.fail(&TokenRefused::SessionEnded.to_string());
        }
        let topic = self.membership.topic();
        let presence = self.request.presence || self.shows_presence;
        match Permissions::check(&state.policy_checks, &caller, &self.headers, topic, presence).await {
            Ok(permissions) => self.permissions = permissions,
            Err(error) => return self.fail(&error.to_string()),
        }
        self.check = check_of(&caller);
        self.session = session;
        self.caller = caller;
        self.shows_presence &= self.permissions.read_presence;
        self.membership.set_hears(Hears {
            broadcasts: self.permissions.read_broadcasts,
            own_broadcasts: self.request.own_broadcasts,
            presence: self.shows_presence,
        });
        if self.is_tracked && !self.may_send(state, Extension::Presence).await {
            self.is_tracked = false;
            self.membership.untrack();
        }
        if self.subscription.take().is_some() {
            self.subscribe(state, self.request.changes.iter().map(Binding::read).collect());
        }
        Next::Stay
    }

    async fn may_send(&mut self, state: &RealtimeState, extension: Extension) -> bool {
        let topic = self.membership.topic().clone();
        let asked = self.permissions.may_send(extension, &state.policy_checks, &self.caller, &self.headers, &topic);
        // In a box: an idle socket carries no room for a statement.
        Box::pin(asked).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the policies of a channel cannot be checked");
            false
        })
    }

    async fn broadcast(&mut self, state: &RealtimeState, push: &Push, payload: &Payload) -> Next {
        // A client that sends faster is read more slowly: nothing is lost.
        self.pause = self.broadcasts.consume(1).map(Instant::from_std);
        let (content, size) = match payload {
            Payload::Json(json) => (Content::RawEvent("broadcast", json.clone()), json.len()),
            Payload::Broadcast(broadcast) => (Content::Broadcast(broadcast.clone()), broadcast.payload.len()),
        };
        if size > MAX_PAYLOAD_BYTES {
            if self.request.acknowledge {
                self.reply(push, "error", json!({ "reason": "payload_size_exceeded" }));
            }
            return Next::Stay;
        }
        // As upstream, a message without permission is dropped without an error.
        if self.may_send(state, Extension::Broadcast).await {
            self.membership.broadcast(content);
            if self.request.acknowledge {
                self.reply(push, "ok", json!({}));
            }
        }
        Next::Stay
    }

    async fn presence(&mut self, state: &RealtimeState, push: &Push, payload: &RawJson) -> Next {
        if !self.presences.try_acquire() {
            return self.fail("Client presence rate limit exceeded");
        }
        let Some(payload) = payload.value(state.limits.presence_per_topic) else {
            return self.fail("Track message size exceeded");
        };
        match payload.get("event").and_then(Value::as_str).map(str::to_ascii_lowercase).as_deref() {
            Some("track") => self.track(state, push, payload.get("payload")).await,
            Some("untrack") => {
                self.membership.untrack();
                self.reply(push, "ok", json!({}));
                Next::Stay
            }
            _ => {
                self.reply(push, "error", json!({ "reason": "Unknown presence event" }));
                Next::Stay
            }
        }
    }

    async fn track(&mut self, state: &RealtimeState, push: &Push, payload: Option<&Value>) -> Next {
        let nothing = json!({});
        let Value::Object(payload) = payload.unwrap_or(&nothing) else {
            self.reply(push, "error", json!({ "reason": "Presence track payload must be a map" }));
            return Next::Stay;
        };
        let bytes = Value::Object(payload.clone()).to_string().len();
        if !self.may_send(state, Extension::Presence).await {
            self.reply(push, "error", json!({}));
            return Next::Stay;
        }
        // A client that tracks its presence on a channel joined without presence receives presence from now on.
        if !self.shows_presence && self.permissions.read_presence {
            self.show_presence();
        }
        if let Err(PresenceFull) = self.membership.track(&self.request.presence_key, payload.clone(), bytes) {
            return self.fail("Presence state size exceeded");
        }
        self.is_tracked = true;
        self.reply(push, "ok", json!({}));
        Next::Stay
    }
}

fn check_of(caller: &Caller) -> Instant {
    let left = expiry(caller).map_or(i64::MAX, |end| end - now()).max(0).cast_unsigned();
    Instant::now() + TOKEN_CHECK_INTERVAL.min(Duration::from_secs(left))
}
