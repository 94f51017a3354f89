//! Appends columns without a value to the result of a statement, one for each table column from whose type PostgreSQL has inferred the type
//! of a parameter.
//!
//! PostgreSQL infers the type of a parameter when the statement is prepared, and keeps that type. After `alter column … type`, a prepared
//! statement with `at < $1` would still parse `2024-01-01T10:00` as a date if the column was a date, and would find, update or delete the
//! wrong rows. PostgreSQL rejects a prepared statement whose result types have changed ("cached plan must not change result type").
//! PostgreSQL makes this check in the transaction that runs the statement, even if no notification of the schema change was sent. The
//! column types are therefore part of the result, and the database client prepares a rejected statement again.
//!
//! The appended columns have the form `CASE WHEN false`, which PostgreSQL replaces by a NULL of the right type during planning. Such a
//! column reads no value and requires no privilege.

use super::builder::Sql;
use crate::plan::tree::{PlannedField, PlannedLogic, PlannedSelect, ReadPlan, SOURCE_CTE};
use crate::plan::{CallPlan, RowsPlan, Source, WriteKind, WritePlan};
use crate::request::model::{IsValue, Operation};
use cloch_sql::client::DbError;
use cloch_sql::schema_cache::{Function, Name};

/// Origin of a column whose type determines the type of a parameter.
#[derive(Clone, Copy, PartialEq)]
enum Origin<'a> {
    /// A column of a relation in the schema cache.
    Relation(&'a Name),
    /// A column, not in the schema cache, of the root relation of a read without a CTE.
    Root(&'a ReadPlan),
    /// A column that is not in the schema cache, such as a computed field, with its relation and the relation's alias.
    Unknown(&'a Name, Option<&'a str>),
    /// A column of a function's result. This variant does not name the function, because a plan contains only one call.
    Call,
}

/// Columns whose types determine the types of parameters, without duplicates.
#[derive(Default)]
pub(super) struct TypedColumns<'a> {
    columns: Vec<(Origin<'a>, &'a str)>,
    call: Option<&'a CallPlan>,
}

impl<'a> TypedColumns<'a> {
    /// Collects the columns of a read, write or call and of its embeds whose types determine the types of parameters.
    pub(super) fn of(plan: &'a RowsPlan) -> Self {
        let mut found = Self::default();
        match &plan.source {
            Source::Relation(_) => {}
            Source::Write(_, write) => found.add_write(write),
            Source::Call(_, call) => found.call = Some(call),
        }
        found.add_level(&plan.read);
        found
    }

    /// Collects the columns of a read without a CTE whose types determine the types of parameters. Omits columns that the result already
    /// contains unchanged.
    fn of_direct_read(root: &'a ReadPlan) -> Self {
        let mut found = Self::of_level(root).not_selected(root);
        let of_root = Origin::Unknown(&root.from, root.from_alias.as_deref());
        found
            .columns
            .iter_mut()
            .filter(|(origin, _)| *origin == of_root)
            .for_each(|(origin, _)| *origin = Origin::Root(root));
        found
    }

    /// Collects the columns of a write without a CTE whose types determine the types of parameters.
    pub(super) fn of_write(write: &'a WritePlan) -> Self {
        let mut found = Self::default();
        found.add_write(write);
        found
    }

    /// Collects the columns of a relation in the read plan, and of its embeds, whose types determine the types of parameters.
    pub(super) fn of_level(level: &'a ReadPlan) -> Self {
        let mut found = Self::default();
        found.add_level(level);
        found
    }

    /// Collects the columns in conditions on `relation` whose types determine the types of parameters.
    pub(super) fn of_conditions(relation: &'a Name, conditions: &'a [PlannedLogic]) -> Self {
        let mut found = Self::default();
        conditions.iter().for_each(|logic| found.add_logic(relation, None, logic));
        found
    }

    fn add_write(&mut self, write: &'a WritePlan) {
        let conditions = match &write.kind {
            WriteKind::Insert { columns, row, conditions, .. } => {
                if row.is_some() {
                    columns.iter().for_each(|column| self.add(&write.table, None, column));
                }
                conditions
            }
            WriteKind::Update { conditions, .. } | WriteKind::Delete { conditions } => conditions,
        };
        if !write.changes_nothing() {
            conditions.iter().for_each(|logic| self.add_logic(&write.table, None, logic));
        }
    }

