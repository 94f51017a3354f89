//! `PUT /bucket/{id}`: updates the settings of a bucket.

use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::settings_of;
use crate::db::buckets;
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;
use crate::validation::names;

/// Updates the settings of a bucket. Requires SELECT and UPDATE policies on storage.buckets.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let settings = settings_of(&mut fields, state.settings().file_size_limit, &["ENABLED", "SUSPENDED"]);
    fields.finish()?;
    let settings = settings?;
    names::valid_bucket(&id)?;
    if settings.is_empty() {
        let missing = ["public", "file_size_limit", "allowed_mime_types"]
            .map(|name| format!("body must have required property '{name}'"));
        return Err(Error::Schema(format!("{}, body must match a schema in anyOf", missing.join(", "))));
    }

    let mut tx = identity.begin(state.database(), Operation::BucketUpdate).await?;
    if !buckets::update(&mut tx, &id, &settings).await? {
        return Err(Error::NoSuchBucket);
    }
    tx.commit().await?;
    state.object_cache().invalidate_all();
    Ok(Json(json!({ "message": "Successfully updated" })))
}
