//! Conditional writes, of the object routes and the S3 protocol: `If-None-Match: *` stores only where nothing is at the key, `If-Match` only
//! over the version that has an entity tag. Both are checked before the bytes are read, so that a refusal comes early, and again by the
//! write itself.

use axum::http::HeaderMap;
use serde_json::Value;

use crate::conditions::Conditions;
use crate::db::objects;
use crate::error::{Error, Kind, Result};
use crate::http_headers::header;
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;

/// What a request demands of the key that it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preconditions {
    must_be_absent: bool,
    /// With its quotes, as rows have it.
    etag: Option<String>,
}

impl Preconditions {
    /// Reads the headers.
    ///
    /// # Errors
    /// 501 for a condition that Amazon does not know for writes either: ignoring it would overwrite what it protects.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self> {
        let etag = headers.contains_key("if-match").then(|| header(headers, "if-match").unwrap_or_default());
        let other = headers.contains_key("if-none-match") && header(headers, "if-none-match") != Some("*");
        // Irrelevant beside If-Match (RFC 9110, 13.1.4).
        let by_time = headers.contains_key("if-unmodified-since") && etag.is_none();
        let repeated = ["if-match", "if-none-match"].iter().any(|name| headers.get_all(*name).iter().count() > 1);
        if other || by_time || repeated || etag.is_some_and(|etag| etag == "*" || etag.contains(',') || etag.is_empty())
        {
            return Err(not_implemented());
        }
        Ok(Self {
            must_be_absent: headers.contains_key("if-none-match"),
            etag: etag.map(|etag| format!("\"{}\"", etag.trim_matches('"'))),
        })
    }

    /// Whether an object that is there may be replaced.
    pub(crate) fn upsert(&self) -> bool {
        !self.must_be_absent
    }

    /// The entity tag that the replaced version must have.
    pub(crate) fn etag(&self) -> Option<String> {
        self.etag.clone()
    }

    /// Checks them against what the caller may see at the key.
    ///
    /// # Errors
    /// 412 where they do not hold, [`Error::NoSuchKey`] where `If-Match` finds nothing.
    pub(crate) async fn check(
        &self,
        state: &StorageState,
        identity: &Authenticated,
        operation: Operation,
        path: &ObjectPath,
    ) -> Result<()> {
        if *self == Self::default() {
            return Ok(());
        }
        let mut tx = identity.begin(state.database(), operation).await?;
        let found = objects::find(&mut tx, path).await?;
        tx.rollback().await?;
        match (found, &self.etag) {
            (Some(_), _) if self.must_be_absent => Err(Error::PreconditionFailed),
            (None, Some(_)) => Err(Error::NoSuchKey),
            (Some(object), Some(wanted)) if object.meta().etag.as_ref() != Some(wanted) => {
                Err(Error::PreconditionFailed)
            }
            _ => Ok(()),
        }
    }

    /// The refusal of a write: another request was faster, or the caller may not see what is there.
    pub(crate) fn refusal(&self, error: Error) -> Error {
        match error {
            Error::AlreadyExists(Kind::Key) if self.must_be_absent => Error::PreconditionFailed,
            other => other,
        }
    }
}

/// Requires the conditions of a deletion, which is not committed yet, of what it deletes.
///
/// # Errors
/// [`Error::PreconditionFailed`]; 501 for a condition of Amazon's directory buckets.
pub(crate) fn require_deleted(headers: &HeaderMap, metadata: Option<&Value>) -> Result<()> {
    if ["x-amz-if-match-last-modified-time", "x-amz-if-match-size"].iter().any(|name| headers.contains_key(*name)) {
        return Err(not_implemented());
    }
    Conditions::of_write(headers).require(Meta::of_metadata(metadata).validators())
}

pub(crate) fn not_implemented() -> Error {
    let message = "A header you provided implies functionality that is not implemented".to_owned();
    Error::S3(501, "NotImplemented", message)
}

#[cfg(test)]
mod tests {
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
            ("if-unmodified-since", "Fri, 02 Jan 2026 03:04:05 GMT"),
        ] {
            assert_eq!(read(name, value).unwrap_err().status(), 501, "{name}: {value}");
        }
        assert!(!read("if-none-match", "*").unwrap().upsert());
        assert_eq!(read("if-match", "a").unwrap(), read("if-match", "\"a\"").unwrap());
        assert_eq!(Preconditions::of(&HeaderMap::new()).unwrap(), Preconditions::default());
    }
}
