//! Conditional writes: `If-None-Match: *` stores only where nothing is at the key, `If-Match` only over the version that has an entity
//! tag. Both are checked before the bytes are read, so that a refusal comes early, and again by the write itself.

use axum::http::HeaderMap;

use super::request::S3Request;
use crate::db::objects;
use crate::error::{Error, Kind, Result};
use crate::http_headers::header;
use crate::object::meta::Meta;
use crate::operation::Operation;

/// What a request demands of the key that it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Preconditions {
    must_be_absent: bool,
    /// With its quotes, as rows have it.
    etag: Option<String>,
}

impl Preconditions {
    /// Reads the headers.
    ///
    /// # Errors
    /// 501 for a condition that Amazon does not know for writes either: ignoring it would overwrite what it protects.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self> {
        let etag = headers.contains_key("if-match").then(|| header(headers, "if-match").unwrap_or_default());
        let other = headers.contains_key("if-none-match") && header(headers, "if-none-match") != Some("*");
        if other || etag.is_some_and(|etag| etag == "*" || etag.contains(',') || etag.is_empty()) {
            let message = "A header you provided implies functionality that is not implemented".to_owned();
            return Err(Error::S3(501, "NotImplemented", message));
        }
        Ok(Self {
            must_be_absent: headers.contains_key("if-none-match"),
            etag: etag.map(|etag| format!("\"{}\"", etag.trim_matches('"'))),
        })
    }

    /// Whether an object that is there may be replaced.
    pub(super) fn upsert(&self) -> bool {
        !self.must_be_absent
    }

    /// The entity tag that the replaced version must have.
    pub(super) fn etag(&self) -> Option<String> {
        self.etag.clone()
    }

    /// Checks them against what the caller may see at the key.
    ///
    /// # Errors
    /// 412 where they do not hold, [`Error::NoSuchKey`] where `If-Match` finds nothing.
    pub(super) async fn check(&self, request: &S3Request, operation: Operation) -> Result<()> {
        if *self == Self::default() {
            return Ok(());
        }
        let mut tx = request.identity.begin(request.state.database(), operation).await?;
        let found = objects::find(&mut tx, &request.path).await?;
        tx.rollback().await?;
        match (found, &self.etag) {
            (Some(_), _) if self.must_be_absent => Err(Error::precondition_failed()),
            (None, Some(_)) => Err(Error::NoSuchKey),
            (Some(object), Some(wanted)) if Meta::of(&object).etag.as_ref() != Some(wanted) => {
                Err(Error::precondition_failed())
            }
            _ => Ok(()),
        }
    }

    /// The refusal of a write: another request was faster, or the caller may not see what is there.
    pub(super) fn refusal(&self, error: Error) -> Error {
        match error {
            Error::AlreadyExists(Kind::Key) if self.must_be_absent => Error::precondition_failed(),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(name: &'static str, value: &str) -> Result<Preconditions> {
        Preconditions::of(&[(http::HeaderName::from_static(name), value.parse().unwrap())].into_iter().collect())
    }

    #[test]
    fn unknown_conditions_are_refused() {
        for (name, value) in [
            ("if-none-match", "\"a\""),
            ("if-none-match", ""),
            ("if-match", "*"),
            ("if-match", ""),
            ("if-match", "a, b"),
        ] {
            assert_eq!(read(name, value).unwrap_err().status(), 501, "{name}: {value}");
        }
        assert!(!read("if-none-match", "*").unwrap().upsert());
        assert_eq!(read("if-match", "a").unwrap(), read("if-match", "\"a\"").unwrap());
        assert_eq!(Preconditions::of(&HeaderMap::new()).unwrap(), Preconditions::default());
    }
}
