//! `DELETE /bucket/{id}`: deletes an empty bucket.

use axum::extract::{Path, State};
use cloch_sql::caller::SERVICE_ROLE;
use serde_json::{Value, json};

use crate::db::transaction::set_role;
use crate::db::{buckets, lifecycles, versions};
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::AnyBody;
use crate::state::StorageState;

/// Deletes an empty bucket. Requires SELECT and DELETE policies on storage.buckets. The check whether the bucket is empty bypasses RLS
/// policies, so that a bucket with objects that the caller cannot see is not deleted.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
    _: AnyBody,
) -> Result<Json<Value>> {
    let mut tx = identity.begin(state.database(), Operation::BucketDelete).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    if !buckets::lock(&mut tx, &id).await? {
        return Err(Error::NoSuchBucket);
    }
    if buckets::has_objects(&mut tx, &id).await? || versions::has_any(&mut tx, &id).await? {
        return Err(Error::BucketNotEmpty);
    }
    lifecycles::delete(&mut tx, &id).await?;
    set_role(&mut tx, identity.caller().role()).await?;
    if !buckets::delete(&mut tx, &id).await? {
        return Err(Error::NoSuchBucket);
    }
    tx.commit().await?;
    state.object_cache().invalidate_all();
    Ok(Json(json!({ "message": "Successfully deleted" })))
}
