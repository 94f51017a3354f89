//! A table of the project's database and the same table in the temporary copy of the database: the columns that both have, and SQL that
//! finds and compares rows by their key. Names and types come from PostgreSQL's catalog; values are bound as text and cast by PostgreSQL.

use std::collections::HashMap;

use http::StatusCode;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Row, Transaction};

use crate::dashboard::database::{As, Mode};
use crate::dashboard::schema::{Column, Relation};
use crate::dashboard::{ApiError, Dashboard};

/// SQL query that returns whether a table exists. Tables of Cloch's own schema count as missing: restored operators, keys and records of
/// migrations would contradict the running server.
const IS_TABLE: &str = "select exists (select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
                         where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p') and n.nspname <> 'cloch')";
/// SQL statements for the settings that determine how PostgreSQL converts values to text. Transactions on the project's database and on the
/// copy have the same settings, because the texts of both are compared.
const TEXT_FORM: &str = "set local TimeZone to 'UTC'; set local DateStyle to 'ISO, MDY'; set local IntervalStyle to 'postgres';
                         set local extra_float_digits to 1; set local bytea_output to 'hex'; set local lc_monetary to 'C'";
/// SQL statements that reset the settings of [`TEXT_FORM`] to those of the session, so that triggers run with the same settings as in other
/// writes.
const OWN_FORM: &str = "set local TimeZone to default; set local DateStyle to default; set local IntervalStyle to default;
                        set local extra_float_digits to default; set local bytea_output to default; set local lc_monetary to default";
/// Settings of a transaction on the copy.
const COPY: &str = "set local statement_timeout to '30s'; set local transaction_read_only to on";

/// Values of a row's key as texts.
pub(super) type Key = Vec<String>;
/// Texts of a row's columns, or their digests, in the order of the columns; `None` for null.
pub(super) type Texts = Vec<Option<String>>;

/// A table, with the columns that have the same name and type in the copy and in the present table.
pub(super) struct Table {
    /// Quoted schema and name.
    pub(super) name: String,
    pub(super) key: Vec<Column>,
    /// Columns that an update can set: neither key nor generated.
    pub(super) compared: Vec<Column>,
    /// Columns that an insert sets, in the order of the table.
    pub(super) inserted: Vec<Column>,
    /// Columns of the copy that cannot be restored, because they have another type now or do not exist.
    pub(super) left_out: Vec<String>,
}

/// Returns the identity that reads and writes the rows: the project's owner, as in other changes of rows.
fn owner() -> As {
    As::Role("postgres".to_owned())
}

impl Dashboard {
    /// Begins a transaction on the project's database, with the settings of [`TEXT_FORM`], so that its texts can be compared with those of
    /// the copy.
    pub(in crate::dashboard) async fn begin_now(&self, mode: Mode) -> Result<Transaction<'static, Postgres>, ApiError> {
        let mut transaction = self.begin(&owner(), mode).await?;
        sqlx::raw_sql(TEXT_FORM).execute(&mut *transaction).await?;
        Ok(transaction)
    }
}

/// Begins a read-only transaction on the copy, with the settings of [`TEXT_FORM`].
pub(in crate::dashboard) async fn begin_then(copy: &PgPool) -> Result<Transaction<'static, Postgres>, ApiError> {
    let mut transaction = cloch_sql::transaction::begin(copy).await?;
    sqlx::raw_sql(TEXT_FORM).execute(&mut *transaction).await?;
    sqlx::raw_sql(COPY).execute(&mut *transaction).await?;
    Ok(transaction)
}

/// Resets the settings of [`TEXT_FORM`] in a transaction, after rows were compared and before rows are written.
pub(super) async fn end_comparison(transaction: &mut Transaction<'_, Postgres>) -> sqlx::Result<()> {
    sqlx::raw_sql(OWN_FORM).execute(&mut **transaction).await.map(drop)
}

