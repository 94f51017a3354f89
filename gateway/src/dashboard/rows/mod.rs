//! Rows of a relation: a page of them, one value, changes as SQL, CSV out and in.

mod change;
mod export;
mod import;
mod page;
mod reads;
mod statement;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use axum::Json;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::on;
use serde::Deserialize;
use serde_json::{Value, json};

use self::change::{Change, MAX_CHANGES};
use super::extract::Input;
use super::operators::Operator;
use super::route::{Access, Method, Role, Route};
use super::schema::Relation;
use super::{ApiError, DashboardState};

/// Bytes of the changes of one request: a value may have 10 MB.
const CHANGES_BYTES: usize = 24 << 20;
/// The schema of files' rows, which viewers read beside those that the API exposes.
const STORAGE: &str = "storage";
/// Schemas whose rows are secrets, also where the API exposes them: hashes of passwords, refresh tokens, keys, mails with links that sign in, headers of requests, texts of
/// statements (pg_stat_statements, migrations), and passwords for foreign servers (pg_user_mappings, information_schema).
const SECRET_SCHEMAS: [&str; 11] = [
    "auth",
    "vault",
    "cloch",
    "pgsodium",
    "net",
    "cron",
    "supabase_functions",
    "supabase_migrations",
    "extensions",
    "information_schema",
    "pg_catalog",
];

/// Viewers read what is no secret: a project keeps those in schemas that its API does not expose.
///
/// # Errors
/// For a viewer and another schema.
pub(super) fn check_reader(state: &DashboardState, operator: &Operator, schema: &str) -> Result<(), ApiError> {
    let is_exposed = schema == STORAGE || state.config.file.api.schemas.iter().any(|exposed| exposed == schema);
    if operator.role < Role::Developer && (!is_exposed || SECRET_SCHEMAS.contains(&schema)) {
        return Err(ApiError::forbidden("Viewers read rows of the schemas that the API exposes, and of storage"));
    }
    Ok(())
}

pub(super) const ROUTES: &[Route] = &[
    // Both are recorded by `reads`.
    Route::new(Method::Post, "/rows/read", "rows.read", "A page of rows", Access::VIEWER, |method| {
        on(method, page::read)
    })
    .harmless(),
    Route::new(Method::Post, "/rows/cell", "rows.cell", "One whole value", Access::VIEWER, |method| {
        on(method, page::cell)
    })
    .harmless(),
    Route::new(Method::Post, "/rows/sql", "rows.sql", "The SQL of changes", Access::VIEWER, |method| {
        on(method, sql).layer(DefaultBodyLimit::max(CHANGES_BYTES))
    })
    .harmless(),
    Route::new(Method::Get, "/rows/csv", "rows.export", "Rows as a CSV file", Access::VIEWER, |method| {
        on(method, export::csv)
    })
    .audited()
    .file(),
    Route::new(Method::Post, "/rows/csv", "rows.import", "Rows from a CSV file", Access::DEVELOPER, |method| {
        on(method, import::csv)
    })
    .file(),
];

#[derive(Deserialize)]
struct Changes {
    changes: Vec<Change>,
}

async fn sql(State(state): State<DashboardState>, Input(asked): Input<Changes>) -> Result<Json<Value>, ApiError> {
    if asked.changes.is_empty() || asked.changes.len() > MAX_CHANGES {
        return Err(ApiError::bad_request(format!("1 to {MAX_CHANGES} changes at once")));
    }
    let mut relations: HashMap<(&str, &str), Relation> = HashMap::new();
    let mut statements = Vec::new();
    for change in &asked.changes {
        let relation = match relations.entry((change.schema.as_str(), change.table.as_str())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Relation::find(state.database.admin(), &change.schema, &change.table).await?)
            }
        };
        statements.push(change.sql(relation)?);
    }
    Ok(Json(json!({ "sql": statements.join("\n\n"), "statements": statements.len() })))
}
