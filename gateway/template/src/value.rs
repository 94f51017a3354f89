//! The values of a template: what JSON has, and what constants and functions make.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

/// A value. JSON's numbers are floating-point numbers, as in Go.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// No value at all: a key that a map lacks. It prints as `<no value>`.
    Missing,
    /// JSON's null, before it is looked into: a field of it is an error.
    Null,
    Bool(bool),
    Int(i64),
    /// A byte of a string.
    Byte(u8),
    Float(f64),
    Text(Rc<str>),
    List(Rc<[Value]>),
    Map(Rc<BTreeMap<String, Value>>),
}

impl Value {
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn of(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => number.as_f64().map_or(Self::Null, Self::Float),
            Json::String(text) => Self::text(text.as_str()),
            Json::Array(list) => Self::List(list.iter().map(Self::of).collect()),
            Json::Object(fields) => {
                Self::Map(Rc::new(fields.iter().map(|(name, value)| (name.clone(), Self::of(value))).collect()))
            }
        }
    }

    /// A null is no value once it has left its map or list.
    pub(crate) fn settled(self) -> Self {
        if matches!(self, Self::Null) { Self::Missing } else { self }
    }

    pub(crate) fn is_nil(&self) -> bool {
        matches!(self, Self::Missing | Self::Null)
    }

    /// What `if` takes it for.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::Missing | Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Byte(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(fields) => !fields.is_empty(),
        }
    }

    /// The bytes of its text; of a list the number of its items.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(list) => list.len(),
            _ => 0,
        }
    }

    /// The name of its type in Go.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Missing | Self::Null => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Byte(_) => "uint8",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
        }
    }
}
