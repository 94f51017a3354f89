//! Applies migrations. Each migration file is executed as one script, which also records its statements in the migration history. A file
//! without `begin`, `commit` or `rollback` is applied completely or not at all; otherwise the transactions of the file apply.

use std::collections::BTreeSet;

use sqlx::PgConnection;

use super::script::{File, Script, start_file};
use super::server::Server;
use super::skipped::{self, Skipped};
use super::{Migration, MigrationError, changed};
use crate::client::{Connection, Param, array_literal};

/// SQL query for the versions of applied migrations. Must run in a session of the project's owner: the owner may have replaced the history
/// table by a view, whose functions run with the rights of the role that reads the view.
const HISTORY: &str = "select version::text from supabase_migrations.schema_migrations order by version";

/// Applies the migrations that are missing in the migration history, in order. `connection` reads the catalog, `owner` is a session of the
/// project's owner (`postgres`). Returns the number of applied migrations and the extensions that the server lacks.
///
/// # Errors
/// Returns the error of the first failing file (earlier files stay applied), or [`MigrationError::History`] if a migration to apply is
/// older than the newest applied migration.
pub async fn apply(
    connection: &mut PgConnection,
    owner: &mut Connection,
    migrations: &[Migration],
) -> Result<(usize, BTreeSet<String>), MigrationError> {
    let applied = owner.texts(HISTORY).await?;
    let pending = pending(migrations, &applied)?;
    changed::warn(owner, migrations).await;
    let server = Server::read(connection, owner).await?;
    skipped::create_installed(connection, owner, &server.available).await?;
    let mut missing = BTreeSet::new();
    for migration in &pending {
        let mut of_file = Skipped::read(connection).await?;
        if let Err(error) = apply_one(owner, migration, &server, &mut of_file).await {
            return Err(of_file.with_note(error));
        }
        missing.extend(of_file.settle(connection).await?);
    }
    Ok((pending.len(), missing))
}

/// Returns the migrations to apply. As with the Supabase CLI, a migration older than the newest applied migration is refused. An applied
/// migration that is missing in the folder causes only a warning, because other tools also write the migration history.
fn pending<'a>(migrations: &'a [Migration], applied: &[String]) -> Result<Vec<&'a Migration>, MigrationError> {
    let lacks = |version: &&String| !migrations.iter().any(|known| known.version == **version);
    let unknown: Vec<&str> = applied.iter().filter(lacks).map(String::as_str).collect();
    if !unknown.is_empty() {
        tracing::warn!(
            "database: the database has migrations that the migrations folder lacks, as after a `supabase db push` from elsewhere: {}. \
             Copy their files into the folder (`supabase migration fetch`) so that a new database gets these migrations too",
            unknown.join(", ")
        );
    }
    let pending: Vec<&Migration> =
        migrations.iter().filter(|migration| !applied.contains(&migration.version)).collect();
    let newest = applied.iter().max();
    if let Some(late) = pending.iter().find(|migration| newest.is_some_and(|newest| migration.version < *newest)) {
        return Err(MigrationError::History(format!(
            "{} would be inserted before the last migration that the database has ({}): give it a newer version",
            late.file,
            newest.map_or("", String::as_str)
        )));
    }
    Ok(pending)
}

async fn apply_one(
    owner: &mut Connection,
    migration: &Migration,
    server: &Server,
    skipped: &mut Skipped,
) -> Result<(), MigrationError> {
    let file = File { name: &migration.file, text: &migration.text };
    let ranges = start_file(owner, file).await?;
    let mut statements = Vec::with_capacity(ranges.len());
    let mut script = Script::new(file);
    for range in &ranges {
        let statement = migration.text.get(range.clone()).unwrap_or_default();
        statements.push(statement);
        server.push(&mut script, statement, range.start, skipped);
    }
    skipped.push_record(&mut script, &migration.file);
    script.push_record(
        "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1::text, $2::text, $3::text[])",
        vec![
            Param::unknown(migration.version.clone()),
            Param::unknown(migration.name.clone()),
            Param::unknown(array_literal(statements)),
        ],
    );
    script.run(owner).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migration(version: &str) -> Migration {
        Migration {
            version: version.into(),
            name: "x".into(),
            file: format!("migrations/{version}_x.sql"),
            text: String::new(),
        }
    }

    #[test]
    fn refuses_a_migration_older_than_the_newest_applied_one() {
        assert!(pending(&[migration("1"), migration("2")], &["2".into()]).is_err());
        // The newest applied migration may be missing in the migrations folder.
        assert!(pending(&[migration("1")], &["2".into()]).is_err());
    }

    #[test]
    fn goes_on_where_the_folder_lacks_an_applied_migration() {
        let own = [migration("2")];
        assert_eq!(pending(&own, &["1".into()]).unwrap(), [&own[0]]);
        assert!(pending(&[], &["1".into()]).unwrap().is_empty());
    }

    #[test]
    fn applies_what_is_new() {
        let all = [migration("1"), migration("2")];
        assert_eq!(pending(&all, &["1".into()]).unwrap(), [&all[1]]);
    }
}
