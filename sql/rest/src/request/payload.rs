//! Parses a request body as far as planning requires. PostgreSQL receives the body of a JSON request unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::csv;
use super::json_text::is_unicode;
use super::limits::{MAX_COLUMNS, check_arguments, check_columns, check_json_depth};
use crate::error::ApiError;
use crate::media_type::MediaType;

/// A parsed request body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// JSON: an object, or an array of objects with equal keys.
    Json {
        /// Text of the JSON body.
        body: Bytes,
        /// Keys that all objects have.
        keys: BTreeSet<String>,
        /// Number of objects in the body.
        rows: usize,
    },
    /// JSON text that is not parsed, because the `columns` parameter lists the columns.
    Unchecked(Bytes),
    /// Arguments of a function call, from a form (`application/x-www-form-urlencoded`).
    Form(Vec<(String, String)>),
    /// A single function argument: the whole body, not parsed.
    Raw(Bytes),
}

/// Properties of the request that determine how its body is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Whether the body contains a function's arguments instead of a relation's rows.
    pub is_call: bool,
    /// Whether the `columns` parameter lists the columns.
    pub has_columns: bool,
}

impl Payload {
    /// Parses a body.
    ///
    /// # Errors
    /// PGRST102 if the body does not match its media type or the media type is not supported, PGRST190 if a limit is exceeded.
    pub fn read(body: Bytes, media_type: &MediaType, reading: Reading) -> Result<Self, ApiError> {
        if *media_type == MediaType::Json {
            check_json_depth(&body)?;
        }
        match (media_type, reading.is_call) {
            (MediaType::Json, _) if reading.has_columns => Ok(Self::Unchecked(body)),
            (MediaType::Json, true) if body.is_empty() => {
                // An empty body contains no named arguments. The body is kept for a function that accepts the whole body as its argument.
                Ok(Self::Json { body, keys: BTreeSet::new(), rows: 0 })
            }
            (MediaType::Json, _) => json(body, "All object keys must match", reading),
            (MediaType::Csv, _) => json(csv::as_json(&body)?, csv::UNEVEN, reading),
            (MediaType::Form, true) => Ok(Self::Form(bounded_form(&body)?)),
            (MediaType::Form, false) => {
                let fields: BTreeMap<String, String> = bounded_form(&body)?.into_iter().collect();
                let keys = fields.keys().cloned().collect();
                let object = Value::Object(fields.into_iter().map(|(key, value)| (key, value.into())).collect());
                Ok(Self::Json { body: object.to_string().into(), keys, rows: 1 })
            }
            (MediaType::Text | MediaType::Xml | MediaType::OctetStream, true) => Ok(Self::Raw(body)),
            (other, _) => Err(ApiError::invalid_body(format!("Content-Type not acceptable: {}", other.to_mime()))),
        }
    }

    /// Returns the keys of a JSON or form body. Returns an empty set for a body that is not parsed.
    #[must_use]
    pub fn keys(&self) -> BTreeSet<String> {
        match self {
            Self::Json { keys, .. } => keys.clone(),
            Self::Form(fields) => fields.iter().map(|(key, _)| key.clone()).collect(),
            Self::Unchecked(_) | Self::Raw(_) => BTreeSet::new(),
        }
    }

    /// Returns the maximum number of rows that an INSERT of this body creates.
    ///
    /// # Errors
    /// PGRST102 if the body is not valid JSON. A body is checked here only if [`Payload::read`] did not parse it.
    pub fn rows(&self) -> Result<usize, ApiError> {
        match self {
            Self::Json { rows, .. } => Ok(*rows),
            Self::Unchecked(body) if body.trim_ascii_start().starts_with(b"[") => {
                serde_json::from_slice::<Vec<IgnoredAny>>(body).map(|rows| rows.len()).map_err(|_| not_json())
            }
            Self::Unchecked(_) | Self::Form(_) | Self::Raw(_) => Ok(1),
        }
    }

    /// Returns the text of the body. Returns an empty text for a form.
    #[must_use]
    pub fn body(&self) -> Bytes {
        match self {
            Self::Json { body, .. } | Self::Unchecked(body) | Self::Raw(body) => body.clone(),
            Self::Form(_) => Bytes::new(),
        }
    }
}

