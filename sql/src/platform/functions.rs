//! Functions of the platform SQL: a function in the database is replaced when the text of its file changes.

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use super::files::{self, FunctionFile};
use crate::migrations::MigrationError;

/// SQL statements that create the table of applied function files, with the hash of each file's text. The column `version` contains the
/// value of `platform/version` in the program that created the function; `is_ours` is false if another program had created the function
/// before Cloch.
pub(super) const RECORD_TABLE: &str = "create table if not exists cloch.platform_functions (
     name text primary key,
     sha256 text not null,
     version int not null,
     is_ours boolean not null default true
 );
 revoke all on table cloch.platform_functions from public;";

/// Function file that was not applied to the database yet, or whose text has changed since it was applied.
pub(super) struct Changed {
    pub(super) file: FunctionFile,
    /// Whether Cloch created the function in the database.
    pub(super) is_ours: bool,
}

/// Returns the files in `platform/functions` whose text differs from the text applied to the database. Functions that a newer program
/// created are omitted, because programs of two versions may serve one database during an upgrade.
pub(super) async fn changed(connection: &mut PgConnection) -> Result<Vec<Changed>, MigrationError> {
    let rows = sqlx::query("select name, sha256, version, is_ours from cloch.platform_functions")
        .fetch_all(connection)
        .await?;
    let mut known = std::collections::HashMap::new();
    for row in &rows {
        let (name, sha256): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        let (version, is_ours): (i32, bool) = (row.try_get(2)?, row.try_get(3)?);
        known.insert(name, (sha256, version, is_ours));
    }
    let own_version = files::version();
    let changed = files::functions().into_iter().filter_map(|file| match known.get(&file.name) {
        None => Some(Changed { file, is_ours: false }),
        Some((sha256, version, _)) if *sha256 == file.sha256 || *version > own_version => None,
        Some((_, _, is_ours)) => Some(Changed { file, is_ours: *is_ours }),
    });
    Ok(changed.collect())
}

/// Applies function files to a database that Cloch created. All files are applied in one transaction.
///
/// # Errors
/// Returns the error of the first function that PostgreSQL refuses. The database is then unchanged.
pub(super) async fn apply(connection: &mut PgConnection, changed: &[Changed]) -> Result<(), MigrationError> {
    if changed.is_empty() {
        return Ok(());
    }
    let mut transaction = connection.begin().await?;
    // Do not check function bodies, because the functions refer to each other in any order.
    sqlx::raw_sql("set local check_function_bodies = off").execute(&mut *transaction).await?;
    for Changed { file, .. } in changed {
        // The SQL text is a constant of this program, embedded at build time.
        sqlx::raw_sql(AssertSqlSafe(file.text.clone()))
            .execute(&mut *transaction)
            .await
            .map_err(|error| MigrationError::statement(&file.path(), &file.text, 0, error))?;
        record(&mut transaction, file, true).await?;
    }
    transaction.commit().await?;
    Ok(())
}

pub(super) async fn record(connection: &mut PgConnection, file: &FunctionFile, is_ours: bool) -> sqlx::Result<()> {
    sqlx::query(
        "insert into cloch.platform_functions (name, sha256, version, is_ours) values ($1, $2, $3, $4)
         on conflict (name) do update set sha256 = excluded.sha256, version = excluded.version, is_ours = excluded.is_ours",
    )
    .bind(&file.name)
    .bind(&file.sha256)
    .bind(files::version())
    .bind(is_ours)
    .execute(connection)
    .await?;
    Ok(())
}
