//! Parses the messages with which clients join a channel.

use serde_json::{Value, json};

use super::database_broadcast::Replay;
use super::error::JoinError;
use super::hub::{TOPIC_PREFIX, Topic};
use super::join_fields::{Fields, WrongField};

/// Maximum size of a join's payload in bytes.
pub(super) const MAX_JOIN_BYTES: usize = 256 * 1024;

/// A parsed join request. A field of the wrong type is refused. Supabase's Realtime server uses the default value of such a field: there, a
/// client with a malformed `private` joins the public channel although it requested the private channel.
#[derive(Debug)]
pub(super) struct JoinRequest {
    pub(super) topic: Topic,
    pub(super) own_broadcasts: bool,
    pub(super) acknowledge: bool,
    pub(super) replay: Option<Replay>,
    /// Whether the client requests a notification at the time when broadcasts from the database (rows of `realtime.messages`) can be
    /// received.
    pub(super) replication_ready: bool,
    pub(super) presence_key: String,
    pub(super) presence: bool,
    /// Whether the client is older than `postgres_changes` (supabase-js 1): it sends no `config`, and its topic names a table.
    pub(super) is_older_client: bool,
    /// Entries of `postgres_changes` as the client wrote them. The reply to the join repeats the entries.
    pub(super) changes: Vec<Value>,
    pub(super) access_token: Option<String>,
}

impl JoinRequest {
    pub(super) fn read(topic: &str, payload: &Value, max_topic: usize) -> Result<Self, JoinError> {
        let name = topic.strip_prefix(TOPIC_PREFIX).ok_or(JoinError::UnmatchedTopic)?;
        // NUL is refused, because policies read the topic as a PostgreSQL text, which cannot contain NUL.
        if name.is_empty() || name.contains('\0') {
            return Err(JoinError::NoTopic);
        }
        if name.len() > max_topic {
            return Err(JoinError::LongTopic(max_topic));
        }
        let payload = Fields::of_payload(payload)?;
        let is_older_client = !payload.has("config");
        let config = payload.section("config")?;
        let (broadcast, presence) = (config.section("broadcast")?, config.section("presence")?);
        let changes = match is_older_client {
            true => vec![binding_of_topic(name)],
            false => changes(&config)?,
        };
        let key = presence.key("key")?.filter(|key| !key.is_empty());
        Ok(Self {
            topic: Topic { name: name.to_owned(), private: config.flag("private")? },
            own_broadcasts: broadcast.flag("self")?,
            acknowledge: broadcast.flag("ack")?,
            replay: broadcast.optional_section("replay")?.map(|replay| Replay::read(&replay)).transpose()?,
            replication_ready: broadcast.flag("replication_ready")?,
            presence_key: key.unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
            presence: presence.flag("enabled")?,
            is_older_client,
            changes,
            access_token: token(&payload)?,
        })
    }
}

/// Returns the entries of `postgres_changes`, without its null entries.
fn changes(config: &Fields<'_>) -> Result<Vec<Value>, WrongField> {
    let entries = config.maps("postgres_changes")?;
    for entry in &entries {
        for key in ["event", "schema", "table", "filter"] {
            entry.text(key)?;
        }
    }
    Ok(entries.iter().map(Fields::to_value).collect())
}

/// Converts the topic of an older client, `schema[:table[:filter]]`, to an entry of `postgres_changes`.
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

