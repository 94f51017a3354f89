//! The database that a project moves out of: its snapshot, and the dump made from it.

use std::path::Path;

use cloch_sql::database::Login;
use sqlx::{ConnectOptions, Connection, PgConnection, Row};

use super::LeftOut;
use super::dump::tools;
use super::dump::write::Dump;
use super::inventory::Inventory;
use crate::error::CommandError;

/// The dump of a source: what it holds, and what its files lack.
pub(crate) struct Dumped {
    /// What the source has, in the dump's own snapshot.
    pub inventory: Inventory,
    /// What the files lack.
    pub left_out: Vec<LeftOut>,
}

/// What a dump is to contain, and where its program is.
pub(crate) struct Wanted<'a> {
    /// The folder that `CLOCH_POSTGRES_BIN` names.
    pub binaries: Option<&'a Path>,
    /// Whether sessions are part of it.
    pub sessions: bool,
}

/// Writes the dump of a database into a folder. It only reads, and everything is of one moment.
///
/// # Errors
/// When the source cannot be read, or there is no program that can.
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
