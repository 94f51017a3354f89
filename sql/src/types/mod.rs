//! Generates supabase-js's TypeScript type `Database` from the live schema, like `supabase gen types typescript`.

mod functions;
mod model;
mod names;
mod relations;
mod typescript;

use std::collections::HashSet;

use serde_json::Value;
use sqlx::{PgConnection, Row};

use model::Schema;

use crate::schema_cache::Lineage;

/// Generates the TypeScript source for the given schemas. Its entries are sorted by name.
///
/// # Errors
/// Fails if a database query fails.
pub async fn typescript(connection: &mut PgConnection, schemas: &[String]) -> sqlx::Result<String> {
    let relations = read(connection, include_str!("relations.sql"), Some(schemas)).await?;
    let functions = read(connection, include_str!("functions.sql"), Some(schemas)).await?;
    let types = read(connection, include_str!("types.sql"), None).await?;
    let lineage = lineage(connection, schemas).await?;
    let schema = Schema::new(schemas, relations, functions, types, &lineage).map_err(decode)?;
    Ok(typescript::print(&schema))
}

/// Queries the lineage of views (the tables and columns that a view reads). Includes views of other schemas through which a view reads its
/// tables.
async fn lineage(connection: &mut PgConnection, schemas: &[String]) -> sqlx::Result<Lineage> {
    let not_null = read(connection, include_str!("not_null.sql"), None).await?;
    let not_null: HashSet<(u32, i16)> = serde_json::from_value(not_null).map_err(decode)?;
    let between: Vec<String> = sqlx::query_scalar(
        "select nspname::text from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'",
    )
    .fetch_all(&mut *connection)
    .await?;
    let keys: Vec<Value> = sqlx::query_scalar(Lineage::KEYS).fetch_all(&mut *connection).await?;
    let views: Vec<Value> =
        sqlx::query_scalar(Lineage::VIEWS).bind(schemas).bind(between).fetch_all(&mut *connection).await?;
    Lineage::new(keys, views, &not_null).map_err(decode)
}

fn decode(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

async fn read(connection: &mut PgConnection, query: &'static str, schemas: Option<&[String]>) -> sqlx::Result<Value> {
    let query = sqlx::query(query);
    let query = match schemas {
        Some(schemas) => query.bind(schemas),
        None => query,
    };
    query.fetch_one(connection).await?.try_get(0)
}
