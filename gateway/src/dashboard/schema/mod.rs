//! `/schema`, `/catalog` and `/completion`: schemas, relations, functions and other objects from PostgreSQL's catalog, and names for SQL
//! completion.

mod catalog;
mod relation;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde_json::{Value, json};

pub(super) use relation::{Column, Relation};

use super::extract::At;
use super::operator::Operator;
use super::route::{Access, Method, Role, Route};
use super::{ApiError, DashboardState};

/// Maximum number of names of each kind (relations, functions, types) for completion.
const MAX_NAMES: i32 = 5_000;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/schema", "schema.list", "The schemas", Access::VIEWER, |method| on(method, schemas)),
    Route::new(
        Method::Get,
        "/completion",
        "schema.completion",
        "Names for completion: relations with columns, functions, types",
        Access::VIEWER,
        |method| on(method, completion),
    ),
    Route::new(
        Method::Get,
        "/types",
        "schema.types",
        "TypeScript types of the schemas that the API serves, as a file",
        Access::VIEWER,
        |method| on(method, types),
    ),
    Route::new(Method::Get, "/schema/{schema}", "schema.show", "The relations of a schema", Access::VIEWER, |method| {
        on(method, tables)
    }),
    Route::new(
        Method::Get,
        "/schema/{schema}/functions",
        "schema.functions",
        "The functions of a schema that can be called by rpc",
        Access::VIEWER,
        |method| on(method, functions),
    ),
    Route::new(
        Method::Get,
        "/schema/{schema}/tables/{table}",
        "schema.table",
        "A relation with its columns, keys, indexes, policies, triggers, publications and grants",
        Access::VIEWER,
        |method| on(method, table),
    )
    .audited(),
    Route::new(
        Method::Get,
        "/catalog/{kind}",
        "catalog.list",
        "Objects of a kind: diagram, functions, triggers, indexes, enums, extensions, roles or publications",
        Access::VIEWER,
        |method| on(method, catalog::list),
    ),
    Route::new(
        Method::Get,
        "/catalog/{kind}/{oid}",
        "catalog.definition",
        "The code of a function, or the statement of a trigger",
        Access::DEVELOPER,
        |method| on(method, catalog::definition),
    )
    .audited(),
];

async fn schemas(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let schemas: Value = sqlx::query_scalar(
        "select coalesce(json_agg(json_build_object('name', n.nspname, 'tables', (
                  select count(*) from pg_class c where c.relnamespace = n.oid
                     and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition)
                ) order by n.nspname <> 'public', n.nspname), '[]')
           from pg_namespace n where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'cloch')",
    )
    .fetch_one(state.database.admin())
    .await?;
    Ok(Json(json!({ "schemas": schemas })))
}

async fn types(State(state): State<DashboardState>) -> Result<Response, ApiError> {
    let types = state.project.typescript(Vec::new()).await?;
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"database.types.ts\""),
    ];
    Ok((headers, types).into_response())
}

async fn tables(State(state): State<DashboardState>, At(schema): At<String>) -> Result<Json<Value>, ApiError> {
    let tables: Value =
        sqlx::query_scalar(include_str!("tables.sql")).bind(schema).fetch_one(state.database.admin()).await?;
    Ok(Json(json!({ "tables": tables })))
}

async fn functions(State(state): State<DashboardState>, At(schema): At<String>) -> Result<Json<Value>, ApiError> {
    let functions: Value =
        sqlx::query_scalar(include_str!("functions.sql")).bind(schema).fetch_one(state.database.admin()).await?;
    Ok(Json(json!({ "functions": functions })))
}

async fn table(
    State(state): State<DashboardState>,
    operator: Operator,
    At((schema, table)): At<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let found: Option<Value> = sqlx::query_scalar(include_str!("table.sql"))
        .bind(schema)
        .bind(table)
        .bind(operator.role >= Role::Developer)
        .fetch_optional(state.database.admin())
        .await?;
    found.map(Json).ok_or_else(|| ApiError::not_found("There is no such table"))
}

async fn completion(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let names: Value =
        sqlx::query_scalar(include_str!("completion.sql")).bind(MAX_NAMES).fetch_one(state.database.admin()).await?;
    Ok(Json(names))
}
