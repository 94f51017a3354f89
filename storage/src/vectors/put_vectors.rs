//! `PutVectors`: inserts vectors. A vector whose key already exists is replaced.

use std::collections::HashSet;

use axum::extract::Request;
use axum::response::Response;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::body::{self, MAX_KEY_CHARACTERS};
use super::{Call, done, errors};
use crate::db::vector_indexes::VectorIndex;
use crate::db::vectors;
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::model::vector::Vector;
use crate::request::json_body;

const MAX_BODY_BYTES: usize = 20 * 1024 * 1024;
const MAX_VECTORS: usize = 500;
const MAX_METADATA_FIELDS: usize = 50;
const MAX_METADATA_BYTES: usize = 40 * 1024;
/// Maximum size in bytes of the JSON text of a vector's metadata. The text may contain white space and escapes, so it may be larger than
/// the metadata. A larger text is not parsed, because a parsed JSON value needs many times the memory of its text.
const MAX_METADATA_TEXT: usize = 8 * MAX_METADATA_BYTES;
/// Maximum size in bytes of the JSON text of a bucket's or index's name.
const MAX_NAME_TEXT: usize = 8 * 1024;
/// Maximum total size in bytes of a vector's metadata fields that filters may use.
const MAX_FILTERABLE_BYTES: usize = 2048;

/// Body of a PutVectors request. The vectors are parsed directly into numbers, because JSON values would take several times the memory.
#[derive(Deserialize)]
struct PutVectors {
    vectors: Option<Vec<NewVector>>,
    #[serde(rename = "vectorBucketName", default, deserialize_with = "name")]
    bucket: Option<Value>,
    #[serde(rename = "indexName", default, deserialize_with = "name")]
    index: Option<Value>,
}

#[derive(Deserialize)]
struct NewVector {
    key: String,
    data: Data,
    #[serde(default, deserialize_with = "metadata")]
    metadata: Map<String, Value>,
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    short(deserializer, MAX_NAME_TEXT, "name").map(Some)
}

fn metadata<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    short(deserializer, MAX_METADATA_TEXT, "metadata")
}

/// Parses a JSON value whose text has at most `max` bytes.
fn short<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
    max: usize,
    what: &str,
) -> Result<T, D::Error> {
    let text = Box::<RawValue>::deserialize(deserializer)?;
    match text.get().len() {
        bytes if bytes > max => Err(D::Error::custom(format!("{what} must have at most {max} bytes, but has {bytes}"))),
        _ => serde_json::from_str(text.get()).map_err(D::Error::custom),
    }
}

#[derive(Deserialize)]
struct Data {
    float32: Vec<f32>,
}

pub(super) async fn handle(call: &Call<'_>, request: Request) -> Result<Response> {
    let (bucket, name, vectors) = match json_body::json(request, call.state, MAX_BODY_BYTES).await? {
        Some(body) => read(json_body::parse(&body)?)?,
        None => return Err(Error::Schema("body must be object".to_owned())),
    };
    let (mut tx, index) = call.begin_with_index(&bucket, &name).await?;
    vectors.iter().try_for_each(|vector| check(&index, vector))?;
    vectors::put(&mut tx, &index, vectors).await.map_err(|error| match error {
        Error::RelatedMissing => errors::not_found(&name),
        other => other,
    })?;
    tx.commit().await?;
    Ok(done())
}

