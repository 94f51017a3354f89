//! `QueryVectors`: returns the vectors of an index that are nearest to a query vector.

use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

use super::put_vectors::check_embedding;
use super::{Call, body, errors};
use crate::db::vector_search::{self, Found, Search};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::json_response::Json;
use crate::model::metadata_filter::Filter;
use crate::model::vector::Metric;

const MAX_RESULTS: u16 = 100;
const FIELDS: [&str; 8] =
    ["filter", "indexArn", "indexName", "queryVector", "returnDistance", "returnMetadata", "topK", "vectorBucketName"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    vectors: Vec<Match>,
    distance_metric: &'static str,
}

/// A found vector in the response. A distance that the metric does not define (NaN) becomes null.
#[derive(Serialize)]
struct Match {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

pub(super) async fn handle(call: &Call<'_>, mut fields: Fields) -> Result<Response> {
    if fields.names().any(|name| !FIELDS.contains(&name)) {
        return Err(Error::Schema("body must NOT have additional properties".to_owned()));
    }
    let (bucket, name) = (body::bucket_name(&mut fields), body::index_name(&mut fields));
    let limit = fields.required_integer("topK", 1, MAX_RESULTS.into());
    let embedding = query_vector(&mut fields);
    let with_distance = fields.boolean("returnDistance").unwrap_or(false);
    let metadata = fields.boolean("returnMetadata").unwrap_or(false);
    let filter = fields.raw("filter").cloned();
    fields.finish()?;
    let filter = filter.as_ref().map(Filter::parse).transpose()?;

    let (mut tx, index) = call.begin_with_index(&bucket, &name).await?;
    let excluded = filter.as_ref().and_then(|filter| filter.find_key(&|key| index.is_non_filterable(key)));
    if let Some(key) = excluded {
        return Err(errors::invalid(format!("Metadata key \"{key}\" is configured as non-filterable")));
    }
    check_embedding(&index, &embedding).map_err(|what| errors::invalid(format!("Invalid query vector: {what}")))?;
    let metric = Metric::of(&index.distance_metric)
        .ok_or_else(|| errors::invalid(format!("Unsupported distance metric: {}", index.distance_metric)))?;
    let limit = u16::try_from(limit).unwrap_or(MAX_RESULTS);
    let search = Search { metric, embedding, filter, limit, metadata };
    let found = vector_search::search(&mut tx, &index, search).await?;
    tx.commit().await?;
    let shown = |found: Found| Match {
        key: found.key,
        distance: with_distance.then_some(found.distance),
        metadata: found.metadata,
    };
    let vectors = found.into_iter().map(shown).collect();
    Ok(Json(Answer { vectors, distance_metric: metric.name() }).into_response())
}

/// Parses the numbers of the query vector. Each number is rounded to the nearest float32 value.
fn query_vector(fields: &mut Fields) -> Vec<f32> {
    fields.required("queryVector");
    let Some(mut inner) = fields.object("queryVector") else { return Vec::new() };
    inner.required("float32");
    let numbers: Option<Vec<f32>> = match inner.raw("float32") {
        Some(Value::Array(values)) => values.iter().map(float32).collect(),
        Some(_) => None,
        None => Some(Vec::new()),
    };
    match &numbers {
        Some(numbers) if numbers.is_empty() && inner.has("float32") => {
            inner.violation("float32", "must NOT have fewer than 1 items");
        }
        Some(_) => {}
        None => inner.violation("float32", "must be a list of numbers"),
    }
    fields.absorb(inner);
    numbers.unwrap_or_default()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number beyond the range of float32 becomes infinite, which is refused"
)]
fn float32(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32)
}
