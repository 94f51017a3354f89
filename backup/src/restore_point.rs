//! Writes marks into the write-ahead log. A mark is a WAL record where replay can stop. It has a time.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, Row};

use crate::error::{BackupError, Result};
use crate::lsn::Lsn;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// WAL position of the WAL mark's record. Replay stops after this record.
    pub(crate) position: Lsn,
    pub(crate) written: DateTime<Utc>,
    /// WAL position up to which PostgreSQL had flushed its WAL after the WAL mark was written. The WAL up to this position contains the
    /// mark's record.
    pub(crate) end: Lsn,
}

/// Writes a WAL mark into the WAL and waits until the mark's record is flushed.
pub(crate) async fn write(connection: &mut PgConnection) -> Result<Mark> {
    let row = sqlx::query("select pg_logical_emit_message(true, 'cloch.backup', '')::text, now()")
        .fetch_one(&mut *connection)
        .await?;
    let end = sqlx::query("select pg_current_wal_flush_lsn()::text").fetch_one(connection).await?;
    Ok(Mark { position: read_lsn(&row, 0)?, written: row.try_get(1)?, end: read_lsn(&end, 0)? })
}

/// Parses a WAL position in a column of a row.
pub(crate) fn read_lsn(row: &sqlx::postgres::PgRow, column: usize) -> Result<Lsn> {
    let text: String = row.try_get(column)?;
    Lsn::parse(&text).ok_or_else(|| BackupError::damaged("a position of the log", text))
}