/// Parses a JSON body. `uneven` is the error message for objects with different keys.
fn json(body: Bytes, uneven: &str, reading: Reading) -> Result<Payload, ApiError> {
    let mut deserializer = serde_json::Deserializer::from_slice(&body);
    let shape = Top.deserialize(&mut deserializer).and_then(|shape| deserializer.end().map(|()| shape));
    let shape = shape.map_err(|_| not_json())?;
    if !is_unicode(&body) {
        return Err(not_json());
    }
    match shape {
        Shape::Rows(keys, rows) => {
            // For a function call, the number of keys is not checked: the function may accept the whole object as its only argument, and no
            // function has more named arguments than the limit.
            if !reading.is_call {
                check_columns(keys.len())?;
            }
            Ok(Payload::Json { body, keys, rows })
        }
        Shape::Nothing => Ok(Payload::Json { body: Bytes::from_static(b"[]"), keys: BTreeSet::new(), rows: 0 }),
        Shape::Uneven => Err(ApiError::invalid_body(uneven.to_owned())),
    }
}

fn not_json() -> ApiError {
    ApiError::invalid_body("Empty or invalid json".to_owned())
}

/// Structure of a JSON text, parsed without storing its values.
enum Shape {
    /// Common keys of the objects, and the number of objects.
    Rows(BTreeSet<String>, usize),
    /// An empty array, or a JSON value that is neither an object nor an array.
    Nothing,
    Uneven,
}

struct Top;

impl<'de> DeserializeSeed<'de> for Top {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! bare_values {
    ($($method:ident: $type:ty),+) => {
        $(fn $method<E>(self, _: $type) -> Result<Shape, E> { Ok(Shape::Nothing) })+
    };
}

impl<'de> Visitor<'de> for Top {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    bare_values!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Shape, A::Error> {
        Ok(Shape::Rows(Keys.visit_map(map)?.unwrap_or_default(), 1))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        let Some(first) = seq.next_element_seed(Keys)? else { return Ok(Shape::Nothing) };
        let (mut even, mut rows) = (first.is_some(), 1);
        while let Some(keys) = seq.next_element_seed(Keys)? {
            even &= keys == first;
            rows += 1;
        }
        Ok(if even { Shape::Rows(first.unwrap_or_default(), rows) } else { Shape::Uneven })
    }
}

/// Deserialises the keys of a JSON object; `None` for any other JSON value.
struct Keys;

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = Option<BTreeSet<String>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! no_keys {
    ($($method:ident: $type:ty),+) => {
        $(fn $method<E>(self, _: $type) -> Result<Self::Value, E> { Ok(None) })+
    };
}

impl<'de> Visitor<'de> for Keys {
    type Value = Option<BTreeSet<String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    no_keys!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            // Storing one key more than the limit suffices to detect too many keys.
            if keys.len() <= MAX_COLUMNS {
                keys.insert(key);
            }
        }
        Ok(Some(keys))
    }
}

/// Parses a form with a limited number of fields. The number is limited because even an empty field takes some hundred bytes of memory.
fn bounded_form(body: &[u8]) -> Result<Vec<(String, String)>, ApiError> {
    check_arguments(1 + body.iter().filter(|byte| matches!(byte, b'&' | b';')).count())?;
    form(body).ok_or_else(|| ApiError::invalid_body("The fields of the form are not UTF-8".to_owned()))
}

