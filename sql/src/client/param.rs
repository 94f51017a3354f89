//! Parameters of SQL statements.

use bytes::Bytes;

/// Value of a statement parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Param {
    /// Value of the parameter, in text format, or in binary format if `binary` is true; `None` for NULL.
    pub value: Option<Bytes>,
    /// Whether the value is in the type's binary format.
    pub binary: bool,
    /// OID of the type; 0 to let PostgreSQL infer the type.
    pub type_oid: u32,
}

impl Param {
    /// Creates a text value whose type PostgreSQL infers.
    #[must_use]
    pub fn unknown(value: impl Into<Bytes>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// Creates a text value whose type PostgreSQL infers; `None` for NULL.
    #[must_use]
    pub fn nullable(value: Option<impl Into<Bytes>>) -> Self {
        value.map_or_else(Self::default, Self::unknown)
    }

    /// Creates an array of texts, whose type PostgreSQL infers.
    #[must_use]
    pub fn texts(texts: &[String]) -> Self {
        Self::unknown(array_literal(texts.iter().map(String::as_str)))
    }
}

/// Encodes a `text[]` (PostgreSQL manual, "Array Input and Output Syntax"). All elements are quoted, so that no element is parsed as NULL,
/// as several elements or as a nested array.
#[must_use]
pub fn array_literal<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let mut literal = String::from("{");
    for (index, item) in items.into_iter().enumerate() {
        literal.push_str(if index > 0 { ",\"" } else { "\"" });
        for c in item.chars() {
            if matches!(c, '"' | '\\') {
                literal.push('\\');
            }
            literal.push(c);
        }
        literal.push('"');
    }
    literal.push('}');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_stands_for_itself() {
        assert_eq!(array_literal([]), "{}");
        assert_eq!(array_literal(["a", "", "NULL", "{b,c}", r#"say "\""#]), r#"{"a","","NULL","{b,c}","say \"\\\""}"#);
    }
}
