//! `DeleteVectors`: deletes vectors by their keys.

use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::{Call, body};
use crate::db::vectors;
use crate::error::Result;
use crate::fields::Fields;
use crate::json_response::Json;

const MAX_KEYS: usize = 500;

/// Deletes the vectors with the given keys. Keys without a vector are ignored.
pub(super) async fn handle(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let bucket = body::bucket_name(&mut fields);
    let name = fields.required_text("indexName");
    let keys = body::keys(&mut fields, MAX_KEYS);
    fields.finish()?;
    let (mut tx, index) = call.begin_with_index(&bucket, &name).await?;
    vectors::delete(&mut tx, &index, &keys).await?;
    tx.commit().await?;
    Ok(Json(json!({})).into_response())
}
