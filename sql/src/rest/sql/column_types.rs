//! Columns without a value at the end of a result, one for each column whose type PostgreSQL has inferred for a parameter.
//!
//! PostgreSQL infers the type of a parameter when the statement is prepared, and keeps it. After `alter column … type` a prepared statement
//! with `at < $1` would still read `2024-01-01T10:00` as the date that the column was, and would find, change or delete other rows.
//! PostgreSQL refuses a prepared statement whose result has other types than before ("cached plan must not change result type"), in the
//! transaction that runs it and whether or not anybody was notified. So the types become part of the result; the client prepares a refused
//! statement again.
//!
//! PostgreSQL replaces `CASE WHEN false` by a NULL of its type when it plans: no value is read, and no privilege is needed.

use super::builder::Sql;
use crate::client::DbError;
use crate::rest::plan::tree::{PlannedField, PlannedLogic, PlannedSelect, ReadPlan, SOURCE_CTE};
use crate::rest::plan::{CallPlan, RowsPlan, Source, WriteKind, WritePlan};
use crate::rest::request::model::{IsValue, Operation};
use crate::schema_cache::{Function, Name};

/// Where a column's type is found.
#[derive(Clone, Copy, PartialEq)]
enum Origin<'a> {
    /// A column of a relation.
    Relation(&'a Name),
    /// A column of a direct read's root that the schema cache does not know.
    Root(&'a ReadPlan),
    /// A column that the schema cache does not know, such as a computed one, of a relation with this alias.
    Unknown(&'a Name, Option<&'a str>),
    /// A column of a function's result. Not compared: a plan has one call.
    Call,
}

/// Columns that parameters are compared with or stored in, each once.
#[derive(Default)]
pub(super) struct TypedColumns<'a> {
    columns: Vec<(Origin<'a>, &'a str)>,
    call: Option<&'a CallPlan>,
}

impl<'a> TypedColumns<'a> {
    /// Those of a read, write or call, and of its embeds.
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

    /// Those of a direct read that are not in its result as they are.
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

    /// Those of a direct write.
    pub(super) fn of_write(write: &'a WritePlan) -> Self {
        let mut found = Self::default();
        found.add_write(write);
        found
    }

    /// Those of a level and of its embeds.
    pub(super) fn of_level(level: &'a ReadPlan) -> Self {
        let mut found = Self::default();
        found.add_level(level);
        found
    }

    /// Those of a relation's conditions.
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

    /// Without the columns of the root that are in the result as they are.
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

/// Whether the comparison has a parameter whose type depends on the column's.
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

/// A function that takes two arrays of the same type. Where PostgreSQL finds none for two types, the schema cache is out of date.
const SAME_TYPE: &str = "pg_catalog.array_eq(";

/// Whether PostgreSQL has refused a statement that names other types than its columns or the function's arguments have.
pub(in crate::rest) fn is_changed_type(error: &DbError) -> bool {
    let of_columns = || error.message.strip_prefix("function ").is_some_and(|rest| rest.starts_with(SAME_TYPE));
    // A scalar that the column was, where it is an array of such by now. A function's own statement has a context.
    let of_arrays = || error.message.starts_with("column \"") && error.message.contains(" but expression is of type ");
    match error.code.as_str() {
        // The signature is quoted, and its names are.
        "42883" => of_columns() || error.message.starts_with("function \"\""),
        "42804" => error.context.is_none() && of_arrays(),
        _ => false,
    }
}

impl Sql {
    /// A condition that is never evaluated. PostgreSQL refuses the statement, also a prepared one, if the columns have other types than the
    /// schema cache's, by which a body is read: a timestamp would be read as the date that the column was.
    pub(super) fn unchanged_types(&mut self, table: &Name, columns: &[PlannedField]) {
        let mut typed = columns.iter().filter(|column| column.transform.is_none()).peekable();
        if typed.peek().is_none() {
            return;
        }
        self.push(" WHERE CASE WHEN false THEN ").list(" AND ", typed, |sql, column| {
            // An array of arrays has the type of an array of their elements.
            let (open, close) = if column.data_type.ends_with("[]") { ("", "") } else { ("ARRAY[", "]") };
            sql.push(SAME_TYPE).push(open).push("(NULL::").name(table).push(").").ident(&column.name).push(close);
            sql.push(", ").push(open).push("NULL::").push(&column.data_type).push(close).push(")");
        });
        self.push(" ELSE true END");
    }

    /// The same for a call. PostgreSQL would convert an argument to the type that it has by now, from the type that it had.
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

    /// The columns at the end of a list of results.
    pub(super) fn column_types(&mut self, typed: &TypedColumns<'_>) {
        for column in &typed.columns {
            self.push(", ").column_type(typed, *column);
        }
    }

    /// The columns as the whole list of results of a write that returns nothing else.
    pub(super) fn returning_types(&mut self, typed: &TypedColumns<'_>) {
        if !typed.columns.is_empty() {
            self.push(" RETURNING ").list(", ", &typed.columns, |sql, column| sql.column_type(typed, *column));
        }
    }

    /// The columns behind the rows of a direct read.
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
            // PostgreSQL reads the results before the conditions, and its error has to be the same if there is no such column.
            (Origin::Root(root), _) => {
                let alias = root.from_alias.as_deref();
                let known_as = alias.map_or_else(|| root.from.clone(), Name::local);
                if root.is_grouped() {
                    self.push("array_agg(").column(&known_as, column).push(") FILTER (WHERE false)");
                } else {
                    self.push("CASE WHEN false THEN ").column(&known_as, column).push(" END");
                }
            }
            // As the condition names it.
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
                // A scalar has the name that the call gives it.
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
