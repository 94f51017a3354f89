//! Creates the SQL text of row changes. The operator reads the text before it runs. Names come from PostgreSQL's catalog, values are
//! literals.

use cloch_rest::sql::quoted;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::dashboard::ApiError;
use crate::dashboard::schema::{Column, Relation};

/// Maximum number of row changes in a request.
pub(super) const MAX_CHANGES: usize = 500;

/// Insert, update or deletion of one row.
#[derive(Debug, Deserialize)]
pub(super) struct Change {
    pub(super) kind: Kind,
    pub(super) schema: String,
    pub(super) table: String,
    #[serde(default)]
    key: Map<String, Value>,
    /// New values by column: text, null, or `{"default": true}`.
    #[serde(default)]
    values: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Insert,
    Update,
    Delete,
}

impl Change {
    /// Returns the SQL statement of the row change. The statement affects at most one row.
    pub(super) fn sql(&self, relation: &Relation) -> Result<String, ApiError> {
        match self.kind {
            Kind::Insert => self.insert(relation),
            Kind::Update => {
                let mut parts = Vec::new();
                for (name, value) in &self.values {
                    let column = writable(relation, name)?;
                    parts.push(format!("{} = {}", column.quoted(), value_sql(value)));
                }
                if parts.is_empty() {
                    return Err(ApiError::bad_request("An update needs values"));
                }
                Ok(format!(
                    "update {}\n   set {}\n where {};",
                    relation.quoted(),
                    parts.join(",\n       "),
                    self.row(relation)?
                ))
            }
            Kind::Delete => Ok(format!("delete from {}\n where {};", relation.quoted(), self.row(relation)?)),
        }
    }

    fn insert(&self, relation: &Relation) -> Result<String, ApiError> {
        if self.values.is_empty() {
            return Ok(format!("insert into {} default values;", relation.quoted()));
        }
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (name, value) in &self.values {
            names.push(writable(relation, name)?.quoted());
            values.push(value_sql(value));
        }
        Ok(format!("insert into {} ({})\nvalues ({});", relation.quoted(), names.join(", "), values.join(", ")))
    }

    /// Returns the condition that selects the changed row: an equality for every key column. Refuses a request that does not contain all key
    /// columns.
    fn row(&self, relation: &Relation) -> Result<String, ApiError> {
        let key: Vec<&Column> = relation.key().collect();
        let is_whole = key.len() == self.key.len() && key.iter().all(|column| self.key.contains_key(&column.name));
        if key.is_empty() || !is_whole {
            let message = format!("{} has no such key to find one row by", relation.name);
            return Err(ApiError::bad_request(message).with_hint("Give the table a primary key to edit its rows"));
        }
        let mut parts = Vec::new();
        for column in key {
            let value = self.key.get(&column.name).unwrap_or(&Value::Null);
            if value.is_null() {
                return Err(ApiError::bad_request(format!("The key's column {} has no value", column.name)));
            }
            parts.push(format!("{} = {}", quoted(&column.name), value_sql(value)));
        }
        Ok(parts.join(" and "))
    }
}

fn writable<'a>(relation: &'a Relation, name: &str) -> Result<&'a Column, ApiError> {
    let column = relation.column(name)?;
    match column.is_generated {
        true => Err(ApiError::bad_request(format!("PostgreSQL alone gives {name} its values"))),
        false => Ok(column),
    }
}

/// Returns a value as an SQL literal without a type. PostgreSQL converts the literal to the column's type and refuses values that do not fit.
/// An explicit cast is not used, because it could truncate a value.
fn value_sql(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => literal(text),
        Value::Object(object) if object.len() == 1 && object.get("default") == Some(&Value::Bool(true)) => {
            "default".to_owned()
        }
        other => literal(&other.to_string()),
    }
}

/// Returns a text as an SQL literal. The literal is valid whether `standard_conforming_strings` is on or off.
pub(in crate::dashboard) fn literal(text: &str) -> String {
    let escaped = text.replace('\'', "''");
    match escaped.contains('\\') {
        true => format!("E'{}'", escaped.replace('\\', "\\\\")),
        false => format!("'{escaped}'"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn relation() -> Relation {
        let mut columns = vec![Column::sample("id", "bigint", true), Column::sample("na\"me", "text", false)];
        let mut generated = Column::sample("made", "text", false);
        generated.is_generated = true;
        columns.push(generated);
        Relation { schema: "public".into(), name: "\"; drop".into(), columns }
    }

    fn sql(change: Value) -> Result<String, ApiError> {
        serde_json::from_value::<Change>(change).unwrap().sql(&relation())
    }

    #[test]
    fn literals_stand_for_themselves() {
        assert_eq!(literal("it's"), "'it''s'");
        assert_eq!(literal(r"a\'b"), r"E'a\\''b'");
        assert_eq!(literal(""), "''");
    }

    #[test]
    fn each_change_is_one_statement_with_quoted_names() {
        let (schema, table) = ("public", "\"; drop");
        let update = json!({ "kind": "update", "schema": schema, "table": table, "key": { "id": "1" },
                             "values": { "na\"me": "x'; drop table y; --" } });
        assert_eq!(
            sql(update).unwrap(),
            "update \"public\".\"\"\"; drop\"\n   set \"na\"\"me\" = 'x''; drop table y; --'\n where \"id\" = '1';"
        );
        let insert = json!({ "kind": "insert", "schema": schema, "table": table, "values": { "id": { "default": true }, "na\"me": null } });
        assert_eq!(
            sql(insert).unwrap(),
            "insert into \"public\".\"\"\"; drop\" (\"id\", \"na\"\"me\")\nvalues (default, null);"
        );
        let delete = json!({ "kind": "delete", "schema": schema, "table": table, "key": { "id": 1 } });
        assert_eq!(sql(delete).unwrap(), "delete from \"public\".\"\"\"; drop\"\n where \"id\" = '1';");
    }

    #[test]
    fn a_row_without_its_whole_key_is_refused() {
        for key in [json!({}), json!({ "id": null }), json!({ "na\"me": "x" }), json!({ "id": 1, "na\"me": "x" })] {
            let delete = json!({ "kind": "delete", "schema": "public", "table": "x", "key": key });
            assert!(sql(delete).is_err());
        }
        let update = json!({ "kind": "update", "schema": "public", "table": "x", "key": { "id": 1 } });
        assert!(sql(update.clone()).is_err(), "no values");
        let mut update = update;
        update["values"] = json!({ "made": "x" });
        assert!(sql(update).is_err(), "generated");
    }
}
