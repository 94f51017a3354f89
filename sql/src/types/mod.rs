//! Generates the TypeScript type `Database` of supabase-js from the live schema, as `supabase gen types typescript` does.

mod model;
mod names;
mod typescript;

use sqlx::{PgConnection, Row};

use model::Schema;

/// The TypeScript source for the named schemas, in their order of names.
///
/// # Errors
/// When the database does not answer.
pub async fn typescript(connection: &mut PgConnection, schemas: &[String]) -> sqlx::Result<String> {
    let relations = read(connection, include_str!("relations.sql"), Some(schemas)).await?;
    let functions = read(connection, include_str!("functions.sql"), Some(schemas)).await?;
    let types = read(connection, include_str!("types.sql"), None).await?;
    let schema =
        Schema::new(schemas, relations, functions, types).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(typescript::print(&schema))
}

async fn read(
    connection: &mut PgConnection,
    query: &'static str,
    schemas: Option<&[String]>,
) -> sqlx::Result<serde_json::Value> {
    let query = sqlx::query(query);
    let query = match schemas {
        Some(schemas) => query.bind(schemas),
        None => query,
    };
    query.fetch_one(connection).await?.try_get(0)
}
