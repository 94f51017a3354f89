//! Joining a channel: parses the client's request, checks its permissions, and sends the first messages.

use std::sync::Arc;

use cloch_sql::Caller;
use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::authorization::Permissions;
use super::budget::OverBudget;
use super::channel::Channel;
use super::database_broadcast::{self, Replay};
use super::error::{JoinError, TokenRefused};
use super::frame::{self, Push};
use super::hub::{Hears, Outbox, TOPIC_PREFIX, Topic};
use super::postgres_changes::Binding;
use super::sessions::Watch;
use super::state::RealtimeState;

/// Bytes of a join's payload.
pub(super) const MAX_JOIN_BYTES: usize = 256 * 1024;

/// Estimated bytes of memory for each byte of a join's payload: each value is an allocation.
const JOIN_MEMORY_FACTOR: usize = 8;

/// The payload of a join. As upstream, a field of the wrong type counts as absent.
#[derive(Debug)]
pub(super) struct JoinRequest {
    pub(super) topic: Topic,
    pub(super) own_broadcasts: bool,
    pub(super) acknowledge: bool,
    pub(super) replay: Option<Replay>,
    /// Whether the client wants to hear when broadcasts of the database arrive.
    pub(super) replication_ready: bool,
    pub(super) presence_key: String,
    pub(super) presence: bool,
    /// The requested changes as the client wrote them, because the reply repeats them.
    pub(super) changes: Vec<Value>,
    pub(super) access_token: Option<String>,
}

impl JoinRequest {
    /// Parses a join's topic and payload.
    pub(super) fn read(topic: &str, payload: &Value, max_topic: usize) -> Result<Self, JoinError> {
        let name = topic.strip_prefix(TOPIC_PREFIX).ok_or(JoinError::UnmatchedTopic)?;
        // PostgreSQL's text, which policies read the topic as, has no NUL.
        if name.is_empty() || name.contains('\0') {
            return Err(JoinError::NoTopic);
        }
        if name.len() > max_topic {
            return Err(JoinError::LongTopic(max_topic));
        }
        let config = payload.get("config").and_then(Value::as_object);
        let nothing = Map::new();
        let settings = config.unwrap_or(&nothing);
        let at = |section: &str, key: &str| settings.get(section).and_then(|section| section.get(key));
        let changes = match (config, settings.get("postgres_changes")) {
            (None, _) => vec![binding_of_topic(name)],
            (_, Some(Value::Array(list))) => list.iter().filter(|entry| !entry.is_null()).cloned().collect(),
            _ => Vec::new(),
        };
        let key = at("presence", "key").and_then(Value::as_str).filter(|key| !key.is_empty());
        Ok(Self {
            topic: Topic { name: name.to_owned(), private: flag(settings.get("private")) },
            own_broadcasts: flag(at("broadcast", "self")),
            acknowledge: flag(at("broadcast", "ack")),
            replay: at("broadcast", "replay").and_then(Replay::read),
            replication_ready: flag(at("broadcast", "replication_ready")),
            presence_key: key.map_or_else(|| uuid::Uuid::new_v4().to_string(), ToOwned::to_owned),
            presence: flag(at("presence", "enabled")),
            changes,
            access_token: token(payload),
        })
    }
}

/// Older clients send no `config` and name a table in the topic: `schema[:table[:filter]]`.
fn binding_of_topic(name: &str) -> Value {
    let mut parts = name.splitn(3, ':');
    let mut binding = json!({ "event": "*", "schema": parts.next() });
    if let Some(object) = binding.as_object_mut() {
        for key in ["table", "filter"] {
            if let Some(part) = parts.next() {
                object.insert(key.to_owned(), part.into());
            }
        }
    }
    binding
}

