//! Plans a write: INSERT, upsert, UPDATE or DELETE.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::Planner;
use super::resolve::Resolver;
use super::tree::{PlannedField, PlannedLogic, ReadPlan};
use super::values::plain_values;
use crate::error::ApiError;
use crate::request::model::{Operation, QuantOperator};
use crate::request::{Missing, Mutation, Payload, Resolution, Return};
use cloch_sql::schema_cache::{Cardinality, Name, Relationship, Table};

/// A planned write to a relation.
#[derive(Debug, Clone)]
pub struct WritePlan {
    /// Written table or view.
    pub table: Name,
    /// Kind of write with its columns, values and conditions.
    pub kind: WriteKind,
    /// Names of the columns in RETURNING; empty if the response contains no rows.
    pub returning: Vec<String>,
}

/// Kind of a write with its columns, values and conditions.
#[derive(Debug, Clone)]
pub enum WriteKind {
    /// Inserts rows, or updates existing rows on a conflict (upsert).
    Insert {
        /// Inserted columns.
        columns: Vec<PlannedField>,
        /// Inserted rows as JSON.
        body: Bytes,
        /// Values of a single inserted row, each bound as a parameter; an inner `None` is SQL NULL. The outer `None` means that PostgreSQL
        /// parses `body`.
        row: Option<Vec<Option<Bytes>>>,
        /// Resolution of conflicts with existing rows, and the columns that identify a conflict; `None` if a conflict is an error.
        on_conflict: Option<(Resolution, Vec<String>)>,
        /// For PUT, the conditions that the inserted or updated row must meet; empty for POST.
        conditions: Vec<PlannedLogic>,
        /// Primary key of the table, with which the `Location` header is built; empty for PUT.
        primary_key: Vec<String>,
        /// Whether a value that is missing in the body becomes the column's default instead of NULL.
        apply_defaults: bool,
    },
    /// Updates existing rows.
    Update {
        /// Updated columns.
        columns: Vec<PlannedField>,
        /// New values as JSON.
        body: Bytes,
        /// Conditions on the updated rows.
        conditions: Vec<PlannedLogic>,
        /// Whether a value that is missing in the body becomes the column's default instead of NULL.
        apply_defaults: bool,
    },
    /// Deletes rows.
    Delete {
        /// Conditions on the deleted rows.
        conditions: Vec<PlannedLogic>,
    },
}

impl WritePlan {
    /// Whether the write is an UPDATE that sets no column.
    #[must_use]
    pub fn changes_nothing(&self) -> bool {
        matches!(&self.kind, WriteKind::Update { columns, .. } if columns.is_empty())
    }
}

