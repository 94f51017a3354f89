//! Validates JSON bodies and query strings in the same way as a JSON schema. Scalars are coerced, except in a strict body. Unknown fields
//! are ignored. The first violation is reported, with the error text of Supabase Storage; an absent required field comes before other
//! violations.

use serde_json::{Map, Value};

use crate::coercion::{self, whole};
use crate::error::{Error, Result};

/// Maximum number of items of a list in a request body.
pub(crate) const MAX_ITEMS: usize = 1000;

/// The fields of a JSON object or query string, and the first violations of the schema.
#[derive(Debug)]
pub(crate) struct Fields {
    path: String,
    map: Map<String, Value>,
    /// The first required field that is absent.
    missing: Option<String>,
    /// The first other violation.
    violation: Option<String>,
    /// Whether a value of another type is a violation. If `false`, the value is coerced.
    is_strict: bool,
}

impl Fields {
    fn new(path: String, map: Map<String, Value>, is_strict: bool) -> Self {
        Self { path, map, missing: None, violation: None, is_strict }
    }

    /// Returns the fields of a JSON body.
    ///
    /// # Errors
    /// If the body is not a JSON object.
    pub(crate) fn of_body(body: Value) -> Result<Self> {
        match body {
            Value::Object(map) => Ok(Self::new("body".to_owned(), map, false)),
            _ => Err(Error::Schema("body must be object".to_owned())),
        }
    }

    /// Returns the fields of a JSON body. Texts, integers and booleans are not coerced: a value of another type is a violation.
    ///
    /// # Errors
    /// The same errors as [`Fields::of_body`].
    pub(crate) fn of_strict_body(body: Value) -> Result<Self> {
        Ok(Self { is_strict: true, ..Self::of_body(body)? })
    }

