//! Temporary logical replication slot from which table changes are streamed, and catalog queries for the definitions of the changed tables.

use bytes::Bytes;
use cloch_sql::Database;
use cloch_sql::client::{ClientError, Replication};
use sqlx::{ConnectOptions, Connection, PgConnection};

const PUBLICATION: &str = "supabase_realtime";

/// `statement_timeout` for creating the slot: PostgreSQL waits for the end of all running transactions that have written data.
const SLOT_TIMEOUT: &str = "30s";
const CATALOG_TIMEOUT: &str = "5s";

/// An open replication slot. The slot is temporary: PostgreSQL drops the slot when its connection closes.
#[derive(Debug)]
pub(super) struct ReplicationSlot {
    name: String,
    stream: Replication,
    /// Second database connection, for queries of the catalog. The first connection only streams changes.
    catalog: PgConnection,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SlotError {
    #[error("{0}")]
    Catalog(#[from] sqlx::Error),
    #[error("{0}")]
    Stream(#[from] ClientError),
}

/// Amounts of write-ahead log (WAL) that belong to a replication slot, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wal {
    /// WAL that the server keeps for the replication slot.
    pub(super) kept_bytes: u64,
    /// WAL that was written after the position that the reader of the slot has confirmed.
    pub(super) unread_bytes: u64,
}

#[derive(Debug, Clone)]
pub(super) struct PublishedTable {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) oid: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) name: String,
    /// Columns of the table in the order of their attribute numbers.
    pub(super) columns: Vec<Column>,
    /// SQL that computes the generated columns. `None` if the table has no generated columns.
    pub(super) generation: Option<Generation>,
}

impl Table {
    pub(super) fn has_key(&self) -> bool {
        self.columns.iter().any(|column| column.is_key)
    }
}

/// SQL expressions with which the values of a table's generated columns are computed.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Generation {
    pub(super) columns: Vec<String>,
    /// SQL list of expressions that compute the generated columns as texts, from the columns that `inputs` selects.
    pub(super) outputs: String,
    /// SQL list of expressions that parse the other columns of the table from their texts in the JSON object `e.r`.
    pub(super) inputs: String,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Column {
    pub(super) name: String,
    /// Name of the column's type without its schema, `_x` for an array of x.
    pub(super) type_name: String,
    /// SQL name of the column's type, without length or precision, so that the conversion of a filter's value to this type does not
    /// truncate the value.
    pub(super) type_sql: String,
    pub(super) number: i16,
    /// Whether the column belongs to the primary key.
    pub(super) is_key: bool,
}

/// Opens a database connection with an empty search path, so that the names of user-defined types include their schemas.
async fn connect(database: &Database, statement_timeout: &str) -> sqlx::Result<PgConnection> {
    let options = database.admin_login().sqlx_options().application_name("cloch realtime");
    let mut connection = options.connect().await?;
    sqlx::query("select set_config('search_path', '', false), set_config('statement_timeout', $1, false)")
        .bind(statement_timeout)
        .execute(&mut connection)
        .await?;
    Ok(connection)
}

impl ReplicationSlot {
    /// Opens a temporary replication slot at the current WAL position.
    pub(super) async fn open(database: &Database) -> Result<Self, SlotError> {
        let catalog = connect(database, CATALOG_TIMEOUT).await?;
        let mut stream = Replication::open(database.admin_login()).await?;
        // Suppresses the log line that PostgreSQL writes when a slot begins to stream. An error is ignored, because the login may lack the
        // right to change the setting.
        let _ = stream.execute("set log_min_messages = fatal").await;
        stream.execute(&format!("set statement_timeout = '{SLOT_TIMEOUT}'")).await?;
        let name = format!("cloch_realtime_{}", uuid::Uuid::new_v4().simple());
        stream.execute(&format!("select pg_create_logical_replication_slot('{name}', 'pgoutput', true)")).await?;
        stream.start(&name, PUBLICATION).await?;
        Ok(Self { name, stream, catalog })
    }

