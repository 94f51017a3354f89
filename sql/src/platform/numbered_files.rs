//! Converts databases of development versions of Cloch, whose platform SQL consisted of 63 numbered files (0001 to 0078) with both tables
//! and functions. These databases already have the tables that the current files in `platform/tables` create, so only the record of applied
//! files is rewritten.

use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::files::TablesFile;
use crate::migrations::MigrationError;

/// Number of files in `platform/tables` that replace the 63 numbered files.
const FOLDED_FILES: usize = 42;

/// Rewrites the record of applied files if the record lists the numbered files of development versions.
///
/// # Errors
/// Returns [`MigrationError::History`] if only some of the numbered files were applied: the tables are then older than the tables of the
/// files that the rewritten record would list.
pub(super) async fn convert(connection: &mut PgConnection, tables: &[TablesFile]) -> Result<(), MigrationError> {
    let (is_numbered, is_complete): (bool, bool) = sqlx::query_as(
        "select exists (select from cloch.platform_migrations where (version, name) = ('0001', 'helpers')),
                exists (select from cloch.platform_migrations where (version, name) = ('0078', 'uploads_counted_apart'))",
    )
    .fetch_one(&mut *connection)
    .await?;
    if !is_numbered {
        return Ok(());
    }
    if !is_complete {
        return Err(MigrationError::History(
            "the database was made by a development version that is too old to be upgraded directly. Nothing was changed. Start it \
             once with a version of November 2026, or dump it with the version that made it (cloch db dump), and restore the dump into \
             a new database or data folder"
                .to_owned(),
        ));
    }
    let mut transaction = connection.begin().await?;
    sqlx::raw_sql(AssertSqlSafe(include_str!("../../platform/from_numbered_files.sql")))
        .execute(&mut *transaction)
        .await?;
    for file in tables.iter().take(FOLDED_FILES) {
        sqlx::query("insert into cloch.platform_migrations (version, name) values ($1, $2)")
            .bind(&file.version)
            .bind(&file.name)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}
