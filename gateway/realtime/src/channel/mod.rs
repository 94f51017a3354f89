//! A channel that a socket has joined: handles messages of the client ([`messages`]) and closes when the access token expires ([`token`]).

mod announcement;
mod messages;
mod token;

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::Caller;
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::authorization::Permissions;
use super::budget::Held;
use super::counters::{COUNTERS, Entered};
use super::error::TokenRefused;
use super::frame::{self, Content, Payload, Push, Shared};
use super::hub::{Membership, Outbox};
use super::join_request::{JoinRequest, MAX_JOIN_BYTES};
use super::postgres_changes::{Binding, Subscription, Target};
use super::rate_limit::RateLimit;
use super::sessions::Watch;
use super::state::RealtimeState;
use announcement::announce;
use token::check_of;

/// Maximum size of the payload of a broadcast in bytes.
pub(super) const MAX_PAYLOAD_BYTES: usize = 3_000_000;
/// Maximum number of broadcasts per second on one channel. Above this rate, Cloch reads the socket more slowly. Supabase's Realtime server
/// closes the channel.
pub(super) const MAX_BROADCASTS_PER_SECOND: u32 = 100;
/// Maximum number of presence messages from a client on one channel per [`PRESENCE_WINDOW`].
const MAX_PRESENCE_CALLS: u32 = 5;
const PRESENCE_WINDOW: Duration = Duration::from_secs(30);

/// Result of handling a message or of checking the token: whether the channel stays open.
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
    /// Task that sends the `replication_ready` notification. Dropping the handle cancels the task.
    _announcement: Option<AbortOnDropHandle<()>>,
    held: Arc<Held>,
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
        // The access token was resolved to `caller`, so the join request does not keep it.
        request.access_token = None;
        Self {
            topic: push.topic.clone(),
            // If the client sent no `join_ref`, the reference of the join message identifies the channel.
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
            _announcement: None,
            held: Arc::new(held),
            broadcasts: RateLimit::new(MAX_BROADCASTS_PER_SECOND, Duration::from_secs(1)),
            presences: RateLimit::new(MAX_PRESENCE_CALLS, PRESENCE_WINDOW),
            pause: None,
            is_tracked: false,
            _joined: COUNTERS.channels.enter(),
        }
    }

    /// Sends the current presence of the topic to the client. From now on, the client also receives every change of this presence.
    pub(super) fn show_presence(&mut self) {
        self.shows_presence = true;
        self.membership.send_presence_state();
    }

    /// Subscribes to the table changes that the join requested (`bindings`: the entries of `postgres_changes`). Waits until the
    /// subscription is confirmed or refused, or until the worker reports that the confirmation is delayed. The wait has a maximum time.
    pub(super) async fn subscribe(&mut self, state: &RealtimeState, bindings: Vec<Binding>) {
        if bindings.is_empty() {
            return;
        }
        let subscription = state.changes.subscribe(bindings, self.caller.clone(), self.target());
        state.changes.settled(&subscription).await;
        self.subscription = Some(subscription);
    }

    /// Replaces the subscription `before` to table changes by a subscription with the channel's current caller.
    fn resubscribe(&mut self, state: &RealtimeState, before: Subscription) {
        let bindings = self.request.changes.iter().map(Binding::read).collect();
        self.subscription = Some(state.changes.replace(before, bindings, self.caller.clone(), self.target()));
    }

    /// Returns the topic of this channel and the message queue of its client, to which table changes are sent.
    fn target(&self) -> Target {
        Target {
            topic: self.topic.clone(),
            channel: self.membership.topic().name.clone(),
            is_older_client: self.request.is_older_client,
            outbox: self.outbox.clone(),
            _held: Arc::clone(&self.held),
        }
    }

    /// Sends a message to the client on this channel.
    pub(super) fn send(&self, event: &str, payload: &Value) {
        self.outbox.send(frame::push(self.outbox.version, self.join_ref.as_deref(), &self.topic, event, payload));
    }

    /// Sends a replayed message to the client: a message that was broadcast before the client joined.
    pub(super) fn replay(&self, content: Content) {
        self.outbox.send_shared(&Shared::new(self.topic.clone(), content, Arc::clone(self.outbox.account.budget())));
    }

    /// Notifies the client when broadcasts from the database can be received, if the client requested this notification
    /// (`replication_ready`).
    pub(super) fn announce_replication(&mut self, state: &RealtimeState) {
        if !self.request.replication_ready {
            return;
        }
        let channel = &self.membership.topic().name;
        let message = "Broadcasts of the database are being received";
        let payload = json!({ "extension": "system", "status": "ok", "message": message, "channel": channel });
        let frame = frame::push(self.outbox.version, self.join_ref.as_deref(), &self.topic, "system", &payload);
        self._announcement = Some(announce(self.outbox.clone(), state.listening.clone(), frame));
    }

    /// Returns and clears the time until which the socket is not read because the client exceeded the broadcast rate of this channel.
    /// `None` if the socket may be read.
    pub(super) fn take_pause(&mut self) -> Option<Instant> {
        self.pause.take()
    }

    /// Closes the channel and sends a notification about the end to the client.
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

    pub(super) async fn handle(&mut self, state: &RealtimeState, push: &Push) -> Next {
        match (push.event.as_str(), &push.payload) {
            ("phx_leave", _) => {
                self.reply(push, "ok", json!({}));
                self.send("phx_close", &json!({}));
                Next::End
            }
            ("access_token", Payload::Json(payload)) => match payload.value(MAX_JOIN_BYTES) {
                Ok(payload) => Box::pin(self.renew(state, &payload)).await,
                Err(_) => self.fail(&TokenRefused::Malformed.to_string()),
            },
            ("broadcast", payload) => self.broadcast(state, push, payload).await,
            ("presence", Payload::Json(payload)) => self.presence(state, push, payload).await,
            // As in Supabase's Realtime server, messages with an unknown event are ignored.
            _ => Next::Stay,
        }
    }
}
