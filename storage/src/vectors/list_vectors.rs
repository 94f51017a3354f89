//! `ListVectors`: lists the vectors of an index, sorted by key. Several clients can each list one segment of the vectors.

use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::stored::{self, Stored};
use super::{Call, body, errors};
use crate::db::vectors::{self, VectorPage};
use crate::error::Result;
use crate::fields::Fields;
use crate::json_response::Json;

const DEFAULT_PAGE: i64 = 500;
const MAX_PAGE: i64 = 1000;
const MAX_SEGMENTS: i64 = 16;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    vectors: Vec<Stored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<String>,
}

pub(super) async fn handle(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let (bucket, name) = (body::bucket_name(&mut fields), body::index_name(&mut fields));
    let size = fields.integer("maxResults", 1, MAX_PAGE).unwrap_or(DEFAULT_PAGE);
    let after = fields.text("nextToken").unwrap_or_default();
    let parts = stored::parts(&mut fields);
    let count = fields.integer("segmentCount", 1, MAX_SEGMENTS);
    let number = fields.integer("segmentIndex", 0, MAX_SEGMENTS - 1);
    fields.finish()?;
    let segment = segment(count, number)?;
    let (mut tx, index) = call.begin_with_index(&bucket, &name).await?;
    let mut rows = vectors::list(&mut tx, &index, &VectorPage { after, limit: size + 1, segment, parts }).await?;
    tx.commit().await?;
    let next_token = body::next_token(&mut rows, size, |row| &row.key);
    let vectors = rows.into_iter().map(Stored::from).collect();
    Ok(Json(Listed { vectors, next_token }).into_response())
}

/// Returns the number of segments and the index of the requested segment, starting with 0. `None` if the request does not divide the vectors
/// into segments.
fn segment(count: Option<i64>, number: Option<i64>) -> Result<Option<(i64, i64)>> {
    match (count, number) {
        (None, None) => Ok(None),
        (Some(count), Some(number)) if number < count => Ok(Some((count, number))),
        (Some(_), Some(_)) => Err(errors::invalid("segmentIndex must be less than segmentCount")),
        _ => Err(errors::invalid("segmentCount and segmentIndex must be provided together")),
    }
}
