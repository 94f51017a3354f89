//! Writes embedded resources as JSON, with the same bytes as PostgreSQL's `to_jsonb` and `jsonb_agg`.
//!
//! The SQL statement returns a to-one embed as a boolean column, which is true if the embedded row exists, followed by the columns of the
//! embedded row. The statement returns a to-many embed as one array for each embedded column. PostgreSQL builds these columns in about half
//! of the time that it needs to build JSON.

use std::borrow::Cow;

use bytes::{BufMut, Bytes, BytesMut};

use super::array::{Element, Elements};
use crate::json_form::{Form, of_elements, quote, write_value};
use cloch_sql::client::Column;
use cloch_sql::schema_cache::PlainTypes;

/// Columns of an embedded resource in a result row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape<'a> {
    /// Whether the embed is a single row (a JSON object) instead of many rows (a JSON array).
    pub(super) is_object: bool,
    pub(super) names: &'a [String],
}

impl Shape<'_> {
    /// Returns the number of columns that the embed occupies in the result row, including the boolean column of a to-one embed.
    pub(super) fn width(self) -> usize {
        self.names.len() + usize::from(self.is_object)
    }
}

#[derive(Debug)]
pub(super) struct Embed {
    is_object: bool,
    /// Number of columns that the embed occupies in the result row.
    width: usize,
    /// Fields of the JSON object, in the order that `jsonb` gives to keys: by length, then by bytes.
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    /// JSON key with quotes and punctuation, as written before the value.
    key: Bytes,
    form: Form,
    /// Index of the field's value among the columns of the embed.
    at: usize,
}

impl Embed {
    /// Creates a writer for an embed. `columns` are the columns that the embed occupies in the result row. Returns `None` if a column has a
    /// type that only PostgreSQL can convert to JSON.
    pub(super) fn of(shape: Shape<'_>, columns: &[Column], plain_types: &PlainTypes) -> Option<Self> {
        let Shape { is_object, names } = shape;
        let form = |oid| if is_object { Form::of(oid, plain_types) } else { of_elements(oid, plain_types) };
        let mut names: Vec<_> = names.iter().zip(usize::from(is_object)..).collect();
        names.sort_by_key(|(name, _)| (name.len(), name.as_bytes()));
        let field = |(index, (name, at)): (usize, (&String, usize))| {
            let mut key = BytesMut::from(if index == 0 { "{" } else { ", " });
            quote(&mut key, name.as_bytes());
            key.put_slice(b": ");
            Some(Field { key: key.freeze(), form: form(columns.get(at)?.type_oid)?, at })
        };
        let fields = names.into_iter().enumerate().map(field).collect::<Option<_>>()?;
        Some(Self { is_object, width: shape.width(), fields })
    }

    /// Writes the embed of one result row. Consumes the embed's columns from `columns`. Returns `None` if a value is malformed.
    pub(super) fn write<'a>(
        &self,
        out: &mut BytesMut,
        columns: &mut impl Iterator<Item = Option<&'a [u8]>>,
    ) -> Option<()> {
        let columns: Vec<_> = columns.take(self.width).collect();
        if self.is_object { self.write_object(out, &columns) } else { self.write_array(out, &columns) }
    }

    fn write_object(&self, out: &mut BytesMut, columns: &[Option<&[u8]>]) -> Option<()> {
        if matches!(columns.first()?, Some(b"f")) {
            out.put_slice(b"null");
            return Some(());
        }
        for field in &self.fields {
            field.write(out, columns.get(field.at)?.map(Cow::Borrowed));
        }
        out.put_u8(b'}');
        Some(())
    }

    fn write_array(&self, out: &mut BytesMut, columns: &[Option<&[u8]>]) -> Option<()> {
        out.put_u8(b'[');
        if columns.iter().any(Option::is_some) {
            let array = |field: &Field| Elements::of(columns.get(field.at).copied()??);
            let mut arrays = self.fields.iter().map(array).collect::<Option<Vec<_>>>()?;
            loop {
                for (field, array) in self.fields.iter().zip(&mut arrays) {
                    field.write(out, array.take()?);
                }
                out.put_u8(b'}');
                if arrays.iter().all(Elements::is_empty) {
                    break;
                }
                out.put_slice(b", ");
            }
        }
        out.put_u8(b']');
        Some(())
    }
}

impl Field {
    fn write(&self, out: &mut BytesMut, value: Element<'_>) {
        out.put_slice(&self.key);
        match value {
            None => out.put_slice(b"null"),
            Some(number) if self.form == Form::Number => write_value(out, self.form, &plain_number(&number)),
            Some(value) => write_value(out, self.form, &value),
        }
    }
}

/// Formats a number in the same way as `jsonb`, which stores numbers as `numeric`: without an exponent, and without a sign before zero.
fn plain_number(text: &[u8]) -> Cow<'_, [u8]> {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let has_sign = unsigned != text && unsigned.iter().any(|byte| matches!(byte, b'1'..=b'9'));
    match scientific(unsigned) {
        Some(digits) if has_sign => Cow::Owned([b"-", &digits[..]].concat()),
        Some(digits) => Cow::Owned(digits),
        None if has_sign || !unsigned.first().is_some_and(u8::is_ascii_digit) => Cow::Borrowed(text),
        None => Cow::Borrowed(unsigned),
    }
}

/// Converts a number in scientific notation to decimal notation. Returns `None` if the number has no exponent.
fn scientific(number: &[u8]) -> Option<Vec<u8>> {
    let at = number.iter().position(|&byte| byte == b'e')?;
    let (mantissa, exponent) = (number.get(..at)?, number.get(at + 1..)?);
    let exponent: i32 = std::str::from_utf8(exponent).ok()?.parse().ok()?;
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    let mut digits = [mantissa.get(..point)?, mantissa.get(point + 1..).unwrap_or_default()].concat();
    let point = i32::try_from(point).ok()?.checked_add(exponent)?;
    if point <= 0 {
        let zeros = usize::try_from(point.unsigned_abs()).ok()?;
        return Some([&b"0."[..], &vec![b'0'; zeros], &digits].concat());
    }
    let point = usize::try_from(point).ok()?;
    if point < digits.len() {
        digits.insert(point, b'.');
    } else {
        digits.resize(point, b'0');
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_out() {
        for (given, kept) in [
            ("1", "1"),
            ("-1.50", "-1.50"),
            ("0", "0"),
            ("-0", "0"),
            ("1e+20", "100000000000000000000"),
            ("-1.25e+06", "-1250000"),
            ("1.5e-07", "0.00000015"),
            ("-1e-05", "-0.00001"),
            ("1.23456789e+03", "1234.56789"),
            ("1e+00", "1"),
            ("NaN", "NaN"),
            ("-Infinity", "-Infinity"),
        ] {
            assert_eq!(String::from_utf8_lossy(&plain_number(given.as_bytes())), kept, "{given}");
        }
    }
}
