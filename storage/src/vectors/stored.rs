//! Shows stored vectors in responses.

use serde::Serialize;
use serde_json::Value;

use crate::db::vectors::{Parts, Row};

/// A vector in a response, with the parts that the request wants.
#[derive(Serialize)]
pub(super) struct Stored {
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

#[derive(Serialize)]
struct Data {
    float32: Vec<f32>,
}

impl From<Row> for Stored {
    fn from(row: Row) -> Self {
        Self { key: row.key, data: row.embedding.map(|float32| Data { float32 }), metadata: row.metadata }
    }
}

/// Reads which parts of vectors a request wants.
pub(super) fn parts(fields: &mut crate::fields::Fields) -> Parts {
    Parts {
        embedding: fields.boolean("returnData").unwrap_or(false),
        metadata: fields.boolean("returnMetadata").unwrap_or(false),
    }
}
