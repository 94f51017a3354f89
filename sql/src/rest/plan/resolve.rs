//! Resolves fields against the schema cache: types, JSON paths, and the representation of domains.

use crate::rest::request::model::{Field, Filter, LogicTree, Operation};
use crate::schema_cache::{Column, Name, SchemaCache, Table};

use super::tree::{PlannedField, PlannedLogic};

/// The type that values are converted to for output.
const OUTPUT_TYPE: &str = "json";

/// Resolves the fields of one relation.
#[derive(Clone, Copy)]
pub(super) struct Resolver<'a> {
    pub(super) schema_cache: &'a SchemaCache,
    pub(super) table: Option<&'a Table>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(schema_cache: &'a SchemaCache, relation: &Name) -> Self {
        Self { schema_cache, table: schema_cache.tables.get(relation) }
    }

    /// A plain column without a path.
    pub(super) fn column(&self, column: &Column) -> PlannedField {
        PlannedField {
            name: column.name.clone(),
            data_type: column.nominal_type.clone(),
            type_oid: column.type_oid,
            default: column.default.clone(),
            ..PlannedField::default()
        }
    }

    /// Resolves a field, which may be unknown. A value that is not JSON is converted before a path is applied.
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

    /// Resolves a field that is read.
    pub(super) fn output(&self, field: PlannedField) -> PlannedField {
        let source = field.data_type.clone();
        self.transformed(field, &source, OUTPUT_TYPE)
    }

    /// Resolves a column that is written from JSON.
    pub(super) fn input(&self, field: PlannedField) -> PlannedField {
        let target = field.data_type.clone();
        self.transformed(field, "json", &target)
    }

    /// Resolves a field that is compared with a text.
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
