//! `POST /bucket/{id}/empty`

use axum::extract::{Path, State};
use serde_json::{Value, json};

use crate::answer::Json;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::AnyBody;
use crate::rows::{bucket, object};
use crate::state::StorageState;
use crate::upload::commit;

/// Rows deleted in one transaction.
const BATCH: i64 = 500;

/// Deletes all objects of a bucket, for the service role only. It is done when the answer comes, although the answer, which
/// clients know, speaks of a queue.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    asking: Asking,
    _: AnyBody,
) -> Result<Json<Value>> {
    // The endpoint itself is the service role's, as upstream: no policy could say it, for that role has none.
    if !asking.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    let mut tx = asking.begin(&state, Operation::BucketEmpty).await?;
    bucket::get(&mut tx, &id).await?;
    let before = chrono::Utc::now();
    tx.rollback().await?;
    loop {
        let mut tx = asking.begin(&state, Operation::BucketEmpty).await?;
        let versions = object::delete_before(&mut tx, &id, before, BATCH).await?;
        tx.commit().await?;
        state.object_cache().invalidate_all();
        if versions.is_empty() {
            break;
        }
        for version in versions {
            commit::discard_version(&state, version.as_deref()).await;
        }
    }
    Ok(Json(json!({ "message": "Empty bucket has been queued. Completion may take up to an hour." })))
}
