//! Builds the OpenAPI paths: the operations on each relation and function.

use serde_json::{Map, Value, json};

use super::described::{Described, format, kind, split_comment, typed};
use cloch_sql::schema_cache::{Argument, Function, Table, Volatility};

/// Media types of responses to function calls.
const CALLS: [&str; 3] =
    ["application/json", "application/vnd.pgrst.object+json;nulls=stripped", "application/vnd.pgrst.object+json"];

pub(super) fn paths(described: &Described<'_>) -> Value {
    let mut paths = Map::new();
    let root = json!({"get": {
        "tags": ["Introspection"],
        "summary": "OpenAPI description (this document)",
        "produces": ["application/openapi+json", "application/json"],
        "responses": {"200": {"description": "OK"}},
    }});
    paths.insert("/".to_owned(), root);
    paths.extend(described.tables.iter().map(|table| (format!("/{}", table.name), table_path(table))));
    paths.extend(described.functions.iter().map(|one| (format!("/rpc/{}", one.name), function_path(one))));
    Value::Object(paths)
}

fn references<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Vec<Value> {
    names.into_iter().map(|name| json!({"$ref": format!("#/parameters/{}", name.as_ref())})).collect()
}

/// Builds an OpenAPI operation with a tag, and with the SQL comment of the relation or function as summary and description.
fn operation(tag: &str, comment: Option<&str>, parameters: Vec<Value>, responses: Value) -> Map<String, Value> {
    let (summary, description) = split_comment(comment);
    let mut operation = Map::from_iter([("tags".to_owned(), json!([tag]))]);
    operation.extend(summary.map(|text| ("summary".to_owned(), text.into())));
    operation.extend(description.map(|text| ("description".to_owned(), text.into())));
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), parameters.into());
    }
    operation.insert("responses".to_owned(), responses);
    operation
}

fn table_path(table: &Table) -> Value {
    let name = table.name.as_str();
    let filters: Vec<String> = table.columns.iter().map(|column| format!("rowFilter.{name}.{}", column.name)).collect();
    let body = format!("body.{name}");
    let own = |names: &[&str], filtered: bool, responses: Value| {
        let filters = if filtered { filters.as_slice() } else { &[] };
        let names = filters.iter().map(String::as_str).chain(names.iter().copied());
        operation(name, table.description.as_deref(), references(names), responses)
    };
    let rows = json!({"type": "array", "items": {"$ref": format!("#/definitions/{name}")}});
    let read = json!({"200": {"description": "OK", "schema": rows}, "206": {"description": "Partial Content"}});
    let get = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"];
    let mut path = Map::from_iter([("get".to_owned(), own(&get, true, read).into())]);
    if table.insertable || table.updatable || table.deletable {
        let done = |status: &str, description: &str| json!({status: {"description": description}});
        path.insert("post".to_owned(), own(&[&body, "select", "preferPost"], false, done("201", "Created")).into());
        path.insert("delete".to_owned(), own(&["preferReturn"], true, done("204", "No Content")).into());
        path.insert("patch".to_owned(), own(&[&body, "preferReturn"], true, done("204", "No Content")).into());
    }
    Value::Object(path)
}

fn function_path(function: &Function) -> Value {
    let tag = format!("(rpc) {}", function.name);
    let own = |parameters: Vec<Value>| {
        let answer = json!({"200": {"description": "OK"}});
        let mut operation = operation(&tag, function.description.as_deref(), parameters, answer);
        operation.insert("produces".to_owned(), json!(CALLS));
        Value::Object(operation)
    };
    let mut path = Map::new();
    if function.volatility != Volatility::Volatile {
        path.insert("get".to_owned(), own(function.arguments.iter().map(query_parameter).collect()));
    }
    let mut post = vec![json!({"name": "args", "required": true, "in": "body", "schema": arguments(function)})];
    post.extend(references(["preferParams"]));
    path.insert("post".to_owned(), own(post));
    Value::Object(path)
}

fn arguments(function: &Function) -> Value {
    let mut schema = Map::from_iter([("type".to_owned(), Value::from("object"))]);
    schema.extend(function.description.clone().map(|text| ("description".to_owned(), text.into())));
    let required: Vec<&str> =
        function.arguments.iter().filter(|one| one.required).map(|one| one.name.as_str()).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    let properties: Map<String, Value> =
        function.arguments.iter().map(|one| (one.name.clone(), Value::Object(typed(&one.data_type)))).collect();
    if !properties.is_empty() {
        schema.insert("properties".to_owned(), properties.into());
    }
    Value::Object(schema)
}

/// Describes a function argument as a query parameter. Arrays and JSON values are strings in a query string; a variadic argument may occur
/// several times.
fn query_parameter(argument: &Argument) -> Value {
    let Argument { name, data_type, required, variadic, .. } = argument;
    if *variadic {
        let element = data_type.strip_suffix("[]").unwrap_or(data_type);
        let items = json!({"type": kind(element).unwrap_or("string"), "format": format(element)});
        return json!({
            "name": name, "required": required, "in": "query", "type": "array", "collectionFormat": "multi", "items": items,
        });
    }
    let kind = kind(data_type).filter(|kind| *kind != "array").unwrap_or("string");
    json!({"name": name, "required": required, "in": "query", "type": kind, "format": format(data_type)})
}
