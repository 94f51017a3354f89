//! Stores the `create extension` statements of migrations that were skipped because the server lacked the extension. They are stored in
//! `cloch.state`. When the extension has been installed, a later start executes the stored statement. Errors of migrations name the skipped
//! extensions.

use std::collections::BTreeMap;

use sqlx::{PgConnection, Row};

use super::MigrationError;
use super::extensions::{self, Available, Statement};
use super::script::{File, Script, start_file};
use crate::client::Connection;

/// Prefix of the names in `cloch.state`. The extension's name follows.
const PREFIX: &str = "skipped extension ";

/// Skipped statements of one file, by the name of the extension: the statement that creates the extension, or `None` if the file drops the
/// extension.
#[derive(Debug, Default)]
pub(super) struct Skipped(BTreeMap<String, Option<String>>);

impl Skipped {
    pub(super) fn add(&mut self, about: &Statement<'_>, is_lacking: impl Fn(&str) -> bool) {
        let statement = match about.verb() {
            "create" => Some(about.text().to_owned()),
            "drop" => None,
            _ => return,
        };
        let names = about.names().filter(|name| is_lacking(name)).map(str::to_owned);
        self.0.extend(names.map(|name| (name, statement.clone())));
    }

    /// Stores the skipped statements in `cloch.state`. Called after the file has been applied.
    pub(super) async fn store(self, connection: &mut PgConnection) -> sqlx::Result<()> {
        for (name, statement) in self.0 {
            let query = match statement {
                Some(statement) => sqlx::query(
                    "insert into cloch.state (name, value) values ($1, $2)
                     on conflict (name) do update set value = excluded.value",
                )
                .bind(format!("{PREFIX}{name}"))
                .bind(statement),
                None => sqlx::query("delete from cloch.state where name = $1").bind(format!("{PREFIX}{name}")),
            };
            query.execute(&mut *connection).await?;
        }
        Ok(())
    }
}

/// Creates the extensions that earlier starts skipped and whose files the server has now. A failure is logged as a warning, because the
/// project has run without the extension before.
pub(super) async fn create_installed(
    connection: &mut PgConnection,
    owner: &mut Connection,
    available: &Available,
) -> Result<(), MigrationError> {
    for (name, statement) in stored(connection).await? {
        if !available.can_be_created(&name) {
            continue;
        }
        let exists: bool = sqlx::query_scalar("select exists (select from pg_catalog.pg_extension where extname = $1)")
            .bind(&name)
            .fetch_one(&mut *connection)
            .await?;
        if !exists {
            let file = File { name: "a migration's create extension", text: &statement };
            start_file(owner, file).await?;
            let mut script = Script::new(file);
            extensions::push_as_login(&mut script, &statement, 0);
            match script.run(owner).await {
                Ok(()) => tracing::info!(
                    "database: created extension {name}: an earlier start skipped it, because its files were missing on the server"
                ),
                Err(error @ MigrationError::Statement { .. }) => {
                    tracing::warn!(
                        "database: files of extension {name} are now available on the server, but `create extension` failed: {error}"
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

/// Returns a note for the error of a failed migration, with the names of the skipped extensions. `None` if no extension was skipped.
pub(super) async fn note(connection: &mut PgConnection, now: &Skipped) -> sqlx::Result<Option<String>> {
    let mut skipped: BTreeMap<String, Option<String>> =
        stored(connection).await?.into_iter().map(|(name, statement)| (name, Some(statement))).collect();
    skipped.extend(now.0.iter().map(|(name, statement)| (name.clone(), statement.clone())));
    let names: Vec<&str> =
        skipped.iter().filter(|(_, statement)| statement.is_some()).map(|(name, _)| name.as_str()).collect();
    Ok((!names.is_empty()).then(|| {
        format!(
            "the database server lacks extensions of the migrations, whose `create extension` was skipped: {}. What they contain does not \
             exist. Install them, then start again (docs/extensions.md; Debian and Ubuntu: packages such as postgresql-NN-postgis-3, with \
             the server's version)",
            names.join(", ")
        )
    }))
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
