//! Extensions that a migration or seed creates and that the server lacked, so that `create extension` was skipped. The skipped statements
//! are stored in `cloch.state`: a later start executes them when the extension has been installed, and the error of a migration or seed can
//! name the missing extensions.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Connection as _, PgConnection, Row};

use super::MigrationError;
use super::extensions::{self, Available, Statement};
use super::script::{File, Script, start_file};
use crate::client::{Connection, Param};

/// Prefix of the names under which `cloch.state` stores a skipped statement for each extension. The extension's name follows the prefix.
const PREFIX: &str = "skipped extension ";
/// Prefix of the names under which `cloch.state` stores the skipped statements of one file, until [`settle`] stores them for each
/// extension. The file's name follows the prefix.
const OF_FILE: &str = "skipped in ";

/// Statements of one file that were skipped, because the server lacks an extension.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    /// For each extension that the server lacks, the `create extension` statement that was skipped. `None` if the file drops the extension.
    statements: BTreeMap<String, Option<String>>,
    /// Names of all extensions that statements of the file need and that are not installed. Extensions with a stand-in (SQL in place of a
    /// missing extension) are included.
    missing: BTreeSet<String>,
}

impl Skipped {
    pub(super) fn add(&mut self, about: &Statement<'_>, available: &Available) {
        self.missing.extend(about.names().filter(|name| !available.is_real(name)).map(str::to_owned));
        let statement = match about.verb() {
            "create" => Some(about.text().to_owned()),
            "drop" => None,
            _ => return,
        };
        let names = about.names().filter(|name| !available.can_be_created(name)).map(str::to_owned);
        self.statements.extend(names.map(|name| (name, statement.clone())));
    }

    pub(super) fn add_missing(&mut self, name: &str) {
        self.missing.insert(name.to_owned());
    }

    /// Adds to the script the statement that stores the skipped statements of the file in `cloch.state`. It runs in the transaction that
    /// records the file as applied. The project's owner may only insert into this table, so the skipped statements are stored as one entry
    /// for the file; [`settle`] later converts it to one entry for each extension.
    pub(super) fn push_record(&self, script: &mut Script<'_>, file: &str) {
        if self.statements.is_empty() {
            return;
        }
        extensions::push_record_as_login(
            script,
            "insert into cloch.state (name, value) values ($1::text, $2::text)",
            vec![
                Param::unknown(format!("{OF_FILE}{file}")),
                Param::unknown(serde_json::json!(self.statements).to_string()),
            ],
        );
    }

    /// Replaces the entry of the applied file in `cloch.state` by one entry for each extension. Returns the names of the extensions that
    /// are not installed.
    pub(super) async fn settle(self, connection: &mut PgConnection) -> sqlx::Result<BTreeSet<String>> {
        if !self.statements.is_empty() {
            settle(connection).await?;
        }
        Ok(self.missing)
    }
}

/// Replaces the entries of applied files in `cloch.state`, which [`Skipped::push_record`] has written, by one entry for each extension.
async fn settle(connection: &mut PgConnection) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    let files: Vec<String> = sqlx::query_scalar("delete from cloch.state where starts_with(name, $1) returning value")
        .bind(OF_FILE)
        .fetch_all(&mut *transaction)
        .await?;
    for file in files {
        // The project's owner may write to the table, so the value need not be the JSON that Cloch writes. An invalid value is ignored.
        let statements: BTreeMap<String, Option<String>> = serde_json::from_str(&file).unwrap_or_default();
        for (name, statement) in statements {
            let query = match statement {
                Some(statement) => sqlx::query(
                    "insert into cloch.state (name, value) values ($1, $2)
                     on conflict (name) do update set value = excluded.value",
                )
                .bind(format!("{PREFIX}{name}"))
                .bind(statement),
                None => sqlx::query("delete from cloch.state where name = $1").bind(format!("{PREFIX}{name}")),
            };
            query.execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await
}

/// Executes the `create extension` statements that earlier starts skipped, if the server has the files of the extension now. A failure is
/// logged as a warning, because the project has also run without the extension.
pub(super) async fn create_installed(
    connection: &mut PgConnection,
    owner: &mut Connection,
    available: &Available,
) -> Result<(), MigrationError> {
    settle(connection).await?;
    for (name, statement) in stored(connection).await? {
        let creates_it = Statement::read(&statement)
            .is_some_and(|about| about.verb() == "create" && about.names().eq([name.as_str()]));
        if !available.can_be_created(&name) || !creates_it {
            continue;
        }
        let exists: bool = sqlx::query_scalar("select exists (select from pg_catalog.pg_extension where extname = $1)")
            .bind(&name)
            .fetch_one(&mut *connection)
            .await?;
        if !exists {
            let file = File { name: "a migration's create extension", text: &statement };
            match create(owner, file, &statement).await {
                Ok(()) => tracing::info!(
                    "database: created extension {name}: an earlier start skipped it, because its files were missing on the server"
                ),
                // The project's owner may write to the table, so the text may be anything. Therefore a failing statement causes only a
                // warning.
                Err(error @ (MigrationError::Statement { .. } | MigrationError::Text { .. })) => {
                    tracing::warn!(
                        %error,
                        "database: files of extension {name} are now available on the server, but `create extension` failed, the next start retries"
                    );
                    continue;
                }
                Err(error) => return Err(error),
            }
        }
        sqlx::query("delete from cloch.state where name = $1")
            .bind(format!("{PREFIX}{name}"))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn create(owner: &mut Connection, file: File<'_>, statement: &str) -> Result<(), MigrationError> {
    start_file(owner, file).await?;
    let mut script = Script::new(file);
    extensions::push_as_login(&mut script, statement, 0);
    script.run(owner).await
}

/// If the error says that an object does not exist, appends to it the names of the extensions whose `create extension` was skipped, in
/// earlier files or in the failed file (`now`).
pub(super) async fn with_note(
    connection: &mut PgConnection,
    now: &Skipped,
    error: MigrationError,
) -> sqlx::Result<MigrationError> {
    if !error.is_about_missing_object() {
        return Ok(error);
    }
    let mut skipped: BTreeMap<String, Option<String>> =
        stored(connection).await?.into_iter().map(|(name, statement)| (name, Some(statement))).collect();
    skipped.extend(now.statements.clone());
    let names: Vec<&str> =
        skipped.iter().filter(|(_, statement)| statement.is_some()).map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return Ok(error);
    }
    Ok(error.with_note(&format!(
        "the database server lacks extensions of the project, whose `create extension` was skipped: {}. What they contain does not \
         exist. Install them, then start again (docs/extensions.md; Debian and Ubuntu: packages such as postgresql-NN-postgis-3, with \
         the server's version)",
        names.join(", ")
    )))
}

/// Returns the names of the extensions whose `create extension` was skipped.
pub(crate) async fn names(connection: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    Ok(stored(connection).await?.into_iter().map(|(name, _)| name).collect())
}

async fn stored(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query(
        "select substr(name, length($1) + 1), value from cloch.state where starts_with(name, $1) order by 1",
    )
    .bind(PREFIX)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
