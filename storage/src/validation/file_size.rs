//! Parses and combines limits of the object size.

use serde_json::Value;

use crate::coercion;
use crate::error::{Error, Result};

/// Parses `file_size_limit` of a bucket: a number of bytes as number or text, or a decimal size such as `20MB`. Null and an empty text mean
/// that the bucket has no limit of its own (`None`).
///
/// # Errors
/// [`Error::Schema`] for any other value.
pub(crate) fn parse_limit(value: &Value) -> Result<Option<i64>> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(value) => Ok(Some(i64::from(*value))),
        Value::Number(number) => match coercion::whole(number) {
            Some(bytes) if bytes >= 0 => Ok(Some(bytes)),
            Some(_) => Err(malformed(&["must be >= 0", PATTERN])),
            None => Err(malformed(&["must be integer", PATTERN])),
        },
        Value::String(text) if text.is_empty() => Ok(None),
        Value::String(text) => match coercion::integer(value) {
            Some(bytes) if bytes >= 0 => Ok(Some(bytes)),
            _ => parse_units(text).map(Some),
        },
        Value::Array(_) | Value::Object(_) => Err(malformed(&["must be integer", FINITE, "must be string"])),
    }
}

const FINITE: &str = "must pass \"finite\" keyword validation";
const PATTERN: &str = r#"must match pattern "^[0-9]+(?:\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$""#;

/// Returns the error for a value that matches none of the alternatives (`anyOf`) of the JSON schema. It lists `violations` with the error
/// texts of Supabase Storage.
fn malformed(violations: &[&str]) -> Error {
    let all = violations.iter().chain(&["must match a schema in anyOf"]);
    Error::Schema(all.map(|violation| format!("body/file_size_limit {violation}")).collect::<Vec<_>>().join(", "))
}

/// Returns the error for a text that is not a valid size.
fn no_size() -> Error {
    malformed(&["must be integer", FINITE, PATTERN])
}

#[expect(clippy::cast_possible_truncation, reason = "a size beyond i64 saturates, and is above every limit")]
fn parse_units(text: &str) -> Result<i64> {
    let lower = text.to_ascii_lowercase();
    let units = [("gb", 1e9), ("mb", 1e6), ("kb", 1e3), ("b", 1.0)];
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| lower.strip_suffix(unit).map(|number| (number, factor)))
        .ok_or_else(no_size)?;
    let whole_and_fraction = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole_and_fraction.0) || !digits(whole_and_fraction.1) {
        return Err(no_size());
    }
    let value: f64 = number.parse().map_err(|_| no_size())?;
    Ok((to_three_digits(value) * factor).round() as i64)
}

/// Rounds to three significant digits, as Supabase Storage does.
fn to_three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Returns the smaller of the project's and the bucket's size limit in bytes.
pub(crate) fn effective(project: u64, bucket: Option<i64>) -> u64 {
    bucket.and_then(|limit| u64::try_from(limit).ok()).map_or(project, |limit| limit.min(project))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refuses_unknown_units() {
        for text in ["1TB", "1MiB", "20 MB", "-1", "-1kb", "x", "1.kb", ".5kb", "1e3b", "infb", "nanb"] {
            assert!(parse_limit(&json!(text)).is_err(), "{text}");
        }
        assert!(parse_limit(&json!(-1)).is_err());
        assert!(parse_limit(&json!(1.5)).is_err());
    }

    #[test]
    fn sizes_are_decimal() {
        for (text, bytes) in [("20MB", 20_000_000), ("1.2345kb", 1230), ("3B", 3), ("1Gb", 1_000_000_000), ("100", 100)]
        {
            assert_eq!(parse_limit(&json!(text)).unwrap(), Some(bytes));
        }
        assert_eq!(parse_limit(&json!("")).unwrap(), None);
        assert_eq!(parse_limit(&json!(null)).unwrap(), None);
        assert_eq!(parse_limit(&json!(0)).unwrap(), Some(0));
        assert_eq!(parse_limit(&json!(5e6)).unwrap(), Some(5_000_000));
        assert_eq!(parse_limit(&json!("1e1")).unwrap(), Some(10));
    }

    #[test]
    fn the_smaller_limit_counts() {
        assert_eq!(effective(100, None), 100);
        assert_eq!(effective(100, Some(50)), 50);
        assert_eq!(effective(100, Some(500)), 100);
        assert_eq!(effective(100, Some(0)), 0);
    }
}
