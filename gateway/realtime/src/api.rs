//! HTTP endpoints that send broadcasts, for programs that have not joined a channel, such as servers.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use cloch_sql::Caller;
use cloch_sql::caller::CallerResult;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::authorization::{self, Extension};
use super::channel::MAX_PAYLOAD_BYTES;
use super::frame::{Content, Encoding, RawJson, UserBroadcast, is_too_deep};
use super::hub::Topic;
use super::shared_rate::Exceeded;
use super::state::RealtimeState;

#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    #[error("Unauthorized")]
    Unauthorized,
    #[error("Too many messages to broadcast, please reduce the batch size")]
    TooMany,
    #[error("You have exceeded your rate limit")]
    TooFast,
    #[error("unsupported content type")]
    ContentType,
    #[error("the fields that are wrong")]
    Invalid(Value),
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, body) = match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, json!({ "message": "Unauthorized" })),
            Self::TooMany | Self::TooFast => (StatusCode::TOO_MANY_REQUESTS, json!({ "message": self.to_string() })),
            Self::ContentType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, json!({ "message": "Unsupported Media Type" })),
            Self::Invalid(errors) => (StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": errors })),
        };
        (status, Json(body)).into_response()
    }
}

/// Returns the response to a request for a path that does not exist: status 404, with the body of Supabase's Realtime server.
pub(super) async fn no_such_path() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "errors": { "detail": "Not Found" } }))).into_response()
}

/// Handles GET /api/ping. Always returns `{"message": "Success"}`.
pub(super) async fn ping() -> Json<Value> {
    Json(json!({ "message": "Success" }))
}

impl From<Exceeded> for ApiError {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::Amount => Self::TooMany,
            Exceeded::Rate => Self::TooFast,
        }
    }
}

/// Returns the caller of a request. Refuses a request that has neither an API key nor a user token.
fn caller(resolved: Option<axum::Extension<CallerResult>>) -> Result<Caller, ApiError> {
    match resolved {
        Some(axum::Extension(Ok(caller))) if caller.claims().contains_key("exp") || caller.token().is_some() => {
            Ok(caller)
        }
        _ => Err(ApiError::Unauthorized),
    }
}

/// Body of the request that [`broadcast`] handles. Messages stay raw JSON until they are parsed one by one, because a JSON tree takes many
/// times the memory of the body.
#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    messages: FirstOf<'a>,
}

/// First [`MAX_PARSED_MESSAGES`] entries of a JSON list. The remaining entries are only counted.
struct FirstOf<'a> {
    first: Vec<&'a RawValue>,
    /// Number of entries of the whole list.
    count: usize,
}

/// Maximum number of messages per request, even if the setting `messages_per_request` is larger.
const MAX_PARSED_MESSAGES: usize = 10_000;

impl<'de: 'a, 'a> Deserialize<'de> for FirstOf<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = FirstOf<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of messages")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut first = Vec::new();
                while first.len() < MAX_PARSED_MESSAGES
                    && let Some(entry) = list.next_element()?
                {
                    first.push(entry);
                }
                let mut count = first.len();
                while list.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(FirstOf { first, count })
            }
        }
        deserializer.deserialize_seq(Entries)
    }
}

/// One message in the body of a broadcast request. A topic or event of the wrong JSON type counts as absent, which is a validation error.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Draft<'a> {
    #[serde(borrow)]
    topic: Option<&'a RawValue>,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    private: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

impl Draft<'_> {
    fn text(value: Option<&RawValue>) -> Option<String> {
        serde_json::from_str(value?.get()).ok().filter(|text: &String| !text.is_empty())
    }

    fn faults(&self, max_topic: usize) -> Map<String, Value> {
        let blank = || json!(["can't be blank"]);
        let mut faults = Map::new();
        match Self::text(self.topic) {
            None => drop(faults.insert("topic".to_owned(), blank())),
            Some(topic) if topic.len() > max_topic => drop(faults.insert("topic".to_owned(), json!(["is too long"]))),
            Some(_) => {}
        }
        if Self::text(self.event).is_none() {
            faults.insert("event".to_owned(), blank());
        }
        if self.is_private().is_none() {
            faults.insert("private".to_owned(), json!(["is invalid"]));
        }
        match self.payload {
            Some(payload) if payload.get().len() > MAX_PAYLOAD_BYTES => {
                faults.insert("payload".to_owned(), json!(["is too large"]));
            }
            Some(payload) if payload.get().starts_with('{') => {}
            _ => drop(faults.insert("payload".to_owned(), blank())),
        }
        faults
    }

    /// Whether the topic is private. Accepts the forms of the field `private` that Supabase's Realtime server accepts. `None` for any other
    /// value, because an invalid value must not count as public.
    fn is_private(&self) -> Option<bool> {
        match self.private.map_or("null", RawValue::get) {
            "true" | "\"true\"" | "\"1\"" => Some(true),
            "null" | "false" | "\"false\"" | "\"0\"" => Some(false),
            _ => None,
        }
    }

    fn topic(&self) -> Topic {
        let name = Self::text(self.topic).unwrap_or_default();
        Topic { name, private: self.is_private().unwrap_or(true) }
    }

    fn content(&self) -> Content {
        let meta = self.id.map(|id| json!({ "id": id }));
        let event = Self::text(self.event).unwrap_or_default();
        Content::RawEvent("broadcast", RawJson::broadcast(&event, self.payload, meta.as_ref()))
    }
}

