//! The fields of a join's payload. Null counts as absent; a value of another type is refused, with upstream's words for it.

use serde_json::{Map, Value};

/// A field that has the wrong type.
#[derive(Debug, thiserror::Error)]
#[error("{path}: unable to parse, expected {expected}")]
pub(super) struct WrongField {
    path: String,
    expected: &'static str,
}

/// An object of the payload; without entries, if it is absent.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    /// The names that lead to it.
    path: String,
    entries: Option<&'a Map<String, Value>>,
}

impl<'a> Fields<'a> {
    /// The payload as a whole.
    pub(super) fn of_payload(payload: &'a Value) -> Result<Self, WrongField> {
        match payload {
            Value::Null => Ok(Self { path: String::new(), entries: None }),
            Value::Object(entries) => Ok(Self { path: String::new(), entries: Some(entries) }),
            _ => Err(WrongField { path: "payload".to_owned(), expected: "a map" }),
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.entries?.get(key).filter(|value| !value.is_null())
    }

    /// Whether there is such a field, null or not.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.is_some_and(|entries| entries.contains_key(key))
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn wrong<T>(&self, key: &str, expected: &'static str) -> Result<T, WrongField> {
        Err(WrongField { path: self.path_of(key), expected })
    }

    /// An object within this one; `None` if it is absent.
    pub(super) fn optional_section(&self, key: &str) -> Result<Option<Self>, WrongField> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(entries)) => Ok(Some(Self { path: self.path_of(key), entries: Some(entries) })),
            Some(_) => self.wrong(key, "a map"),
        }
    }

    /// An object within this one.
    pub(super) fn section(&self, key: &str) -> Result<Self, WrongField> {
        Ok(self.optional_section(key)?.unwrap_or_else(|| Self { path: self.path_of(key), entries: None }))
    }

    /// A list of objects, without those that are null.
    pub(super) fn maps(&self, key: &str) -> Result<Vec<Self>, WrongField> {
        let expected = "an array of maps";
        let list = match self.get(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list.iter().filter(|entry| !entry.is_null()),
            Some(_) => return self.wrong(key, expected),
        };
        list.map(|entry| match entry {
            Value::Object(entries) => Ok(Self { path: self.path_of(key), entries: Some(entries) }),
            _ => self.wrong(key, expected),
        })
        .collect()
    }

    /// A boolean, which may be written as a text.
    pub(super) fn flag(&self, key: &str) -> Result<bool, WrongField> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => Ok(false),
            Some(_) => self.wrong(key, "boolean"),
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, WrongField> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.wrong(key, "string"),
        }
    }

    /// The name of an entry. As upstream, it may be written as a number.
    pub(super) fn key(&self, key: &str) -> Result<Option<String>, WrongField> {
        match self.get(key) {
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            _ => Ok(self.text(key)?.map(ToOwned::to_owned)),
        }
    }

    /// An integer; the error says nothing of its place.
    pub(super) fn integer(&self, key: &str) -> Result<Option<i64>, NotAnInteger> {
        self.get(key).map(|value| value.as_i64().ok_or(NotAnInteger)).transpose()
    }

    pub(super) fn to_value(&self) -> Value {
        Value::Object(self.entries.cloned().unwrap_or_default())
    }
}

/// A value that is not an integer of 64 bits.
#[derive(Debug)]
pub(super) struct NotAnInteger;
