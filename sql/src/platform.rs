//! Cloch's own SQL: roles, schemas and functions that every project expects, as numbered files applied once each.

use rust_embed::RustEmbed;
use sqlx::{Connection, PgConnection, Row};

use crate::migrations::MigrationError;

#[derive(RustEmbed)]
#[folder = "platform"]
struct Files;

/// The numbered files, in order: name and text.
#[must_use]
pub fn files() -> Vec<(String, String)> {
    let mut names: Vec<String> = Files::iter().map(|name| name.into_owned()).collect();
    names.retain(|name| name.ends_with(".sql"));
    names.sort();
    names
        .into_iter()
        .filter_map(|name| {
            let file = Files::get(&name)?;
            Some((name, String::from_utf8_lossy(&file.data).into_owned()))
        })
        .collect()
}

/// Applies the files this database lacks, each in a transaction of its own with its record.
///
/// # Errors
/// The first file that fails; it leaves nothing behind.
pub async fn apply(connection: &mut PgConnection) -> Result<usize, MigrationError> {
    sqlx::raw_sql(
        "create schema if not exists cloch;
         create table if not exists cloch.platform_migrations (
             version text primary key,
             name text not null,
             applied_at timestamptz not null default now()
         );",
    )
    .execute(&mut *connection)
    .await?;
    let applied: Vec<String> = sqlx::query("select version from cloch.platform_migrations")
        .fetch_all(&mut *connection)
        .await?
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<_, _>>()?;
    let mut count = 0;
    for (file, text) in files() {
        let (version, name) = file.trim_end_matches(".sql").split_once('_').unwrap_or((&file, ""));
        if applied.iter().any(|known| known == version) {
            continue;
        }
        let mut transaction = connection.begin().await?;
        // A fixed text of this program, embedded at build time.
        sqlx::raw_sql(sqlx::AssertSqlSafe(text.clone()))
            .execute(&mut *transaction)
            .await
            .map_err(|error| MigrationError::statement(&format!("platform/{file}"), &text, 0, error))?;
        sqlx::query("insert into cloch.platform_migrations (version, name) values ($1, $2)")
            .bind(version)
            .bind(name)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        count += 1;
    }
    Ok(count)
}
