//! Applies schema changes as migrations. They are recorded in `supabase_migrations.schema_migrations`, the table that the Supabase CLI also
//! uses.

use chrono::{NaiveDateTime, TimeDelta, Utc};
use cloch_sql::migrations::{Migration, is_transaction_control, read_folder, split};
use serde::Serialize;
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgExecutor};

use super::files::{is_subfolder_writable, write};
use super::{Project, ProjectError};

/// Format of the time that is the version of a migration.
const VERSION: &str = "%Y%m%d%H%M%S";
/// Maximum length in characters of the name of a migration that is added without a file.
const MAX_NAME_CHARS: usize = 200;
/// Folder of the migration files in the project's folder.
const FOLDER: &str = "migrations";

/// Migration to add.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewMigration<'a> {
    pub(crate) name: &'a str,
    pub(crate) sql: &'a str,
    /// Whether the SQL is executed. If `false`, the SQL was executed earlier and is only recorded as a migration.
    pub(crate) apply: bool,
    /// Whether the SQL is written to a file in the project's folder. In this case, the migration's name must be a valid file name.
    pub(crate) keep_file: bool,
}

/// A migration that was applied, from the migration history in the database.
#[derive(Debug, Serialize, sqlx::FromRow)]
pub(crate) struct AppliedMigration {
    pub(crate) version: String,
    pub(crate) name: String,
}

/// Version and file of a migration that was added.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AddedMigration {
    pub(crate) version: String,
    /// Path of the file in the project's folder; `None` if no file was written.
    pub(crate) file: Option<String>,
}

impl Project {
    /// Returns the applied migrations, sorted by version.
    pub(crate) async fn applied_migrations(&self) -> Result<Vec<AppliedMigration>, ProjectError> {
        Ok(applied(self.database.owner()).await?)
    }

    /// Returns the migration files of the project's folder, sorted by version.
    pub(crate) fn migration_files(&self) -> Result<Vec<Migration>, ProjectError> {
        if !self.has_migrations {
            return Ok(Vec::new());
        }
        let read = read_folder(&self.folder.join(FOLDER));
        read.map_err(|error| ProjectError::internal("the migrations cannot be read", error))
    }

    /// Whether a migration file can be written into the project's folder.
    pub(crate) fn can_write_migrations(&self) -> bool {
        if !self.has_migrations {
            return false;
        }
        is_subfolder_writable(&self.folder, FOLDER)
    }

