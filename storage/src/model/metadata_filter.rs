//! The filter of a vector search: conditions on the metadata of vectors, in the JSON format of Amazon S3 Vectors.
//!
//! `{"year": 2020}` and `{"year": {"$eq": 2020}}` have the same meaning. If an object has several fields, or a field has several operators, all
//! of these conditions must be true. `$and` and `$or` combine filters; an object with `$and` or `$or` has no other field.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Maximum number of conditions of a filter. Each condition needs parameters of the SQL statement, and PostgreSQL limits their number.
const MAX_CONDITIONS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filter {
    /// True if all of these filters are true.
    All(Vec<Filter>),
    /// True if at least one of these filters is true.
    Any(Vec<Filter>),
    /// A condition on the value of the metadata field `key`.
    Field { key: String, condition: Condition },
}

/// Condition on a metadata value. If the value is a list, `In` is true if at least one item is among the values, and `NotIn` is true if no
/// item is among them. If the field is missing, only `Exists(false)` is true.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// The value equals one of these values: `$eq`, `$in`.
    In(Vec<Value>),
    /// The value differs from all of these values: `$ne`, `$nin`.
    NotIn(Vec<Value>),
    /// The value is a number, and its comparison with this number is true: `$gt`, `$gte`, `$lt`, `$lte`.
    Compare(Comparison, Value),
    Exists(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Filter {
    /// Parses the field `filter` of a search request.
    ///
    /// # Errors
    /// [`Error::Schema`] if the filter does not have the format of Amazon S3 Vectors, [`Error::InvalidParameter`] if the filter is empty or has
    /// too many conditions.
    pub(crate) fn parse(filter: &Value) -> Result<Self> {
        let mut count = 0;
        let filter = parse(filter, "filter", &mut count)?;
        if count > MAX_CONDITIONS {
            return Err(Error::InvalidParameter(format!("Filter must have at most {MAX_CONDITIONS} conditions")));
        }
        Ok(filter)
    }

    /// Returns the first metadata field in the filter for which `is_excluded` returns `true`.
    pub(crate) fn find_key(&self, is_excluded: &impl Fn(&str) -> bool) -> Option<&str> {
        match self {
            Self::All(filters) | Self::Any(filters) => filters.iter().find_map(|filter| filter.find_key(is_excluded)),
            Self::Field { key, .. } => is_excluded(key).then_some(key.as_str()),
        }
    }
}

fn violation(path: &str, what: &str) -> Error {
    Error::Schema(format!("body/{path} {what}"))
}

fn parse(filter: &Value, path: &str, count: &mut usize) -> Result<Filter> {
    let Value::Object(fields) = filter else { return Err(violation(path, "must be object")) };
    for (operator, combine) in [("$and", Filter::All as fn(Vec<Filter>) -> Filter), ("$or", Filter::Any)] {
        let Some(filters) = fields.get(operator) else { continue };
        if fields.len() > 1 {
            return Err(violation(path, &format!("must have no other field beside {operator}")));
        }
        let path = format!("{path}/{operator}");
        let filters = filters.as_array().filter(|filters| !filters.is_empty());
        let filters = filters.ok_or_else(|| violation(&path, "must be a list of at least one filter"))?;
        let parsed = filters.iter().enumerate().map(|(index, filter)| parse(filter, &format!("{path}/{index}"), count));
        return Ok(combine(parsed.collect::<Result<_>>()?));
    }
    if fields.is_empty() {
        return Err(Error::InvalidParameter("Filter must contain at least one clause".to_owned()));
    }
    let mut parsed = Vec::new();
    for (key, value) in fields {
        let path = format!("{path}/{key}");
        if key.starts_with('$') {
            return Err(violation(&path, "is no logical operator: there are $and and $or"));
        }
        let conditions = match value {
            Value::Object(operators) => conditions(operators, &path)?,
            value => vec![Condition::In(vec![primitive(value, &path)?])],
        };
        *count += conditions.len();
        parsed.extend(conditions.into_iter().map(|condition| Filter::Field { key: key.clone(), condition }));
    }
    Ok(if parsed.len() == 1 { parsed.remove(0) } else { Filter::All(parsed) })
}

fn conditions(operators: &Map<String, Value>, path: &str) -> Result<Vec<Condition>> {
    if operators.is_empty() {
        return Err(violation(path, "must NOT have fewer than 1 properties"));
    }
    operators.iter().map(|(operator, value)| condition(operator, value, &format!("{path}/{operator}"))).collect()
}

fn condition(operator: &str, value: &Value, path: &str) -> Result<Condition> {
    let comparison = |comparison| match value {
        Value::Number(_) => Ok(Condition::Compare(comparison, value.clone())),
        _ => Err(violation(path, "must be number")),
    };
    match operator {
        "$eq" => Ok(Condition::In(vec![primitive(value, path)?])),
        "$ne" => Ok(Condition::NotIn(vec![primitive(value, path)?])),
        "$in" => Ok(Condition::In(primitives(value, path)?)),
        "$nin" => Ok(Condition::NotIn(primitives(value, path)?)),
        "$gt" => comparison(Comparison::Greater),
        "$gte" => comparison(Comparison::GreaterOrEqual),
        "$lt" => comparison(Comparison::Less),
        "$lte" => comparison(Comparison::LessOrEqual),
        "$exists" => value.as_bool().map(Condition::Exists).ok_or_else(|| violation(path, "must be boolean")),
        _ => Err(violation(path, "is no operator of a field")),
    }
}

fn primitive(value: &Value, path: &str) -> Result<Value> {
    match value {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => Ok(value.clone()),
        _ => Err(violation(path, "must be string, number or boolean")),
    }
}

fn primitives(value: &Value, path: &str) -> Result<Vec<Value>> {
    let values = value.as_array().filter(|values| !values.is_empty());
    let values = values.ok_or_else(|| violation(path, "must be a list of at least one value"))?;
    values.iter().map(|value| primitive(value, path)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(key: &str, condition: Condition) -> Filter {
        Filter::Field { key: key.to_owned(), condition }
    }

    #[test]
    fn a_value_alone_is_compared_for_equality() {
        let expected = field("a", Condition::In(vec![json!(1)]));
        assert_eq!(Filter::parse(&json!({"a": 1})).unwrap(), expected);
        assert_eq!(Filter::parse(&json!({"a": {"$eq": 1}})).unwrap(), expected);
    }

    #[test]
    fn fields_and_operators_are_all_necessary() {
        let parsed = Filter::parse(&json!({"a": {"$gt": 1, "$lte": 2}, "b": {"$exists": false}})).unwrap();
        let expected = Filter::All(vec![
            field("a", Condition::Compare(Comparison::Greater, json!(1))),
            field("a", Condition::Compare(Comparison::LessOrEqual, json!(2))),
            field("b", Condition::Exists(false)),
        ]);
        assert_eq!(parsed, expected);
        let nested = Filter::parse(&json!({"$or": [{"a": "x"}, {"$and": [{"b": {"$nin": [true, 2]}}]}]})).unwrap();
        let inner = Filter::All(vec![field("b", Condition::NotIn(vec![json!(true), json!(2)]))]);
        assert_eq!(nested, Filter::Any(vec![field("a", Condition::In(vec![json!("x")])), inner]));
        assert_eq!(nested.find_key(&|key| key == "b"), Some("b"));
        assert_eq!(nested.find_key(&|key| key == "c"), None);
    }

    #[test]
    fn other_forms_are_refused() {
        for filter in [
            json!(1),
            json!([]),
            json!({"a": null}),
            json!({"a": [1]}),
            json!({"a": {}}),
            json!({"a": {"$eq": null}}),
            json!({"a": {"$gt": "1"}}),
            json!({"a": {"$in": []}}),
            json!({"a": {"$nin": [[1]]}}),
            json!({"a": {"$exists": 1}}),
            json!({"a": {"$like": "x"}}),
            json!({"a": {"b": 1}}),
            json!({"$and": []}),
            json!({"$or": {"a": 1}}),
            json!({"$not": {"a": 1}}),
            json!({"$and": [{"a": 1}], "b": 1}),
        ] {
            assert!(matches!(Filter::parse(&filter), Err(Error::Schema(_))), "{filter}");
        }
        for filter in [json!({}), json!({"$or": [{}]})] {
            assert!(matches!(Filter::parse(&filter), Err(Error::InvalidParameter(_))), "{filter}");
        }
        let many: Vec<_> = (0..=MAX_CONDITIONS).map(|_| json!({"a": 1})).collect();
        assert!(matches!(Filter::parse(&json!({ "$or": many })), Err(Error::InvalidParameter(_))));
    }
}
