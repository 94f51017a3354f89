//! Rows as JSON, written from the wire exactly as PostgreSQL's `json_agg` would write them.
//!
//! PostgreSQL spends more on making JSON of a row than on finding it. The types that make up most rows have a text form that is
//! their JSON but for quotes, so they are written here; a statement with any other type is left to PostgreSQL.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::catalog::Name;
use crate::client::{Column, Row, RowSink};

/// A chunk is passed on when it has grown to this, so that a large body is never moved as a whole.
const CHUNK: usize = 256 * 1024;
/// Room made for the first rows.
const FIRST: usize = 1024;

/// How a type's text becomes JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it is, unless it is no number (`NaN`).
    Number,
    /// `t` or `f`.
    Boolean,
    /// As it is.
    Json,
    /// In quotes.
    Text,
    /// In quotes, with `T` between date and time.
    Timestamp,
    /// As a timestamp, with the minutes of the zone always there.
    TimestampTz,
}

impl Form {
    /// The form of a built-in type, by OID; none for arrays, row types and rarities.
    fn of(type_oid: u32, plain_types: &HashSet<u32>) -> Option<Self> {
        Some(match type_oid {
            // int2, int4, int8, float4, float8, numeric
            21 | 23 | 20 | 700 | 701 | 1700 => Self::Number,
            16 => Self::Boolean,
            // json, jsonb
            114 | 3802 => Self::Json,
            // char, name, text, bpchar, varchar, unknown
            18 | 19 | 25 | 1042 | 1043 | 705
            // uuid, bytea, date, time, timetz, interval
            | 2950 | 17 | 1082 | 1083 | 1266 | 1186
            // oid, money, bit, varbit, xml, inet, cidr, macaddr, macaddr8
            | 26 | 790 | 1560 | 1562 | 142 | 869 | 650 | 829 | 774
            // tsvector, tsquery; the built-in ranges and multiranges
            | 3614 | 3615 | 3904 | 3906 | 3908 | 3910 | 3912 | 3926 | 4451 | 4532 | 4533 | 4534 | 4535 | 4536 => Self::Text,
            1114 => Self::Timestamp,
            1184 => Self::TimestampTz,
            other if plain_types.contains(&other) => Self::Text,
            _ => return None,
        })
    }
}

/// Collects rows as a JSON array.
#[derive(Debug)]
pub(super) struct JsonRows<'a> {
    plain_types: &'a HashSet<u32>,
    /// The keys of all columns as they stand before their values.
    keys: BytesMut,
    /// Of each column, where its key ends, and the form of its values.
    columns: Vec<(usize, Form)>,
    /// Whether a column has a type that is not written here; then there is no body.
    pub(super) unsupported: bool,
    /// How many rows there were.
    pub(super) count: i64,
    full: Vec<Bytes>,
    chunk: BytesMut,
}

impl<'a> JsonRows<'a> {
    pub(super) fn new(plain_types: &'a HashSet<u32>) -> Self {
        Self {
            plain_types,
            keys: BytesMut::new(),
            columns: Vec::new(),
            unsupported: false,
            count: 0,
            full: Vec::new(),
            chunk: BytesMut::new(),
        }
    }

    /// The rows in brackets.
    pub(super) fn array(mut self) -> Vec<Bytes> {
        if self.count == 0 {
            return vec![Bytes::from_static(b"[]")];
        }
        self.chunk.put_u8(b']');
        self.full.push(self.chunk.freeze());
        self.full
    }

    /// The first row alone.
    pub(super) fn object(mut self) -> Vec<Bytes> {
        self.full.push(self.chunk.freeze());
        match self.full.first_mut() {
            Some(first) if !first.is_empty() => _ = first.split_to(1),
            _ => {}
        }
        self.full
    }
}

impl RowSink for JsonRows<'_> {
    fn start(&mut self, columns: &Arc<[Column]>) {
        *self = Self::new(self.plain_types);
        self.keys.reserve(columns.iter().map(|column| column.name.len() + "{\"\":".len()).sum());
        self.columns.reserve_exact(columns.len());
        self.chunk.reserve(FIRST);
        for (index, column) in columns.iter().enumerate() {
            let Some(form) = Form::of(column.type_oid, self.plain_types) else {
                self.unsupported = true;
                return;
            };
            self.keys.put_u8(if index == 0 { b'{' } else { b',' });
            quote(&mut self.keys, column.name.as_bytes());
            self.keys.put_u8(b':');
            self.columns.push((self.keys.len(), form));
        }
        // A row without columns would be no JSON object of PostgreSQL's making either, but it is written differently.
        self.unsupported = columns.is_empty();
    }

    fn row(&mut self, row: Row) {
        if self.unsupported {
            return;
        }
        self.chunk.put_slice(if self.count == 0 { b"[" } else { b", \n " });
        self.count += 1;
        let mut begin = 0;
        for (&(end, form), value) in self.columns.iter().zip(row.values()) {
            self.chunk.put_slice(self.keys.get(begin..end).unwrap_or_default());
            begin = end;
            match value {
                None => self.chunk.put_slice(b"null"),
                Some(value) => write_value(&mut self.chunk, form, value),
            }
        }
        self.chunk.put_u8(b'}');
        if self.chunk.len() >= CHUNK {
            self.full.push(self.chunk.split().freeze());
        }
    }
}

/// Whether values of a type are among those that are written here.
pub(super) fn is_written(type_name: &Name) -> bool {
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

/// Takes the one value of a type that [`is_written`] as JSON.
#[derive(Debug, Default)]
pub(super) struct JsonValue {
    form: Option<Form>,
    /// The value.
    pub(super) body: Bytes,
}

impl RowSink for JsonValue {
    fn start(&mut self, columns: &Arc<[Column]>) {
        let form = |column: &Column| Form::of(column.type_oid, &HashSet::new());
        *self = Self { form: columns.first().and_then(form), body: Bytes::from_static(b"null") };
    }

    fn row(&mut self, row: Row) {
        if let Some(value) = row.values().next().flatten() {
            let form = self.form.unwrap_or(Form::Text);
            let value = if form == Form::Json { value.trim_ascii() } else { value };
            let mut body = BytesMut::with_capacity(value.len() + 2);
            write_value(&mut body, form, value);
            self.body = body.freeze();
        }
    }
}

fn write_value(out: &mut BytesMut, form: Form, value: &[u8]) {
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

/// `2024-05-05 05:05:05.12+00` or with ` BC` behind; `infinity` stays.
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

/// A JSON string, with the escapes PostgreSQL uses.
fn quote(out: &mut BytesMut, text: &[u8]) {
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
