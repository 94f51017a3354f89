//! Resolves fields against the schema cache: data types, JSON paths, and representations of domains.

use crate::request::model::{Field, Filter, LogicTree, Operation};
use cloch_sql::schema_cache::{Column, Name, SchemaCache, Table};

use super::tree::{PlannedField, PlannedLogic};

/// Target type of the casts that convert domain values for output.
const OUTPUT_TYPE: &str = "json";

/// Resolves field names of one relation to columns of the schema cache.
#[derive(Clone, Copy)]
pub(super) struct Resolver<'a> {
    pub(super) schema_cache: &'a SchemaCache,
    pub(super) table: Option<&'a Table>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(schema_cache: &'a SchemaCache, relation: &Name) -> Self {
        Self { schema_cache, table: schema_cache.tables.get(relation) }
    }

    /// Returns the planned field of a column in the schema cache, without a JSON path.
    pub(super) fn column(&self, column: &Column) -> PlannedField {
        PlannedField {
            name: column.name.clone(),
            data_type: column.nominal_type.clone(),
            type_oid: column.type_oid,
            default: column.default.clone(),
            ..PlannedField::default()
        }
    }

    /// Resolves a field whose column may be missing in the schema cache. If the column's type is not JSON, the column is converted to JSON
    /// before the path is applied.
    pub(super) fn field(&self, field: &Field) -> PlannedField {
        let column = self.table.and_then(|table| table.column(&field.name));
        let known = column.map_or_else(|| PlannedField::unknown(&field.name, Vec::new()), |column| self.column(column));
        let is_json = matches!(known.data_type.as_str(), "json" | "jsonb");
        PlannedField { path: field.path.clone(), to_json: !is_json, ..known }
    }

    fn transformed(&self, field: PlannedField, source: &str, target: &str) -> PlannedField {
        match self.schema_cache.representation(source, target) {
            Some(function) => {
                PlannedField { data_type: source.to_owned(), transform: Some(function.to_owned()), ..field }
            }
            None => field,
        }
    }

    /// Resolves a selected field: sets the function that converts the column's domain type to JSON (PostgREST's domain representations), if
    /// there is one.
    pub(super) fn output(&self, field: PlannedField) -> PlannedField {
        let source = field.data_type.clone();
        self.transformed(field, &source, OUTPUT_TYPE)
    }

    /// Resolves a written column: sets the function that converts JSON to the column's domain type (PostgREST's domain representations), if
    /// there is one.
    pub(super) fn input(&self, field: PlannedField) -> PlannedField {
        let target = field.data_type.clone();
        self.transformed(field, "json", &target)
    }

    /// Resolves a filter: applies the conversion from text that the column's domain defines, if any.
    pub(super) fn filter(&self, filter: &Filter) -> PlannedLogic {
        let mut field = self.field(&filter.field);
        if let Operation::Fts { language, .. } = &filter.operation {
            let is_tsvector = self
                .table
                .and_then(|table| table.column(&filter.field.name))
                .is_some_and(|column| column.data_type == "tsvector");
            let is_known = !field.data_type.is_empty();
            field.to_tsvector = (is_known && !is_tsvector).then(|| language.clone());
        }
        let target = field.data_type.clone();
        let field = self.transformed(field, "text", &target);
        PlannedLogic::Filter { field, negated: filter.negated, operation: filter.operation.clone() }
    }

    pub(super) fn logic(&self, tree: &LogicTree) -> PlannedLogic {
        match tree {
            LogicTree::Filter(filter) => self.filter(filter),
            LogicTree::Group { negated, operator, items } => PlannedLogic::Group {
                negated: *negated,
                operator: *operator,
                items: items.iter().map(|item| self.logic(item)).collect(),
            },
        }
    }
}
