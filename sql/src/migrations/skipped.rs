//! Extensions that a migration or seed creates and that the server lacked, so that `create extension` was skipped. The skipped statements
//! are stored in `cloch.state`. When the extension has been installed, a later start executes them. The error of a migration or seed can
//! name the missing extensions. Skipped statements about the members of such an extension ([`super::members`]) are stored in the same way.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use sqlx::{Connection as _, PgConnection, Row};

use super::MigrationError;
use super::extensions::{self, Available, Statement};
use super::members;
use super::script::{File, Script, start_file};
use crate::client::{Connection, Param};

/// Prefix of the names under which `cloch.state` stores a skipped statement for each extension. The extension's name follows the prefix.
const PREFIX: &str = "skipped extension ";
/// Prefix of the names under which `cloch.state` stores the statements that were skipped in one file because an extension is missing. The
/// file's name follows the prefix. Later, [`settle`] replaces this entry by one entry for each extension.
const OF_FILE: &str = "skipped in ";
/// Prefix of the names under which `cloch.state` stores a list of the statements about members of an extension. The extension's name
/// follows the prefix.
const MEMBERS: &str = "skipped about members of ";
/// Prefix of the names under which `cloch.state` stores the statements of one file about members of extensions. The file's name follows the
/// prefix. Later, [`settle`] replaces this entry by one entry for each extension.
const MEMBERS_OF_FILE: &str = "skipped about members in ";

/// Statements of one file that were skipped, because the server lacks an extension.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    /// For each extension that the server lacks, the `create extension` statement that was skipped. `None` if the file drops the extension.
    statements: BTreeMap<String, Option<String>>,
    /// Names of all extensions that statements of the file need and that are not installed. Extensions with a stand-in (SQL in place of a
    /// missing extension) are included.
    missing: BTreeSet<String>,
    /// The skipped `create extension` statement of each extension that an earlier file skipped.
    earlier: BTreeMap<String, String>,
    /// For each extension that the server lacks, the statements of the file about its members.
    about_members: BTreeMap<String, Vec<String>>,
}

impl Skipped {
    /// Returns a record for the next file. It contains the extensions that earlier files skipped.
    pub(super) async fn read(connection: &mut PgConnection) -> sqlx::Result<Self> {
        Ok(Self { earlier: stored(connection).await?.into_iter().collect(), ..Self::default() })
    }

    /// Returns each extension whose `create extension` was skipped, in earlier files or in this file, together with the skipped statement.
    fn created(&self) -> impl Iterator<Item = (&str, &str)> {
        let earlier = self.earlier.iter().filter(|(name, _)| !self.statements.contains_key(*name));
        let now = self.statements.iter().filter_map(|(name, create)| create.as_ref().map(|create| (name, create)));
        earlier.chain(now).map(|(name, create)| (name.as_str(), create.as_str()))
    }

    /// If the statement is about members of a skipped extension, records the statement and returns SQL that executes it only if the members
    /// exist.
    pub(super) fn about_members(&mut self, statement: &str) -> Option<String> {
        self.created().next()?;
        let about = members::Statement::read(statement)?;
        let extension = about.extension(self.created())?.to_owned();
        let conditional = about.if_there(&extension);
        self.about_members.entry(extension).or_default().push(statement.to_owned());
        Some(conditional)
    }

    pub(super) fn add(&mut self, about: &Statement<'_>, available: &Available) {
        self.missing.extend(about.names().filter(|name| !available.is_real(name)).map(str::to_owned));
        let statement = match about.verb() {
            "create" => Some(about.text().to_owned()),
            "drop" => None,
            _ => return,
        };
        for name in about.names().filter(|name| !available.can_be_created(name)) {
            if statement.is_none() {
                self.about_members.remove(name);
            }
            self.statements.insert(name.to_owned(), statement.clone());
        }
    }

    pub(super) fn add_missing(&mut self, name: &str) {
        self.missing.insert(name.to_owned());
    }

    /// Adds to the script the statement that stores the skipped statements of the file in `cloch.state`. It runs in the transaction that
    /// records the file as applied. The project's owner may only insert into this table, so the skipped statements are stored as one entry
    /// for the file (and one for statements about members); [`settle`] later converts it to one entry for each extension.
    pub(super) fn push_record(&self, script: &mut Script<'_>, file: &str) {
        let records = [
            (OF_FILE, self.statements.is_empty(), serde_json::json!(self.statements)),
            (MEMBERS_OF_FILE, self.about_members.is_empty(), serde_json::json!(self.about_members)),
        ];
        for (prefix, _, statements) in records.into_iter().filter(|(_, is_empty, _)| !is_empty) {
            extensions::push_record_as_login(
                script,
                "insert into cloch.state (name, value) values ($1::text, $2::text)",
                vec![Param::unknown(format!("{prefix}{file}")), Param::unknown(statements.to_string())],
            );
        }
    }

    /// Replaces the entry of the applied file in `cloch.state` by one entry for each extension. Returns the names of the extensions that
    /// are not installed.
    pub(super) async fn settle(self, connection: &mut PgConnection) -> sqlx::Result<BTreeSet<String>> {
        if !self.statements.is_empty() || !self.about_members.is_empty() {
            settle(connection).await?;
        }
        Ok(self.missing)
    }