/// Returns the bucket name, the index name and the vectors of a request body.
fn read(body: PutVectors) -> Result<(String, String, Vec<Vector>)> {
    let has_vectors = body.vectors.is_some();
    let vectors = body.vectors.unwrap_or_default();
    let names = [("vectorBucketName", body.bucket), ("indexName", body.index)];
    let names = names.into_iter().filter_map(|(field, name)| Some((field.to_owned(), name?)));
    let mut fields = Fields::of_strict_body(Value::Object(names.collect()))?;
    let (bucket, name) = (body::bucket_name(&mut fields), body::index_name(&mut fields));
    match vectors.len() {
        0 if !has_vectors => fields.required("vectors"),
        0 => fields.violation("vectors", "must NOT have fewer than 1 items"),
        count if count > MAX_VECTORS => {
            fields.violation("vectors", &format!("must NOT have more than {MAX_VECTORS} items"));
        }
        _ => vectors.iter().enumerate().for_each(|(index, vector)| check_form(&mut fields, index, vector)),
    }
    fields.finish()?;
    let mut keys = HashSet::with_capacity(vectors.len());
    if !vectors.iter().all(|vector| keys.insert(vector.key.as_str())) {
        return Err(errors::invalid("Request must not contain duplicate keys"));
    }
    let vectors =
        vectors.into_iter().map(|NewVector { key, data, metadata }| Vector { key, embedding: data.float32, metadata });
    Ok((bucket, name, vectors.collect()))
}

/// Checks the properties of a vector that do not depend on the index.
fn check_form(fields: &mut Fields, index: usize, vector: &NewVector) {
    let path = format!("vectors/{index}");
    if !(1..=MAX_KEY_CHARACTERS).contains(&vector.key.chars().count()) {
        fields.violation(&format!("{path}/key"), &format!("must have from 1 to {MAX_KEY_CHARACTERS} characters"));
    }
    if vector.data.float32.is_empty() {
        fields.violation(&format!("{path}/data/float32"), "must NOT have fewer than 1 items");
    }
    if vector.metadata.len() > MAX_METADATA_FIELDS {
        return;
    }
    let is_primitive = |value: &Value| matches!(value, Value::String(_) | Value::Bool(_) | Value::Number(_));
    for (key, value) in &vector.metadata {
        if !is_primitive(value) && !value.as_array().is_some_and(|items| items.iter().all(is_primitive)) {
            let what = "must be string, boolean, number or a list of them";
            fields.violation(&format!("{path}/metadata/{key}"), what);
        }
    }
}

/// Checks a vector against the dimension of the index and the limits of metadata.
fn check(index: &VectorIndex, vector: &Vector) -> Result<()> {
    let refused = |what: &str| Err(errors::invalid_record(&vector.key, what));
    if vector.metadata.len() > MAX_METADATA_FIELDS {
        return refused(&format!("Metadata must have at most {MAX_METADATA_FIELDS} keys"));
    }
    if json_bytes(vector.metadata.iter()) > MAX_METADATA_BYTES {
        return refused(&format!("Total metadata must have at most {MAX_METADATA_BYTES} bytes"));
    }
    let filterable = vector.metadata.iter().filter(|(key, _)| !index.is_non_filterable(key));
    if json_bytes(filterable) > MAX_FILTERABLE_BYTES {
        return refused(&format!("Filterable metadata must have at most {MAX_FILTERABLE_BYTES} bytes"));
    }
    check_embedding(index, &vector.embedding).or_else(|what| refused(&what))
}

/// Checks that an embedding has the dimension of the index and contains only finite numbers.
///
/// # Errors
/// The reason, as a text for the client.
pub(super) fn check_embedding(index: &VectorIndex, embedding: &[f32]) -> Result<(), String> {
    let (expected, found) = (index.dimension, embedding.len());
    if usize::try_from(expected) != Ok(found) {
        return Err(format!("vector must have length {expected}, but has length {found}"));
    }
    if embedding.iter().any(|number| !number.is_finite()) {
        return Err("vector has a number outside of the range of float32".to_owned());
    }
    Ok(())
}

