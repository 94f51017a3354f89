//! `GET /bucket/{id}`: returns a bucket.

use axum::extract::{Path, State};

use crate::db::buckets::{self, Bucket};
use crate::error::Result;
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;

pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: Authenticated,
) -> Result<Json<Bucket>> {
    let mut tx = identity.begin(state.database(), Operation::BucketGet).await?;
    let bucket = buckets::get(&mut tx, &id).await?;
    tx.commit().await?;
    Ok(Json(bucket))
}
