//! Handles the messages that a client sends on a joined channel: broadcasts and presence.

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Channel, MAX_PAYLOAD_BYTES, Next};
use crate::authorization::Extension;
use crate::frame::{Content, NoValue, Payload, Push, RawJson};
use crate::hub::PresenceFull;
use crate::state::RealtimeState;

impl Channel {
    pub(super) async fn may_send(&mut self, state: &RealtimeState, extension: Extension) -> bool {
        let topic = self.membership.topic().clone();
        let asked = self.permissions.may_send(extension, &state.policy_checks, &self.caller, &self.headers, &topic);
        // The policy check is boxed, so that the future of an idle socket does not reserve memory for an SQL statement.
        Box::pin(asked).await.unwrap_or_else(|error| {
            tracing::warn!(%error, topic = topic.name, "realtime: row-level security check of a private channel failed, message not sent");
            false
        })
    }

    pub(super) async fn broadcast(&mut self, state: &RealtimeState, push: &Push, payload: &Payload) -> Next {
        // If the client exceeds the rate limit of broadcasts, its socket is read more slowly. No message is lost.
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
        // As in Supabase's Realtime server, a message that the caller may not send is discarded without an error message.
        if self.may_send(state, Extension::Broadcast).await {
            if state.project.try_send(1).is_err() {
                return self.fail("Too many messages per second");
            }
            self.membership.broadcast(content);
            if self.request.acknowledge {
                self.reply(push, "ok", json!({}));
            }
        }
        Next::Stay
    }

    pub(super) async fn presence(&mut self, state: &RealtimeState, push: &Push, payload: &RawJson) -> Next {
        if !self.presences.try_acquire() {
            return self.fail("Client presence rate limit exceeded");
        }
        let payload = match payload.value(state.limits.get().presence_per_topic) {
            Ok(payload) => payload,
            Err(NoValue::TooLarge) => return self.fail("Track message size exceeded"),
            Err(NoValue::Unreadable) => {
                self.reply(push, "error", json!({ "reason": "Presence track payload is not valid JSON" }));
                return Next::Stay;
            }
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
        if state.project.try_send(1).is_err() {
            return self.fail("Too many presence messages per second");
        }
        // A client that joined without presence starts to track its own presence. From now on, it also receives the presence of the other
        // members.
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