/// Returns the size in bytes of a JSON object with these fields.
fn json_bytes<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> usize {
    let object: Map<String, Value> = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    Value::Object(object).to_string().len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn index(non_filterable: &[&str]) -> VectorIndex {
        VectorIndex {
            id: String::new(),
            name: "docs".to_owned(),
            bucket_id: "b".to_owned(),
            data_type: "float32".to_owned(),
            dimension: 2,
            distance_metric: "cosine".to_owned(),
            metadata_configuration: Some(json!({ "nonFilterableMetadataKeys": non_filterable })),
            created_at: chrono::Utc::now(),
            pgvector: None,
        }
    }

    fn problem(body: Value) -> String {
        let parsed = json_body::parse(body.to_string().as_bytes());
        let error = parsed.and_then(read).and_then(|(_, _, vectors)| {
            let index = index(&["text"]);
            vectors.iter().try_for_each(|vector| check(&index, vector))
        });
        error.err().map(|error| format!("{} {}", error.code(), error.message())).unwrap_or_default()
    }

    fn with(vector: Value) -> Value {
        json!({ "vectorBucketName": "b", "indexName": "docs", "vectors": [vector] })
    }

    #[test]
    fn vectors_that_fit() {
        let metadata = json!({"a": "x", "b": [1, true, "y"], "text": "ü".repeat(15_000)});
        assert_eq!(problem(with(json!({"key": "k", "data": {"float32": [1, -0.5]}, "metadata": metadata}))), "");
    }

    #[test]
    fn vectors_that_do_not_fit() {
        let data = json!({"float32": [1, 2]});
        for (vector, expected) in [
            (json!({"key": "", "data": data}), "body/vectors/0/key must have from 1 to 1024 characters"),
            (
                json!({"key": "k", "data": {"float32": []}}),
                "body/vectors/0/data/float32 must NOT have fewer than 1 items",
            ),
            (json!({"key": "k", "data": {"float32": ["1", 2]}}), "expected f32"),
            (json!({"key": "k", "data": {"float32": [null, 2]}}), "expected f32"),
            (json!({"key": "k"}), "missing field `data`"),
            (json!({"key": "k", "data": data, "metadata": null}), "invalid type: null"),
            (
                json!({"key": "k", "data": data, "metadata": {"a": {"b": 1}}}),
                "body/vectors/0/metadata/a must be string",
            ),
            (json!({"key": "k", "data": data, "metadata": {"a": [[1]]}}), "body/vectors/0/metadata/a must be string"),
        ] {
            let found = problem(with(vector.clone()));
            assert!(found.starts_with("InvalidRequest ") && found.contains(expected), "{vector}: {found}");
        }
        let nested = vec![json!([]); 300_000];
        for body in [
            with(json!({"key": "k", "data": data, "metadata": {"a": nested}})),
            json!({"indexName": nested, "vectors": []}),
        ] {
            let found = problem(body);
            assert!(found.starts_with("InvalidRequest ") && found.contains("bytes, but has"), "{found}");
        }
        let many: Map<_, _> = (0..51).map(|number| (number.to_string(), json!(number))).collect();
        for (vector, expected) in [
            (json!({"key": "k", "data": {"float32": [1]}}), "vector must have length 2, but has length 1"),
            (json!({"key": "k", "data": {"float32": [1, 1e39]}}), "outside of the range of float32"),
            (json!({"key": "k", "data": data, "metadata": many}), "at most 50 keys"),
            (
                json!({"key": "k", "data": data, "metadata": {"a": "x".repeat(2048)}}),
                "Filterable metadata must have at most 2048 bytes",
            ),
            (
                json!({"key": "k", "data": data, "metadata": {"text": "x".repeat(41_000)}}),
                "Total metadata must have at most 40960 bytes",
            ),
        ] {
            let found = problem(with(vector));
            assert!(
                found.starts_with("InvalidParameter Invalid record for key 'k': ") && found.contains(expected),
                "{found}"
            );
        }
    }

    #[test]
    fn bodies_that_do_not_fit() {
        let vector = json!({"key": "k", "data": {"float32": [1, 2]}});
        let body = |vectors: Value| json!({ "vectorBucketName": "b", "indexName": "docs", "vectors": vectors });
        assert_eq!(problem(json!({})).matches("must have required property").count(), 1);
        assert!(problem(body(json!([]))).contains("fewer than 1 items"));
        assert!(problem(body(json!(vec![vector.clone(); 501]))).contains("more than 500 items"));
        assert!(problem(body(json!([vector, vector]))).contains("duplicate keys"));
    }
}