    fn add_level(&mut self, level: &'a ReadPlan) {
        level.filters.iter().for_each(|logic| self.add_logic(&level.from, level.from_alias.as_deref(), logic));
        level.embeds.iter().for_each(|embed| self.add_level(embed));
    }

    fn add_logic(&mut self, relation: &'a Name, alias: Option<&'a str>, logic: &'a PlannedLogic) {
        match logic {
            PlannedLogic::Filter { field, operation, .. } if has_parameter(operation) => {
                self.add(relation, alias, field);
            }
            PlannedLogic::Filter { .. } | PlannedLogic::NullEmbed { .. } => {}
            PlannedLogic::Group { items, .. } => items.iter().for_each(|item| self.add_logic(relation, alias, item)),
        }
    }

    fn add(&mut self, relation: &'a Name, alias: Option<&'a str>, field: &'a PlannedField) {
        let origin = if relation.schema.is_empty() && relation.name == SOURCE_CTE {
            Origin::Call
        } else if field.type_oid == 0 {
            Origin::Unknown(relation, alias)
        } else {
            Origin::Relation(relation)
        };
        let column = (origin, field.name.as_str());
        if !field.whole_row && field.name != "*" && !self.columns.contains(&column) {
            self.columns.push(column);
        }
    }

    /// Removes the columns of the root relation that the result already contains unchanged, because the result then already has their
    /// types.
    fn not_selected(mut self, root: &ReadPlan) -> Self {
        let is_star = root.select.is_empty() && root.embeds.is_empty();
        let shows = |select: &PlannedSelect, column: &str| {
            let field = &select.field;
            let is_plain = select.cast.is_none() && select.aggregate.is_none() && field.transform.is_none();
            is_plain && field.path.is_empty() && !field.whole_row && (field.name == column || field.name == "*")
        };
        self.columns.retain(|(origin, column)| {
            let is_shown = is_star || root.select.iter().any(|select| shows(select, column));
            !(is_shown && *origin == Origin::Relation(&root.from))
        });
        self
    }
}

/// Whether the comparison has a parameter whose type depends on the type of the column.
fn has_parameter(operation: &Operation) -> bool {
    match operation {
        Operation::Is(IsValue::Null | IsValue::NotNull | IsValue::True | IsValue::False | IsValue::Unknown) => false,
        Operation::Simple(..)
        | Operation::Quant(..)
        | Operation::In(_)
        | Operation::IsDistinct(_)
        | Operation::Fts { .. } => true,
    }
}

/// Start of a call of `array_eq`, which accepts only two arrays of the same type. If PostgreSQL reports that `array_eq` does not exist for
/// two types, the schema cache is outdated.
const SAME_TYPE: &str = "pg_catalog.array_eq(";

/// Whether PostgreSQL rejected a statement because the type of a column or of a function argument has changed since the schema cache was
/// loaded.
pub(crate) fn is_changed_type(error: &DbError) -> bool {
    let of_columns = || error.message.strip_prefix("function ").is_some_and(|rest| rest.starts_with(SAME_TYPE));
    // The column was a scalar when the schema cache was loaded, and is an array now. An error raised inside a function has a context and is
    // excluded.
    let of_arrays = || error.message.starts_with("column \"") && error.message.contains(" but expression is of type ");
    match error.code.as_str() {
        // PostgreSQL's message quotes the function's signature, and the signature starts with a quoted name.
        "42883" => of_columns() || error.message.starts_with("function \"\""),
        "42804" => error.context.is_none() && of_arrays(),
        _ => false,
    }
}

