//! Loads the rows of a table. A column of the dump is loaded into the column of the table that has the same name.

use std::collections::BTreeSet;

use sqlx::{PgConnection, Row};
use tokio::io::AsyncBufRead;

use super::super::LeftOut;
use super::super::dump::names::{PLATFORM_TABLES, SESSION_TABLES, VECTORS_TABLE, is_internal_schema};
use super::super::dump::reader::{CopyHeader, DumpReader};
use super::super::dump::rules::quoted;
use super::{Loading, Place};
use crate::error::CommandError;

/// Minimum number of buffered bytes at which the buffered rows are sent to PostgreSQL.
const SEND_BYTES: usize = 1 << 18;

/// Decision about the rows of a table: whether and with which columns they are loaded.
#[derive(Debug, PartialEq, Eq)]
enum RowPlan {
    /// The rows are not loaded and not reported: only the platform uses the table, or it is a session table and the import runs without
    /// `--sessions`.
    Drop,
    /// The rows are not loaded and are reported as left out: this database lacks the table, or the table belongs to the platform or to an
    /// extension.
    NoTable,
    /// The rows are loaded with all their columns.
    Whole,
    /// The rows are loaded with the columns at these positions only, because the table lacks the other columns.
    Columns(Vec<usize>),
}

fn plan(header: &CopyHeader, present: Option<&BTreeSet<String>>, sessions: bool) -> RowPlan {
    let name = header.name();
    let is_unwanted_session = !sessions && SESSION_TABLES.contains(&name.as_str());
    let is_project_data =
        matches!(header.schema.as_str(), "auth" | "storage" | "supabase_migrations") || name == VECTORS_TABLE;
    if PLATFORM_TABLES.contains(&name.as_str()) || is_unwanted_session {
        return RowPlan::Drop;
    }
    if is_internal_schema(&header.schema) && !is_project_data {
        return RowPlan::NoTable;
    }
    let Some(present) = present else { return RowPlan::NoTable };
    let kept: Vec<usize> =
        header.columns.iter().enumerate().filter(|(_, name)| present.contains(*name)).map(|(index, _)| index).collect();
    if kept.len() == header.columns.len() { RowPlan::Whole } else { RowPlan::Columns(kept) }
}

impl Loading {
    pub(super) async fn rows<R: AsyncBufRead + Unpin>(
        &mut self,
        to: &mut PgConnection,
        reader: &mut DumpReader<R>,
        header: &CopyHeader,
        place: &Place,
    ) -> Result<(), CommandError> {
        let present = columns(to, header).await?;
        let plan = plan(header, present.as_ref(), self.sessions);
        let name = header.name();
        let kept = match plan {
            RowPlan::Drop | RowPlan::NoTable => {
                let count = drain(reader, place).await?;
                if plan == RowPlan::NoTable && count > 0 {
                    let reason = "this database has no such table, or it belongs to an extension";
                    self.loaded.left_out.push(LeftOut::new(&format!("{count} rows of {name}"), reason));
                }
                return Ok(());
            }
            RowPlan::Whole => None,
            RowPlan::Columns(kept) => Some(kept),
        };
        let columns: Vec<String> = match &kept {
            None => header.columns.clone(),
            Some(kept) => kept.iter().filter_map(|index| header.columns.get(*index).cloned()).collect(),
        };
        let mut lost = vec![0_u64; header.columns.len()];
        let failed = |error: sqlx::Error| copy_error(place, &name, &error);
        let mut copy = to.copy_in_raw(&header.statement(&columns)).await.map_err(failed)?;
        let mut buffer = Vec::with_capacity(SEND_BYTES * 2);
        let mut count = 0;
        while let Some(row) = reader.row().await.map_err(|error| place.error(error))? {
            count += 1;
            match &kept {
                None => buffer.extend_from_slice(row),
                Some(kept) => keep_fields(row, kept, &mut buffer, &mut lost),
            }
            if buffer.len() >= SEND_BYTES {
                copy.send(buffer.as_slice()).await.map_err(failed)?;
                buffer.clear();
            }
        }
        copy.send(buffer.as_slice()).await.map_err(failed)?;
        copy.finish().await.map_err(failed)?;
        *self.loaded.rows.entry(name.clone()).or_default() += count;
        self.note_lost(&name, header, kept.as_deref(), &lost);
        Ok(())
    }

