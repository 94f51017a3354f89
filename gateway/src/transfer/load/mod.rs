//! Loads the files of a dump into an empty database in one transaction: either the whole dump is loaded, or nothing.

mod event_triggers;
mod memberships;
mod rows;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cloch_sql::migrations::KnownPrivileges;
use sqlx::{Connection, PgConnection, Row};
use tokio::fs::File;
use tokio::io::BufReader;

use super::LeftOut;
use super::dump::reader::{DumpReader, Piece};
use super::dump::rules::Target;
use super::dump::{DATA_FILE, HISTORY_FILE, ROLES_FILE, SCHEMA_FILE, VECTORS_FILE};
use crate::error::CommandError;
use event_triggers::{Paused, WaitingEventTriggers};
use memberships::Memberships;

const READ_BYTES: usize = 1 << 18;

#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// Statements, rows and columns that were not loaded, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// Number of loaded rows by table.
    pub rows: BTreeMap<String, u64>,
    /// Number of policies, functions, triggers, views and event triggers that the dump has created, by the kind of object.
    pub objects: BTreeMap<String, u64>,
    pub extensions: BTreeSet<String>,
}

/// Loads the files of the dump in `folder`, within the open transaction. The statements run as the project's owner, like the statements of
/// migrations.
///
/// # Errors
/// Returns the error of the first statement that fails, with file and line of the statement.
pub(super) async fn load(
    transaction: &mut PgConnection,
    folder: &Path,
    sessions: bool,
) -> Result<Loaded, CommandError> {
    let version: String =
        sqlx::query_scalar("select current_setting('server_version_num')").fetch_one(&mut *transaction).await?;
    let mut loading = Loading {
        target: target(transaction).await?,
        privileges: KnownPrivileges::of_version(&version),
        sessions,
        event_triggers: WaitingEventTriggers::default(),
        loaded: Loaded::default(),
    };
    let memberships = Memberships::read(transaction).await?;
    become_owner(transaction).await?;
    let paused = Paused::pause(transaction).await?;
    for name in [ROLES_FILE, SCHEMA_FILE] {
        loading.file(transaction, &folder.join(name), name != SCHEMA_FILE).await?;
    }
    // Disables triggers and foreign key checks. The rows of the tables are loaded in any order, so a row may refer to a row that is not
    // loaded yet. Triggers must not run again: they have run when the rows were created in the source database.
    set_replication_role(transaction, "replica").await?;
    loading.file(transaction, &folder.join(DATA_FILE), false).await?;
    loading.file(transaction, &folder.join(VECTORS_FILE), true).await?;
    loading.file(transaction, &folder.join(HISTORY_FILE), true).await?;
    set_replication_role(transaction, "origin").await?;
    paused.resume(transaction).await?;
    loading.event_triggers.create(transaction, &mut loading.loaded).await?;
    loading.loaded.left_out.extend(event_triggers::in_comments(&folder.join(SCHEMA_FILE)).await?);
    sqlx::raw_sql("reset search_path; reset row_security; reset role").execute(&mut *transaction).await?;
    memberships.refuse_new(transaction).await?;
    finish(transaction).await?;
    Ok(loading.loaded)
}

struct Loading {
    target: Target,
    privileges: KnownPrivileges,
    sessions: bool,
    event_triggers: WaitingEventTriggers,
    loaded: Loaded,
}

impl Loading {
    async fn file(&mut self, to: &mut PgConnection, file: &Path, may_lack: bool) -> Result<(), CommandError> {
        let input = match File::open(file).await {
            Ok(input) => input,
            Err(error) if may_lack && error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(format!("{}: {error}", file.display()).into()),
        };
        let place = Place { file: file.to_owned(), line: 0 };
        let mut reader = DumpReader::new(BufReader::with_capacity(READ_BYTES, input));
        loop {
            match reader.next().await.map_err(|error| place.error(error))? {
                None => return Ok(()),
                Some(Piece::Statement { text, line }) => {
                    let place = Place { line, ..place.clone() };
                    self.statement(to, &text, &place).await?;
                }
                Some(Piece::Copy(header)) => self.rows(to, &mut reader, &header, &place).await?,
            }
        }
    }
}