/// Returns the fields of a form in order, or `None` if a field is not UTF-8.
fn form(body: &[u8]) -> Option<Vec<(String, String)>> {
    let text = std::str::from_utf8(body).ok()?;
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
    };
    let pair = |piece: &str| {
        let (key, value) = piece.split_once('=').unwrap_or((piece, ""));
        Some((decode(key)?, decode(value)?))
    };
    text.split(['&', ';']).filter(|piece| !piece.is_empty()).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: Reading = Reading { is_call: false, has_columns: false };

    fn read(body: &'static str, kind: &MediaType) -> Result<Payload, String> {
        Payload::read(Bytes::from_static(body.as_bytes()), kind, ROWS).map_err(|error| error.message().to_owned())
    }

    fn keys(payload: &Payload) -> Vec<String> {
        payload.keys().into_iter().collect()
    }

    #[test]
    fn refuses_what_is_no_json() {
        for body in ["", "{", "[1", "{} x", r#"{"a":}"#, "[{}] []", r#"{"a":"\ud800"}"#, r#"[{"a":{"\udc00":1}}]"#] {
            assert_eq!(read(body, &MediaType::Json).unwrap_err(), "Empty or invalid json", "{body}");
        }
    }

    #[test]
    fn refuses_uneven_rows() {
        for body in ["[1]", r#"[{"a":1},{"b":1}]"#, r#"[{"a":1},{"a":1,"b":1}]"#, "[{},1]", "[[]]"] {
            assert_eq!(read(body, &MediaType::Json).unwrap_err(), "All object keys must match", "{body}");
        }
    }

    #[test]
    fn refuses_uneven_lines() {
        let refused = read("a,b\n1,2\n3\n", &MediaType::Csv).unwrap_err();
        assert_eq!(refused, "All lines must have same number of fields");
    }

    #[test]
    fn refuses_forms_that_are_not_utf8() {
        for body in [b"a=\xff".as_slice(), b"a=%ff", b"%c3=1"] {
            for is_call in [false, true] {
                let reading = Reading { is_call, has_columns: false };
                let refused = Payload::read(Bytes::from_static(body), &MediaType::Form, reading).unwrap_err();
                assert_eq!(refused.message(), "The fields of the form are not UTF-8", "{body:?}");
            }
        }
        assert_eq!(keys(&read("a+b=%C3%A4&c", &MediaType::Form).unwrap()), ["a b", "c"]);
    }

    #[test]
    fn refuses_other_media_types() {
        let refused = read("{}", &MediaType::Object { stripped: false }).unwrap_err();
        assert_eq!(refused, "Content-Type not acceptable: application/vnd.pgrst.object+json");
    }

    #[test]
    fn finds_the_keys() {
        assert_eq!(keys(&read(r#"[{"b":{"c":[1]},"a":1},{"a":2,"b":null}]"#, &MediaType::Json).unwrap()), ["a", "b"]);
        assert_eq!(keys(&read(r#"{"a":1,"a":2}"#, &MediaType::Json).unwrap()), ["a"]);
        assert_eq!(read("3", &MediaType::Json).unwrap().body(), "[]");
        assert_eq!(read("[]", &MediaType::Json).unwrap().body(), "[]");
    }

    #[test]
    fn bodies_have_bounds() {
        let nested = |levels: usize| format!("{}1{}", r#"{"a":["#.repeat(levels / 2), "]}".repeat(levels / 2));
        let keys =
            |count: usize| format!("[{{{}}}]", (0..count).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(","));
        let fields = |count: usize| vec!["a=1"; count].join("&");
        for (kind, body) in [
            (MediaType::Json, &nested as &dyn Fn(usize) -> String),
            (MediaType::Json, &keys),
            (MediaType::Form, &fields),
        ] {
            for has_columns in [false, true] {
                let read = |size| {
                    let reading = Reading { is_call: false, has_columns };
                    Payload::read(body(size).into(), &kind, reading).map_err(|error| error.code().to_owned())
                };
                assert!(read(500).is_ok());
                // The number of keys in the body is not limited if the query lists the columns.
                let is_refused = !(has_columns && body(3) == keys(3));
                assert_eq!(read(20_000).err().as_deref(), is_refused.then_some("PGRST190"));
            }
        }
    }

    #[test]
    fn brackets_in_texts_are_no_levels() {
        let texts = format!(r#"{{"a":"{}","b\\\"{}":"\\"}}"#, "[".repeat(2_000), "{".repeat(2_000));
        assert_eq!(keys(&Payload::read(texts.into(), &MediaType::Json, ROWS).unwrap()).len(), 2);
    }

    #[test]
    fn a_function_may_take_an_object_with_any_number_of_keys() {
        let body = format!("{{{}}}", (0..5_000).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(","));
        let payload = Payload::read(body.into(), &MediaType::Json, Reading { is_call: true, has_columns: false });
        assert!(payload.unwrap().keys().len() > MAX_COLUMNS);
    }

    #[test]
    fn counts_rows() {
        for (body, rows) in [("{}", 1), ("[]", 0), (r#" [{"a":[{},{}]}, {"a":1}]"#, 2), (r#"[{"a":1}]"#, 1)] {
            for has_columns in [false, true] {
                let reading = Reading { is_call: false, has_columns };
                let payload = Payload::read(Bytes::from_static(body.as_bytes()), &MediaType::Json, reading).unwrap();
                assert_eq!(payload.rows().unwrap(), rows, "{body}");
            }
        }
        assert_eq!(Payload::Unchecked("[{},".into()).rows().unwrap_err().code(), "PGRST102");
        assert_eq!(read("a,b\n1,2\n3,4\n", &MediaType::Csv).unwrap().rows().unwrap(), 2);
    }

    #[test]
    fn turns_forms_into_json() {
        let form = read("a=1&b=x+y%21&a=2", &MediaType::Form).unwrap();
        assert_eq!(form.body(), r#"{"a":"2","b":"x y!"}"#);
    }
}
