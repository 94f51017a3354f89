//! Extracts tables and rows from a backup, as CSV for psql's `\copy`.

use std::io::Write;
use std::path::{Path, PathBuf};

use cloch_sql::database::{Login, read_no_views};
use futures_util::StreamExt;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

use super::partial::Only;
use crate::error::{BackupError, Result};
use crate::private;

/// A table, or some of its rows, that was extracted from a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenTable {
    /// Path of the table's CSV file in the new folder.
    pub file: PathBuf,
    /// Number of rows in the CSV file.
    pub rows: u64,
    /// The psql command that imports the CSV file.
    pub copy: String,
}

/// Maximum number of names in an error message.
const MAX_NAMED: usize = 20;

/// Writes the requested tables and rows into CSV files in `folder`, which is later moved to `final_folder`.
pub(super) async fn take(
    login: &Login,
    wanted: &[Only],
    folder: &Path,
    final_folder: &Path,
) -> Result<Vec<TakenTable>> {
    private::make_folder(folder)?;
    let mut connection = login.sqlx_options().connect().await?;
    read_no_views(&mut connection).await?;
    let mut taken: Vec<TakenTable> = Vec::new();
    for only in wanted {
        let (schema, table, filter) = match only {
            Only::Table { schema, table } => (schema, table, None),
            Only::Row { schema, table, column, value } => (schema, table, Some((column.as_str(), value.as_str()))),
            Only::File { .. } | Only::Bucket(_) => continue,
        };
        let Some(source) = source(&mut connection, schema, table, filter).await? else {
            return Err(unknown_table(&mut connection, schema, table).await?);
        };
        let number = taken.len() + 1;
        let name = format!("{}.{number}.csv", plain(&format!("{schema}.{table}")));
        let rows = write(&mut connection, &source, &folder.join(&name)).await?;
        if rows == 0 && filter.is_some() {
            return Err(absent(only));
        }
        let file = final_folder.join(name);
        let copy = format!("\\copy {} ({}) from '{}' csv header", source.table, source.columns, file.display());
        taken.push(TakenTable { file, rows, copy });
    }
    connection.close().await?;
    Ok(taken)
}

fn absent(only: &Only) -> BackupError {
    BackupError::Refused(format!("{only} was not there at that moment"))
}

/// Returns the error for a table that does not exist. The message lists the tables of the schema, or the schemas of the database if the schema
/// has no tables.
async fn unknown_table(connection: &mut PgConnection, schema: &str, table: &str) -> Result<BackupError> {
    let names: Vec<(String, String)> = sqlx::query_as(
        "select n.nspname::text, c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') order by 1, 2",
    )
    .fetch_all(connection)
    .await?;
    let list = |mut names: Vec<&str>| {
        names.dedup();
        let more = names.len().saturating_sub(MAX_NAMED);
        names.truncate(MAX_NAMED);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", names.join(", "))
    };
    let of_schema: Vec<&str> = names.iter().filter(|(own, _)| own == schema).map(|(_, name)| name.as_str()).collect();
    let known = match of_schema.is_empty() {
        true => format!("it had tables in the schemas {}", list(names.iter().map(|(own, _)| own.as_str()).collect())),
        false => format!("the schema {schema} had {}", list(of_schema)),
    };
    Ok(BackupError::Refused(format!("the database had no table {schema}.{table} at that moment: {known}")))
}

/// Replaces characters that are unsafe in a file name by underscores.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }).collect()
}

/// Identifiers and literals of the export query of a table, quoted by PostgreSQL.
struct Source {
    table: String,
    columns: String,
    condition: String,
}

/// Returns the quoted identifiers and literals of a table's export query. Returns `None` if the table does not exist. Generated columns are left out,
/// because they cannot be imported.
async fn source(
    connection: &mut PgConnection,
    schema: &str,
    table: &str,
    filter: Option<(&str, &str)>,
) -> Result<Option<Source>> {
    let row = sqlx::query(
        "select format('%I.%I', n.nspname, c.relname),
                string_agg(quote_ident(a.attname), ', ' order by a.attnum) filter (where a.attgenerated = ''),
                case when $3::text is null then '' else format(' where %I::text = %L', $3::text, $4::text) end,
                $3::text is null or bool_or(a.attname = $3::text),
                string_agg(a.attname::text, ', ' order by a.attnum)
           from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
          where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
          group by n.nspname, c.relname",
    )
    .bind(schema)
    .bind(table)
    .bind(filter.map(|(column, _)| column))
    .bind(filter.map(|(_, value)| value))
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if let (Some((column, _)), false) = (filter, row.try_get(3)?) {
        let all: String = row.try_get(4)?;
        return Err(BackupError::Refused(format!(
            "the table {schema}.{table} had no column {column} at that moment: name one of {all}"
        )));
    }
    let columns: Option<String> = row.try_get(1)?;
    Ok(Some(Source { table: row.try_get(0)?, columns: columns.unwrap_or_default(), condition: row.try_get(2)? }))
}

async fn write(connection: &mut PgConnection, source: &Source, path: &Path) -> Result<u64> {
    let Source { table, columns, condition } = source;
    let query = format!("select count(*) from {table}{condition}");
    let rows: i64 = sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut *connection).await?;
    let mut file = private::make_file(path)?;
    let copy = format!("copy (select {columns} from {table}{condition}) to stdout (format csv, header)");
    let mut stream = connection.copy_out_raw(&copy).await?;
    while let Some(bytes) = stream.next().await {
        file.write_all(&bytes?).map_err(BackupError::io(path))?;
    }
    file.sync_all().map_err(BackupError::io(path))?;
    Ok(u64::try_from(rows).unwrap_or(0))
}
