//! The parameters of a client's request.

use serde_json::{Map, Value};

use crate::auth::error::{AuthError, Result};
use crate::auth::http::request::Incoming;

/// The fields of a request of a client: form or JSON. A field that comes twice is refused (RFC 6749, section 3.2).
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn read(incoming: &Incoming) -> Result<Self> {
        let invalid = |why: &'static str| AuthError::oauth("invalid_request", why);
        let pairs = if incoming.header("content-type").contains("application/json") {
            let fields: Map<String, Value> = incoming.json().map_err(|_| invalid("Invalid JSON body"))?;
            let text = |value: Value| value.as_str().map(str::to_owned);
            fields.into_iter().filter_map(|(name, value)| Some((name, text(value)?))).collect()
        } else {
            incoming.form()
        };
        Self::of(pairs).ok_or_else(|| invalid("A parameter is included more than once, or is no text"))
    }

    /// `None` if a field comes twice, or holds a character that PostgreSQL's text cannot have.
    pub(super) fn of(pairs: Vec<(String, String)>) -> Option<Self> {
        let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let is_unique = names.windows(2).all(|pair| pair.first() != pair.last());
        (is_unique && !pairs.iter().any(|(_, value)| value.contains('\0'))).then_some(Self(pairs))
    }

    /// A field; empty when absent.
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
    fn a_field_comes_once() {
        assert!(of(&[("a", "1"), ("b", "2"), ("a", "3")]).is_none());
        assert!(of(&[("a", "1"), ("a", "1")]).is_none());
        assert!(of(&[("a", "\0")]).is_none());
        let fields = of(&[("a", "1"), ("b", "")]);
        assert_eq!(fields.as_ref().map(|fields| (fields.get("a"), fields.get("c"))), Some(("1", "")));
    }
}
