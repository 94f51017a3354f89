//! Builds the OpenAPI definitions: the row type of each relation.

use serde_json::{Map, Value, json};

use super::described::{Described, kind, typed};
use cloch_sql::schema_cache::{Cardinality, Column, Name, Relationship, SchemaCache, Table};

pub(super) fn definitions(described: &Described<'_>) -> Value {
    let definition = |table: &&Table| {
        let required: Vec<&str> =
            table.columns.iter().filter(|column| !column.nullable).map(|column| column.name.as_str()).collect();
        let properties: Map<String, Value> = table
            .columns
            .iter()
            .map(|column| (column.name.clone(), property(described.schema_cache, table, column)))
            .collect();
        let mut object = Map::new();
        if let Some(description) = &table.description {
            object.insert("description".to_owned(), description.clone().into());
        }
        if !required.is_empty() {
            object.insert("required".to_owned(), json!(required));
        }
        if !properties.is_empty() {
            object.insert("properties".to_owned(), properties.into());
        }
        object.insert("type".to_owned(), "object".into());
        (table.name.clone(), Value::Object(object))
    };
    Value::Object(described.tables.iter().map(definition).collect())
}

fn property(schema_cache: &SchemaCache, table: &Table, column: &Column) -> Value {
    let mut object = typed(&column.data_type);
    if let Some(default) = column.default.as_deref().and_then(|default| default_value(&column.data_type, default)) {
        object.insert("default".to_owned(), default);
    }
    if let Some(description) = description(schema_cache, table, column) {
        object.insert("description".to_owned(), description.into());
    }
    if !column.enum_labels.is_empty() {
        object.insert("enum".to_owned(), json!(column.enum_labels));
    }
    if let Some(length) = column.max_length {
        object.insert("maxLength".to_owned(), length.into());
    }
    Value::Object(object)
}

/// Returns the default of a column as JSON, if the default is a literal of a text column or an expression that is valid JSON. Returns
/// `None` for other defaults.
fn default_value(data_type: &str, default: &str) -> Option<Value> {
    if kind(data_type) == Some("string") {
        let literal = default.strip_suffix(&format!("::{data_type}")).map(|text| text.trim_matches('\''));
        // The literal is parsed as the content of a JSON string. A literal with quotes or invalid escapes is omitted.
        return serde_json::from_str(&format!("\"{}\"", literal.unwrap_or(default))).ok();
    }
    serde_json::from_str(default).ok()
}

/// Returns the SQL comment of a column, with notes about the primary key and foreign keys that contain the column.
fn description(schema_cache: &SchemaCache, table: &Table, column: &Column) -> Option<String> {
    let mut notes = Vec::new();
    if table.primary_key.contains(&column.name) {
        notes.push("This is a Primary Key.<pk/>".to_owned());
    }
    if let Some((foreign, foreign_column)) = reference(schema_cache, table, column) {
        notes.push(format!(
            "This is a Foreign Key to `{foreign}.{foreign_column}`.<fk table='{foreign}' column='{foreign_column}'/>"
        ));
    }
    if notes.is_empty() {
        return column.description.clone();
    }
    let comment = column.description.as_ref().map(|comment| format!("{comment}\n\n")).unwrap_or_default();
    Some(format!("{comment}Note:\n{}", notes.join("\n")))
}

/// Returns the table and column that a single-column foreign key of `column` references. Tables have precedence over views.
fn reference<'a>(schema_cache: &'a SchemaCache, table: &Table, column: &Column) -> Option<(&'a str, &'a str)> {
    let origin = Name::new(&table.schema, &table.name);
    let fits = |relationship: &&'a Relationship| match relationship {
        Relationship::Key { cardinality, columns, is_parent, .. } => {
            matches!(cardinality, Cardinality::ManyToOne | Cardinality::OneToOne)
                && !is_parent
                && matches!(columns.as_slice(), [(own, _)] if *own == column.name)
        }
        Relationship::Computed { .. } => false,
    };
    let mut found: Vec<&Relationship> = schema_cache.relationships_of(&origin).into_iter().filter(fits).collect();
    found.sort_by_key(|relationship| matches!(relationship, Relationship::Key { foreign_is_view: true, .. }));
    match found.first()? {
        Relationship::Key { foreign_table, columns, .. } => Some((&foreign_table.name, &columns.first()?.1)),
        Relationship::Computed { .. } => None,
    }
}
