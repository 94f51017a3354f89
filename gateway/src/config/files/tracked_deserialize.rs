//! Deserializes a TOML table and records the unknown keys, each with the known key that is most similar to it.

use std::cell::RefCell;
use std::fmt;

use cloch_core::wrong_type::{no_address, plain};
use cloch_sql::schema_cache::best_match;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use toml::{Table, Value};

use super::weak_types::{to_boolean, to_list, to_number, to_text, to_whole_number};

/// Minimum similarity, from 0 to 1, at which a known key is suggested.
const MIN_SIMILARITY: f64 = 0.5;

/// A key in the file that the deserialized type does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    /// Dotted key.
    pub key: String,
    /// Known key that is suggested in place of the unknown key. `None` if no known key is similar to it.
    pub nearest: Option<String>,
}

impl UnknownKey {
    /// Creates the record of the key `name` in `section`, and searches a similar key in `known`.
    pub(in crate::config) fn new<'a>(section: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            key: join(section, name),
            nearest: best_match(known, name, MIN_SIMILARITY).map(|(_, found)| found.to_owned()),
        }
    }
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key {} is unknown", self.key)?;
        self.nearest.as_ref().map_or(Ok(()), |nearest| write!(f, "; did you mean {nearest}?"))
    }
}

/// An invalid value: its dotted key and the error message.
#[derive(Debug)]
pub(in crate::config) struct WrongValue {
    pub(in crate::config) key: String,
    pub(in crate::config) message: String,
}

/// Deserializes `table`, which is the content of `section`. Appends the keys that `T` does not have to `unknown`.
pub(in crate::config) fn read<'de, T: Deserialize<'de>>(
    table: Table,
    section: &str,
    unknown: &mut Vec<UnknownKey>,
) -> Result<T, WrongValue> {
    read_as(false, table, section, unknown)
}

/// Like [`read`]. If `is_weak`, values are converted to the needed type as in the Supabase CLI ([`super::weak_types`]).
pub(super) fn read_as<'de, T: Deserialize<'de>>(
    is_weak: bool,
    table: Table,
    section: &str,
    unknown: &mut Vec<UnknownKey>,
) -> Result<T, WrongValue> {
    let noted = RefCell::new(Vec::new());
    let mut track = serde_path_to_error::Track::new();
    let input = Input { value: Value::Table(table), key: section.to_owned(), unknown: &noted, is_weak };
    let result = T::deserialize(serde_path_to_error::Deserializer::new(input, &mut track));
    unknown.append(&mut noted.into_inner());
    result.map_err(|error| {
        let path = track.path().to_string();
        let key = if path == "." { section.to_owned() } else { join(section, &path) };
        WrongValue { key, message: plain(error.message().trim()) }
    })
}

fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

struct Input<'a> {
    value: Value,
    key: String,
    unknown: &'a RefCell<Vec<UnknownKey>>,
    is_weak: bool,
}

impl Input<'_> {
    /// Converts the value if weak types are allowed.
    fn weakly(self, convert: fn(Value) -> Value) -> Self {
        if self.is_weak { Self { value: convert(self.value), ..self } } else { self }
    }
}

/// Methods that convert the value with a function of [`super::weak_types`] before they pass it to the visitor.
macro_rules! convert_first {
    ($($convert:ident: $($method:ident)+;)+) => {$($(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            self.weakly($convert).deserialize_any(visitor)
        }
    )+)+};
}

impl<'de> IntoDeserializer<'de, toml::de::Error> for Input<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Input<'_> {
    type Error = toml::de::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let Self { value, key, unknown, is_weak } = self;
        match value {
            Value::Table(table) => visitor.visit_map(MapDeserializer::new(table.into_iter().map(|(name, value)| {
                let key = join(&key, &name);
                (name, Input { value, key, unknown, is_weak })
            }))),
            Value::Array(list) => {
                let items = list.into_iter().map(|value| Input { value, key: key.clone(), unknown, is_weak });
                visitor.visit_seq(SeqDeserializer::new(items))
            }
            value => {
                let written = value.to_string();
                value.deserialize_any(visitor).map_err(|error| match no_address(error.message(), &written) {
                    Some(message) => de::Error::custom(message),
                    None => error,
                })
            }
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        if let Value::Table(table) = &self.value {
            let strangers = table.keys().filter(|name| !fields.contains(&name.as_str()));
            let strangers = strangers.map(|name| UnknownKey::new(&self.key, name, fields.iter().copied()));
            self.unknown.borrow_mut().extend(strangers);
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.value.deserialize_enum(name, variants, visitor)
    }

    convert_first! {
        to_boolean: deserialize_bool;
        to_whole_number: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
            deserialize_u32 deserialize_u64;
        to_number: deserialize_f32 deserialize_f64;
        to_text: deserialize_str deserialize_string;
        to_list: deserialize_seq;
    }

    forward_to_deserialize_any! {
        char bytes byte_buf unit unit_struct tuple tuple_struct map identifier ignored_any
    }
}
