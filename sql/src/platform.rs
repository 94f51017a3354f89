//! Cloch's own SQL: roles, schemas and functions that every project expects, as numbered files applied once each.

mod attach;
mod given_back;
pub(crate) mod needs;
mod statement;

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

/// What applying the platform's files did.
#[derive(Debug, Default)]
pub struct Applied {
    /// Files applied now.
    pub files: usize,
    /// Whether somebody else made the database.
    pub is_foreign: bool,
    /// What was added now to a database that somebody else made, outside of schema cloch.
    pub added: Vec<String>,
}

/// Applies the files this database lacks: each in a transaction of its own with its record, or, where somebody else made the
/// database, all in one as [`attach`] says.
///
/// # Errors
/// The first file that fails; it leaves nothing behind.
pub async fn apply(connection: &mut PgConnection) -> Result<Applied, MigrationError> {
    let is_foreign = attach::is_foreign(connection).await?;
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
    let files = files();
    let applied = applied(connection).await?;
    refuse_other_history(&files, &applied)?;
    let is_pending = |file: &str| applied.iter().all(|(known, _)| known != version_and_name(file).0);
    let pending: Vec<_> = files.into_iter().filter(|(file, _)| is_pending(file)).collect();
    let mut outcome = Applied { files: pending.len(), is_foreign, added: Vec::new() };
    if is_foreign {
        outcome.added = if pending.is_empty() { Vec::new() } else { attach::apply(connection, &pending).await? };
        return Ok(outcome);
    }
    for (file, text) in pending {
        let (version, name) = version_and_name(&file);
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
    }
    Ok(outcome)
}

/// Version and name of each file that this database has, in order.
async fn applied(connection: &mut PgConnection) -> Result<Vec<(String, String)>, MigrationError> {
    let rows = sqlx::query("select version, name from cloch.platform_migrations order by version")
        .fetch_all(&mut *connection)
        .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Refuses a database whose files were numbered differently, as those of development versions before the first release were: its
/// definitions are others. Files that are newer than all of this program's are a later version's, which only adds to these.
fn refuse_other_history(files: &[(String, String)], applied: &[(String, String)]) -> Result<(), MigrationError> {
    let newest = files.last().map_or("", |(file, _)| version_and_name(file).0);
    let foreign = applied.iter().find(|(version, name)| {
        version.as_str() <= newest
            && !files.iter().any(|(file, _)| version_and_name(file) == (version.as_str(), name.as_str()))
    });
    match foreign {
        None => Ok(()),
        Some((version, name)) => Err(MigrationError::History(format!(
            "the database was made by another line of Cloch's development: it has platform/{version}_{name}, which this version does \
             not know. Nothing was changed. Dump it with the version that made it (cloch db dump), and restore the dump into a new \
             database or data folder"
        ))),
    }
}

fn version_and_name(file: &str) -> (&str, &str) {
    file.trim_end_matches(".sql").split_once('_').unwrap_or((file, ""))
}
