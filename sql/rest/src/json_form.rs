//! Converts values from PostgreSQL's text format to JSON.

use bytes::{BufMut, BytesMut};

use cloch_sql::schema_cache::{Name, PlainTypes};

/// Method of converting the text format of a PostgreSQL type to JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The text is a JSON number; values that are not finite (`NaN`, `Infinity`) become strings.
    Number,
    /// `t` becomes `true`, `f` becomes `false`.
    Boolean,
    /// The text already is JSON.
    Json,
    /// The text becomes a JSON string.
    Text,
    /// The text becomes a JSON string with `T` between date and time.
    Timestamp,
    /// The text becomes a timestamp string; a UTC offset without minutes gets `:00`.
    TimestampTz,
}

impl Form {
    /// Returns the method of converting the type with this OID to JSON. Returns `None` for arrays, row types and rare types, which only
    /// PostgreSQL converts.
    pub(crate) fn of(type_oid: u32, plain_types: &PlainTypes) -> Option<Self> {
        Some(match type_oid {
            // OIDs of the numeric types int2, int4, int8, float4, float8, numeric.
            21 | 23 | 20 | 700 | 701 | 1700 => Self::Number,
            16 => Self::Boolean,
            // OIDs of the types json and jsonb, whose text is JSON.
            114 | 3802 => Self::Json,
            // OIDs of the types char, name, text, bpchar, varchar, unknown.
            18 | 19 | 25 | 1042 | 1043 | 705
            // OIDs of the types uuid, bytea, date, time, timetz, interval.
            | 2950 | 17 | 1082 | 1083 | 1266 | 1186
            // OIDs of the types oid, money, bit, varbit, xml, inet, cidr, macaddr, macaddr8.
            | 26 | 790 | 1560 | 1562 | 142 | 869 | 650 | 829 | 774
            // OIDs of the types tsvector, tsquery, and the built-in ranges and multiranges.
            | 3614 | 3615 | 3904 | 3906 | 3908 | 3910 | 3912 | 3926 | 4451 | 4532 | 4533 | 4534 | 4535 | 4536 => Self::Text,
            1114 => Self::Timestamp,
            1184 => Self::TimestampTz,
            other if plain_types.types.contains(&other) => Self::Text,
            _ => return None,
        })
    }
}

/// OIDs of the array types that Cloch converts to JSON, each with the OID of its element type. PostgreSQL converts arrays of all other
/// types.
const ARRAYS: [(u32, u32); 21] = [
    // Arrays of bool, bytea, char, name, int2, int4, text.
    (1000, 16),
    (1001, 17),
    (1002, 18),
    (1003, 19),
    (1005, 21),
    (1007, 23),
    (1009, 25),
    // Arrays of bpchar, varchar, int8, float4, float8.
    (1014, 1042),
    (1015, 1043),
    (1016, 20),
    (1021, 700),
    (1022, 701),
    // Arrays of inet, timestamp, date, time, timestamptz, interval, numeric, uuid, jsonb.
    (1041, 869),
    (1115, 1114),
    (1182, 1082),
    (1183, 1083),
    (1185, 1184),
    (1187, 1186),
    (1231, 1700),
    (2951, 2950),
    (3807, 3802),
];

/// Returns the method of converting the elements of an array type to JSON; `None` if PostgreSQL must convert the array.
pub(crate) fn of_elements(array_oid: u32, plain_types: &PlainTypes) -> Option<Form> {
    match ARRAYS.iter().find(|(array, _)| *array == array_oid) {
        Some((_, element)) => Form::of(*element, plain_types),
        None => plain_types.arrays.contains(&array_oid).then_some(Form::Text),
    }
}

/// Whether Cloch can convert values of a type inside an embedded object, which has the format of `jsonb`. The type `json` is excluded,
/// because PostgreSQL keeps the original text of `json` values inside `jsonb` output.
pub(crate) fn is_written_below(type_oid: u32, plain_types: &PlainTypes) -> bool {
    ARRAYS.iter().any(|(_, element)| *element == type_oid) || plain_types.types.contains(&type_oid)
}