/// Handles POST /api/broadcast: `{messages: [{topic, event, payload, private?}]}`. Sends no message if one message is invalid.
pub(super) async fn broadcast(
    State(state): State<Arc<RealtimeState>>,
    resolved: Option<axum::Extension<CallerResult>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let caller = caller(resolved)?;
    let no_messages = || ApiError::Invalid(json!({ "messages": ["can't be blank"] }));
    if is_too_deep(&body) {
        return Err(no_messages());
    }
    let batch: Batch<'_> = serde_json::from_slice(&body).map_err(|_| no_messages())?;
    let limits = state.limits.get();
    if batch.messages.count > limits.messages_per_request.min(MAX_PARSED_MESSAGES) {
        return Err(ApiError::TooMany);
    }
    let drafts: Vec<Draft<'_>> =
        batch.messages.first.iter().map(|message| serde_json::from_str(message.get()).unwrap_or_default()).collect();
    let faults: Vec<_> = drafts.iter().map(|draft| draft.faults(limits.topic_bytes)).collect();
    if faults.iter().any(|faults| !faults.is_empty()) {
        return Err(ApiError::Invalid(json!({ "messages": faults })));
    }
    // Checks the policies only once per topic.
    let mut known = HashMap::new();
    let mut allowed = Vec::with_capacity(drafts.len());
    for draft in &drafts {
        let topic = draft.topic();
        let is_allowed = match known.get(&topic) {
            Some(is_allowed) => *is_allowed,
            None => {
                let is_allowed = may_send(&state, &caller, &headers, &topic).await;
                known.insert(topic.clone(), is_allowed);
                is_allowed
            }
        };
        if is_allowed {
            allowed.push((topic, draft));
        }
    }
    state.project.try_send(allowed.len())?;
    for (topic, draft) in allowed {
        state.hub.publish(&topic, None, draft.content());
    }
    Ok(StatusCode::ACCEPTED)
}

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    private: bool,
}

/// Handles POST /api/broadcast/{topic}/events/{event}. The request body is the payload of the broadcast, either JSON or bytes.
pub(super) async fn broadcast_event(
    State(state): State<Arc<RealtimeState>>,
    resolved: Option<axum::Extension<CallerResult>>,
    Path((name, event)): Path<(String, String)>,
    Query(parameters): Query<Parameters>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let caller = caller(resolved)?;
    if name.len() > state.limits.get().topic_bytes || body.len() > MAX_PAYLOAD_BYTES {
        return Err(ApiError::Invalid(json!({ "payload": ["is too large"] })));
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content = match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/json" => match serde_json::from_slice::<&RawValue>(&body) {
            Ok(payload) if payload.get().starts_with('{') && !is_too_deep(&body) => {
                Content::RawEvent("broadcast", RawJson::broadcast(&event, Some(payload), None))
            }
            _ => return Err(ApiError::Invalid(json!({ "payload": ["is invalid"] }))),
        },
        "application/octet-stream" => {
            let encoding = Encoding::Binary;
            Content::Broadcast(UserBroadcast { event, metadata: String::new(), encoding, payload: body })
        }
        _ => return Err(ApiError::ContentType),
    };
    let topic = Topic { name, private: parameters.private };
    if may_send(&state, &caller, &headers, &topic).await {
        state.project.try_send(1)?;
        state.hub.publish(&topic, None, content);
    }
    Ok(StatusCode::ACCEPTED)
}

/// Whether the policies allow the caller to send to the topic. If not, the message is dropped, but the response has the same status 202, as
/// in Supabase's Realtime server.
async fn may_send(state: &RealtimeState, caller: &Caller, headers: &HeaderMap, topic: &Topic) -> bool {
    if !topic.private {
        return true;
    }
    let asked = authorization::may_write(&state.policy_checks, caller, headers, topic, Extension::Broadcast).await;
    asked.unwrap_or_else(|error| {
        tracing::warn!(%error, topic = topic.name, "realtime: row-level security check of a private channel failed, broadcast not sent");
        false
    })
}