fn flag(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// The access token in a payload. An opaque API key (`sb_…`) is no token.
pub(super) fn token(payload: &Value) -> Option<String> {
    let text = |key| payload.get(key).and_then(Value::as_str);
    let token = text("user_token").or_else(|| text("access_token"))?;
    (!token.is_empty() && !token.starts_with("sb_")).then(|| token.to_owned())
}

/// Joins a channel: checks the policies, adds the member to the topic, replies, and sends the initial messages (presence, replay).
pub(super) async fn join(
    state: &RealtimeState,
    push: &Push,
    (request, bytes): (JoinRequest, usize),
    caller: Caller,
    headers: &Arc<HeaderMap>,
    outbox: &Outbox,
) -> Result<Channel, JoinError> {
    let held = outbox.account.hold(bytes * JOIN_MEMORY_FACTOR).map_err(|OverBudget| JoinError::TooLarge)?;
    // Before the policies are asked: a session that ends meanwhile is not missed.
    let session = state.sessions.watch(&caller, &outbox.wake);
    if session.as_ref().is_some_and(Watch::has_ended) {
        return Err(TokenRefused::SessionEnded.into());
    }
    let permissions =
        Permissions::check(&state.policy_checks, &caller, headers, &request.topic, request.presence).await?;
    let replayed = match (&request.replay, request.topic.private) {
        (None, _) => Vec::new(),
        (Some(_), false) => return Err(JoinError::PublicReplay),
        (Some(replay), true) if permissions.read_broadcasts => {
            database_broadcast::replay(&state.database, &request.topic, *replay).await?
        }
        (Some(_), true) => Vec::new(),
    };
    let bindings: Vec<Binding> = request.changes.iter().map(Binding::read).collect();
    let hears = Hears {
        broadcasts: permissions.read_broadcasts,
        own_broadcasts: request.own_broadcasts,
        // Enabled when the presence state is sent.
        presence: false,
    };
    let membership = state.hub.enter(request.topic.clone(), outbox.clone(), hears);
    let echoed: Vec<Value> = bindings.iter().map(Binding::echo).collect();
    outbox.send(frame::reply(outbox.version, push, "ok", json!({ "postgres_changes": echoed })));
    let shows_presence = request.presence && permissions.read_presence;
    let caller = (caller, session);
    let mut channel =
        Channel::new(push, request, caller, Arc::clone(headers), permissions, membership, (outbox.clone(), held));
    if shows_presence {
        channel.show_presence();
    }
    for content in replayed {
        channel.replay(content);
    }
    channel.announce_replication(state);
    channel.subscribe(state, bindings);
    Ok(channel)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn topics_that_are_none() {
        assert!(matches!(JoinRequest::read("room", &json!({}), 100), Err(JoinError::UnmatchedTopic)));
        assert!(matches!(JoinRequest::read("realtime:", &json!({}), 100), Err(JoinError::NoTopic)));
        let long = format!("realtime:{}", "x".repeat(101));
        assert!(matches!(JoinRequest::read(&long, &json!({}), 100), Err(JoinError::LongTopic(100))));
    }

    #[test]
    fn what_has_the_wrong_type_counts_as_absent() {
        let payload = json!({ "config": { "broadcast": 1, "presence": [], "postgres_changes": {}, "private": "yes" } });
        let request = JoinRequest::read("realtime:room", &payload, 100).unwrap();
        assert!(!request.topic.private && !request.own_broadcasts && request.changes.is_empty());
    }

    #[test]
    fn flags_may_be_texts_and_null_bindings_are_dropped() {
        let payload = json!({
            "config": { "broadcast": { "self": "True" }, "postgres_changes": [null, { "event": "*" }], "private": true },
            "access_token": "sb_publishable_x",
        });
        let request = JoinRequest::read("realtime:room", &payload, 100).unwrap();
        assert!(request.topic.private && request.own_broadcasts && request.access_token.is_none());
        assert_eq!(request.changes, [json!({ "event": "*" })]);
    }

    #[test]
    fn an_old_client_names_its_table_in_the_topic() {
        let request = JoinRequest::read("realtime:public:notes:id=eq.1", &json!({}), 100).unwrap();
        let expected = json!({ "event": "*", "schema": "public", "table": "notes", "filter": "id=eq.1" });
        assert_eq!(request.changes, [expected]);
    }

    #[test]
    fn the_old_name_of_the_token_wins() {
        assert_eq!(token(&json!({ "user_token": "a.b.c", "access_token": "d.e.f" })).as_deref(), Some("a.b.c"));
        assert_eq!(token(&json!({ "user_token": 1, "access_token": "d.e.f" })).as_deref(), Some("d.e.f"));
    }
}
