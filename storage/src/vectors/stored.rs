//! Converts stored vectors to the format of responses.

use serde::Serialize;
use serde_json::Value;

use crate::db::vectors::{Parts, Row};

/// A vector in a response. Contains only the properties that the request selects.
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

/// Parses which properties of the vectors the response must contain.
pub(super) fn parts(fields: &mut crate::fields::Fields) -> Parts {
    Parts {
        embedding: fields.boolean("returnData").unwrap_or(false),
        metadata: fields.boolean("returnMetadata").unwrap_or(false),
    }
}