    /// Reports a column as left out if the dump contains values for it other than NULL, and the table lacks it. `lost` contains the number
    /// of these values for each column.
    fn note_lost(&mut self, table: &str, header: &CopyHeader, kept: Option<&[usize]>, lost: &[u64]) {
        let Some(kept) = kept else { return };
        for (index, (column, values)) in header.columns.iter().zip(lost).enumerate() {
            if kept.contains(&index) {
                continue;
            }
            if *values > 0 {
                let reason = format!("this version has no such column; {values} values");
                self.loaded.left_out.push(LeftOut::new(&format!("column {table}.{column}"), reason));
            }
        }
    }
}

/// Creates the error for a failed load of rows, with the table's name and PostgreSQL's message. Never contains values, because rows contain
/// personal data.
fn copy_error(place: &Place, table: &str, error: &sqlx::Error) -> CommandError {
    let text = match error {
        sqlx::Error::Database(refusal) => refusal.message().to_owned(),
        other => other.to_string(),
    };
    format!("{}, rows of {table}: {text}; nothing was changed", place.file.display()).into()
}

/// Appends the fields at the positions `kept` of a row to `out`. For each other field that is not NULL, increases its counter in `lost`.
/// Rows can be split at tabs, because the text format of COPY escapes a tab within a value.
fn keep_fields(row: &[u8], kept: &[usize], out: &mut Vec<u8>, lost: &mut [u64]) {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    let mut is_first = true;
    for (index, field) in row.split(|byte| *byte == b'\t').enumerate() {
        if kept.contains(&index) {
            if !is_first {
                out.push(b'\t');
            }
            is_first = false;
            out.extend_from_slice(field);
        } else if field != b"\\N"
            && let Some(count) = lost.get_mut(index)
        {
            *count += 1;
        }
    }
    out.push(b'\n');
}

async fn drain<R: AsyncBufRead + Unpin>(reader: &mut DumpReader<R>, place: &Place) -> Result<u64, CommandError> {
    let mut count = 0;
    while reader.row().await.map_err(|error| place.error(error))?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Returns the columns of the table into which rows can be loaded: all except generated columns. `None` if the table does not exist.
async fn columns(connection: &mut PgConnection, header: &CopyHeader) -> sqlx::Result<Option<BTreeSet<String>>> {
    let rows = sqlx::query(
        "select attname::text from pg_catalog.pg_attribute
          where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''",
    )
    .bind(format!("{}.{}", quoted(&header.schema), quoted(&header.table)))
    .fetch_all(connection)
    .await?;
    let names = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<BTreeSet<String>>>()?;
    Ok((!names.is_empty()).then_some(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(schema: &str, table: &str) -> CopyHeader {
        let columns = ["id", "new", "email"].map(str::to_owned).to_vec();
        CopyHeader { schema: schema.to_owned(), table: table.to_owned(), columns }
    }

    #[test]
    fn rows_of_the_platform_and_sessions_are_dropped_and_unknown_tables_said() {
        let present = BTreeSet::from(["id", "new", "email"].map(str::to_owned));
        let planned = |schema, table, sessions| plan(&header(schema, table), Some(&present), sessions);
        assert_eq!(planned("auth", "schema_migrations", true), RowPlan::Drop);
        assert_eq!(planned("auth", "sessions", false), RowPlan::Drop);
        assert_eq!(planned("auth", "sessions", true), RowPlan::Whole);
        assert_eq!(planned("vault", "secrets", true), RowPlan::NoTable);
        assert_eq!(planned("cloch", "state", true), RowPlan::NoTable);
        assert_eq!(planned("cloch", "vectors", false), RowPlan::Whole);
        assert_eq!(plan(&header("auth", "novel"), None, false), RowPlan::NoTable);
        assert_eq!(planned("public", "t", false), RowPlan::Whole);
        let fewer = BTreeSet::from(["id", "email"].map(str::to_owned));
        assert_eq!(plan(&header("auth", "users"), Some(&fewer), false), RowPlan::Columns(vec![0, 2]));
    }

    #[test]
    fn fields_are_kept_by_position() {
        let (mut out, mut lost) = (Vec::new(), vec![0; 3]);
        keep_fields(b"1\tx\ta\\tb\n", &[0, 2], &mut out, &mut lost);
        keep_fields(b"\t\\N\t\n", &[0, 2], &mut out, &mut lost);
        keep_fields(b"1\ty\t2\n", &[1, 2], &mut out, &mut lost);
        assert_eq!(out, b"1\ta\\tb\n\t\ny\t2\n");
        assert_eq!(lost, [1, 1, 0]);
    }
}
