//! Writes a dump of the source database of an import or export. The whole dump is read in one snapshot.

use std::path::Path;

use cloch_sql::database::Login;
use sqlx::{ConnectOptions, Connection, PgConnection, Row};

use super::LeftOut;
use super::dump::tools;
use super::dump::write::Dump;
use super::inventory::Inventory;
use crate::error::CommandError;

pub(crate) struct Dumped {
    /// Numbers of the source database's rows and objects, counted in the snapshot of the dump.
    pub inventory: Inventory,
    /// Statements that pg_dump has written but that the dump's files do not contain, with the reasons.
    pub left_out: Vec<LeftOut>,
}

pub(crate) struct Wanted<'a> {
    /// Folder that the environment variable `CLOCH_POSTGRES_BIN` names, in which pg_dump is searched first.
    pub binaries: Option<&'a Path>,
    pub sessions: bool,
}

/// Writes a dump of a database into a folder. All parts of the dump are read in the same snapshot, in a read-only transaction.
///
/// # Errors
/// When the source cannot be read, or no suitable pg_dump is installed.
pub(crate) async fn dump(login: &Login, wanted: &Wanted<'_>, folder: &Path) -> Result<Dumped, CommandError> {
    let mut connection = login
        .sqlx_options()
        .connect()
        .await
        .map_err(|error| format!("the source database cannot be reached: {error}"))?;
    let server = version(&mut connection).await?;
    let tools = tools::folder_for(server, wanted.binaries)?;
    sqlx::raw_sql(
        "begin isolation level repeatable read, read only; set local search_path = ''; set local statement_timeout = 0",
    )
    .execute(&mut connection)
    .await?;
    let snapshot: String = sqlx::query("select pg_export_snapshot()").fetch_one(&mut connection).await?.try_get(0)?;
    let inventory = Inventory::read(&mut connection).await?;
    let dump = Dump { tools, login, snapshot: &snapshot, sessions: wanted.sessions };
    let left_out = dump.write(&mut connection, folder).await?;
    sqlx::raw_sql("commit").execute(&mut connection).await?;
    connection.close().await?;
    Ok(Dumped { inventory, left_out })
}

async fn version(connection: &mut PgConnection) -> Result<u32, CommandError> {
    let row = sqlx::query("select current_setting('server_version_num')::int / 10000").fetch_one(connection).await?;
    Ok(u32::try_from(row.try_get::<i32, _>(0)?)?)
}
