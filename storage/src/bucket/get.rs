//! `GET /bucket/{id}`

use axum::extract::{Path, State};

use crate::answer::Json;
use crate::error::Result;
use crate::operation::Operation;
use crate::request::Asking;
use crate::rows::bucket::{self, Bucket};
use crate::state::StorageState;

/// Shows a bucket that the caller may see.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    asking: Asking,
) -> Result<Json<Bucket>> {
    let mut tx = asking.begin(&state, Operation::BucketGet).await?;
    let bucket = bucket::get(&mut tx, &id).await?;
    tx.commit().await?;
    Ok(Json(bucket))
}
