//! Extracts the values of a JSON request body, so that each value can be bound as a parameter and PostgreSQL does not parse the JSON. A
//! value is extracted only if the statement then returns the same result as with JSON that PostgreSQL parses.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::value::RawValue;

/// Maximum size in bytes of a body whose values are bound individually. PostgreSQL alone parses larger bodies, so that they are not parsed
/// twice.
const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Returns the values of the keys in `wanted` (pairs of key and PostgreSQL type), each as the text that PostgreSQL's `json_to_record` would
/// pass to the input function of the type. An inner `None` is SQL NULL. Returns `None` if the body is too large, is not an object, lacks a
/// key, or contains a value that the type might reject. PostgreSQL rejects an invalid bound value before it checks the caller's privileges,
/// so such a value would cause a different error.
pub(super) fn plain_values<'a>(
    wanted: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: &[u8],
) -> Option<Vec<Option<Bytes>>> {
    if body.len() > MAX_VALUE_BYTES {
        return None;
    }
    let values: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(body).ok()?;
    wanted.into_iter().map(|(name, data_type)| plain_value(data_type, values.get(name)?.get())).collect()
}

fn plain_value(data_type: &str, json: &str) -> Option<Option<Bytes>> {
    let as_it_is = || Some(Some(Bytes::copy_from_slice(json.as_bytes())));
    let first = json.as_bytes().first()?;
    let is_known =
        matches!(data_type, "text" | "character varying" | "uuid" | "boolean" | "numeric" | "json" | "jsonb");
    match (data_type, first) {
        (_, b'n') if is_known || longest_integer(data_type).is_some() => Some(None),
        ("text" | "character varying", b'"') => text(json).map(|text| Some(text.into())),
        ("uuid", b'"') => text(json)
            .filter(|text| text.len() == 36 && uuid::Uuid::try_parse(text).is_ok())
            .map(|text| Some(text.into())),
        ("text" | "character varying", b't' | b'f' | b'-' | b'0'..=b'9') | ("boolean", b't' | b'f') => as_it_is(),
        ("numeric", b'-' | b'0'..=b'9') if !json.contains(['e', 'E']) => as_it_is(),
        // JSON strings, and values with escapes inside, are excluded, because PostgreSQL would rewrite the escapes.
        ("json" | "jsonb", first) if *first != b'"' && !json.contains('\\') => as_it_is(),
        (other, b'-' | b'0'..=b'9') => {
            let digits = json.strip_prefix('-').unwrap_or(json);
            let fits = digits.len() <= longest_integer(other)? && digits.bytes().all(|digit| digit.is_ascii_digit());
            fits.then(as_it_is).flatten()
        }
        _ => None,
    }
}

/// Returns the number of digits up to which every integer fits into the type `data_type`, for example 9 for `integer`. Returns `None` for
/// types other than integers.
fn longest_integer(data_type: &str) -> Option<usize> {
    match data_type {
        "smallint" => Some(4),
        "integer" => Some(9),
        "bigint" => Some(18),
        _ => None,
    }
}

/// Parses a JSON string. Returns `None` for a string with a NUL character, because PostgreSQL reports a specific error for this character.
fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok().filter(|text: &String| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
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
            ("jsonb", r#"{"a":["\u0000"]}"#),
            ("integer", r#"{"a":"1"}"#),
            ("integer", r#"{"a":1.5}"#),
            ("integer", r#"{"a":9999999999}"#),
            ("uuid", r#"{"a":"x"}"#),
            ("boolean", r#"{"a":1}"#),
            ("numeric(6,2)", r#"{"a":1}"#),
            ("date", r#"{"a":"2026-11-22"}"#),
        ] {
            assert_eq!(plain_values([("a", data_type)], body.as_bytes()), None, "{data_type} {body}");
        }
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_VALUE_BYTES));
        assert_eq!(plain_values([("a", "text")], long.as_bytes()), None);
    }

    #[test]
    fn plain_values_are_what_their_types_read() {
        let types = [("a", "integer"), ("b", "character varying"), ("c", "boolean"), ("d", "text"), ("e", "numeric")];
        let body = r#"{"e": 1.50, "d": null, "c": true, "b": "x\n\u00e9", "a": -1, "a": 2}"#;
        let expected = vec![one("2"), one("x\né"), one("true"), None, one("1.50")];
        assert_eq!(plain_values(types, body.as_bytes()), Some(expected));
        let body = r#"{"a": {"b" : [1]}, "b": [2 ], "c": null}"#;
        let expected = vec![one(r#"{"b" : [1]}"#), one("[2 ]"), None];
        let types = [("a", "jsonb"), ("b", "json"), ("c", "json")];
        assert_eq!(plain_values(types, body.as_bytes()), Some(expected));
    }
}
