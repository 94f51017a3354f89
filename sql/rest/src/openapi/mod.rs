//! The OpenAPI 2.0 description of the REST API, which is the response to a GET request for the root path.

mod definitions;
mod described;
mod parameters;
mod paths;

use axum::body::Body;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, header};
use serde_json::{Value, json};
use url::Url;

use described::{Described, split_comment};

use super::error::ApiError;
use super::execute::{api_error, checkout, network_of};
use super::request::ApiRequest;
use super::settings::{OpenApiMode, Settings};
use super::sql::transaction_settings;
use cloch_sql::caller::Caller;
use cloch_sql::client::{BatchStatement, Param, Pool, Rows};
use cloch_sql::schema_cache::{Function, SchemaCache, Table};

/// Media types of request and response bodies that contain rows.
const ROWS: [&str; 4] = [
    "application/json",
    "application/vnd.pgrst.object+json;nulls=stripped",
    "application/vnd.pgrst.object+json",
    "text/csv",
];

/// Builds the OpenAPI description of the schema that the request selects. The description contains only the objects in `visible`, unless
/// the settings ignore privileges.
pub(super) fn describe(
    visible: &Visible,
    parts: &Parts,
    request: &ApiRequest,
    schema_cache: &SchemaCache,
    settings: &Settings,
) -> Response {
    let headers_only = parts.method == http::Method::HEAD;
    let in_schema = |schema: &str| schema == request.schema;
    let shows = |list: &[u32], oid: u32| settings.openapi_mode == OpenApiMode::IgnorePrivileges || list.contains(&oid);
    let mut tables: Vec<&Table> = schema_cache
        .tables
        .values()
        .filter(|table| in_schema(&table.schema) && shows(&visible.tables, table.oid))
        .collect();
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    let mut functions: Vec<&Function> = schema_cache
        .functions
        .values()
        .flatten()
        .filter(|function| in_schema(&function.schema) && shows(&visible.functions, function.oid))
        .collect();
    functions.sort_by(|a, b| a.name.cmp(&b.name));
    // Type names are written without a schema if the schema is in the search path.
    let path: Vec<String> = std::iter::once(&request.schema)
        .chain(&settings.extra_search_path)
        .map(|schema| format!("{schema}."))
        .collect();
    let functions = functions.into_iter().map(|function| unqualified(function, &path)).collect();
    let described = Described { schema_cache, tables, functions, comment: visible.comment.clone() };
    let body = if headers_only { String::new() } else { document(&described, parts, settings).to_string() };
    let mut response = Response::new(Body::from(body));
    let content_type = HeaderValue::from_static("application/openapi+json; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    if request.names_schema
        && let Ok(schema) = HeaderValue::from_str(&request.schema)
    {
        response.headers_mut().insert("content-profile", schema);
    }
    response
}

/// OIDs of the tables and functions that the caller may use, and the comment of the schema.
#[derive(serde::Deserialize)]
pub(super) struct Visible {
    tables: Vec<u32>,
    functions: Vec<u32>,
    comment: Option<String>,
}

/// Queries which tables and functions of the requested schema the caller's role may use, and the comment of the schema.
pub(super) async fn visible(
    pool: &Pool,
    caller: &Caller,
    parts: &Parts,
    request: &ApiRequest,
    schema_cache: &SchemaCache,
    settings: &Settings,
) -> Result<Visible, ApiError> {
    let before = transaction_settings(caller, parts, request, None, schema_cache, settings);
    let mut rows = Rows::default();
    let schema = [Param::unknown(request.schema.clone())];
    let pre_request = settings.pre_request.as_ref().map(super::sql::pre_request);
    let run = async {
        let mut connection = checkout(pool, caller, network_of(parts)).await?;
        let mut steps = vec![BatchStatement::silent(&before.text, &before.params)];
        steps.extend(pre_request.as_ref().map(|sql| BatchStatement::silent(&sql.text, &sql.params)));
        steps.push(BatchStatement { sql: include_str!("visible.sql"), params: &schema, sink: Some(&mut rows) });
        connection.run(caller.role(), &mut steps).await
    };
    run.await.map_err(|error| api_error(error, caller))?;
    let text = rows.rows().first().and_then(|row| row.text(0)).unwrap_or_default();
    serde_json::from_str(text).map_err(|_| ApiError::no_schema_cache())
}

fn unqualified(function: &Function, path: &[String]) -> Function {
    let mut function = function.clone();
    for argument in &mut function.arguments {
        if let Some(bare) = path.iter().find_map(|schema| argument.data_type.strip_prefix(schema.as_str())) {
            argument.data_type = bare.to_owned();
        }
    }
    function
}

fn document(described: &Described<'_>, parts: &Parts, settings: &Settings) -> Value {
    let (title, description) = split_comment(described.comment.as_deref());
    let (scheme, host, base_path) = address(parts, settings);
    let mut document = json!({
        "swagger": "2.0",
        "info": {
            "title": title.unwrap_or_else(|| "PostgREST API".to_owned()),
            "description": description.unwrap_or_else(|| "This is a dynamic API generated by PostgREST".to_owned()),
            "version": env!("CARGO_PKG_VERSION"),
        },
        "host": host,
        "basePath": base_path,
        "schemes": [scheme],
        "consumes": ROWS,
        "produces": ROWS,
        "paths": paths::paths(described),
        "parameters": parameters::parameters(described),
        "definitions": definitions::definitions(described),
        "externalDocs": {
            "description": "PostgREST Documentation",
            "url": "https://postgrest.org/en/v14/references/api.html",
        },
    });
    if let (true, Some(document)) = (settings.openapi_security, document.as_object_mut()) {
        let token = json!({
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "Add the token prepending \"Bearer \" (without quotes) to it",
        });
        document.insert("securityDefinitions".to_owned(), json!({"JWT": token}));
        document.insert("security".to_owned(), json!([{"JWT": []}]));
    }
    document
}

/// Returns the scheme, the host with port, and the path with which clients reach the API.
fn address(parts: &Parts, settings: &Settings) -> (String, String, String) {
    if let Some(url) = settings.openapi_url.as_deref().and_then(|url| Url::parse(url).ok()) {
        let port = url.port_or_known_default().unwrap_or(80);
        let host = format!("{}:{port}", url.host_str().unwrap_or("localhost"));
        return (url.scheme().to_owned(), host, url.path().to_owned());
    }
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    ("http".to_owned(), host.to_owned(), "/".to_owned())
}
