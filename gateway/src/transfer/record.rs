//! Record of an import: a row of `cloch.state`, written in the transaction that loads the database. If a database contains the record, a
//! repeated import from the same source does not load the database again, and continues with the stored files. An import from another
//! source is refused.

use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, Row};

use super::LeftOut;
use super::inventory::Inventory;
use crate::error::CommandError;

const STATE_NAME: &str = "import";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// Name of the source. It contains no password.
    pub source: String,
    pub sessions: bool,
    /// Numbers of rows and objects in the source database, with which the numbers in this database are compared.
    pub expected: Inventory,
    /// Parts of the dump that were not imported.
    pub left_out: Vec<LeftOut>,
}

impl Record {
    /// Returns the record of the import. `None` if no project was imported into this database.
    pub(super) async fn read(connection: &mut PgConnection) -> Result<Option<Self>, CommandError> {
        let row = sqlx::query("select value from cloch.state where name = $1")
            .bind(STATE_NAME)
            .fetch_optional(connection)
            .await?;
        match row {
            Some(row) => Ok(Some(serde_json::from_str(row.try_get(0)?)?)),
            None => Ok(None),
        }
    }

    pub(super) async fn write(&self, connection: &mut PgConnection) -> Result<(), CommandError> {
        sqlx::query("insert into cloch.state (name, value) values ($1, $2)")
            .bind(STATE_NAME)
            .bind(serde_json::to_string(self)?)
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// Fails if the database contains users, buckets or tables, because a project can be imported only into an empty database.
pub(super) async fn refuse_used(connection: &mut PgConnection) -> Result<(), CommandError> {
    let used: Option<String> = sqlx::query(
        "select case when exists (select from auth.users) then 'users'
                     when exists (select from storage.buckets) then 'buckets'
                     else (select 'tables such as ' || relname from pg_catalog.pg_class
                            where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') limit 1) end",
    )
    .fetch_one(connection)
    .await?
    .try_get(0)?;
    match used {
        None => Ok(()),
        Some(what) => Err(format!(
            "this database holds {what} already: import into a new data folder (--data DIR) or an empty database (CLOCH_DB_URL)"
        )
        .into()),
    }
}
