//! Applies migrations: each file in one transaction, with its statements recorded in the history.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

use super::extensions::{self, Available};
use super::{Migration, MigrationError, split};

/// Applies the migrations that are missing from the history, in order, on a connection of the owner (`postgres`). Returns their number and
/// the extensions that the server lacks.
///
/// # Errors
/// The first file that fails (earlier ones stay applied), or a history that does not match the folder.
pub async fn apply(
    connection: &mut PgConnection,
    migrations: &[Migration],
) -> Result<(usize, BTreeSet<String>), MigrationError> {
    let applied = history(connection).await?;
    let pending = pending(migrations, &applied)?;
    let available = Available::read(connection).await?;
    let mut missing = BTreeSet::new();
    for migration in &pending {
        missing.extend(apply_one(connection, migration, &available).await?);
    }
    Ok((pending.len(), missing))
}

async fn history(connection: &mut PgConnection) -> Result<Vec<String>, MigrationError> {
    let rows = sqlx::query("select version from supabase_migrations.schema_migrations order by version")
        .fetch_all(connection)
        .await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}

/// The migrations to apply; a version older than the newest applied one is refused, as the Supabase CLI refuses it. Other tools write
/// the history as well, so an applied version that the folder lacks is a warning.
fn pending<'a>(migrations: &'a [Migration], applied: &[String]) -> Result<Vec<&'a Migration>, MigrationError> {
    let lacks = |version: &&String| !migrations.iter().any(|known| known.version == **version);
    let unknown: Vec<&str> = applied.iter().filter(lacks).map(String::as_str).collect();
    if !unknown.is_empty() {
        tracing::warn!(
            "the database has migrations that the migrations folder lacks, as after a `supabase db push` from elsewhere: {}. Bring \
             their files here (`supabase migration fetch`) so that a new database gets them too",
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
    connection: &mut PgConnection,
    migration: &Migration,
    available: &Available,
) -> Result<BTreeSet<String>, MigrationError> {
    sqlx::raw_sql(super::FRESH_SESSION).execute(&mut *connection).await?;
    let text = &migration.text;
    let ranges = split::statements(text);
    let statements: Vec<&str> = ranges.iter().filter_map(|range| text.get(range.clone())).collect();
    if let [only] = statements.as_slice()
        && refuses_transaction(only)
    {
        sqlx::raw_sql(AssertSqlSafe((*only).to_owned()))
            .execute(&mut *connection)
            .await
            .map_err(|error| MigrationError::statement(&migration.file, text, 0, error))?;
        record(connection, migration, &statements).await?;
        return Ok(BTreeSet::new());
    }
    let mut missing = BTreeSet::new();
    let mut transaction = connection.begin().await?;
    for range in &ranges {
        let statement = text.get(range.clone()).unwrap_or_default();
        let failed = |error| MigrationError::statement(&migration.file, text, range.start, error);
        if let Some(name) = extensions::named(statement) {
            if available.can_be_created(&name) {
                extensions::run_as_login(&mut transaction, statement).await.map_err(failed)?;
            }
            if !available.is_real(&name) {
                missing.insert(name);
            }
            continue;
        }
        if let Some(name) = extensions::index_method(statement).filter(|name| !available.is_real(name)) {
            missing.insert(name.to_owned());
            continue;
        }
        if is_transaction_control(statement) {
            // The file already runs in one transaction; its own begin and commit would split it.
            continue;
        }
        // The SQL is the project's own, run as the project's owner; it is not a caller's.
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut *transaction).await.map_err(failed)?;
    }
    record(&mut transaction, migration, &statements).await?;
    transaction.commit().await?;
    Ok(missing)
}

async fn record(
    connection: &mut PgConnection,
    migration: &Migration,
    statements: &[&str],
) -> Result<(), MigrationError> {
    sqlx::query("insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)")
        .bind(&migration.version)
        .bind(&migration.name)
        .bind(statements)
        .execute(connection)
        .await?;
    Ok(())
}

fn words(statement: &str) -> Vec<String> {
    statement.split_whitespace().take(6).map(str::to_ascii_lowercase).collect()
}

/// Whether PostgreSQL runs this statement outside of a transaction block only.
#[must_use]
pub fn refuses_transaction(statement: &str) -> bool {
    let words = words(statement);
    let first = words.first().map(String::as_str);
    words.iter().any(|word| word == "concurrently")
        || matches!(first, Some("vacuum"))
        || (matches!(first, Some("create" | "drop")) && words.get(1).is_some_and(|word| word == "database"))
        || (first == Some("alter") && words.get(1).is_some_and(|word| word == "system"))
}

/// Whether this statement begins or ends a transaction.
#[must_use]
pub fn is_transaction_control(statement: &str) -> bool {
    let words = words(statement);
    let is = |index: usize, expected: &[&str]| words.get(index).is_none_or(|word| expected.contains(&word.as_str()));
    match words.first().map(String::as_str) {
        Some("begin" | "commit" | "end") => is(1, &["transaction", "work"]) && words.len() <= 2,
        Some("start") => words.get(1).is_some_and(|word| word == "transaction"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

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
        // The newest applied one may be one that the folder lacks.
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

    #[test]
    fn knows_transaction_control() {
        for statement in ["begin", "COMMIT", "begin transaction", "start transaction", "end"] {
            assert!(is_transaction_control(statement), "{statement}");
        }
        assert!(!is_transaction_control("create table begin ()"));
    }
}