impl Table {
    /// Reads the columns of a table from the catalogs of the project's database and of the copy.
    pub(super) async fn find(state: &Dashboard, copy: &PgPool, schema: &str, table: &str) -> Result<Self, ApiError> {
        let owner = state.database.owner();
        for pool in [owner, copy] {
            let is_table: bool = sqlx::query_scalar(IS_TABLE).bind(schema).bind(table).fetch_one(pool).await?;
            if !is_table {
                return Err(ApiError::not_found("There is no such table now, or there was none at that moment"));
            }
        }
        let now = Relation::find(owner, schema, table).await?;
        let then = Relation::find(copy, schema, table).await.map_err(|error| match error.status() {
            StatusCode::NOT_FOUND => ApiError::not_found("There was no such table at that moment"),
            _ => error,
        })?;
        Self::of(&now, &then)
    }

    fn of(now: &Relation, then: &Relation) -> Result<Self, ApiError> {
        let key: Vec<Column> = now.key().cloned().collect();
        if key.is_empty() || !key.iter().all(|column| is_in(then, column)) {
            let message =
                "The table has no key by which a row can be found, or its key had another type at that moment";
            return Err(ApiError::conflict(message).with_hint("`cloch restore --only` extracts rows as CSV"));
        }
        let mut inserted: Vec<Column> = now.columns.iter().filter(|column| is_in(then, column)).cloned().collect();
        inserted.retain(|column| !column.is_generated || column.is_identity);
        let compared = inserted.iter().filter(|column| !column.is_key && !column.is_generated).cloned().collect();
        let left_out = then.columns.iter().filter(|column| !is_in(now, column) && !column.is_generated);
        let left_out = left_out.map(|column| column.name.clone()).collect();
        Ok(Self { name: now.quoted(), key, compared, inserted, left_out })
    }

    /// Returns an SQL expression: an array of the texts of the columns, complete or truncated to `chars` characters.
    pub(super) fn texts(columns: &[Column], chars: Option<usize>) -> String {
        let text = |column: &Column| match chars {
            None => format!("t.{}::text", column.quoted()),
            Some(chars) => format!("left(t.{}::text, {chars})", column.quoted()),
        };
        format!("array[{}]::text[]", columns.iter().map(text).collect::<Vec<_>>().join(", "))
    }

    /// Returns an SQL expression: an array of the digests of the compared columns.
    pub(super) fn digests(&self) -> String {
        let digest = |column: &Column| format!("md5(t.{}::text)", column.quoted());
        format!("array[{}]::text[]", self.compared.iter().map(digest).collect::<Vec<_>>().join(", "))
    }

    /// Returns the text after `from` that selects the rows with given keys. The parameters are arrays, one for each key column, with the
    /// column's values in all keys. `k.place` is the position of a row's key in these arrays, from 1.
    fn with_keys(&self) -> String {
        let (mut arrays, mut names, mut equal) = (Vec::new(), Vec::new(), Vec::new());
        for (place, column) in self.key.iter().enumerate() {
            arrays.push(format!("${}::text[]", place + 1));
            names.push(format!("k{place}"));
            equal.push(format!("t.{} = k.k{place}::{}", column.quoted(), column.type_name));
        }
        format!(
            "unnest({}) with ordinality as k ({}, place) join {} as t on {}",
            arrays.join(", "),
            names.join(", "),
            self.name,
            equal.join(" and ")
        )
    }

    /// Reads the rows with the keys `keys`. `select` is the list of SQL expressions to read, `end` the text of the statement after the
    /// `from` clause.
    pub(super) async fn rows(
        &self,
        transaction: &mut Transaction<'_, Postgres>,
        select: &str,
        keys: &[Key],
        end: &str,
    ) -> Result<Vec<PgRow>, ApiError> {
        let text = format!("select {select} from {}{end}", self.with_keys());
        let mut query = sqlx::query(AssertSqlSafe(text)).persistent(false);
        for place in 0..self.key.len() {
            let column: Vec<String> = keys.iter().filter_map(|key| key.get(place).cloned()).collect();
            query = query.bind(column);
        }
        query.fetch_all(&mut **transaction).await.map_err(ApiError::database)
    }

