//! Validation of a JSON body or a query as by a JSON schema: scalars are coerced, unknown fields ignored, and all violations reported
//! at once, in the error texts that clients of this API know.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The most items of a list in a body.
pub(crate) const MAX_ITEMS: usize = 1000;

/// The fields of an object, and what is wrong with those read so far.
#[derive(Debug)]
pub(crate) struct Fields {
    path: String,
    map: Map<String, Value>,
    violations: Vec<String>,
}

impl Fields {
    /// The fields of a body.
    ///
    /// # Errors
    /// When it is no object.
    pub(crate) fn of_body(body: Value) -> Result<Self> {
        match body {
            Value::Object(map) => Ok(Self { path: "body".to_owned(), map, violations: Vec::new() }),
            _ => Err(Error::Schema("body must be object".to_owned())),
        }
    }

    /// The parameters of a query; one that is given several times is a list.
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
        Self { path: "querystring".to_owned(), map, violations: Vec::new() }
    }

    /// The parameters of a query that is signed. The signature is over `%2B` where a `+` stands (AWS encodes a space as `%20`), so a `+` is
    /// no space: a URL that was signed for `a+b` would be good for `a b` as well.
    pub(crate) fn of_signed_query(query: Option<&str>) -> Self {
        Self::of_query(query.map(|query| query.replace('+', "%2B")).as_deref())
    }

    fn violation(&mut self, name: &str, what: &str) {
        self.violations.push(format!("{}/{name} {what}", self.path));
    }

    fn missing(&mut self, name: &str) {
        self.violations.push(format!("{} must have required property '{name}'", self.path));
    }

    /// Whether a field is there at all, be it null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// The names of all fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// A field as it was sent.
    pub(crate) fn raw(&self, name: &str) -> Option<&Value> {
        self.map.get(name)
    }

    /// The name of a parameter that is given more than once.
    pub(crate) fn repeated(&self) -> Option<&str> {
        self.map.iter().find(|(_, value)| value.is_array()).map(|(name, _)| name.as_str())
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        let read = match self.map.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Null => Some(String::new()),
            Value::Array(values) => match values.as_slice() {
                [Value::String(text)] => Some(text.clone()),
                _ => None,
            },
            Value::Object(_) => None,
        };
        if read.is_none() {
            self.violation(name, "must be string");
        }
        read
    }

    /// A text that must be there; empty, and a violation reported, if it is not.
    pub(crate) fn required_text(&mut self, name: &str) -> String {
        if !self.has(name) {
            self.missing(name);
        }
        self.text(name).unwrap_or_default()
    }

    /// One of a few texts.
    pub(crate) fn choice(&mut self, name: &str, choices: &[&'static str]) -> Option<&'static str> {
        let text = self.text(name)?;
        let found = choices.iter().find(|choice| **choice == text).copied();
        if found.is_none() {
            self.violation(name, "must be equal to one of the allowed values");
        }
        found
    }

    /// An integer between two bounds.
    pub(crate) fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        let read = match self.map.get(name)? {
            Value::Number(number) => whole(number),
            Value::String(text) => text.trim().parse().ok().and_then(|number| whole(&number)),
            Value::Bool(value) => Some(i64::from(*value)),
            Value::Null => Some(0),
            Value::Array(_) | Value::Object(_) => None,
        };
        match read {
            None => self.violation(name, "must be integer"),
            Some(number) if number < min => self.violation(name, &format!("must be >= {min}")),
            Some(number) if number > max => self.violation(name, &format!("must be <= {max}")),
            Some(_) => return read,
        }
        None
    }

    /// Reports a field that is not there.
    pub(crate) fn required(&mut self, name: &str) {
        if !self.has(name) {
            self.missing(name);
        }
    }

    /// A number between two bounds.
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

    /// An integer that must be there.
    pub(crate) fn required_integer(&mut self, name: &str, min: i64, max: i64) -> i64 {
        if !self.has(name) {
            self.missing(name);
        }
        self.integer(name, min, max).unwrap_or(min)
    }

    /// True or false.
    pub(crate) fn boolean(&mut self, name: &str) -> Option<bool> {
        let read = match self.map.get(name)? {
            Value::Bool(value) => Some(*value),
            Value::String(text) if text == "true" => Some(true),
            Value::String(text) if text == "false" => Some(false),
            Value::Number(number) if number.as_i64() == Some(1) => Some(true),
            Value::Number(number) if number.as_i64() == Some(0) => Some(false),
            Value::Null => Some(false),
            _ => None,
        };
        if read.is_none() {
            self.violation(name, "must be boolean");
        }
        read
    }

    /// A list of at most [`MAX_ITEMS`] texts; a lone scalar is a list of one.
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
            match value {
                Value::String(text) => texts.push(text),
                Value::Number(number) => texts.push(number.to_string()),
                Value::Bool(value) => texts.push(value.to_string()),
                Value::Null => texts.push(String::new()),
                Value::Array(_) | Value::Object(_) => self.violation(&format!("{name}/{index}"), "must be string"),
            }
        }
        Some(texts)
    }

    /// Takes the items of a list that are objects, as many as a list may have. Give them back with [`Fields::absorb`].
    pub(crate) fn take_objects(&mut self, name: &str) -> Vec<Self> {
        let Some(Value::Array(values)) = self.map.get_mut(name) else { return Vec::new() };
        if values.len() > MAX_ITEMS {
            // What reads the list refuses it.
            return Vec::new();
        }
        let (mut objects, mut others) = (Vec::new(), Vec::new());
        for (index, value) in std::mem::take(values).into_iter().enumerate() {
            match value {
                Value::Object(map) => {
                    let path = format!("{}/{name}/{index}", self.path);
                    objects.push(Self { path, map, violations: Vec::new() });
                }
                other => others.push(other),
            }
        }
        *values = others;
        objects
    }

    /// A list of texts that must be there, and not be empty.
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

    /// The fields of an inner object. Give them back with [`Fields::absorb`], so that their violations are reported.
    pub(crate) fn object(&mut self, name: &str) -> Option<Self> {
        match self.map.get(name)? {
            Value::Object(map) => {
                Some(Self { path: format!("{}/{name}", self.path), map: map.clone(), violations: Vec::new() })
            }
            _ => {
                self.violation(name, "must be object");
                None
            }
        }
    }

    /// Takes over the violations of an inner object.
    pub(crate) fn absorb(&mut self, inner: Self) {
        self.violations.extend(inner.violations);
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// [`Error::Schema`] with every violation.
    pub(crate) fn finish(self) -> Result<()> {
        if self.violations.is_empty() { Ok(()) } else { Err(Error::Schema(self.violations.join(", "))) }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the value has no fraction and lies in range")]
fn whole(number: &serde_json::Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let value = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9e18)?;
        Some(value as i64)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_every_violation() {
        let mut fields = Fields::of_body(json!({"limit": 0, "order": "up"})).unwrap();
        fields.required_text("prefix");
        fields.integer("limit", 1, i64::MAX);
        fields.choice("order", &["asc", "desc"]);
        assert_eq!(
            fields.finish().unwrap_err().message(),
            "body must have required property 'prefix', body/limit must be >= 1, \
             body/order must be equal to one of the allowed values"
        );
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
    fn a_body_must_be_an_object() {
        for body in [json!(null), json!([]), json!("x")] {
            assert_eq!(Fields::of_body(body).unwrap_err().message(), "body must be object");
        }
    }
}
