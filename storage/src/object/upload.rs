//! `POST` and `PUT /object/{bucket}/{name}`: uploads an object.

use axum::body::Body;
use axum::extract::State;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;
use crate::upload::preconditions::Preconditions;
use crate::upload::request::wants_upsert;
use crate::upload::{Upload, UploadTarget};

/// Creates an object. Replaces an existing object only if the request has the header `x-upsert: true`.
pub(crate) async fn create(
    state: State<StorageState>,
    path: ObjectPath,
    identity: Authenticated,
    body: Body,
) -> Result<Json<Value>> {
    let upsert = wants_upsert(identity.headers());
    store(state, path, identity, body, Operation::ObjectUpload, upsert).await
}

/// Creates or replaces an object.
pub(crate) async fn update(
    state: State<StorageState>,
    path: ObjectPath,
    identity: Authenticated,
    body: Body,
) -> Result<Json<Value>> {
    store(state, path, identity, body, Operation::ObjectUploadUpdate, true).await
}

/// Returns the error for a request without an object name. This function has its own route, because the routes with an object name do not
/// match an empty name.
pub(crate) async fn nameless(_: Authenticated) -> Error {
    Error::InvalidKey(String::new())
}

async fn store(
    State(state): State<StorageState>,
    path: ObjectPath,
    identity: Authenticated,
    body: Body,
    operation: Operation,
    upsert: bool,
) -> Result<Json<Value>> {
    let key = path.to_string();
    let preconditions = Preconditions::of(identity.headers())?;
    preconditions.check(&state, &identity, operation, &path).await?;
    let (upsert, if_match) = (upsert && preconditions.upsert(), preconditions.etag());
    let target = UploadTarget { path, owner: identity.owner(), upsert, if_match, check_policies: true };
    let stored = Upload { state: &state, identity: &identity, operation, target }.receive(body).await;
    let stored = stored.map_err(|error| preconditions.refusal(error))?;
    Ok(Json(json!({ "Id": stored.id, "Key": key })))
}
