//! `POST` and `PUT /object/{bucket}/{name}`

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde_json::{Value, json};

use crate::answer::Json;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::state::StorageState;
use crate::upload::body::header;
use crate::upload::pipeline::Target;
use crate::upload::upload;

/// Whether the caller asks to replace what is at the key.
pub(crate) fn wants_upsert(headers: &HeaderMap) -> bool {
    header(headers, "x-upsert") == Some("true")
}

/// Stores a new object; replaces an old one only with `x-upsert: true`.
pub(crate) async fn create(
    state: State<StorageState>,
    path: Path<(String, String)>,
    asking: Asking,
    body: Body,
) -> Result<Json<Value>> {
    let upsert = wants_upsert(asking.headers());
    store(state, path, asking, body, Operation::ObjectUpload, upsert).await
}

/// Stores an object, new or not.
pub(crate) async fn update(
    state: State<StorageState>,
    path: Path<(String, String)>,
    asking: Asking,
    body: Body,
) -> Result<Json<Value>> {
    store(state, path, asking, body, Operation::ObjectUploadUpdate, true).await
}

/// A name is missing: the routes take none that is empty.
pub(crate) async fn nameless(_: Asking) -> Error {
    Error::InvalidKey(String::new())
}

async fn store(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
    body: Body,
    operation: Operation,
    upsert: bool,
) -> Result<Json<Value>> {
    let key = format!("{bucket}/{name}");
    let target = Target { bucket, name, owner: asking.owner(), upsert, ask: true };
    let stored = upload(&state, &asking, operation, target, body).await?;
    Ok(Json(json!({ "Id": stored.id, "Key": key })))
}