    /// Returns the digests of the rows that the table has now, by the position of the row's key in `keys`. `is_locked`: whether these rows
    /// are locked until the end of the transaction.
    pub(super) async fn now(
        &self,
        transaction: &mut Transaction<'_, Postgres>,
        keys: &[Key],
        is_locked: bool,
    ) -> Result<HashMap<usize, Texts>, ApiError> {
        let select = format!("k.place, {}", self.digests());
        let end = if is_locked { " for update of t" } else { "" };
        let mut found = HashMap::new();
        for row in self.rows(transaction, &select, keys, end).await? {
            found.insert(place(&row)?, row.try_get(1)?);
        }
        Ok(found)
    }

    /// Returns the compared columns whose digests in the copy (`then`) and in the table (`now`) differ.
    pub(super) fn changed(&self, then: &Texts, now: &Texts) -> Vec<&Column> {
        let pairs = then.iter().zip(now);
        self.compared.iter().zip(pairs).filter(|(_, (then, now))| then != now).map(|(column, _)| column).collect()
    }
}

/// Whether a relation has a column of the same name and type.
fn is_in(relation: &Relation, column: &Column) -> bool {
    relation.columns.iter().any(|other| other.name == column.name && other.type_name == column.type_name)
}

/// Reads the column `k.place` of a row, which must be its first column. Returns the position of the row's key, from 0.
pub(super) fn place(row: &PgRow) -> sqlx::Result<usize> {
    let place: i64 = row.try_get(0)?;
    Ok(usize::try_from(place - 1).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(columns: Vec<Column>) -> Relation {
        Relation { schema: "public".into(), name: "\"; drop".into(), columns }
    }

    fn names(columns: &[Column]) -> Vec<&str> {
        columns.iter().map(|column| column.name.as_str()).collect()
    }

    #[test]
    fn only_columns_of_both_moments_are_restored() {
        let (mut identity, mut generated) =
            (Column::sample("number", "bigint", false), Column::sample("sum", "int", false));
        (identity.is_generated, identity.is_identity, generated.is_generated) = (true, true, true);
        let key = Column::sample("i\"d", "uuid", true);
        let now = relation(vec![
            key.clone(),
            identity.clone(),
            generated.clone(),
            Column::sample("body", "text", false),
            Column::sample("size", "bigint", false),
            Column::sample("new", "text", false),
        ]);
        let then = relation(vec![
            key,
            identity,
            generated,
            Column::sample("body", "text", false),
            Column::sample("size", "integer", false),
            Column::sample("old", "text", false),
        ]);
        let table = Table::of(&now, &then).unwrap();
        assert_eq!(names(&table.key), ["i\"d"]);
        assert_eq!(names(&table.compared), ["body"]);
        assert_eq!(names(&table.inserted), ["i\"d", "number", "body"]);
        assert_eq!(table.left_out, ["size", "old"]);
        assert_eq!(
            table.with_keys(),
            "unnest($1::text[]) with ordinality as k (k0, place) join \"public\".\"\"\"; drop\" as t on t.\"i\"\"d\" = k.k0::uuid"
        );
    }

    #[test]
    fn a_row_needs_a_key_of_the_same_type() {
        let of = |type_name, is_key| relation(vec![Column::sample("id", type_name, is_key)]);
        assert!(Table::of(&of("bigint", false), &of("bigint", false)).is_err());
        assert!(Table::of(&of("bigint", true), &of("integer", true)).is_err());
        assert!(Table::of(&of("bigint", true), &of("bigint", false)).is_ok());
    }

    #[test]
    fn changed_columns_are_named() {
        let columns = vec![
            Column::sample("id", "bigint", true),
            Column::sample("a", "text", false),
            Column::sample("b", "text", false),
        ];
        let table = Table::of(&relation(columns.clone()), &relation(columns)).unwrap();
        let digests = |a: Option<&str>, b: Option<&str>| vec![a.map(str::to_owned), b.map(str::to_owned)];
        let changed = table.changed(&digests(Some("1"), None), &digests(Some("1"), Some("2")));
        assert_eq!(changed.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["b"]);
    }
}
