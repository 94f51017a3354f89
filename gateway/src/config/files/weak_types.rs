//! Converts values of config.toml to the type that a key needs, as the Supabase CLI does (Go's mapstructure with `WeaklyTypedInput`).
//! Without this, `port = "env(SMTP_PORT)"` and `major_version = 15.8` would be refused. A value that cannot be converted stays unchanged,
//! so that the error message contains its original text.

use toml::Value;

/// Largest float that is converted to its whole part. Above this number, floats do not represent all whole numbers.
const MAX_FLOAT: f64 = 9_007_199_254_740_992.0;

/// Converts a fractional number to its whole part, and a text with a whole number to the number.
pub(super) fn to_whole_number(value: Value) -> Value {
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "the whole part, which is in the range of an i64")]
        Value::Float(number) if (0.0..=MAX_FLOAT).contains(&number) => Value::Integer(number.trunc() as i64),
        Value::String(text) => text.parse().map_or(Value::String(text), Value::Integer),
        value => value,
    }
}

/// Converts a text with a number to the number.
pub(super) fn to_number(value: Value) -> Value {
    match value {
        Value::String(text) => {
            text.parse().ok().filter(|number: &f64| number.is_finite()).map_or(Value::String(text), Value::Float)
        }
        value => value,
    }
}

/// Converts the texts that Go's `strconv.ParseBool` accepts, and the numbers 0 and 1, to a boolean. Returns other values unchanged.
pub(super) fn to_boolean(value: Value) -> Value {
    match value {
        Value::String(text) => match text.as_str() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Value::Boolean(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Value::Boolean(false),
            _ => Value::String(text),
        },
        Value::Integer(number @ 0..=1) => Value::Boolean(number == 1),
        value => value,
    }
}

/// Converts a whole number to its text, for example a phone number or an identifier without quotes.
pub(super) fn to_text(value: Value) -> Value {
    match value {
        Value::Integer(number) => Value::String(number.to_string()),
        value => value,
    }
}

/// Converts a text to the list of its parts between commas, and another single value to a list with this value. An empty text becomes an
/// empty list. A table cannot be converted.
pub(super) fn to_list(value: Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::Array(Vec::new()),
        Value::String(text) => Value::Array(text.split(',').map(|part| Value::String(part.to_owned())).collect()),
        value @ (Value::Array(_) | Value::Table(_)) => value,
        value => Value::Array(vec![value]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::String(text.into())
    }

    #[test]
    fn converts_what_the_supabase_cli_converts_and_leaves_other_values() {
        assert_eq!(to_whole_number(Value::Float(15.8)), Value::Integer(15));
        assert_eq!(to_whole_number(text("587")), Value::Integer(587));
        for kept in [text("20s"), text(""), Value::Float(-0.5), Value::Float(f64::INFINITY), Value::Boolean(true)] {
            assert_eq!(to_whole_number(kept.clone()), kept);
        }
        assert_eq!(to_number(text("0.5")), Value::Float(0.5));
        assert_eq!(to_number(text("inf")), text("inf"));
        assert_eq!(to_boolean(text("false")), Value::Boolean(false));
        assert_eq!(to_boolean(Value::Integer(1)), Value::Boolean(true));
        for kept in [text("yes"), Value::Integer(2)] {
            assert_eq!(to_boolean(kept.clone()), kept);
        }
        assert_eq!(to_text(Value::Integer(4_152_127_777)), text("4152127777"));
        assert_eq!(to_text(Value::Boolean(true)), Value::Boolean(true));
        assert_eq!(to_list(text("./a.sql,./b.sql")), Value::Array(vec![text("./a.sql"), text("./b.sql")]));
        assert_eq!(to_list(text("")), Value::Array(Vec::new()));
        assert_eq!(to_list(Value::Integer(1)), Value::Array(vec![Value::Integer(1)]));
        for kept in [Value::Array(vec![text("a,b")]), Value::Table(toml::Table::new())] {
            assert_eq!(to_list(kept.clone()), kept);
        }
    }
}
