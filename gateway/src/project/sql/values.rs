//! Converts PostgreSQL's text form of a value to JSON, with the same JSON types as Supabase's hosted API.

use serde_json::{Number, Value};

/// Largest integer that JavaScript represents exactly.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Converts the text form of a value to JSON. `oid` is the OID of the value's type in PostgreSQL (pg_type.dat). Values of types without a
/// JSON equivalent become strings.
pub(super) fn json(oid: u32, text: &str) -> Value {
    match oid {
        16 => Value::Bool(text == "t"),
        // OIDs of the types int8, int2, int4 and oid.
        20 | 21 | 23 | 26 => whole(text),
        700 | 701 => text.parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number),
        // Types json and jsonb.
        114 | 3802 => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        1000 => array(text, 16),
        1005 | 1007 | 1016 | 1028 => array(text, 23),
        1021 | 1022 => array(text, 701),
        199 | 3807 => array(text, 114),
        // OIDs of arrays of char, name, text, bpchar, varchar, uuid, date, timestamp, timestamptz and numeric.
        1002 | 1003 | 1009 | 1014 | 1015 | 2951 | 1182 | 1115 | 1185 | 1231 => array(text, 25),
        _ => text.into(),
    }
}

fn whole(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if number.unsigned_abs() <= MAX_SAFE_INTEGER.unsigned_abs() => number.into(),
        _ => text.into(),
    }
}

/// Parses PostgreSQL's text form of an array: `{a,"b c",NULL,{d}}`.
fn array(text: &str, element: u32) -> Value {
    // Skips the bounds of the array's dimensions, such as `[0:1]=` in `[0:1]={…}`.
    let body = text.find('{').and_then(|at| text.get(at..)).unwrap_or(text);
    Elements { rest: body.chars().peekable(), element }.array().unwrap_or_else(|| text.into())
}

struct Elements<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    element: u32,
}

impl Elements<'_> {
    /// Parses an array. Nested arrays are parsed by recursion. Its depth is limited, because PostgreSQL's arrays have at most six
    /// dimensions.
    fn array(&mut self) -> Option<Value> {
        self.rest.next_if_eq(&'{')?;
        let mut values = Vec::new();
        loop {
            match self.rest.peek()? {
                '}' => {
                    self.rest.next();
                    return Some(Value::Array(values));
                }
                ',' => _ = self.rest.next(),
                '{' => values.push(self.array()?),
                '"' => values.push(self.quoted()?),
                _ => values.push(self.plain()),
            }
        }
    }

    fn quoted(&mut self) -> Option<Value> {
        self.rest.next();
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(json(self.element, &text)),
                '\\' => text.push(self.rest.next()?),
                other => text.push(other),
            }
        }
    }

    fn plain(&mut self) -> Value {
        let mut text = String::new();
        while let Some(next) = self.rest.next_if(|next| !matches!(next, ',' | '}')) {
            text.push(next);
        }
        if text == "NULL" { Value::Null } else { json(self.element, &text) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json as j;

    use super::json;

    #[test]
    fn values_have_the_types_of_the_hosted_api() {
        for (oid, text, value) in [
            (16, "t", j!(true)),
            (20, "9007199254740993", j!("9007199254740993")),
            (23, "-7", j!(-7)),
            (701, "1.5", j!(1.5)),
            (701, "NaN", j!(null)),
            (1700, "1.10", j!("1.10")),
            (3802, "{\"a\": [1]}", j!({"a": [1]})),
            (1009, r#"{a,"b \"c\"",NULL,"NULL",""}"#, j!(["a", "b \"c\"", null, "NULL", ""])),
            (1007, "[0:1]={{1,2},{3,4}}", j!([[1, 2], [3, 4]])),
            (1009, "{}", j!([])),
            (25, "x", j!("x")),
        ] {
            assert_eq!(json(oid, text), value, "{oid} {text}");
        }
    }
}
