//! `DELETE /bucket/{id}`

use axum::extract::{Path, State};
use cloch_sql::caller::SERVICE_ROLE;
use serde_json::{Value, json};

use crate::answer::Json;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::asking::set_role;
use crate::request::json::AnyBody;
use crate::rows::bucket;
use crate::state::StorageState;

/// Deletes an empty bucket; needs SELECT and DELETE policies on storage.buckets. Whether it is empty is found without
/// policies: an object that the caller cannot see must not be lost.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    asking: Asking,
    _: AnyBody,
) -> Result<Json<Value>> {
    let mut tx = asking.begin(&state, Operation::BucketDelete).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    if !bucket::lock(&mut tx, &id).await? {
        return Err(Error::NoSuchBucket);
    }
    if bucket::has_objects(&mut tx, &id).await? {
        return Err(Error::BucketNotEmpty);
    }
    set_role(&mut tx, asking.caller().role()).await?;
    if !bucket::delete(&mut tx, &id).await? {
        return Err(Error::NoSuchBucket);
    }
    tx.commit().await?;
    state.object_cache().invalidate_all();
    Ok(Json(json!({ "message": "Successfully deleted" })))
}