impl Sql {
    /// Appends a condition that is never evaluated. Because of the condition, PostgreSQL rejects the statement, even a prepared one, if the
    /// types of the columns differ from the schema cache. The schema cache determines how a request body is parsed: without the condition,
    /// a timestamp would be parsed as a date if the column was a date when the schema cache was loaded.
    pub(super) fn unchanged_types(&mut self, table: &Name, columns: &[PlannedField]) {
        let mut typed = columns.iter().filter(|column| column.transform.is_none()).peekable();
        if typed.peek().is_none() {
            return;
        }
        self.push(" WHERE CASE WHEN false THEN ").list(" AND ", typed, |sql, column| {
            // An array of arrays has the same type as an array of the inner arrays' elements.
            let (open, close) = if column.data_type.ends_with("[]") { ("", "") } else { ("ARRAY[", "]") };
            sql.push(SAME_TYPE).push(open).push("(NULL::").name(table).push(").").ident(&column.name).push(close);
            sql.push(", ").push(open).push("NULL::").push(&column.data_type).push(close).push(")");
        });
        self.push(" ELSE true END");
    }

    /// Appends a condition that is never evaluated. Because of the condition, PostgreSQL rejects the statement if the signature of the
    /// function differs from the schema cache, and does not convert an argument from its previous type to its current type.
    pub(super) fn unchanged_signature(&mut self, function: &Function) {
        if function.arguments.is_empty() {
            return;
        }
        let mut signature = Self::default();
        signature.name(&Name::new(&function.schema, &function.name)).push("(");
        signature.list(",", &function.arguments, |sql, argument| _ = sql.push(&argument.data_type)).push(")");
        self.push(" WHERE CASE WHEN false THEN ").literal(&signature.text);
        self.push("::pg_catalog.regprocedure IS NULL ELSE true END");
    }

    /// Appends the columns of `typed` to a list of result columns. In the result, these columns have a type but no value.
    pub(super) fn column_types(&mut self, typed: &TypedColumns<'_>) {
        for column in &typed.columns {
            self.push(", ").column_type(typed, *column);
        }
    }

    /// Appends a RETURNING clause with the columns of `typed` to a write that returns no other columns. In the result, these columns have a
    /// type but no value.
    pub(super) fn returning_types(&mut self, typed: &TypedColumns<'_>) {
        if !typed.columns.is_empty() {
            self.push(" RETURNING ").list(", ", &typed.columns, |sql, column| sql.column_type(typed, *column));
        }
    }

    /// Appends columns without a value to the result of a read without a CTE, one for each column whose type determines the type of a
    /// parameter.
    pub(super) fn hidden_types(&mut self, root: &ReadPlan) {
        let typed = TypedColumns::of_direct_read(root);
        self.hidden_columns = typed.columns.len();
        if self.text.ends_with("SELECT ") {
            self.list(", ", &typed.columns, |sql, column| sql.column_type(&typed, *column));
        } else {
            self.column_types(&typed);
        }
    }

    fn column_type(&mut self, typed: &TypedColumns<'_>, (origin, column): (Origin<'_>, &str)) {
        match (origin, typed.call) {
            (Origin::Relation(relation), _) => {
                self.push("CASE WHEN false THEN (NULL::").name(relation).push(").").ident(column).push(" END");
            }
            // PostgreSQL analyses the result columns before the conditions. An unknown column must cause the same error in the column that
            // is appended here as in the condition.
            (Origin::Root(root), _) => {
                let alias = root.from_alias.as_deref();
                let known_as = alias.map_or_else(|| root.from.clone(), Name::local);
                if root.is_grouped() {
                    self.push("array_agg(").column(&known_as, column).push(") FILTER (WHERE false)");
                } else {
                    self.push("CASE WHEN false THEN ").column(&known_as, column).push(" END");
                }
            }
            // The appended column has the same qualified name as in the condition.
            (Origin::Unknown(relation, alias), _) => {
                let known_as = alias.map_or_else(|| relation.clone(), Name::local);
                self.push("(SELECT ").column(&known_as, column).push(" FROM ").name(relation);
                if let Some(alias) = alias {
                    self.push(" AS ").ident(alias);
                }
                self.push(" WHERE false)");
            }
            (Origin::Call, Some(call)) => {
                self.push("(SELECT pgrst_call.").ident(column).push(" FROM ");
                // The result column of a scalar function is named `pgrst_scalar`, as in the function call.
                if call.function.returns_composite {
                    self.call_of_nulls(call);
                } else {
                    self.push("(SELECT ").call_of_nulls(call).push(" pgrst_scalar)");
                }
                self.push(" AS pgrst_call WHERE false)");
            }
            (Origin::Call, None) => _ = self.push("NULL"),
        }
    }
}
