//! Broadcasts over HTTP, for servers and for clients that have not joined.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use cloch_sql::Caller;
use cloch_sql::caller::CallerResult;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::frame::{Content, Encoding, UserBroadcast};
use super::hub::Topic;
use super::rights::{self, Extension};
use super::state::RealtimeState;

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    #[error("Unauthorized")]
    Unauthorized,
    #[error("unsupported content type")]
    ContentType,
    #[error("the fields that are wrong")]
    Invalid(Value),
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, body) = match self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, json!({ "message": "Unauthorized" })),
            Self::ContentType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, json!({ "message": "Unsupported Media Type" })),
            Self::Invalid(errors) => (StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": errors })),
        };
        (status, Json(body)).into_response()
    }
}

/// GET /api/ping.
pub(super) async fn ping() -> Json<Value> {
    Json(json!({ "message": "Success" }))
}

/// A key or a user's token: without either nobody sends.
fn caller(resolved: Option<axum::Extension<CallerResult>>) -> Result<Caller, ApiError> {
    match resolved {
        Some(axum::Extension(Ok(caller))) if caller.claims().contains_key("exp") || caller.token().is_some() => {
            Ok(caller)
        }
        _ => Err(ApiError::Unauthorized),
    }
}

/// POST /api/broadcast: `{messages: [{topic, event, payload, private?}]}`. Nothing is sent when one of them is wrong.
pub(super) async fn broadcast(
    State(state): State<RealtimeState>,
    resolved: Option<axum::Extension<CallerResult>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let caller = caller(resolved)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let Some(Value::Array(messages)) = body.get("messages") else {
        return Err(ApiError::Invalid(json!({ "messages": ["can't be blank"] })));
    };
    let errors: Vec<Value> = messages.iter().map(faults).collect();
    if errors.iter().any(|errors| errors.as_object().is_some_and(|errors| !errors.is_empty())) {
        return Err(ApiError::Invalid(json!({ "messages": errors })));
    }
    for message in messages {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let topic = Topic { name: text("topic"), private: message.get("private") == Some(&Value::Bool(true)) };
        let mut payload = json!({ "type": "broadcast", "event": text("event"), "payload": message.get("payload") });
        if let (Some(id), Some(object)) = (message.get("id"), payload.as_object_mut()) {
            object.insert("meta".to_owned(), json!({ "id": id }));
        }
        send(&state, &caller, &headers, topic, Content::Event("broadcast", payload)).await;
    }
    Ok(StatusCode::ACCEPTED)
}

/// What is wrong with a message, field by field.
fn faults(message: &Value) -> Value {
    let is_text = |key: &&str| message.get(*key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    let mut faults: Map<String, Value> = ["topic", "event"]
        .iter()
        .filter(|key| !is_text(key))
        .map(|key| ((*key).to_owned(), json!(["can't be blank"])))
        .collect();
    if !message.get("payload").is_some_and(Value::is_object) {
        faults.insert("payload".to_owned(), json!(["can't be blank"]));
    }
    Value::Object(faults)
}

#[derive(Debug, Deserialize)]
pub(super) struct Parameters {
    #[serde(default)]
    private: bool,
}

/// POST /api/broadcast/{topic}/events/{event}: the body is the payload, JSON or bytes.
pub(super) async fn broadcast_event(
    State(state): State<RealtimeState>,
    resolved: Option<axum::Extension<CallerResult>>,
    Path((name, event)): Path<(String, String)>,
    Query(parameters): Query<Parameters>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ApiError> {
    let caller = caller(resolved)?;
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content = match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/json" => match serde_json::from_slice(&body) {
            Ok(payload @ Value::Object(_)) => {
                Content::Event("broadcast", json!({ "type": "broadcast", "event": event, "payload": payload }))
            }
            _ => return Err(ApiError::Invalid(json!({ "payload": ["is invalid"] }))),
        },
        "application/octet-stream" => {
            let encoding = Encoding::Binary;
            Content::Broadcast(UserBroadcast { event, metadata: String::new(), encoding, payload: body })
        }
        _ => return Err(ApiError::ContentType),
    };
    send(&state, &caller, &headers, Topic { name, private: parameters.private }, content).await;
    Ok(StatusCode::ACCEPTED)
}

/// Sends, if the caller may; one who may not is told nothing, as upstream.
async fn send(state: &RealtimeState, caller: &Caller, headers: &HeaderMap, topic: Topic, content: Content) {
    let may = if topic.private {
        rights::may_write(&state.database, caller, headers, &topic, Extension::Broadcast).await
    } else {
        Ok(true)
    };
    match may {
        Ok(true) => state.hub.broadcast(&topic, None, content),
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, "the policies of a channel cannot be asked"),
    }
}
