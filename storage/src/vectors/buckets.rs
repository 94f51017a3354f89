//! `CreateVectorBucket`, `GetVectorBucket`, `ListVectorBuckets`, `DeleteVectorBucket`.

use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{Call, body, done, errors};
use crate::db::vector_indexes::{self, NamePage, Named};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::json_response::Json;

pub(super) async fn create(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let bucket = body::bucket_name(&mut fields);
    fields.finish()?;
    let mut tx = call.begin().await?;
    vector_indexes::insert_bucket(&mut tx, &bucket).await.map_err(|error| match error {
        Error::AlreadyExists(_) => errors::conflict("vector bucket", &bucket),
        other => other,
    })?;
    tx.commit().await?;
    Ok(done())
}

pub(super) async fn get(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let bucket = body::bucket_name(&mut fields);
    fields.finish()?;
    let mut tx = call.begin().await?;
    let found = vector_indexes::find_bucket(&mut tx, &bucket).await?.ok_or_else(|| errors::not_found(&bucket))?;
    tx.commit().await?;
    Ok(Json(json!({ "vectorBucket": shown(&found) })).into_response())
}

pub(super) async fn list(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let page = body::page(&mut fields);
    fields.finish()?;
    let mut tx = call.begin().await?;
    let wanted = NamePage { prefix: page.prefix, after: page.after, limit: page.size + 1 };
    let mut buckets = vector_indexes::list_buckets(&mut tx, &wanted).await?;
    tx.commit().await?;
    let next = body::next_token(&mut buckets, page.size, |bucket| &bucket.name);
    let mut answer = json!({ "vectorBuckets": buckets.iter().map(shown).collect::<Vec<_>>() });
    if let (Some(next), Some(answer)) = (next, answer.as_object_mut()) {
        answer.insert("nextToken".to_owned(), next.into());
    }
    Ok(Json(answer).into_response())
}

/// Deletes a bucket that contains no index. Succeeds if the bucket does not exist.
pub(super) async fn delete(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let bucket = body::bucket_name(&mut fields);
    fields.finish()?;
    let mut tx = call.begin().await?;
    vector_indexes::delete_bucket(&mut tx, &bucket).await.map_err(|error| match error {
        Error::Referenced(_) => errors::bucket_not_empty(&bucket),
        other => other,
    })?;
    tx.commit().await?;
    Ok(done())
}

fn shown(bucket: &Named) -> Value {
    json!({ "vectorBucketName": bucket.name, "creationTime": bucket.created_at.timestamp() })
}
