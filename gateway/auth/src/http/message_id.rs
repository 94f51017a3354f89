//! The JSON response of endpoints that may have sent a text message: `{"message_id": "…"}` if the message has an id, otherwise `{}`.

use axum::Json;
use serde_json::{Value, json};

pub(crate) fn message_id(id: Option<&str>) -> Json<Value> {
    Json(match id {
        Some(id) => json!({ "message_id": id }),
        None => json!({}),
    })
}
