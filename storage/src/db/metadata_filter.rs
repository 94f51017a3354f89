//! Translates the filter of a vector search into a SQL condition. All keys and values of the filter are bound parameters.

use serde_json::Value;
use sqlx::{Postgres, QueryBuilder};

use crate::model::metadata_filter::{Comparison, Condition, Filter};

/// Appends the filter as a SQL condition on the column `metadata` of the vectors.
pub(crate) fn push(query: &mut QueryBuilder<Postgres>, filter: &Filter) {
    match filter {
        Filter::All(filters) => push_joined(query, filters, " and "),
        Filter::Any(filters) => push_joined(query, filters, " or "),
        Filter::Field { key, condition } => push_field(query, key, condition),
    }
}

fn push_joined(query: &mut QueryBuilder<Postgres>, filters: &[Filter], operator: &str) {
    query.push("(");
    for (index, filter) in filters.iter().enumerate() {
        if index > 0 {
            query.push(operator);
        }
        push(query, filter);
    }
    query.push(")");
}

/// Appends a SQL condition on the metadata field `key`. `@>` is true if the field equals the value or is a list that contains the value. If
/// a vector lacks the field, the SQL conditions for `In` and `NotIn` are null. Null counts as false, because no filter negates a condition.
fn push_field(query: &mut QueryBuilder<Postgres>, key: &str, condition: &Condition) {
    match condition {
        Condition::In(values) => push_contains(query, key, values),
        Condition::NotIn(values) => {
            query.push("not ");
            push_contains(query, key, values);
        }
        Condition::Compare(comparison, number) => {
            query.push("(jsonb_typeof(v.metadata -> ").push_bind(key.to_owned()).push("::text) = 'number'");
            query.push(" and (v.metadata -> ").push_bind(key.to_owned()).push("::text) ").push(operator(*comparison));
            query.push(" ").push_bind(number.clone()).push("::jsonb)");
        }
        Condition::Exists(exists) => {
            query.push(if *exists { "(v.metadata ? " } else { "(not v.metadata ? " });
            query.push_bind(key.to_owned()).push("::text)");
        }
    }
}

fn push_contains(query: &mut QueryBuilder<Postgres>, key: &str, values: &[Value]) {
    query.push("((v.metadata -> ").push_bind(key.to_owned()).push("::text) @> any(");
    query.push_bind(values.to_vec()).push("::jsonb[]))");
}

/// Returns the SQL operator of a comparison. PostgreSQL compares two jsonb numbers by their numeric values.
fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sql_of(filter: &Value) -> String {
        let mut query = QueryBuilder::new("");
        push(&mut query, &Filter::parse(filter).unwrap());
        query.into_string()
    }

    #[test]
    fn each_operator_has_its_condition() {
        let item = "((v.metadata -> $1::text) @> any($2::jsonb[]))";
        let compared = |operator| {
            format!(
                "(jsonb_typeof(v.metadata -> $1::text) = 'number' and (v.metadata -> $2::text) {operator} $3::jsonb)"
            )
        };
        for (condition, expected) in [
            (json!("x"), item.to_owned()),
            (json!({"$eq": true}), item.to_owned()),
            (json!({"$in": [1, "x"]}), item.to_owned()),
            (json!({"$ne": 1}), format!("not {item}")),
            (json!({"$nin": [1]}), format!("not {item}")),
            (json!({"$gt": 1}), compared(">")),
            (json!({"$gte": 1}), compared(">=")),
            (json!({"$lt": 1}), compared("<")),
            (json!({"$lte": 1.5}), compared("<=")),
            (json!({"$exists": true}), "(v.metadata ? $1::text)".to_owned()),
            (json!({"$exists": false}), "(not v.metadata ? $1::text)".to_owned()),
        ] {
            assert_eq!(sql_of(&json!({"a": condition})), expected, "{condition}");
        }
    }

    #[test]
    fn combinations_have_parentheses() {
        let filter =
            json!({"$or": [{"a": {"$exists": true}, "b": {"$exists": true}}, {"$and": [{"c": {"$exists": false}}]}]});
        let expected = "((v.metadata ? $1::text) and (v.metadata ? $2::text)) or ((not v.metadata ? $3::text))";
        assert_eq!(sql_of(&filter), format!("({expected})"));
    }

    /// Tests that the keys and values of a filter are never part of the SQL text.
    #[test]
    fn keys_and_values_are_bound() {
        let text = "'); drop table cloch.vectors; --";
        let sql = sql_of(
            &json!({"$and": [{text: text}, {text: {"$nin": [text]}}, {text: {"$exists": true}}, {text: {"$gt": 4711}}]}),
        );
        assert!(!sql.contains("drop") && !sql.contains("4711"), "{sql}");
    }
}
