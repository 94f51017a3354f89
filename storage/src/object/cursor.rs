//! Encodes and parses pagination cursors of listings. A cursor is base64 of a few lines of text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::{Error, Result};

/// Position of the last entry of a listing's page, and the sort order of the listing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cursor {
    /// Object key of the last entry of the page.
    pub(crate) last: String,
    pub(crate) order: Option<&'static str>,
    pub(crate) column: Option<&'static str>,
    /// Value of the sort column at the last entry of the page, in ISO 8601.
    pub(crate) value: Option<String>,
    /// Version of the last entry of the page, in a listing of object versions.
    pub(crate) version: Option<String>,
}

pub(crate) const COLUMNS: [&str; 3] = ["name", "created_at", "updated_at"];
pub(crate) const ORDERS: [&str; 2] = ["asc", "desc"];

impl Cursor {
    /// Encodes the cursor as text.
    pub(crate) fn encode(&self) -> String {
        let mut lines = vec![format!("l:{}", self.last)];
        lines.extend(self.order.map(|order| format!("o:{order}")));
        lines.extend(self.column.map(|column| format!("c:{column}")));
        lines.extend(self.value.as_ref().map(|value| format!("a:{value}")));
        lines.extend(self.version.as_ref().map(|version| format!("v:{version}")));
        STANDARD.encode(lines.join("\n"))
    }

    /// Parses the text of a cursor. Clients can send any text, so the sort order and the sort column must be values that the endpoint
    /// supports.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if the text is not a valid cursor.
    pub(crate) fn decode(text: &str) -> Result<Self> {
        let invalid = || Error::InvalidParameter("Invalid Parameter continuation token".to_owned());
        let decoded = STANDARD.decode(text).map_err(|_| invalid())?;
        let mut cursor = Self::default();
        for line in String::from_utf8(decoded).map_err(|_| invalid())?.split('\n') {
            let known = |list: &[&'static str], value: &str| list.iter().find(|known| **known == value).copied();
            match line.split_once(':').ok_or_else(invalid)? {
                ("l", last) => last.clone_into(&mut cursor.last),
                ("o", order) => cursor.order = Some(known(&ORDERS, order).ok_or_else(invalid)?),
                ("c", column) => cursor.column = Some(known(&COLUMNS, column).ok_or_else(invalid)?),
                ("a", value) if chrono::DateTime::parse_from_rfc3339(value).is_ok() => {
                    cursor.value = Some(value.to_owned());
                }
                ("v", version) => cursor.version = Some(version.to_owned()),
                _ => return Err(invalid()),
            }
        }
        Ok(cursor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_what_is_none() {
        for lines in ["", "x", "z:1", "o:sideways", "c:metadata; drop table", "a:yesterday"] {
            assert!(Cursor::decode(&STANDARD.encode(lines)).is_err(), "{lines}");
        }
        assert!(Cursor::decode("%%%").is_err());
    }

    proptest! {
        #[test]
        fn reads_what_it_wrote(last in "[a-zA-Z0-9/:. ]{0,30}", with in any::<bool>()) {
            let cursor = Cursor {
                last,
                order: with.then_some("desc"),
                column: with.then_some("created_at"),
                value: with.then(|| "2026-01-02T03:04:05.678Z".to_owned()),
                version: with.then(|| "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10".to_owned()),
            };
            prop_assert_eq!(Cursor::decode(&cursor.encode()).unwrap(), cursor);
        }
    }
}
