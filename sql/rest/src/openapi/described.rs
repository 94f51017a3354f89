//! Relations and functions that the OpenAPI description contains, and the mapping of PostgreSQL types to OpenAPI types.

use serde_json::{Map, Value, json};

use cloch_sql::schema_cache::{Function, SchemaCache, Table};

/// Relations and functions in the OpenAPI description, sorted by name.
pub(super) struct Described<'a> {
    pub(super) schema_cache: &'a SchemaCache,
    pub(super) tables: Vec<&'a Table>,
    pub(super) functions: Vec<Function>,
    pub(super) comment: Option<String>,
}

/// Splits an SQL comment into its first line (the OpenAPI summary) and the remaining lines (the OpenAPI description).
pub(super) fn split_comment(comment: Option<&str>) -> (Option<String>, Option<String>) {
    let Some(comment) = comment else { return (None, None) };
    let (summary, rest) = comment.split_once('\n').unwrap_or((comment, ""));
    let rest = rest.trim_start_matches('\n');
    (Some(summary.to_owned()), (!rest.is_empty()).then(|| rest.to_owned()))
}

/// Returns the OpenAPI type of a PostgreSQL type; `None` for `json` and `jsonb`, whose values can have any type.
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

/// Returns the OpenAPI keys `type`, `format` and, for an array, `items` for a PostgreSQL type.
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
