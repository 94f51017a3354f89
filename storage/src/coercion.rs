//! Converts JSON values to the type that a field has, as the JSON schemas of Supabase Storage do: `"10"`, `10.0` and `[10]` are the integer
//! 10, and `null` is 0, `false` or an empty text.

use serde_json::{Number, Value};

/// Returns the only item of a list, or else the value itself.
fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Array(items) if items.len() == 1 => items.first().unwrap_or(value),
        _ => value,
    }
}

/// Returns a text, or a number or boolean in the notation of JavaScript. `None` for objects and other lists than those of one item.
pub(crate) fn text(value: &Value) -> Option<String> {
    match unwrapped(value) {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(whole(number).map_or_else(|| number.to_string(), |whole| whole.to_string())),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns an integer in the range of `i64`. `None` for values that are no integer.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match unwrapped(value) {
        Value::Number(number) => whole(number),
        Value::String(text) => {
            text.parse().ok().or_else(|| Number::from_f64(number_of(text)?).as_ref().and_then(whole))
        }
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Null => Some(0),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether a value is the text of an infinite number in JavaScript.
pub(crate) fn is_infinity(value: &Value) -> bool {
    unwrapped(value).as_str().is_some_and(|text| matches!(text.trim(), "Infinity" | "+Infinity" | "-Infinity"))
}

/// Returns a boolean. `None` for other values than true, false, 1, 0, null and their texts.
pub(crate) fn boolean(value: &Value) -> Option<bool> {
    match unwrapped(value) {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text == "true" => Some(true),
        Value::String(text) if text == "false" => Some(false),
        Value::Number(number) if whole(number) == Some(1) => Some(true),
        Value::Number(number) if whole(number) == Some(0) => Some(false),
        Value::Null => Some(false),
        _ => None,
    }
}

/// Returns the value of a number without a fraction, in any notation.
#[expect(clippy::cast_possible_truncation, reason = "the value has no fraction and lies in range")]
pub(crate) fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let value = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9e18)?;
        Some(value as i64)
    })
}

/// Returns the number that a text stands for in JavaScript: decimal or with the prefix of another base, with white space around it. A text
/// of white space is 0.
#[expect(clippy::cast_precision_loss, reason = "numbers of JavaScript have the precision of f64")]
fn number_of(text: &str) -> Option<f64> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return (!text.is_empty()).then_some(0.0);
    }
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let digits = trimmed.get(..2).filter(|start| start.eq_ignore_ascii_case(prefix)).and(trimmed.get(2..));
        if let Some(digits) = digits.filter(|digits| !digits.starts_with('+')) {
            return u64::from_str_radix(digits, base).ok().map(|number| number as f64);
        }
    }
    let is_decimal = trimmed.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    trimmed.parse().ok().filter(|_| is_decimal)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_in_every_notation() {
        for (value, expected) in [
            (json!(1.0), 1),
            (json!(1e2), 100),
            (json!(-0.0), 0),
            (json!(true), 1),
            (json!(null), 0),
            (json!([1]), 1),
            (json!([null]), 0),
            (json!(["1"]), 1),
            (json!(" "), 0),
            (json!("00"), 0),
            (json!("1 "), 1),
            (json!("+1"), 1),
            (json!("1e1"), 10),
            (json!("0x10"), 16),
            (json!("1.0"), 1),
            (json!("1."), 1),
            (json!("9007199254740993"), 9_007_199_254_740_993),
        ] {
            assert_eq!(integer(&value), Some(expected), "{value}");
        }
        for value in [
            json!(""),
            json!(".5"),
            json!("x"),
            json!("NaN"),
            json!("Infinity"),
            json!("inf"),
            json!("0x"),
            json!("0x+1"),
            json!("1 2"),
            json!(1.5),
            json!(1e21),
            json!([]),
            json!([1, 2]),
            json!({}),
        ] {
            assert_eq!(integer(&value), None, "{value}");
        }
    }

    #[test]
    fn texts_of_scalars() {
        for (value, expected) in [
            (json!("x"), "x"),
            (json!(1.0), "1"),
            (json!(1.5), "1.5"),
            (json!(1e2), "100"),
            (json!(-0.0), "0"),
            (json!(true), "true"),
            (json!(null), ""),
            (json!([1]), "1"),
            (json!([null]), ""),
        ] {
            assert_eq!(text(&value).as_deref(), Some(expected), "{value}");
        }
        for value in [json!([]), json!(["x", "y"]), json!([["x"]]), json!({})] {
            assert_eq!(text(&value), None, "{value}");
        }
    }

    #[test]
    fn booleans_of_scalars() {
        for (value, expected) in [
            (json!("true"), Some(true)),
            (json!(1.0), Some(true)),
            (json!([true]), Some(true)),
            (json!("false"), Some(false)),
            (json!(-0.0), Some(false)),
            (json!(null), Some(false)),
            (json!([null]), Some(false)),
            (json!("1"), None),
            (json!(2), None),
            (json!("TRUE"), None),
            (json!([]), None),
        ] {
            assert_eq!(boolean(&value), expected, "{value}");
        }
    }
}
