//! Values that templates compute with: JSON values from the data, constants, and results of functions.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

/// A value in a template. As in Go, all numbers in the JSON data are floating-point numbers.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A missing value, such as a key that a map lacks. Printed as `<no value>`.
    Missing,
    /// A null in the JSON data that is an element of a map or list. Reading a field of a null is an error.
    Null,
    Bool(bool),
    Int(i64),
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

    /// Converts [`Value::Null`] to [`Value::Missing`]. Called for the result of each command in a pipeline. Returns other values unchanged.
    pub(crate) fn settled(self) -> Self {
        if matches!(self, Self::Null) { Self::Missing } else { self }
    }

    pub(crate) fn is_nil(&self) -> bool {
        matches!(self, Self::Missing | Self::Null)
    }

    /// Whether the action `if` treats the value as true.
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

    /// Returns the size of the value, which determines the cost of an execution step: the length of a text in bytes, or the number of
    /// elements of a list. Zero for other values.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(list) => list.len(),
            _ => 0,
        }
    }

    /// Returns the name that the value's type has in Go.
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
