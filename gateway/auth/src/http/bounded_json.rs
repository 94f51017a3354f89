//! Parses JSON with a limited number of values. Without the limit, a request could occupy much memory: a parsed JSON value takes about
//! forty times its size in the request.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Maximum number of JSON values in a request body. Field names count as values.
const MAX_VALUES: usize = 20_000;

/// Parses a JSON request body with at most [`MAX_VALUES`] values.
///
/// # Errors
///
/// Returns an error if the body is not JSON or contains too many values.
pub(super) fn parse(bytes: &[u8]) -> serde_json::Result<Value> {
    let left = Cell::new(MAX_VALUES);
    Count(&left).deserialize(&mut serde_json::Deserializer::from_slice(bytes))?;
    serde_json::from_slice(bytes)
}

#[derive(Clone, Copy)]
struct Count<'a>(&'a Cell<usize>);

impl Count<'_> {
    fn one<E: Error>(self) -> Result<(), E> {
        let left = self.0.get().checked_sub(1).ok_or_else(|| E::custom("too many values"))?;
        self.0.set(left);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Count<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Count<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.one()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.one()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.one()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.one()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.one()
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.one()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.one()?;
        while list.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.one()?;
        while fields.next_key_seed(self)?.is_some() {
            fields.next_value_seed(self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_at_every_depth() {
        let of = |inner: &str, count: usize| format!("{{\"data\": [{}]}}", vec![inner; count].join(","));
        assert!(parse(of("[]", MAX_VALUES - 3).as_bytes()).is_ok());
        for (inner, values) in [("[]", 1), ("1", 1), ("\"a\"", 1), ("null", 1), ("-0.5", 1), ("{\"a\": true}", 3)] {
            let refused = parse(of(inner, MAX_VALUES / values).as_bytes()).unwrap_err();
            assert!(refused.to_string().contains("too many values"), "{inner}: {refused}");
        }
        assert!(parse(b"{\"a\": 1").is_err());
        assert!(parse(b"{} {}").is_err());
    }
}
