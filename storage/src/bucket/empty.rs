//! `POST /bucket/{id}/empty`: deletes all objects of a bucket.

use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::db::{buckets, objects, versions};
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::AnyBody;
use crate::state::StorageState;
use crate::upload::commit;

/// Maximum number of object rows deleted in one transaction.
const BATCH_ROWS: i64 = 500;

/// Deletes all objects of a bucket with their versions. Requires the service role. All objects are deleted before the response is sent. The
/// text of the response nevertheless mentions a queue, because it is the text of Supabase Storage.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
    _: AnyBody,
) -> Result<Json<Value>> {
    // The role is checked in Rust, as Supabase Storage does, because the service role bypasses RLS policies.
    if !identity.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    let mut tx = identity.begin(state.database(), Operation::BucketEmpty).await?;
    buckets::get(&mut tx, &id).await?;
    let before = chrono::Utc::now();
    tx.rollback().await?;
    loop {
        let mut tx = identity.begin(state.database(), Operation::BucketEmpty).await?;
        let versions = objects::delete_before(&mut tx, &id, before, BATCH_ROWS).await?;
        tx.commit().await?;
        state.object_cache().invalidate_all();
        if versions.is_empty() {
            break;
        }
        for version in versions {
            commit::discard_version(&state, version.as_deref()).await;
        }
    }
    loop {
        let mut tx = identity.begin(state.database(), Operation::BucketEmpty).await?;
        let (count, versions) = versions::delete_all(&mut tx, &id, BATCH_ROWS).await?;
        tx.commit().await?;
        if count == 0 {
            break;
        }
        for version in versions {
            commit::discard_version(&state, Some(&version)).await;
        }
    }
    Ok(Json(json!({ "message": "Empty bucket has been queued. Completion may take up to an hour." })))
}