    /// Waits for the next message of the replication stream, which contains only committed transactions. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Bytes, SlotError> {
        Ok(self.stream.next().await?)
    }

    /// Confirms the received WAL, so that the database server may remove the WAL.
    pub(super) async fn confirm(&mut self) -> Result<(), SlotError> {
        Ok(self.stream.confirm().await?)
    }

    /// Returns the amount of WAL that the server keeps for the slot, and the amount that was written after the position that the slot's
    /// reader has confirmed.
    pub(super) async fn wal(&mut self) -> sqlx::Result<Wal> {
        let bytes: Option<(Option<i64>, Option<i64>)> = sqlx::query_as(
            "select pg_wal_lsn_diff(written, restart_lsn)::bigint, pg_wal_lsn_diff(written, confirmed_flush_lsn)::bigint
               from pg_replication_slots,
                    (select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end as written)
                      as server
              where slot_name = $1",
        )
        .bind(&self.name)
        .fetch_optional(&mut self.catalog)
        .await?;
        // `None` means that the server has invalidated the slot (`max_slot_wal_keep_size`). The stream reports this as an error.
        let (kept, unread) = bytes.unwrap_or_default();
        let bytes = |number: Option<i64>| number.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default();
        Ok(Wal { kept_bytes: bytes(kept), unread_bytes: bytes(unread) })
    }

    pub(super) async fn published(&mut self) -> sqlx::Result<Vec<PublishedTable>> {
        let rows: Vec<(String, String, i64)> = sqlx::query_as(
            "select schemaname::text, tablename::text, format('%I.%I', schemaname, tablename)::regclass::oid::bigint
               from pg_publication_tables where pubname = $1",
        )
        .bind(PUBLICATION)
        .fetch_all(&mut self.catalog)
        .await?;
        let table = |(schema, name, oid)| Some(PublishedTable { schema, name, oid: u32::try_from(oid).ok()? });
        Ok(rows.into_iter().filter_map(table).collect())
    }

    /// Returns the attribute numbers of the columns of a table that a role may read. Empty if the role does not exist.
    pub(super) async fn readable(&mut self, role: &str, oid: u32) -> sqlx::Result<Vec<i16>> {
        sqlx::query_scalar(
            "select a.attnum from pg_roles as r, pg_attribute as a
              where r.rolname = $1 and a.attrelid = $2::bigint::oid and a.attnum > 0 and not a.attisdropped
                and has_column_privilege(r.oid, a.attrelid, a.attnum, 'select')",
        )
        .bind(role)
        .bind(i64::from(oid))
        .fetch_all(&mut self.catalog)
        .await
    }

    /// Returns a table's definition. `None` if the table has been dropped since the change.
    pub(super) async fn table(&mut self, oid: u32) -> sqlx::Result<Option<Table>> {
        let found: Option<(String, String)> = sqlx::query_as(
            "select n.nspname::text, c.relname::text
               from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where c.oid::bigint = $1",
        )
        .bind(i64::from(oid))
        .fetch_optional(&mut self.catalog)
        .await?;
        let Some((schema, name)) = found else { return Ok(None) };
        let columns = sqlx::query_as(
            "select a.attname::text as name, t.typname::text as type_name,
                    format_type(a.atttypid, -1) as type_sql, a.attnum as number,
                    coalesce(a.attnum = any (i.indkey), false) as is_key
               from pg_attribute as a
               join pg_type as t on t.oid = a.atttypid
               left join pg_index as i on i.indrelid = a.attrelid and i.indisprimary
              where a.attrelid::bigint = $1 and a.attnum > 0 and not a.attisdropped
              order by a.attnum",
        )
        .bind(i64::from(oid))
        .fetch_all(&mut self.catalog)
        .await?;
        let generation = self.generation(oid).await?;
        Ok(Some(Table { oid, schema, name, columns, generation }))
    }

    async fn generation(&mut self, oid: u32) -> sqlx::Result<Option<Generation>> {
        sqlx::query_as(
            "select array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated <> '') as columns,
                    string_agg(format('(%s)::text', pg_get_expr(d.adbin, d.adrelid)), ', ' order by a.attnum)
                      filter (where a.attgenerated <> '') as outputs,
                    string_agg(format('(e.r ->> %L)::%s as %I', a.attname, format_type(a.atttypid, a.atttypmod), a.attname), ', '
                      order by a.attnum) filter (where a.attgenerated = '') as inputs
               from pg_attribute as a left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
              where a.attrelid::bigint = $1 and a.attnum > 0 and not a.attisdropped
             having bool_or(a.attgenerated <> '') and bool_or(a.attgenerated = '')",
        )
        .bind(i64::from(oid))
        .fetch_optional(&mut self.catalog)
        .await
    }

    /// Closes both database connections, which drops the temporary slot.
    pub(super) async fn close(self) {
        drop(self.stream);
        let _ = self.catalog.close().await;
    }
}
