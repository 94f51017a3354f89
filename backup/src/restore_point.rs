//! A mark in the write-ahead log: a record that replay can stop at, and its moment.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, Row};

use crate::error::{BackupError, Result};
use crate::lsn::Lsn;

/// A mark in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Replay stops after the record at this position.
    pub(crate) position: Lsn,
    /// When it was written.
    pub(crate) written: DateTime<Utc>,
    /// A position behind it, up to which PostgreSQL has synced its log.
    pub(crate) end: Lsn,
}

/// Writes a mark, and waits until it is synced.
pub(crate) async fn write(connection: &mut PgConnection) -> Result<Mark> {
    let row = sqlx::query("select pg_logical_emit_message(true, 'cloch.backup', '')::text, now()")
        .fetch_one(&mut *connection)
        .await?;
    let end = sqlx::query("select pg_current_wal_flush_lsn()::text").fetch_one(connection).await?;
    Ok(Mark { position: read_lsn(&row, 0)?, written: row.try_get(1)?, end: read_lsn(&end, 0)? })
}

/// Reads a position of the log from a row.
pub(crate) fn read_lsn(row: &sqlx::postgres::PgRow, column: usize) -> Result<Lsn> {
    let text: String = row.try_get(column)?;
    Lsn::parse(&text).ok_or_else(|| BackupError::damaged("a position of the log", text))
}
