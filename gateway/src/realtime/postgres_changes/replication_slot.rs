//! The temporary logical replication slot that changes are read from, and the catalog queries that accompany it.

use cloch_sql::Database;
use futures_util::stream::BoxStream;
use sqlx::{ConnectOptions, Connection, PgConnection};

/// The publication whose tables are read.
const PUBLICATION: &str = "supabase_realtime";
/// Messages of one read. The read continues to the end of the transaction that reaches the limit.
const BATCH_MESSAGES: i32 = 1000;

/// `statement_timeout` for opening the slot (PostgreSQL waits for writing transactions to end) and for decoding committed transactions.
const SLOT_TIMEOUT: &str = "30s";
/// `statement_timeout` of catalog queries.
const CATALOG_TIMEOUT: &str = "5s";

/// An open slot. It is temporary: the database drops it with its connection.
#[derive(Debug)]
pub(super) struct ReplicationSlot {
    name: String,
    connection: PgConnection,
    /// A second connection, because the catalog is queried while the slot is being read.
    catalog: PgConnection,
}

/// A table of the publication.
#[derive(Debug, Clone)]
pub(super) struct PublishedTable {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) oid: u32,
}

/// A table's definition in the catalog.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) row_security: bool,
    /// The columns in the order of their attribute numbers.
    pub(super) columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Column {
    pub(super) name: String,
    /// The type's unqualified name, `_x` for an array of x.
    pub(super) type_name: String,
    /// The type's name as SQL.
    pub(super) type_sql: String,
    pub(super) number: i16,
    /// Whether it belongs to the primary key.
    pub(super) is_key: bool,
}

/// Opens a connection of the reader, with an empty search path so that types are written with their schemas.
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
    /// Opens a slot at the current WAL position.
    pub(super) async fn open(database: &Database) -> sqlx::Result<Self> {
        let catalog = connect(database, CATALOG_TIMEOUT).await?;
        let mut connection = connect(database, SLOT_TIMEOUT).await?;
        // PostgreSQL logs four lines for each of the ten reads in a second. On a server where the login may not change this setting, the
        // log is the operator's.
        let _ = sqlx::query("set log_min_messages = fatal").execute(&mut connection).await;
        let name = format!("cloch_realtime_{}", uuid::Uuid::new_v4().simple());
        sqlx::query("select pg_create_logical_replication_slot($1, 'pgoutput', true)")
            .bind(&name)
            .execute(&mut connection)
            .await?;
        Ok(Self { name, connection, catalog })
    }

    /// The transactions committed since the last read, message by message, and the catalog to look up their tables.
    pub(super) fn read(&mut self) -> (BoxStream<'_, sqlx::Result<Vec<u8>>>, Catalog<'_>) {
        let messages = sqlx::query_scalar(
            "select data from pg_logical_slot_get_binary_changes($1, null, $2,
               'proto_version', '1', 'publication_names', $3)",
        )
        .bind(&self.name)
        .bind(BATCH_MESSAGES)
        .bind(PUBLICATION)
        .fetch(&mut self.connection);
        (messages, Catalog(&mut self.catalog))
    }

    /// How many bytes of WAL the slot keeps.
    pub(super) async fn kept_wal_bytes(&mut self) -> sqlx::Result<u64> {
        let bytes: Option<i64> = sqlx::query_scalar(
            "select pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
                                    restart_lsn)::bigint
               from pg_replication_slots where slot_name = $1",
        )
        .bind(&self.name)
        .fetch_optional(&mut self.catalog)
        .await?
        .flatten();
        // `None`: the server invalidated the slot (`max_slot_wal_keep_size`), which the next read reports.
        Ok(bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default())
    }

    /// The published tables.
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

    /// The attribute numbers of the columns that a role may read; `None` if the role does not exist.
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

    /// As [`Catalog::table`], while the slot is not being read.
    pub(super) async fn table(&mut self, oid: u32) -> sqlx::Result<Option<Table>> {
        Catalog(&mut self.catalog).table(oid).await
    }

    /// Closes the connections, which drops the slot.
    pub(super) async fn close(self) {
        let _ = self.connection.close().await;
        let _ = self.catalog.close().await;
    }
}

/// Queries of the catalog.
#[derive(Debug)]
pub(super) struct Catalog<'a>(&'a mut PgConnection);

impl Catalog<'_> {
    /// A table's definition; `None` if it was dropped meanwhile.
    pub(super) async fn table(&mut self, oid: u32) -> sqlx::Result<Option<Table>> {
        let found: Option<(String, String, bool)> = sqlx::query_as(
            "select n.nspname::text, c.relname::text, c.relrowsecurity
               from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where c.oid::bigint = $1",
        )
        .bind(i64::from(oid))
        .fetch_optional(&mut *self.0)
        .await?;
        let Some((schema, name, row_security)) = found else { return Ok(None) };
        let columns = sqlx::query_as(
            "select a.attname::text as name, t.typname::text as type_name,
                    format_type(a.atttypid, a.atttypmod) as type_sql, a.attnum as number,
                    coalesce(a.attnum = any (i.indkey), false) as is_key
               from pg_attribute as a
               join pg_type as t on t.oid = a.atttypid
               left join pg_index as i on i.indrelid = a.attrelid and i.indisprimary
              where a.attrelid::bigint = $1 and a.attnum > 0 and not a.attisdropped
              order by a.attnum",
        )
        .bind(i64::from(oid))
        .fetch_all(&mut *self.0)
        .await?;
        Ok(Some(Table { oid, schema, name, row_security, columns }))
    }
}
