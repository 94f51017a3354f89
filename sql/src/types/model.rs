//! Model of a database schema for the TypeScript type generator.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::schema_cache::{Lineage, Reference};

pub(super) type Oid = i64;

pub(super) struct Schema {
    pub(super) schemas: Vec<String>,
    pub(super) relations: Vec<Relation>,
    pub(super) functions: Vec<Function>,
    pub(super) types: HashMap<Oid, Type>,
}

#[derive(Deserialize)]
pub(super) struct Relation {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) is_view: bool,
    oid: u32,
    pub(super) row_type: Oid,
    pub(super) insertable: bool,
    pub(super) updatable: bool,
    pub(super) columns: Vec<Column>,
    /// Foreign keys of the table, or foreign keys that the view exposes; sorted.
    #[serde(skip)]
    pub(super) relationships: Vec<Relationship>,
}

#[derive(Deserialize)]
pub(super) struct Column {
    pub(super) name: String,
    number: i16,
    #[serde(rename = "type")]
    pub(super) kind: Oid,
    pub(super) nullable: bool,
    /// Whether an insert may omit the column.
    pub(super) optional: bool,
    pub(super) generated: bool,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Relationship {
    pub(super) name: String,
    pub(super) relation: String,
    pub(super) referenced: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) one_to_one: bool,
}

#[derive(Deserialize)]
pub(super) struct Function {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) returns: Oid,
    pub(super) set: bool,
    /// Whether the function returns a set of at most one row (`rows 1`).
    pub(super) single: bool,
    pub(super) is_table: bool,
    pub(super) inputs: Vec<Input>,
    /// Columns of `returns table (…)` and OUT parameters.
    pub(super) columns: Option<Vec<Field>>,
}

#[derive(Deserialize)]
pub(super) struct Input {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: Oid,
    pub(super) optional: bool,
}

#[derive(Deserialize)]
pub(super) struct Field {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: Oid,
}

#[derive(Deserialize)]
pub(super) struct Type {
    pub(super) oid: Oid,
    pub(super) schema: String,
    pub(super) name: String,
    /// Value of `pg_type.typtype`.
    pub(super) kind: String,
    /// Value of `pg_class.relkind` if the type is a row type.
    pub(super) relation: String,
    pub(super) element: Option<Oid>,
    pub(super) base: Option<Oid>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) fields: Option<Vec<Field>>,
}

impl Schema {
    pub(super) fn new(
        schemas: &[String],
        relations: Value,
        functions: Value,
        types: Value,
        lineage: &Lineage,
    ) -> Result<Self, serde_json::Error> {
        let types: Vec<Type> = serde_json::from_value(types)?;
        let mut schemas = schemas.to_vec();
        schemas.sort();
        let mut relations: Vec<Relation> = serde_json::from_value(relations)?;
        for relation in &mut relations {
            relation.take(lineage);
        }
        Ok(Self {
            schemas,
            relations,
            functions: serde_json::from_value(functions)?,
            types: types.into_iter().map(|kind| (kind.oid, kind)).collect(),
        })
    }

    pub(super) fn relation_of(&self, row_type: Oid) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.row_type == row_type)
    }

    /// Returns the functions whose only argument is a row of the relation (computed fields). A column hides a function of the same name.
    pub(super) fn computed_fields<'a>(&'a self, relation: &Relation) -> Vec<&'a Function> {
        let takes_row = |function: &&Function| {
            function.schema == relation.schema
                && relation.columns.iter().all(|column| column.name != function.name)
                && matches!(function.inputs.as_slice(), [only] if only.kind == relation.row_type)
        };
        self.functions.iter().filter(takes_row).collect()
    }

    /// Returns the database types of a schema for which `fits` returns true, sorted by name.
    pub(super) fn types_of(&self, schema: &str, fits: impl Fn(&Type) -> bool) -> Vec<&Type> {
        let mut found: Vec<&Type> = self.types.values().filter(|kind| kind.schema == schema && fits(kind)).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }
}

impl Relation {
    /// Sets the foreign keys of the table or view within its schema, and marks the view columns that cannot be null as not nullable.
    fn take(&mut self, lineage: &Lineage) {
        let own = |name: &crate::schema_cache::Name| name.schema == self.schema && name.name == self.name;
        let links = lineage.references.iter().filter(|link| own(&link.from) && link.to.schema == self.schema);
        self.relationships = links.map(Relationship::of).collect();
        self.relationships.sort();
        for column in &mut self.columns {
            column.nullable &= !lineage.not_null.contains(&(self.oid, column.number));
        }
    }
}

impl Relationship {
    fn of(link: &Reference) -> Self {
        let (columns, referenced) = link.columns.iter().cloned().unzip();
        let (name, relation) = (link.constraint.clone(), link.to.name.clone());
        Self { name, relation, columns, referenced, one_to_one: link.one_to_one }
    }
}
