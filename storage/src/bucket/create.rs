//! `POST /bucket`: creates a bucket.

use axum::extract::State;
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

/// Creates a bucket. Requires an INSERT policy on storage.buckets.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let name = fields.required_text("name");
    let id = fields.text("id").filter(|id| !id.is_empty()).unwrap_or_else(|| name.clone());
    let kind = fields.choice("type", &["STANDARD", "ANALYTICS"]);
    let settings = settings_of(&mut fields, state.settings().file_size_limit, &["DISABLED", "ENABLED"]);
    fields.finish()?;
    let settings = settings?;
    if kind == Some("ANALYTICS") {
        return Err(Error::FeatureNotEnabled("Iceberg buckets are not enabled for this tenant"));
    }
    names::valid_new_bucket(&name)?;
    // Refuse slashes in bucket ids. Signed URLs contain `bucket/object`. With a slash in a bucket id, the URL of one object could also be
    // valid for another object.
    if id.contains('/') {
        return Err(Error::InvalidBucketName);
    }

    let mut tx = identity.begin(state.database(), Operation::BucketCreate).await?;
    buckets::insert(&mut tx, &id, &name, &identity.owner(), &settings).await?;
    tx.commit().await?;
    Ok(Json(json!({ "name": name })))
}
