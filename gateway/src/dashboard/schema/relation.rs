//! Columns of a relation from PostgreSQL's catalog. Statements about rows contain only the names and types that this file returns.

use cloch_rest::sql::quoted;
use sqlx::PgPool;

use crate::dashboard::ApiError;

#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::dashboard) struct Column {
    pub(in crate::dashboard) name: String,
    /// PostgreSQL type of the column as returned by `format_type`, quoted if necessary.
    pub(in crate::dashboard) type_name: String,
    /// Whether the column's value can have a long text form although its type is not text (for example jsonb or an array).
    pub(in crate::dashboard) is_large: bool,
    pub(in crate::dashboard) is_required: bool,
    /// Whether only PostgreSQL sets the column's value (generated column or `generated always as identity`).
    pub(in crate::dashboard) is_generated: bool,
    /// Whether the column is `generated always as identity`, which an insert can set with `overriding system value`.
    pub(in crate::dashboard) is_identity: bool,
    /// Whether the column is part of the key that identifies a row.
    pub(in crate::dashboard) is_key: bool,
    estimate: i64,
}

#[derive(Clone, Debug)]
pub(in crate::dashboard) struct Relation {
    pub(in crate::dashboard) schema: String,
    pub(in crate::dashboard) name: String,
    pub(in crate::dashboard) columns: Vec<Column>,
}

impl Relation {
    pub(in crate::dashboard) async fn find(pool: &PgPool, schema: &str, name: &str) -> Result<Self, ApiError> {
        let columns: Vec<Column> =
            sqlx::query_as(include_str!("relation.sql")).bind(schema).bind(name).fetch_all(pool).await?;
        if columns.is_empty() {
            return Err(ApiError::not_found("There is no such table").with_hint("It may have been renamed or dropped"));
        }
        Ok(Self { schema: schema.to_owned(), name: name.to_owned(), columns })
    }

    pub(in crate::dashboard) fn quoted(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }

    pub(in crate::dashboard) fn column(&self, name: &str) -> Result<&Column, ApiError> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| {
            let message = format!("{} has no column {name}", self.name);
            ApiError::bad_request(message).with_hint("Load the table again: its columns may have changed")
        })
    }

    /// Returns the columns of the key that identifies a row; empty if the relation has no key.
    pub(in crate::dashboard) fn key(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.is_key)
    }

    /// Returns the number of rows of the relation that the last run of `analyze` estimated; `None` before the first run.
    pub(in crate::dashboard) fn estimate(&self) -> Option<i64> {
        self.columns.first().map(|column| column.estimate).filter(|rows| *rows >= 0)
    }
}

impl Column {
    pub(in crate::dashboard) fn quoted(&self) -> String {
        quoted(&self.name)
    }

    #[cfg(test)]
    pub(in crate::dashboard) fn sample(name: &str, type_name: &str, is_key: bool) -> Self {
        Self {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            is_large: false,
            is_required: is_key,
            is_generated: false,
            is_identity: false,
            is_key,
            estimate: 10,
        }
    }
}
