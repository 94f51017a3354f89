//! `POST /bucket`

use axum::extract::State;
use serde_json::{Value, json};

use super::settings_of;
use crate::answer::Json;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::JsonBody;
use crate::rows::bucket;
use crate::rules::name;
use crate::state::StorageState;

/// Creates a bucket; needs an INSERT policy on storage.buckets.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let name = fields.required_text("name");
    let id = fields.text("id").filter(|id| !id.is_empty()).unwrap_or_else(|| name.clone());
    let kind = fields.choice("type", &["STANDARD", "ANALYTICS"]);
    let settings = settings_of(&mut fields, state.settings().file_size_limit);
    fields.finish()?;
    let settings = settings?;
    if kind == Some("ANALYTICS") {
        return Err(Error::FeatureNotEnabled("Iceberg buckets are not enabled for this tenant"));
    }
    name::valid_new_bucket(&name)?;
    // Links name `bucket/object`: an id with a slash would make one object's link good for another's.
    if id.contains('/') {
        return Err(Error::InvalidBucketName);
    }

    let mut tx = asking.begin(&state, Operation::BucketCreate).await?;
    bucket::insert(&mut tx, &id, &name, &asking.owner(), &settings).await?;
    tx.commit().await?;
    Ok(Json(json!({ "name": name })))
}
