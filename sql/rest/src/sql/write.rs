//! Builds INSERT, UPDATE and DELETE statements.

use bytes::Bytes;

use super::builder::Sql;
use super::settings::current_setting;
use crate::plan::tree::{PlannedField, PlannedLogic};
use crate::plan::{WriteKind, WritePlan};
use crate::request::Resolution;
use cloch_sql::client::Param;
use cloch_sql::schema_cache::Name;

const JSON_OID: u32 = 114;
const JSONB_OID: u32 = 3802;

/// Name of the transaction-local setting that counts inserted rows. The setting distinguishes inserts from updates in an upsert.
const INSERTED: &str = "pgrst.inserted";

impl Sql {
    /// Appends a write statement that returns the written rows.
    pub(super) fn write(&mut self, plan: &WritePlan) {
        self.silent_write(plan);
        if !plan.changes_nothing() {
            self.returning(plan);
        }
    }

    /// Appends a write statement that returns no rows.
    pub(super) fn silent_write(&mut self, plan: &WritePlan) {
        match &plan.kind {
            WriteKind::Insert { columns, body, row, on_conflict, conditions, apply_defaults, .. } => {
                self.insert_into(&plan.table, columns);
                match row {
                    Some(row) => self.values(row),
                    None => self.body_source(Some(&plan.table), columns, body, true, false, *apply_defaults),
                }
                self.insert_conditions(conditions, on_conflict.as_ref());
                self.on_conflict(columns, on_conflict.as_ref(), !conditions.is_empty());
            }
            WriteKind::Update { .. } if plan.changes_nothing() => {
                // An UPDATE without columns becomes a SELECT that returns the requested columns but no row.
                self.push("SELECT ");
                if plan.returning.is_empty() {
                    self.push("NULL");
                } else {
                    let table = Name::local(&plan.table.name);
                    self.list(", ", &plan.returning, |sql, column| _ = sql.column(&table, column));
                }
                self.push(" FROM ").name(&plan.table).push(" WHERE false");
            }
            WriteKind::Update { columns, body, conditions, apply_defaults } => {
                self.push("UPDATE ").name(&plan.table).push(" SET ");
                self.list(", ", columns, |sql, column| {
                    sql.ident(&column.name).push(" = pgrst_body.").ident(&column.name);
                });
                self.push(" ");
                self.body_source(Some(&plan.table), columns, body, false, false, *apply_defaults);
                self.conditions(&plan.table, conditions);
            }
            WriteKind::Delete { conditions } => {
                self.push("DELETE FROM ").name(&plan.table);
                self.conditions(&plan.table, conditions);
            }
        }
    }

    fn insert_into(&mut self, table: &Name, columns: &[PlannedField]) {
        self.push("INSERT INTO ").name(table).push(" ");
        if !columns.is_empty() {
            self.push("(").list(", ", columns, |sql, column| _ = sql.ident(&column.name)).push(") ");
        }
    }

    /// Appends a VALUES list with one row of bound values, which PostgreSQL converts to the types of the columns.
    fn values(&mut self, row: &[Option<Bytes>]) {
        self.push("VALUES (").list(", ", row, |sql, value| {
            sql.param(Param { value: value.clone(), ..Param::default() });
        });
        self.push(")");
    }

    fn insert_conditions(&mut self, conditions: &[PlannedLogic], on_conflict: Option<&(Resolution, Vec<String>)>) {
        let merges = matches!(on_conflict, Some((Resolution::Merge, _)));
        if conditions.is_empty() && !merges {
            return;
        }
        self.push(" WHERE ").count_inserted("+", "0");
        let row = Name::local("pgrst_body");
        for condition in conditions {
            self.push(" AND ").logic(&row, condition, &|_, _, _| {});
        }
    }

    /// Appends a `WHERE` term that is always true. Each evaluation adds 1 to the setting [`INSERTED`] (`sign` is `+`), or subtracts 1
    /// (`sign` is `-`). The term compares the new value of the setting with `never`, a text that the setting never has.
    fn count_inserted(&mut self, sign: &str, never: &str) {
        self.push("set_config('").push(INSERTED).push("', (coalesce(").push(&current_setting(INSERTED));
        self.push("::int, 0) ").push(sign).push(" 1)::text, true) <> '").push(never).push("'");
    }

