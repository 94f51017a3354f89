//! `GetVectors`: returns vectors by their keys.

use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::stored::{self, Stored};
use super::{Call, body};
use crate::db::vectors;
use crate::error::Result;
use crate::fields::Fields;
use crate::json_response::Json;

const MAX_KEYS: usize = 100;

#[derive(Serialize)]
struct Answer {
    vectors: Vec<Stored>,
}

/// Returns the vectors with the given keys. Keys without a vector are omitted from the response.
pub(super) async fn handle(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let bucket = body::bucket_name(&mut fields);
    let name = fields.required_text("indexName");
    let keys = body::keys(&mut fields, MAX_KEYS);
    let parts = stored::parts(&mut fields);
    fields.finish()?;
    let (mut tx, index) = call.begin_with_index(&bucket, &name).await?;
    let rows = vectors::get(&mut tx, &index, &keys, parts).await?;
    tx.commit().await?;
    Ok(Json(Answer { vectors: rows.into_iter().map(Stored::from).collect() }).into_response())
}