    /// Returns the parameters of a query string. A repeated parameter becomes a list.
    pub(crate) fn of_query(query: Option<&str>) -> Self {
        let mut map = Map::new();
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let value = Value::String(value.into_owned());
            match map.get_mut(&*name) {
                Some(Value::Array(values)) => values.push(value),
                Some(first) => *first = Value::Array(vec![first.take(), value]),
                None => drop(map.insert(name.into_owned(), value)),
            }
        }
        Self::new("querystring".to_owned(), map, false)
    }

    /// Returns the parameters of a query string that is part of an AWS signature. A `+` stays a `+`: AWS encodes a space as `%20` and signs
    /// a `+` as `%2B`. If `+` were decoded as a space, a URL that was signed for `a+b` would also be valid for `a b`.
    pub(crate) fn of_signed_query(query: Option<&str>) -> Self {
        Self::of_query(query.map(|query| query.replace('+', "%2B")).as_deref())
    }

    /// Adds a violation of the field `name`, such as `must be string`.
    pub(crate) fn violation(&mut self, name: &str, what: &str) {
        let path = &self.path;
        self.violation.get_or_insert_with(|| format!("{path}/{name} {what}"));
    }

    fn missing(&mut self, name: &str) {
        let path = &self.path;
        self.missing.get_or_insert_with(|| format!("{path} must have required property '{name}'"));
    }

    /// Whether the body or query has the field, even with the value null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// Returns the value of a field without coercion; `None` if the field is absent.
    pub(crate) fn raw(&self, name: &str) -> Option<&Value> {
        self.map.get(name)
    }

    /// Returns the name of the first query parameter that is given more than once; `None` if there is none.
    pub(crate) fn repeated(&self) -> Option<&str> {
        self.map.iter().find(|(_, value)| value.is_array()).map(|(name, _)| name.as_str())
    }

    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let read = match self.map.get(name)? {
            Value::String(text) => Some(text.clone()),
            _ if self.is_strict => None,
            value => coercion::text(value),
        };
        if read.is_none() {
            self.violation(name, "must be string");
        }
        read
    }

    /// Returns the value of a required string field. If the field is absent, adds a violation and returns an empty string.
    pub(crate) fn required_text(&mut self, name: &str) -> String {
        if !self.has(name) {
            self.missing(name);
        }
        self.text(name).unwrap_or_default()
    }

    /// Returns the value of a string field that must be one of `choices`. `None` if the field is absent or invalid; an invalid value is a
    /// violation.
    pub(crate) fn choice(&mut self, name: &str, choices: &[&'static str]) -> Option<&'static str> {
        let text = self.text(name)?;
        let found = choices.iter().find(|choice| **choice == text).copied();
        if found.is_none() {
            self.violation(name, "must be equal to one of the allowed values");
        }
        found
    }

    /// Returns the value of an integer field between `min` and `max`, inclusive. `None` if the field is absent or invalid; an invalid value is
    /// a violation.
    pub(crate) fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        let value = self.map.get(name)?;
        let read = match value {
            Value::Number(number) => whole(number),
            _ if self.is_strict => None,
            value => coercion::integer(value),
        };
        match read {
            None if coercion::is_infinity(value) => self.violation(name, "must pass \"finite\" keyword validation"),
            None => self.violation(name, "must be integer"),
            Some(number) if number < min => self.violation(name, &format!("must be >= {min}")),
            Some(number) if number > max => self.violation(name, &format!("must be <= {max}")),
            Some(_) => return read,
        }
        None
    }

    /// Adds a violation if the field `name` is absent.
    pub(crate) fn required(&mut self, name: &str) {
        if !self.has(name) {
            self.missing(name);
        }
    }

    /// Returns the value of a field that is a finite number between `min` and `max`, inclusive. `None` if the field is absent or invalid; an
    /// invalid value is a violation.
    pub(crate) fn number(&mut self, name: &str, min: f64, max: f64) -> Option<f64> {
        let read = match self.map.get(name)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Bool(value) => Some(f64::from(u8::from(*value))),
            Value::Null => Some(0.0),
            Value::Array(_) | Value::Object(_) => None,
        };
        match read.filter(|number: &f64| number.is_finite()) {
            None => self.violation(name, "must be number"),
            Some(number) if number < min => self.violation(name, &format!("must be >= {min}")),
            Some(number) if number > max => self.violation(name, &format!("must be <= {max}")),
            found => return found,
        }
        None
    }

    /// Returns the value of a required integer field. If the field is absent or invalid, adds a violation and returns `min`.
    pub(crate) fn required_integer(&mut self, name: &str, min: i64, max: i64) -> i64 {
        if !self.has(name) {
            self.missing(name);
        }
        self.integer(name, min, max).unwrap_or(min)
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Option<bool> {
        let read = match self.map.get(name)? {
            Value::Bool(value) => Some(*value),
            _ if self.is_strict => None,
            value => coercion::boolean(value),
        };
        if read.is_none() {
            self.violation(name, "must be boolean");
        }
        read
    }

    /// Returns the value of a field that is a list of at most [`MAX_ITEMS`] strings. A single scalar counts as a list with one item. `None` if
    /// the field is absent or invalid; an invalid value is a violation.
    pub(crate) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let values = match self.map.get(name)? {
            Value::Array(values) if values.len() > MAX_ITEMS => {
                self.violation(name, &format!("must NOT have more than {MAX_ITEMS} items"));
                return None;
            }
            Value::Array(values) => values.clone(),
            Value::Object(_) => {
                self.violation(name, "must be array");
                return None;
            }
            scalar => vec![scalar.clone()],
        };
        let mut texts = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            match coercion::text(&value) {
                Some(text) => texts.push(text),
                None => self.violation(&format!("{name}/{index}"), "must be string"),
            }
        }
        Some(texts)
    }

    /// Removes the items that are JSON objects from a list field and returns them. Returns no items if the list has more than [`MAX_ITEMS`]
    /// items. Call [`Fields::absorb`] with each returned value, so that the violations in it are reported.
    pub(crate) fn take_objects(&mut self, name: &str) -> Vec<Self> {
        let Some(Value::Array(values)) = self.map.get_mut(name) else { return Vec::new() };
        if values.len() > MAX_ITEMS {
            // The later call of [`Fields::texts`] adds the violation for a list that is too long.
            return Vec::new();
        }
        let (mut objects, mut others) = (Vec::new(), Vec::new());
        for (index, value) in std::mem::take(values).into_iter().enumerate() {
            match value {
                Value::Object(map) => {
                    let path = format!("{}/{name}/{index}", self.path);
                    objects.push(Self::new(path, map, self.is_strict));
                }
                other => others.push(other),
            }
        }
        *values = others;
        objects
    }

    /// Returns the value of a required field that is a non-empty list of strings.
    pub(crate) fn required_texts(&mut self, name: &str) -> Vec<String> {
        if !self.has(name) {
            self.missing(name);
        }
        let texts = self.texts(name);
        if texts.as_ref().is_some_and(Vec::is_empty) {
            self.violation(name, "must NOT have fewer than 1 items");
        }
        texts.unwrap_or_default()
    }

    /// Returns the fields of a nested JSON object; `None` if the field is absent or no object. Call [`Fields::absorb`] with the returned value
    /// so that its violations are reported.
    pub(crate) fn object(&mut self, name: &str) -> Option<Self> {
        match self.map.get(name)? {
            Value::Object(map) => {
                let path = format!("{}/{name}", self.path);
                Some(Self::new(path, map.clone(), self.is_strict))
            }
            _ => {
                self.violation(name, "must be object");
                None
            }
        }
    }

    /// Adds the violation of a nested JSON object to the violations of this object.
    pub(crate) fn absorb(&mut self, inner: Self) {
        self.violation = self.violation.take().or(inner.missing).or(inner.violation);
    }

    /// Finishes the validation of the body or query.
    ///
    /// # Errors
    /// [`Error::Schema`] with the text of the first violation, if there is one.
    pub(crate) fn finish(self) -> Result<()> {
        self.missing.or(self.violation).map_or(Ok(()), |violation| Err(Error::Schema(violation)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_the_first_violation() {
        let read = |body: Value| {
            let mut fields = Fields::of_body(body).unwrap();
            fields.integer("limit", 1, i64::MAX);
            if let Some(mut sort) = fields.object("sort") {
                sort.choice("order", &["asc", "desc"]);
                sort.required_text("column");
                fields.absorb(sort);
            }
            fields.required_text("prefix");
            fields.finish().unwrap_err().message()
        };
        let sort = json!({"order": "up"});
        assert_eq!(read(json!({"limit": 0, "sort": sort})), "body must have required property 'prefix'");
        assert_eq!(read(json!({"limit": 0, "sort": sort, "prefix": ""})), "body/limit must be >= 1");
        assert_eq!(read(json!({"sort": sort, "prefix": ""})), "body/sort must have required property 'column'");
        let infinite = json!({"limit": "Infinity", "prefix": ""});
        assert_eq!(read(infinite), "body/limit must pass \"finite\" keyword validation");
    }

    #[test]
    fn coerces_scalars() {
        let mut fields = Fields::of_body(json!({"a": 123, "b": "10", "c": "true", "d": null, "e": "x"})).unwrap();
        assert_eq!(fields.text("a").unwrap(), "123");
        assert_eq!(fields.integer("b", 0, 99), Some(10));
        assert_eq!(fields.boolean("c"), Some(true));
        assert_eq!(
            (fields.text("d"), fields.boolean("d"), fields.integer("d", 0, 1)),
            (Some(String::new()), Some(false), Some(0))
        );
        assert_eq!(fields.texts("e").unwrap(), ["x"]);
        fields.finish().unwrap();
    }

    #[test]
    fn a_strict_body_is_not_coerced() {
        let mut fields = Fields::of_strict_body(json!({"a": 1, "b": "1", "c": "true", "d": true, "e": 2})).unwrap();
        assert_eq!((fields.text("a"), fields.integer("b", 0, 9), fields.boolean("c")), (None, None, None));
        assert_eq!((fields.boolean("d"), fields.integer("e", 0, 9)), (Some(true), Some(2)));
        assert_eq!(fields.finish().unwrap_err().message(), "body/a must be string");
    }

    #[test]
    fn a_body_must_be_an_object() {
        for body in [json!(null), json!([]), json!("x")] {
            assert_eq!(Fields::of_body(body).unwrap_err().message(), "body must be object");
        }
    }
}
