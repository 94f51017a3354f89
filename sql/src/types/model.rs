//! What the generator knows of a database.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

/// The OID of a type.
pub(super) type Oid = i64;

/// The schemas asked for, and every type they may mention.
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
    pub(super) insertable: bool,
    pub(super) updatable: bool,
    pub(super) columns: Vec<Column>,
    pub(super) relationships: Vec<Relationship>,
}

#[derive(Deserialize)]
pub(super) struct Column {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: Oid,
    pub(super) nullable: bool,
    /// Whether an insert may leave it out.
    pub(super) optional: bool,
    /// Whether only the database writes it.
    pub(super) generated: bool,
}

#[derive(Deserialize)]
pub(super) struct Relationship {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) one_to_one: bool,
    pub(super) relation: String,
    pub(super) referenced: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Function {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) returns: Oid,
    pub(super) set: bool,
    pub(super) inputs: Vec<Input>,
    /// The columns of `returns table (…)` and of OUT parameters.
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
    /// `pg_type.typtype`.
    pub(super) kind: String,
    /// `pg_class.relkind` of a row type.
    pub(super) relation: String,
    pub(super) element: Option<Oid>,
    pub(super) base: Option<Oid>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) fields: Option<Vec<Field>>,
}

impl Schema {
    /// From the answers of the three catalog queries.
    pub(super) fn new(
        schemas: &[String],
        relations: Value,
        functions: Value,
        types: Value,
    ) -> Result<Self, serde_json::Error> {
        let types: Vec<Type> = serde_json::from_value(types)?;
        let mut schemas = schemas.to_vec();
        schemas.sort();
        Ok(Self {
            schemas,
            relations: serde_json::from_value(relations)?,
            functions: serde_json::from_value(functions)?,
            types: types.into_iter().map(|kind| (kind.oid, kind)).collect(),
        })
    }

    /// The types of a schema that fit, in the order of their names.
    pub(super) fn types_of(&self, schema: &str, fits: impl Fn(&Type) -> bool) -> Vec<&Type> {
        let mut found: Vec<&Type> = self.types.values().filter(|kind| kind.schema == schema && fits(kind)).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }
}
