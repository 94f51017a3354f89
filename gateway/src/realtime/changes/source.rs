//! The slot that changes are read from, and what the database says of tables.

use cloch_sql::Database;
use sqlx::{ConnectOptions, Connection, PgConnection};

/// Whose tables are told of.
const PUBLICATION: &str = "supabase_realtime";
/// Messages in one reading, beyond the transaction that reaches it.
const BATCH: i32 = 1000;

/// An open slot. It is temporary: the database drops it with the connection.
#[derive(Debug)]
pub(super) struct Source {
    connection: PgConnection,
    slot: String,
}

/// A table as the catalog has it.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) oid: u32,
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) row_security: bool,
    /// In the order of their numbers.
    pub(super) columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Column {
    pub(super) name: String,
    /// The type's own name, `_x` for an array of x.
    pub(super) type_name: String,
    /// The type as it is written in SQL.
    pub(super) type_sql: String,
    pub(super) number: i16,
    /// Whether it belongs to the primary key.
    pub(super) is_key: bool,
}

impl Source {
    /// Opens a slot at the present.
    pub(super) async fn open(database: &Database) -> sqlx::Result<Self> {
        let options = database.admin_login().sqlx_options().application_name("cloch realtime");
        let mut connection = options.connect().await?;
        let slot = format!("cloch_realtime_{}", uuid::Uuid::new_v4().simple());
        // Types are then written with their schemas.
        sqlx::query("select set_config('search_path', '', false)").execute(&mut connection).await?;
        // PostgreSQL logs four lines for each reading of the slot, ten readings a second. Where the login may not change that, it is the
        // operator's server, and their log.
        let _ = sqlx::query("set log_min_messages = fatal").execute(&mut connection).await;
        sqlx::query("select pg_create_logical_replication_slot($1, 'pgoutput', true)")
            .bind(&slot)
            .execute(&mut connection)
            .await?;
        Ok(Self { connection, slot })
    }

    /// What was committed since the last time.
    pub(super) async fn read(&mut self) -> sqlx::Result<Vec<Vec<u8>>> {
        sqlx::query_scalar(
            "select data from pg_logical_slot_get_binary_changes($1, null, $2,
               'proto_version', '1', 'publication_names', $3)",
        )
        .bind(&self.slot)
        .bind(BATCH)
        .bind(PUBLICATION)
        .fetch_all(&mut self.connection)
        .await
    }

    /// The OIDs of the published tables that a wish names.
    pub(super) async fn published(&mut self, schema: &str, table: Option<&str>) -> sqlx::Result<Vec<u32>> {
        let oids: Vec<i64> = sqlx::query_scalar(
            "select format('%I.%I', schemaname, tablename)::regclass::oid::bigint from pg_publication_tables
              where pubname = $1 and ($2 = '*' or schemaname = $2) and ($3::text is null or tablename = $3)",
        )
        .bind(PUBLICATION)
        .bind(schema)
        .bind(table)
        .fetch_all(&mut self.connection)
        .await?;
        Ok(oids.into_iter().filter_map(|oid| u32::try_from(oid).ok()).collect())
    }

    /// A table; none when it was dropped meanwhile.
    pub(super) async fn table(&mut self, oid: u32) -> sqlx::Result<Option<Table>> {
        let found: Option<(String, String, bool)> = sqlx::query_as(
            "select n.nspname::text, c.relname::text, c.relrowsecurity
               from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where c.oid::bigint = $1",
        )
        .bind(i64::from(oid))
        .fetch_optional(&mut self.connection)
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
        .fetch_all(&mut self.connection)
        .await?;
        Ok(Some(Table { oid, schema, name, row_security, columns }))
    }

    /// Closes the connection, and the slot with it.
    pub(super) async fn close(self) {
        let _ = self.connection.close().await;
    }
}