    /// If the error is caused by an object that does not exist, appends to the error the names of the extensions whose `create extension`
    /// was skipped, in earlier files or in the failed file.
    pub(super) fn with_note(&self, error: MigrationError) -> MigrationError {
        let names: Vec<&str> = self.created().map(|(name, _)| name).collect();
        if names.is_empty() || !error.is_about_missing_object() {
            return error;
        }
        error.with_note(&format!(
            "the database server lacks extensions of the project, whose `create extension` was skipped: {}. What they contain does not \
             exist. Install them, then start again (docs/extensions.md; Debian and Ubuntu: packages such as postgresql-NN-postgis-3, with \
             the server's version)",
            names.join(", ")
        ))
    }
}

/// Replaces the entries of applied files in `cloch.state`, which [`Skipped::push_record`] has written, by one entry for each extension. The
/// project's owner may also write to the table, so a value may be text that is not the JSON of Cloch.
async fn settle(connection: &mut PgConnection) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    for file in take_files(&mut transaction, OF_FILE).await? {
        let statements: BTreeMap<String, Option<String>> = parsed(&file);
        for (name, statement) in statements {
            match statement {
                Some(statement) => store(&mut transaction, PREFIX, &name, &statement).await?,
                None => {
                    take(&mut transaction, PREFIX, &name).await?;
                    take(&mut transaction, MEMBERS, &name).await?;
                }
            }
        }
    }
    for file in take_files(&mut transaction, MEMBERS_OF_FILE).await? {
        let statements: BTreeMap<String, Vec<String>> = parsed(&file);
        for (name, of_file) in statements {
            let mut all = take_about_members(&mut transaction, &name).await?;
            all.extend(of_file);
            store(&mut transaction, MEMBERS, &name, &serde_json::json!(all).to_string()).await?;
        }
    }
    transaction.commit().await
}

/// If the files of a skipped extension are available on the server now, executes the `create extension` statement that an earlier start
/// skipped, and then the skipped statements about members of the extension. A failure is logged only as a warning, because the project ran
/// without these statements before.
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
            if let Some(error) = failure(execute(owner, file, extensions::push_as_login).await)? {
                tracing::warn!(
                    %error,
                    "database: files of extension {name} are now available on the server, but `create extension` failed, the next start retries"
                );
                continue;
            }
            tracing::info!(
                "database: created extension {name}: an earlier start skipped it, because its files were missing on the server"
            );
        }
        take(connection, PREFIX, &name).await?;
        for statement in take_about_members(connection, &name).await? {
            let file = File { name: "a migration's statement about an extension", text: &statement };
            if let Some(error) = failure(execute(owner, file, |script, text, at| script.push(text, at)).await)? {
                tracing::warn!(
                    %error,
                    "database: a statement about extension {name} failed, which an earlier start skipped because the extension was not \
                     installed: run it by hand: {statement}"
                );
            }
        }
    }
    Ok(())
}

/// Executes a statement that is stored in `cloch.state` as a script.
async fn execute(
    owner: &mut Connection,
    file: File<'_>,
    push: impl Fn(&mut Script<'_>, &str, usize),
) -> Result<(), MigrationError> {
    start_file(owner, file).await?;
    let mut script = Script::new(file);
    push(&mut script, file.text, 0);
    script.run(owner).await
}

/// Separates the error of a statement (inner `Option`) from all other errors. The project's owner may write to the table `cloch.state`, so
/// the text of a stored statement may be invalid.
fn failure(outcome: Result<(), MigrationError>) -> Result<Option<MigrationError>, MigrationError> {
    match outcome {
        Ok(()) => Ok(None),
        Err(error @ (MigrationError::Statement { .. } | MigrationError::Text { .. })) => Ok(Some(error)),
        Err(error) => Err(error),
    }
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

async fn store(connection: &mut PgConnection, prefix: &str, name: &str, value: &str) -> sqlx::Result<()> {
    sqlx::query(
        "insert into cloch.state (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
    )
    .bind(format!("{prefix}{name}"))
    .bind(value)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes the entry of an extension, and returns its value.
async fn take(connection: &mut PgConnection, prefix: &str, name: &str) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("delete from cloch.state where name = $1 returning value")
        .bind(format!("{prefix}{name}"))
        .fetch_optional(connection)
        .await
}

async fn take_about_members(connection: &mut PgConnection, name: &str) -> sqlx::Result<Vec<String>> {
    let statements = take(connection, MEMBERS, name).await?;
    Ok(statements.map(|statements| parsed(&statements)).unwrap_or_default())
}

/// Parses a value of `cloch.state`. If the value is invalid, returns the default and logs a warning. Cloch itself writes only valid values.
fn parsed<T: DeserializeOwned + Default>(value: &str) -> T {
    serde_json::from_str(value).unwrap_or_else(|error| {
        tracing::warn!(
            %error,
            "database: invalid record of skipped statements in table cloch.state ignored: its statements are not executed when the extension is installed"
        );
        T::default()
    })
}

/// Deletes the entries of files, and returns their values.
async fn take_files(connection: &mut PgConnection, prefix: &str) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("delete from cloch.state where starts_with(name, $1) returning value")
        .bind(prefix)
        .fetch_all(connection)
        .await
}
