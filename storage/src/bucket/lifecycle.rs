//! `GET`, `PUT` and `DELETE /bucket/{id}/lifecycle`. Reading the lifecycle rules requires the right to read the bucket's row; changing the
//! rules requires the right to update the row.

use axum::extract::{Path, State};
use cloch_sql::caller::SERVICE_ROLE;
use serde_json::{Value, json};

use crate::db::transaction::{Tx, set_role};
use crate::db::{buckets, lifecycles};
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::lifecycle::rules::{self, Rule};
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::{AnyBody, JsonBody};
use crate::state::StorageState;

pub(crate) async fn show(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
) -> Result<Json<Value>> {
    let rules = find(&state, &identity, Operation::BucketLifecycleGet, &id).await?;
    Ok(Json(json!({ "rules": rules })))
}

pub(crate) async fn replace(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
    JsonBody(fields): JsonBody,
) -> Result<Json<Value>> {
    let rules = rules::read(fields.raw("rules"))?;
    put(&state, &identity, Operation::BucketLifecyclePut, &id, &rules).await?;
    Ok(Json(json!({ "rules": rules })))
}

/// Deletes the lifecycle rules of a bucket. Succeeds if the bucket has no rules.
pub(crate) async fn remove(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
    _: AnyBody,
) -> Result<Json<Value>> {
    delete(&state, &identity, Operation::BucketLifecycleDelete, &id).await?;
    Ok(Json(json!({ "message": "Successfully deleted" })))
}

/// Returns the lifecycle rules of a bucket that the caller can see.
///
/// # Errors
/// [`Error::NoSuchLifecycle`] if the bucket has no lifecycle rules.
pub(crate) async fn find(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    bucket: &str,
) -> Result<Value> {
    let mut tx = identity.begin(state.database(), operation).await?;
    buckets::get(&mut tx, bucket).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    lifecycles::find(&mut tx, bucket).await?.ok_or(Error::NoSuchLifecycle)
}

/// Replaces the lifecycle rules of a bucket that the caller may update.
pub(crate) async fn put(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    bucket: &str,
    rules: &[Rule],
) -> Result<()> {
    let rules = serde_json::to_value(rules).map_err(|source| Error::internal("writing rules")(source.into()))?;
    let mut tx = begin_change(state, identity, operation, bucket).await?;
    lifecycles::put(&mut tx, bucket, &rules).await?;
    Ok(tx.commit().await?)
}

/// Deletes the lifecycle rules of a bucket that the caller may update.
pub(crate) async fn delete(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    bucket: &str,
) -> Result<()> {
    let mut tx = begin_change(state, identity, operation, bucket).await?;
    lifecycles::delete(&mut tx, bucket).await?;
    Ok(tx.commit().await?)
}

/// Checks that the RLS policies allow the caller to update the bucket. Returns a transaction in the service role, which may change the
/// bucket's lifecycle rules.
async fn begin_change(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    bucket: &str,
) -> Result<Tx> {
    let mut tx = identity.begin(state.database(), operation).await?;
    if !buckets::touch(&mut tx, bucket).await? {
        return Err(Error::NoSuchBucket);
    }
    set_role(&mut tx, SERVICE_ROLE).await?;
    Ok(tx)
}
