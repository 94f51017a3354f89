//! Parses the parameters of an OAuth client's request.

use serde_json::{Map, Value};

use crate::error::{AuthError, Result};
use crate::http::request::Incoming;

/// The parameters of an OAuth client's request, from a form or a JSON body. A request with a repeated parameter is refused (RFC 6749,
/// section 3.2).
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn read(incoming: &Incoming) -> Result<Self> {
        let invalid = |why: &'static str| AuthError::oauth("invalid_request", why);
        let pairs = if incoming.header("content-type").contains("application/json") {
            Self::texts(incoming.json().map_err(|_| invalid("Invalid JSON body"))?)
        } else {
            Some(incoming.form())
        };
        let invalid = || invalid("A parameter is included more than once, or is no text");
        pairs.and_then(Self::of).ok_or_else(invalid)
    }

    /// Returns the fields of a JSON object. `None` if the value of a field is not a string.
    fn texts(fields: Map<String, Value>) -> Option<Vec<(String, String)>> {
        fields
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Some((name, text)),
                _ => None,
            })
            .collect()
    }

    /// Creates the parameters from name-value pairs. Returns `None` if a parameter is repeated or contains NUL, which PostgreSQL's type
    /// `text` cannot store.
    pub(super) fn of(pairs: Vec<(String, String)>) -> Option<Self> {
        let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let is_unique = names.windows(2).all(|pair| pair.first() != pair.last());
        (is_unique && !pairs.iter().any(|(_, value)| value.contains('\0'))).then_some(Self(pairs))
    }

    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Option<Fields> {
        Fields::of(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn a_field_is_a_text() {
        let texts = |fields: Value| Fields::texts(fields.as_object().unwrap().clone());
        assert_eq!(texts(serde_json::json!({"a": "1"})), Some(vec![("a".to_owned(), "1".to_owned())]));
        assert_eq!(texts(serde_json::json!({"a": "1", "max_age": 0})), None);
    }

    #[test]
    fn a_field_comes_once() {
        assert!(of(&[("a", "1"), ("b", "2"), ("a", "3")]).is_none());
        assert!(of(&[("a", "1"), ("a", "1")]).is_none());
        assert!(of(&[("a", "\0")]).is_none());
        let fields = of(&[("a", "1"), ("b", "")]);
        assert_eq!(fields.as_ref().map(|fields| (fields.get("a"), fields.get("c"))), Some(("1", "")));
    }
}