    /// Applies and records a migration without a file. Returns its version.
    pub(crate) async fn migrate(&self, name: &str, sql: &str) -> Result<String, ProjectError> {
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(ProjectError::Invalid(format!("A migration's name has {MAX_NAME_CHARS} characters at most")));
        }
        let new = NewMigration { name, sql, apply: true, keep_file: false };
        let added = self.add_migration(new).await.map_err(ProjectError::without_hint)?;
        Ok(added.version)
    }

    /// Applies a migration, records it and writes its file, as far as `new` requests this. If one of these steps fails, none of them has an
    /// effect. The statements run one by one in a transaction of a new session of the project's owner. The session is closed afterwards,
    /// because settings such as `set search_path` outlive the transaction. The file is written before the commit, and deleted if the commit
    /// fails.
    pub(crate) async fn add_migration(&self, new: NewMigration<'_>) -> Result<AddedMigration, ProjectError> {
        let ranges = split::statements(new.sql).map_err(|wrong| ProjectError::Invalid(wrong.to_string()))?;
        let statements: Vec<&str> = ranges.iter().filter_map(|range| new.sql.get(range.clone())).collect();
        if statements.is_empty() {
            return Err(ProjectError::Invalid("There is no statement to keep".to_owned()));
        }
        if new.keep_file && !self.has_migrations {
            return Err(ProjectError::NotWritable);
        }
        let own = if new.apply { within_transaction(&statements)? } else { &[] };
        let _permit = self.sessions.permit().await?;
        let mut connection = self.sessions.owner().await?;
        let mut transaction = connection.begin().await?;
        let version = self.reserve_version(&mut transaction).await?;
        for statement in own {
            sqlx::raw_sql(AssertSqlSafe(*statement)).execute(&mut *transaction).await.map_err(refused)?;
        }
        sqlx::query(
            "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)",
        )
        .bind(&version)
        .bind(new.name)
        .bind(&statements)
        .execute(&mut *transaction)
        .await
        .map_err(refused)?;
        let name = format!("{version}_{}.sql", new.name);
        let file = match new.keep_file {
            true => Some(write(&self.folder.join(FOLDER), &name, &format!("{}\n", new.sql.trim_end()))?),
            false => None,
        };
        if let Err(error) = transaction.commit().await {
            if let Some(file) = file {
                drop(std::fs::remove_file(file));
            }
            return Err(refused(error));
        }
        Ok(AddedMigration { version, file: file.map(|_| format!("{FOLDER}/{name}")) })
    }

    /// Returns a version for a new migration, later than the versions of all applied migrations and of all migration files. An advisory
    /// lock, held until the transaction ends, ensures that versions increase even if several APIs or nodes add migrations at the same time.
    async fn reserve_version(&self, transaction: &mut PgConnection) -> Result<String, ProjectError> {
        sqlx::query("select pg_advisory_xact_lock(hashtextextended('cloch.migrations', 0))")
            .execute(&mut *transaction)
            .await?;
        let applied = applied(&mut *transaction).await?.into_iter().map(|migration| migration.version);
        let files = self.migration_files()?.into_iter().map(|migration| migration.version);
        Ok(next_version(Utc::now().naive_utc(), applied.chain(files).max().as_deref()))
    }
}

/// Returns the applied migrations from the migration history. `executor` must be a session of the project's owner: the owner may have
/// replaced the history's table by a view, and functions that the view calls must not run with the rights of the server's login.
async fn applied(executor: impl PgExecutor<'_>) -> sqlx::Result<Vec<AppliedMigration>> {
    let text = "select version::text, coalesce(name, '')::text as name from supabase_migrations.schema_migrations order by version";
    sqlx::query_as(text).fetch_all(executor).await
}

/// Converts the error of a migration's statement. If the database is unreachable, the result is [`ProjectError::Unavailable`] and not an
/// error of the statement.
fn refused(error: sqlx::Error) -> ProjectError {
    match cloch_sql::database::is_unavailable(&error) {
        true => ProjectError::Unavailable,
        false => ProjectError::of_statement(error),
    }
}

/// Returns the statements that a migration consists of, without a `begin` at the start and a `commit` at the end. Fails if another
/// statement begins or ends a transaction: it would end the transaction in which the migration is applied and recorded.
fn within_transaction<'a>(statements: &'a [&'a str]) -> Result<&'a [&'a str], ProjectError> {
    let inner = match statements {
        [begin, inner @ .., commit] if is_plain(begin, "begin") && is_plain(commit, "commit") => inner,
        all => all,
    };
    match inner.iter().find(|statement| is_transaction_control(statement)) {
        None => Ok(inner),
        Some(statement) => Err(ProjectError::TransactionControl((*statement).to_owned())),
    }
}

fn is_plain(statement: &str, word: &str) -> bool {
    statement.eq_ignore_ascii_case(word)
}

/// Returns the version of a new migration: the current time. If the newest existing version is not earlier than the current time, returns
/// the newest version plus one second, because the next start of the server would refuse an older version.
fn next_version(now: NaiveDateTime, newest: Option<&str>) -> String {
    let now_text = now.format(VERSION).to_string();
    match newest {
        Some(newest) if newest >= now_text.as_str() => {
            let newest_time = NaiveDateTime::parse_from_str(newest, VERSION).ok();
            let after = newest_time.and_then(|time| time.checked_add_signed(TimeDelta::seconds(1)));
            after.map_or_else(|| format!("{newest}1"), |time| time.format(VERSION).to_string())
        }
        _ => now_text,
    }
}

#[cfg(test)]
mod tests;
