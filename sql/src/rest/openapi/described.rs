//! What is described, and the types of OpenAPI for those of PostgreSQL.

use serde_json::{Map, Value, json};

use crate::schema_cache::{Function, SchemaCache, Table};

/// What is described, in the order of names.
pub(super) struct Described<'a> {
    pub(super) schema_cache: &'a SchemaCache,
    pub(super) tables: Vec<&'a Table>,
    pub(super) functions: Vec<Function>,
    pub(super) comment: Option<String>,
}

/// The first line of a comment, and what follows it.
pub(super) fn split_comment(comment: Option<&str>) -> (Option<String>, Option<String>) {
    let Some(comment) = comment else { return (None, None) };
    let (summary, rest) = comment.split_once('\n').unwrap_or((comment, ""));
    let rest = rest.trim_start_matches('\n');
    (Some(summary.to_owned()), (!rest.is_empty()).then(|| rest.to_owned()))
}

/// The kind of value that JSON has for a type; none for `json` itself, which is any.
pub(super) fn kind(data_type: &str) -> Option<&'static str> {
    Some(match data_type {
        "boolean" => "boolean",
        "smallint" | "integer" | "bigint" => "integer",
        "numeric" | "real" | "double precision" => "number",
        "json" | "jsonb" => return None,
        other if other.ends_with("[]") => "array",
        _ => "string",
    })
}

pub(super) fn format(data_type: &str) -> &str {
    match data_type {
        "smallint" | "integer" => "int32",
        "bigint" => "int64",
        other => other,
    }
}

/// `type`, `format` and, for an array, `items` of a type.
pub(super) fn typed(data_type: &str) -> Map<String, Value> {
    let mut object = Map::new();
    if let Some(own) = kind(data_type) {
        object.insert("type".to_owned(), own.into());
        if let Some(element) = data_type.strip_suffix("[]") {
            let element = kind(element).map_or_else(|| json!({}), |kind| json!({"type": kind}));
            object.insert("items".to_owned(), element);
        }
    }
    object.insert("format".to_owned(), format(data_type).into());
    object
}
