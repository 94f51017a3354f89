//! `CreateIndex`, `GetIndex`, `ListIndexes`, `DeleteIndex`.

use std::collections::HashSet;

use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{Call, body, done, errors};
use crate::db::vector_indexes::{self, NamePage, NewIndex};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::json_response::Json;
use crate::model::vector::Metric;

const CONFIGURATION: &str = "metadataConfiguration";
const NON_FILTERABLE: &str = "nonFilterableMetadataKeys";
const MAX_NON_FILTERABLE: usize = 10;
const MAX_METADATA_KEY_CHARACTERS: usize = 63;

pub(super) async fn create(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    for name in ["dataType", "distanceMetric"] {
        fields.required(name);
    }
    let data_type = fields.choice("dataType", &["float32"]);
    let metric = fields.choice("distanceMetric", &[Metric::Cosine.name(), Metric::Euclidean.name()]);
    let dimension = fields.required_integer("dimension", 1, body::MAX_DIMENSION);
    let (name, bucket) = (body::index_name(&mut fields), body::bucket_name(&mut fields));
    let metadata_configuration = configuration(&mut fields);
    fields.finish()?;
    let index = NewIndex {
        bucket,
        name,
        data_type: data_type.unwrap_or_default(),
        dimension: i32::try_from(dimension).unwrap_or_default(),
        distance_metric: metric.unwrap_or_default(),
        metadata_configuration,
    };
    let mut tx = call.begin().await?;
    vector_indexes::insert_index(&mut tx, &index).await.map_err(|error| match error {
        Error::AlreadyExists(_) => errors::conflict("vector index", &index.name),
        Error::RelatedMissing => errors::not_found(&index.bucket),
        other => other,
    })?;
    tx.commit().await?;
    Ok(done())
}

/// Parses the names of the metadata fields that filters must not use. `None` if the field is absent or no list. Violations are added to
/// `fields`.
fn configuration(fields: &mut Fields) -> Option<Value> {
    let mut inner = fields.object(CONFIGURATION)?;
    inner.required(NON_FILTERABLE);
    let keys = match inner.raw(NON_FILTERABLE).cloned() {
        Some(Value::Array(keys)) => keys,
        other => {
            if other.is_some() {
                inner.violation(NON_FILTERABLE, "must be array");
            }
            fields.absorb(inner);
            return None;
        }
    };
    match keys.len() {
        0 => inner.violation(NON_FILTERABLE, "must NOT have fewer than 1 items"),
        count if count > MAX_NON_FILTERABLE => {
            inner.violation(NON_FILTERABLE, &format!("must NOT have more than {MAX_NON_FILTERABLE} items"));
        }
        _ => {}
    }
    let mut known = HashSet::new();
    for (index, key) in keys.iter().enumerate() {
        let name = format!("{NON_FILTERABLE}/{index}");
        match key.as_str() {
            Some(key) if !(1..=MAX_METADATA_KEY_CHARACTERS).contains(&key.chars().count()) => {
                inner.violation(&name, &format!("must have from 1 to {MAX_METADATA_KEY_CHARACTERS} characters"));
            }
            Some(key) if !known.insert(key) => inner.violation(NON_FILTERABLE, "must NOT have duplicate items"),
            Some(_) => {}
            None => inner.violation(&name, "must be string"),
        }
    }
    let read = json!({ NON_FILTERABLE: keys });
    fields.absorb(inner);
    Some(read)
}

pub(super) async fn get(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let (bucket, name) = (body::bucket_name(&mut fields), body::index_name(&mut fields));
    fields.finish()?;
    let (tx, index) = call.begin_with_index(&bucket, &name).await?;
    tx.commit().await?;
    let shown = json!({
        "indexName": index.name,
        "dataType": index.data_type,
        "dimension": index.dimension,
        "distanceMetric": index.distance_metric,
        CONFIGURATION: index.metadata_configuration,
        "vectorBucketName": index.bucket_id,
        "creationTime": index.created_at.timestamp(),
    });
    Ok(Json(json!({ "index": shown })).into_response())
}

/// Lists the indexes of a bucket. The list is empty if the bucket does not exist.
pub(super) async fn list(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let (bucket, page) = (body::bucket_name(&mut fields), body::page(&mut fields));
    fields.finish()?;
    let mut tx = call.begin().await?;
    let wanted = NamePage { prefix: page.prefix, after: page.after, limit: page.size + 1 };
    let mut indexes = vector_indexes::list_indexes(&mut tx, &bucket, &wanted).await?;
    tx.commit().await?;
    let next = body::next_token(&mut indexes, page.size, |index| &index.name);
    let shown = indexes.iter().map(|index| {
        json!({ "indexName": index.name, "vectorBucketName": bucket, "creationTime": index.created_at.timestamp() })
    });
    let mut answer = json!({ "indexes": shown.collect::<Vec<_>>() });
    if let (Some(next), Some(answer)) = (next, answer.as_object_mut()) {
        answer.insert("nextToken".to_owned(), next.into());
    }
    Ok(Json(answer).into_response())
}

pub(super) async fn delete(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    let (bucket, name) = (body::bucket_name(&mut fields), body::index_name(&mut fields));
    fields.finish()?;
    let mut tx = call.begin().await?;
    if !vector_indexes::delete_index(&mut tx, &bucket, &name).await? {
        return Err(errors::not_found(&name));
    }
    tx.commit().await?;
    Ok(done())
}
