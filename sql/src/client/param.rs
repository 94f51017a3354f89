//! Statement parameters.

use bytes::Bytes;

/// A value bound to a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Param {
    /// The value, in text form unless `binary`; `None` is NULL.
    pub value: Option<Bytes>,
    /// Whether the value is in the type's binary form.
    pub binary: bool,
    /// The type's OID; 0 lets PostgreSQL infer it.
    pub type_oid: u32,
}

impl Param {
    /// A text value whose type PostgreSQL infers.
    #[must_use]
    pub fn unknown(value: impl Into<Bytes>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// A text value, or NULL, whose type PostgreSQL infers.
    #[must_use]
    pub fn nullable(value: Option<impl Into<Bytes>>) -> Self {
        value.map_or_else(Self::default, Self::unknown)
    }

    /// Texts as one array, whose type PostgreSQL infers.
    #[must_use]
    pub fn texts(texts: &[String]) -> Self {
        Self::unknown(array_literal(texts.iter().map(String::as_str)))
    }
}

/// The text form of a `text[]` (PostgreSQL manual, "Array Input and Output Syntax"). Every element is quoted, so that none is read as NULL,
/// as two elements, or as a nested array.
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
