//! Typed access to the fields of a join's payload. A null field counts as absent. A field of the wrong type is refused with the error
//! message of Supabase's Realtime server.

use serde_json::{Map, Value};

/// Error: a field of a join's payload has the wrong type.
#[derive(Debug, thiserror::Error)]
#[error("{path}: unable to parse, expected {expected}")]
pub(super) struct WrongField {
    path: String,
    expected: &'static str,
}

/// A JSON object in a join's payload. An absent object counts as empty.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    /// Path of the object in the payload: field names separated by dots.
    path: String,
    entries: Option<&'a Map<String, Value>>,
}

impl<'a> Fields<'a> {
    /// Returns the fields of the whole payload. A null payload counts as an empty object.
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

    /// Whether the object has the field `key`. A null field counts as present here.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.is_some_and(|entries| entries.contains_key(key))
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn wrong<T>(&self, key: &str, expected: &'static str) -> Result<T, WrongField> {
        Err(WrongField { path: self.path_of(key), expected })
    }

    /// Returns the object in the field `key`. `None` if the field is absent.
    pub(super) fn optional_section(&self, key: &str) -> Result<Option<Self>, WrongField> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(entries)) => Ok(Some(Self { path: self.path_of(key), entries: Some(entries) })),
            Some(_) => self.wrong(key, "a map"),
        }
    }

    /// Returns the object in the field `key`. An absent field counts as an empty object.
    pub(super) fn section(&self, key: &str) -> Result<Self, WrongField> {
        Ok(self.optional_section(key)?.unwrap_or_else(|| Self { path: self.path_of(key), entries: None }))
    }

    /// Returns the list of objects in the field `key`, without its null entries.
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

    /// Returns the boolean in the field `key`. A client may write the boolean as a string. False if the field is absent.
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

    /// Returns the string in the field `key`, such as a presence key. `None` if the field is absent. As in Supabase's Realtime server, a
    /// client may write the string as a number.
    pub(super) fn key(&self, key: &str) -> Result<Option<String>, WrongField> {
        match self.get(key) {
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            _ => Ok(self.text(key)?.map(ToOwned::to_owned)),
        }
    }

    /// Returns the integer in the field `key`. `None` if the field is absent. The error does not contain the path of the field.
    pub(super) fn integer(&self, key: &str) -> Result<Option<i64>, NotAnInteger> {
        self.get(key).map(|value| value.as_i64().ok_or(NotAnInteger)).transpose()
    }

    pub(super) fn to_value(&self) -> Value {
        Value::Object(self.entries.cloned().unwrap_or_default())
    }
}

/// Error: a value is not a 64-bit integer.
#[derive(Debug)]
pub(super) struct NotAnInteger;