/// Returns the access token in a payload. `None` if the token is absent or is an opaque API key (`sb_…`).
pub(super) fn token(payload: &Fields<'_>) -> Result<Option<String>, WrongField> {
    let token = payload.text("user_token")?.or(payload.text("access_token")?);
    Ok(token.filter(|token| !token.is_empty() && !token.starts_with("sb_")).map(ToOwned::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_that_are_none() {
        assert!(matches!(JoinRequest::read("room", &json!({}), 100), Err(JoinError::UnmatchedTopic)));
        assert!(matches!(JoinRequest::read("realtime:", &json!({}), 100), Err(JoinError::NoTopic)));
        let long = format!("realtime:{}", "x".repeat(101));
        assert!(matches!(JoinRequest::read(&long, &json!({}), 100), Err(JoinError::LongTopic(100))));
    }

    #[test]
    fn a_field_of_the_wrong_type_is_refused() {
        let cases = [
            (json!([]), "payload: unable to parse, expected a map"),
            (json!({ "access_token": 1 }), "access_token: unable to parse, expected string"),
            (json!({ "user_token": {}, "access_token": "d.e.f" }), "user_token: unable to parse, expected string"),
            (json!({ "config": "private" }), "config: unable to parse, expected a map"),
        ];
        let of_config = [
            (json!({ "private": 1 }), "private: unable to parse, expected boolean"),
            (json!({ "private": "yes" }), "private: unable to parse, expected boolean"),
            (json!({ "private": [true] }), "private: unable to parse, expected boolean"),
            (json!({ "broadcast": 1 }), "broadcast: unable to parse, expected a map"),
            (json!({ "broadcast": { "ack": 1 } }), "broadcast.ack: unable to parse, expected boolean"),
            (json!({ "broadcast": { "self": "" } }), "broadcast.self: unable to parse, expected boolean"),
            (
                json!({ "broadcast": { "replication_ready": 0 } }),
                "broadcast.replication_ready: unable to parse, expected boolean",
            ),
            (json!({ "broadcast": { "replay": 1 } }), "broadcast.replay: unable to parse, expected a map"),
            (json!({ "presence": [] }), "presence: unable to parse, expected a map"),
            (json!({ "presence": { "enabled": 1 } }), "presence.enabled: unable to parse, expected boolean"),
            (json!({ "presence": { "key": {} } }), "presence.key: unable to parse, expected string"),
            (json!({ "postgres_changes": {} }), "postgres_changes: unable to parse, expected an array of maps"),
            (json!({ "postgres_changes": ["*"] }), "postgres_changes: unable to parse, expected an array of maps"),
            (
                json!({ "postgres_changes": [null, { "schema": 1 }] }),
                "postgres_changes.schema: unable to parse, expected string",
            ),
        ];
        let all = of_config.map(|(config, path)| (json!({ "config": config }), format!("config.{path}")));
        for (payload, expected) in cases.map(|(payload, path)| (payload, path.to_owned())).into_iter().chain(all) {
            let refused = JoinRequest::read("realtime:room", &payload, 100).unwrap_err();
            assert_eq!(refused.to_string(), format!("InvalidJoinPayload: {expected}"), "{payload}");
        }
    }

    #[test]
    fn a_replay_names_a_moment_in_whole_milliseconds() {
        let read = |replay: Value| {
            let payload = json!({ "config": { "private": true, "broadcast": { "replay": replay } } });
            JoinRequest::read("realtime:room", &payload, 100)
        };
        for replay in [
            json!({}),
            json!({ "since": "1700000000000" }),
            json!({ "since": 1.5 }),
            json!({ "since": 1e18 }),
            json!({ "since": i64::MAX }),
            json!({ "since": 0, "limit": "5" }),
            json!({ "since": 0, "limit": 2.5 }),
        ] {
            let refused = read(replay.clone()).unwrap_err().to_string();
            assert_eq!(refused, "UnableToReplayMessages: Replay params are not valid", "{replay}");
        }
        assert!(read(json!({ "since": 0, "limit": null })).unwrap().replay.is_some());
        assert!(read(Value::Null).unwrap().replay.is_none());
    }

    #[test]
    fn null_is_absent() {
        let config =
            json!({ "broadcast": null, "presence": { "key": null }, "postgres_changes": null, "private": null });
        let request = JoinRequest::read("realtime:room", &json!({ "config": config, "access_token": null }), 100);
        assert!(request.is_ok_and(|request| !request.topic.private && request.changes.is_empty()));
        let request = JoinRequest::read("realtime:room", &json!({ "config": null }), 100);
        assert!(request.is_ok_and(|request| request.changes.is_empty() && !request.is_older_client));
        let numbered = json!({ "config": { "presence": { "key": 7 } } });
        assert_eq!(JoinRequest::read("realtime:room", &numbered, 100).unwrap().presence_key, "7");
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
        assert!(request.is_older_client);
    }

    #[test]
    fn the_old_name_of_the_token_wins() {
        let payload = json!({ "user_token": "a.b.c", "access_token": "d.e.f" });
        let request = JoinRequest::read("realtime:room", &payload, 100).unwrap();
        assert_eq!(request.access_token.as_deref(), Some("a.b.c"));
        let request = JoinRequest::read("realtime:room", &json!({ "user_token": null, "access_token": "d.e.f" }), 100);
        assert_eq!(request.unwrap().access_token.as_deref(), Some("d.e.f"));
    }
}