/// Position of a statement in a dump, for error messages.
#[derive(Clone)]
struct Place {
    file: PathBuf,
    line: usize,
}

impl Place {
    /// File name for the log.
    fn name(&self) -> std::borrow::Cow<'_, str> {
        self.file.file_name().unwrap_or_default().to_string_lossy()
    }

    fn error(&self, error: impl std::fmt::Display) -> CommandError {
        format!("{}: {error}", self.file.display()).into()
    }

    fn refusal(&self, reason: &str) -> CommandError {
        format!("{}, line {}: {reason}; nothing was changed", self.file.display(), self.line).into()
    }

    fn statement_error(&self, error: &sqlx::Error) -> CommandError {
        let (message, hint) = match error {
            sqlx::Error::Database(refusal) => {
                let hint = refusal
                    .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
                    .and_then(|error| error.detail().or_else(|| error.hint()).map(|text| format!(" ({text})")));
                (refusal.message().to_owned(), hint.unwrap_or_default())
            }
            other => (other.to_string(), String::new()),
        };
        self.refusal(&format!("{message}{hint}"))
    }
}

/// Reads the properties of the target database on which the rules for statements of a dump depend.
async fn target(connection: &mut PgConnection) -> sqlx::Result<Target> {
    let names = async |connection: &mut PgConnection, query: &'static str| {
        let rows = sqlx::query(query).fetch_all(connection).await?;
        rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<BTreeSet<String>>>()
    };
    Ok(Target {
        settings: names(connection, "select name from pg_catalog.pg_settings").await?,
        extensions: Some(names(connection, "select name::text from pg_catalog.pg_available_extensions").await?),
        roles: names(connection, "select rolname::text from pg_catalog.pg_roles").await?,
        schemas: names(connection, "select nspname::text from pg_catalog.pg_namespace").await?,
    })
}

async fn become_owner(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::raw_sql("select set_config('role', cloch.project_owner(), true); set local search_path = ''")
        .execute(connection)
        .await?;
    Ok(())
}

/// Sets `session_replication_role` to `value`. Runs the statement as the project's owner or, if the owner lacks the privilege, as the login
/// role.
async fn set_replication_role(connection: &mut PgConnection, value: &'static str) -> Result<(), CommandError> {
    let statement = match value {
        "replica" => "set local session_replication_role = replica",
        _ => "set local session_replication_role = origin",
    };
    if attempt(connection, statement).await.is_ok() {
        return Ok(());
    }
    sqlx::raw_sql("set local role none").execute(&mut *connection).await?;
    attempt(connection, statement).await.map_err(|refusal| {
        format!("the login may not load rows without running triggers (set session_replication_role): {refusal}")
    })?;
    become_owner(connection).await?;
    Ok(())
}

/// Runs a statement of a dump in a savepoint. If the statement fails, the transaction can continue.
async fn attempt(connection: &mut PgConnection, statement: &str) -> sqlx::Result<()> {
    let mut savepoint = connection.begin().await?;
    match one(&mut savepoint, statement.to_owned()).await {
        Ok(()) => savepoint.commit().await,
        Err(error) => {
            savepoint.rollback().await?;
            Err(error)
        }
    }
}

/// Runs one statement of a dump as a prepared statement: PostgreSQL then refuses a text with several statements.
async fn one(connection: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    sqlx::query(sqlx::AssertSqlSafe(statement)).persistent(false).execute(connection).await.map(drop)
}

/// Completes the loaded database: gives each stored file that lacks a version a UUID as its version, and records that the project's seed
/// has been loaded, so that the server does not load it later.
async fn finish(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::raw_sql(
        "update storage.objects set version = gen_random_uuid()::text
          where version is null or version !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
         insert into cloch.state values ('seed', 'done') on conflict (name) do update set value = 'done'",
    )
    .execute(connection)
    .await?;
    Ok(())
}