    fn on_conflict(&mut self, columns: &[PlannedField], on_conflict: Option<&(Resolution, Vec<String>)>, is_put: bool) {
        let Some((resolution, keys)) = on_conflict else { return };
        if keys.is_empty() {
            return;
        }
        self.push(" ON CONFLICT(").list(", ", keys, |sql, key| _ = sql.ident(key)).push(") ");
        if *resolution == Resolution::Ignore || columns.is_empty() {
            self.push("DO NOTHING");
            return;
        }
        self.push("DO UPDATE SET ").list(", ", columns, |sql, column| {
            sql.ident(&column.name).push(" = EXCLUDED.").ident(&column.name);
        });
        if is_put || *resolution == Resolution::Merge {
            self.push(" WHERE ").count_inserted("-", "-1");
        }
    }

    fn conditions(&mut self, table: &Name, conditions: &[PlannedLogic]) {
        if !conditions.is_empty() {
            self.push(" WHERE ");
            self.list(" AND ", conditions, |sql, condition| {
                // The conditions of a write cannot refer to embeds.
                sql.logic(table, condition, &|_, _, _| {});
            });
        }
    }

    fn returning(&mut self, plan: &WritePlan) {
        self.push(" RETURNING ");
        if plan.returning.is_empty() {
            self.push("1");
        } else {
            self.list(", ", &plan.returning, |sql, column| _ = sql.column(&plan.table, column));
        }
    }

    /// Appends a `FROM` item with the alias `pgrst_body` that converts each value of the JSON body to the type of its column. `table` is
    /// the table that contains the columns; `None` for the arguments of a function.
    pub(super) fn body_source(
        &mut self,
        table: Option<&Name>,
        columns: &[PlannedField],
        body: &Bytes,
        is_select: bool,
        first_only: bool,
        apply_defaults: bool,
    ) {
        if is_select {
            self.push("SELECT ");
            self.list(", ", columns, |sql, column| _ = sql.push("pgrst_body.").ident(&column.name)).push(" ");
        }
        let is_object = body.trim_ascii_start().first() == Some(&b'{');
        let type_oid = if apply_defaults { JSONB_OID } else { JSON_OID };
        self.push("FROM (SELECT ").param(Param { value: Some(body.clone()), binary: false, type_oid });
        self.push(" AS json_data");
        if let Some(table) = table {
            self.unchanged_types(table, columns);
        }
        self.push(") pgrst_payload, ");
        if apply_defaults {
            self.with_defaults(columns, is_object);
        }
        self.push("LATERAL (SELECT ");
        self.list(", ", columns, |sql, column| match &column.transform {
            Some(function) => {
                sql.push(function).push("(").ident(&column.name).push(") AS ").ident(&column.name);
            }
            None => _ = sql.ident(&column.name),
        });
        self.push(" FROM ");
        let (source, prefix) =
            if apply_defaults { ("pgrst_json_defs.val", "jsonb") } else { ("pgrst_payload.json_data", "json") };
        if !columns.is_empty() {
            let kind = if is_object { "record" } else { "recordset" };
            self.push(prefix).push("_to_").push(kind).push("(").push(source).push(") AS _(");
            self.list(", ", columns, |sql, column| {
                // The type name comes from the schema cache, in the format of PostgreSQL's `format_type()`.
                sql.ident(&column.name).push(" ").push(&column.data_type);
            });
            self.push(if first_only { ") LIMIT 1" } else { ")" });
        } else if is_object {
            self.push("(values(1)) _");
        } else {
            self.push(prefix).push("_array_elements(").push(source).push(") _");
        }
        self.push(") pgrst_body");
    }

    /// Appends the defaults of the columns to the FROM item. Each element of the JSON body overrides the defaults.
    fn with_defaults(&mut self, columns: &[PlannedField], is_object: bool) {
        // PostgreSQL passes at most 100 arguments to a function.
        const PAIRS: usize = 50;
        let given: Vec<_> =
            columns.iter().filter_map(|column| Some((&column.name, column.default.as_ref()?))).collect();
        let defaults = |sql: &mut Self| {
            if given.is_empty() {
                sql.push("jsonb_build_object()");
            }
            sql.list(" || ", given.chunks(PAIRS), |sql, pairs| {
                sql.push("jsonb_build_object(");
                sql.list(",", pairs, |sql, (name, default)| _ = sql.literal(name).push(", ").push(default));
                sql.push(")");
            });
        };
        if is_object {
            self.push("LATERAL (SELECT ");
            defaults(self);
            self.push(" || pgrst_payload.json_data AS val) pgrst_json_defs, ");
        } else {
            self.push("LATERAL (SELECT jsonb_agg(");
            defaults(self);
            self.push(" || elem) AS val from jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, ");
        }
    }
}