/// Whether Cloch can convert values of a function's return type to JSON.
pub(crate) fn is_written(type_name: &Name) -> bool {
    let written = [
        "int2",
        "int4",
        "int8",
        "float4",
        "float8",
        "numeric",
        "bool",
        "json",
        "jsonb",
        "text",
        "varchar",
        "uuid",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "void",
    ];
    type_name.schema == "pg_catalog" && written.contains(&type_name.name.as_str())
}

pub(crate) fn write_value(out: &mut BytesMut, form: Form, value: &[u8]) {
    match form {
        Form::Json => out.put_slice(value),
        Form::Number => {
            let digits = value.strip_prefix(b"-").unwrap_or(value);
            if digits.first().is_some_and(u8::is_ascii_digit) { out.put_slice(value) } else { quote(out, value) }
        }
        Form::Boolean => out.put_slice(if value == b"t" { b"true" } else { b"false" }),
        Form::Text => quote(out, value),
        Form::Timestamp => timestamp(out, value, false),
        Form::TimestampTz => timestamp(out, value, true),
    }
}

/// Writes a timestamp in PostgreSQL's text format, such as `2024-05-05 05:05:05.12+00`, optionally followed by ` BC`, as a JSON string. The
/// text `infinity` stays unchanged.
fn timestamp(out: &mut BytesMut, value: &[u8], has_zone: bool) {
    let (value, era) = match value.strip_suffix(b" BC") {
        Some(value) => (value, &b" BC"[..]),
        None => (value, &b""[..]),
    };
    out.put_u8(b'"');
    match value.iter().position(|&byte| byte == b' ').and_then(|space| value.split_at_checked(space)) {
        Some((date, time)) => {
            out.put_slice(date);
            out.put_u8(b'T');
            out.put_slice(time.get(1..).unwrap_or_default());
            let zone = time.iter().rposition(|byte| matches!(byte, b'+' | b'-')).and_then(|at| time.get(at..));
            if has_zone && zone.is_some_and(|zone| zone.len() == 3) {
                out.put_slice(b":00");
            }
        }
        None => out.put_slice(value),
    }
    out.put_slice(era);
    out.put_u8(b'"');
}

/// Writes a text as a JSON string with the same escapes as PostgreSQL.
pub(crate) fn quote(out: &mut BytesMut, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.put_u8(b'"');
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let (clean, tail) = rest.split_at(at);
        out.put_slice(clean);
        let Some((&byte, tail)) = tail.split_first() else { break };
        match byte {
            b'"' => out.put_slice(b"\\\""),
            b'\\' => out.put_slice(b"\\\\"),
            b'\n' => out.put_slice(b"\\n"),
            b'\r' => out.put_slice(b"\\r"),
            b'\t' => out.put_slice(b"\\t"),
            0x08 => out.put_slice(b"\\b"),
            0x0c => out.put_slice(b"\\f"),
            other => out.put_slice(format!("\\u{other:04x}").as_bytes()),
        }
        rest = tail;
    }
    out.put_slice(rest);
    out.put_u8(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form, value: &str) -> String {
        let mut out = BytesMut::new();
        write_value(&mut out, form, value.as_bytes());
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn values_look_as_postgresql_writes_them() {
        assert_eq!(written(Form::Number, "-1.50"), "-1.50");
        assert_eq!(written(Form::Number, "NaN"), "\"NaN\"");
        assert_eq!(written(Form::Number, "-Infinity"), "\"-Infinity\"");
        assert_eq!(written(Form::Boolean, "f"), "false");
        assert_eq!(written(Form::Text, "a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\u0001é\"");
        assert_eq!(written(Form::Timestamp, "2024-05-05 05:05:05.1"), "\"2024-05-05T05:05:05.1\"");
        assert_eq!(written(Form::TimestampTz, "2024-05-05 05:05:05-03"), "\"2024-05-05T05:05:05-03:00\"");
        assert_eq!(written(Form::TimestampTz, "0044-03-15 12:00:00+05:30 BC"), "\"0044-03-15T12:00:00+05:30 BC\"");
        assert_eq!(written(Form::TimestampTz, "infinity"), "\"infinity\"");
    }
}
