//! The values of a JSON object, taken out of it where that changes nothing: bound one by one they mean the same, and PostgreSQL need
//! not take the object apart.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::value::RawValue;

/// A larger body is left to PostgreSQL: it would be read twice.
const LONGEST: usize = 16 * 1024;

/// Types whose values are read from a text, whatever they were in JSON; as PostgreSQL writes them, without modifiers.
const PLAIN: [&str; 17] = [
    "smallint",
    "integer",
    "bigint",
    "real",
    "double precision",
    "numeric",
    "boolean",
    "text",
    "character varying",
    "uuid",
    "date",
    "time without time zone",
    "timestamp without time zone",
    "timestamp with time zone",
    "interval",
    "json",
    "jsonb",
];

/// The values of the wanted names, each as the text that PostgreSQL's `json_to_record` would hand to its type's input; none is NULL.
/// Nothing where the body is no object, lacks a name, or a value or a type is not plain enough.
pub(super) fn plain_values<'a>(
    wanted: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: &[u8],
) -> Option<Vec<Option<Bytes>>> {
    if body.len() > LONGEST {
        return None;
    }
    let values: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(body).ok()?;
    let value = |(name, data_type)| {
        let text = values.get(name)?.get();
        match &*without_modifier(data_type) {
            "json" | "jsonb" => json_value(text),
            other if PLAIN.contains(&other) => plain_value(text),
            _ => None,
        }
    };
    wanted.into_iter().map(value).collect()
}

/// `timestamp without time zone` of `timestamp(3) without time zone`.
fn without_modifier(data_type: &str) -> Cow<'_, str> {
    match data_type.split_once('(').and_then(|(name, rest)| Some((name, rest.split_once(')')?.1))) {
        Some((name, rest)) => Cow::Owned(format!("{name}{rest}")),
        None => Cow::Borrowed(data_type),
    }
}

fn plain_value(json: &str) -> Option<Option<Bytes>> {
    match json.as_bytes().first()? {
        b'n' => Some(None),
        b'{' | b'[' => None,
        // PostgreSQL has its own words for a text with a NUL in it.
        b'"' => {
            let text: String = serde_json::from_str(json).ok()?;
            (!text.contains('\0')).then(|| Some(text.into()))
        }
        _ => Some(Some(Bytes::copy_from_slice(json.as_bytes()))),
    }
}

/// A text would be written anew, with other escapes.
fn json_value(json: &str) -> Option<Option<Bytes>> {
    match json.as_bytes().first()? {
        b'n' => Some(None),
        b'"' => None,
        _ => Some(Some(Bytes::copy_from_slice(json.as_bytes()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn one(text: &'static str) -> Option<Bytes> {
        Some(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn what_is_not_plain_is_left_to_postgresql() {
        for (data_type, body) in [
            ("integer", "[1]"),
            ("integer", r#"[{"a":1}]"#),
            ("integer", r#"{"b":1}"#),
            ("integer", r#"{"a":[1]}"#),
            ("integer[]", r#"{"a":"{1}"}"#),
            ("harbour.mood", r#"{"a":"calm"}"#),
            ("text", r#"{"a":{"b":1}}"#),
            ("text", r#"{"a":"\u0000"}"#),
            ("text", r#"{"a":"\ud800"}"#),
            ("jsonb", r#"{"a":"b"}"#),
        ] {
            assert_eq!(plain_values([("a", data_type)], body.as_bytes()), None, "{data_type} {body}");
        }
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(LONGEST));
        assert_eq!(plain_values([("a", "text")], long.as_bytes()), None);
    }

    #[test]
    fn plain_values_are_what_their_types_read() {
        let types =
            [("a", "integer"), ("b", "character varying(9)"), ("c", "boolean"), ("d", "text"), ("e", "numeric(6,2)")];
        let body = r#"{"e": 1.50, "d": null, "c": true, "b": "x\n\u00e9", "a": -1, "a": 2}"#;
        let expected = vec![one("2"), one("x\né"), one("true"), None, one("1.50")];
        assert_eq!(plain_values(types, body.as_bytes()), Some(expected));
        let body = r#"{"a": {"b" : [1]}, "b": [2 ], "c": null}"#;
        let expected = vec![one(r#"{"b" : [1]}"#), one("[2 ]"), None];
        let types = [("a", "jsonb"), ("b", "json"), ("c", "json")];
        assert_eq!(plain_values(types, body.as_bytes()), Some(expected));
    }
}