impl Planner<'_> {
    pub(super) fn write(&self, mutation: Mutation, table: &Name, read: &ReadPlan) -> Result<WritePlan, ApiError> {
        let Some(known) = self.schema_cache.tables.get(table) else {
            return Err(ApiError::no_table(table, self.schema_cache, self.role));
        };
        let returning = match self.request.preferences.representation {
            None | Some(Return::Minimal) => Vec::new(),
            Some(Return::HeadersOnly) => needed_columns(read, &known.primary_key),
            // The primary key is not added to the needed columns, because the caller may have no right to read it. It is returned only if
            // no other column is needed.
            Some(Return::Representation) => match needed_columns(read, &[]) {
                none if none.is_empty() => known.primary_key.clone(),
                needed => needed,
            },
        };
        let body = self.request.payload.as_ref().map(Payload::body).unwrap_or_default();
        let apply_defaults = self.request.preferences.missing == Some(Missing::Default);
        let kind = match mutation {
            Mutation::Insert => {
                let columns = self.columns(known, table)?;
                let on = self.request.query.on_conflict.as_ref().unwrap_or(&known.primary_key);
                let on_conflict = self.request.preferences.resolution.map(|resolution| (resolution, on.clone()));
                let merges = matches!(on_conflict, Some((Resolution::Merge, _)));
                WriteKind::Insert {
                    row: if merges || apply_defaults { None } else { only_row(&columns, &body) },
                    columns,
                    body,
                    on_conflict,
                    conditions: Vec::new(),
                    primary_key: known.primary_key.clone(),
                    apply_defaults,
                }
            }
            Mutation::Upsert => {
                self.check_put(known)?;
                WriteKind::Insert {
                    columns: self.columns(known, table)?,
                    body,
                    row: None,
                    on_conflict: Some((Resolution::Merge, known.primary_key.clone())),
                    conditions: self.conditions(table),
                    primary_key: Vec::new(),
                    apply_defaults: false,
                }
            }
            Mutation::Update => WriteKind::Update {
                conditions: self.checked_conditions("UPDATE", table)?,
                columns: self.columns(known, table)?,
                body,
                apply_defaults,
            },
            Mutation::Delete => WriteKind::Delete { conditions: self.checked_conditions("DELETE", table)? },
        };
        Ok(WritePlan { table: table.clone(), kind, returning })
    }

    /// Checks that the filters of a PUT identify one row by its complete primary key.
    fn check_put(&self, table: &Table) -> Result<(), ApiError> {
        let query = &self.request.query;
        let is_equality = |operation: &Operation| matches!(operation, Operation::Quant(QuantOperator::Equal, None, _));
        let key: BTreeSet<&str> = table.primary_key.iter().map(String::as_str).collect();
        let named: BTreeSet<&str> = query.filter_fields.iter().map(String::as_str).collect();
        let fits = query.logic.is_empty()
            && !key.is_empty()
            && key == named
            && query.root_filters().all(|filter| !filter.negated && is_equality(&filter.operation));
        if fits { Ok(()) } else { Err(ApiError::put_filters()) }
    }

    fn columns(&self, table: &Table, name: &Name) -> Result<Vec<PlannedField>, ApiError> {
        let resolver = Resolver { schema_cache: self.schema_cache, table: Some(table) };
        let column = |column: &String| match table.column(column) {
            Some(known) => Ok(resolver.input(resolver.column(known))),
            None => Err(ApiError::no_column(&name.name, column)),
        };
        self.request.columns.iter().map(column).collect()
    }

    /// Returns the conditions on the written relation: first the filters, then the `and`/`or` trees.
    fn conditions(&self, table: &Name) -> Vec<PlannedLogic> {
        let resolver = Resolver::new(self.schema_cache, table);
        let filters = self.request.query.root_filters().map(|filter| resolver.filter(filter));
        let trees = self.request.query.logic.iter().map(|(_, tree)| resolver.logic(tree));
        filters.chain(trees).collect()
    }

    /// Returns the conditions on the written relation: first the filters, then the `and`/`or` trees.
    ///
    /// # Errors
    /// Fails if an UPDATE or DELETE has no condition and the settings require a condition.
    fn checked_conditions(&self, statement: &str, table: &Name) -> Result<Vec<PlannedLogic>, ApiError> {
        let conditions = self.conditions(table);
        let changes_nothing = statement == "UPDATE" && self.request.columns.is_empty();
        if conditions.is_empty() && self.settings.require_where && !changes_nothing {
            return Err(ApiError::no_where(statement));
        }
        Ok(conditions)
    }
}

/// If the body is a single JSON object and each of its values can be bound as a parameter, returns the values; otherwise `None`. Must not
/// be called for an upsert that updates existing rows, because the statement of such an upsert counts the inserted rows in the `SELECT`
/// that reads the body.
fn only_row(columns: &[PlannedField], body: &[u8]) -> Option<Vec<Option<Bytes>>> {
    if columns.is_empty() || columns.iter().any(|column| column.transform.is_some()) {
        return None;
    }
    plain_values(columns.iter().map(|column| (column.name.as_str(), column.data_type.as_str())), body)
}

/// Returns the columns that the statement of a write or function must return so that the read of the returned rows can select, join and
/// sort by these columns. Returns no column if the request selects none.
pub(super) fn needed_columns(read: &ReadPlan, primary_key: &[String]) -> Vec<String> {
    let selected = || read.select.iter().map(|select| select.field.name.as_str());
    let all = || vec!["*".to_owned()];
    if selected().any(|name| name == "*") {
        return all();
    }
    let mut needed: BTreeSet<&str> = selected().chain(primary_key.iter().map(String::as_str)).collect();
    for embed in &read.embeds {
        match &embed.relationship {
            Some(Relationship::Key { cardinality: Cardinality::ManyToMany(junction), .. }) => {
                needed.extend(junction.origin_columns.iter().map(|(column, _)| column.as_str()));
            }
            Some(Relationship::Key { columns, .. }) => needed.extend(columns.iter().map(|(own, _)| own.as_str())),
            Some(Relationship::Computed { .. }) => return all(),
            None => {}
        }
    }
    if !needed.is_empty() {
        let own = read.order.iter().filter(|term| term.relation.is_none());
        needed.extend(own.map(|term| term.field.name.as_str()));
    }
    needed.into_iter().map(str::to_owned).collect()
}
