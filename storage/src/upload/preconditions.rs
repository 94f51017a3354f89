//! Conditional writes of the object endpoints and the S3 protocol. `If-None-Match: *` writes only if the object does not exist. `If-Match`
//! writes only if the current version has the given entity tag. The conditions are checked before the body is read, so that a refused
//! client need not send the whole body. They are checked again when the object's row is written.

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

/// Conditions of a request on the object that the request writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preconditions {
    must_be_absent: bool,
    /// Entity tag in `If-Match`, including its quotes, as stored in object rows.
    etag: Option<String>,
}

impl Preconditions {
    /// Parses the conditional headers of a request that writes an object.
    ///
    /// # Errors
    /// 501 for conditions that Amazon S3 does not support for writes. They are not ignored, because the write would then overwrite an
    /// object that the client wants to protect.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self> {
        let etag = headers.contains_key("if-match").then(|| header(headers, "if-match").unwrap_or_default());
        let other = headers.contains_key("if-none-match") && header(headers, "if-none-match") != Some("*");
        // `If-Unmodified-Since` is ignored if `If-Match` is present (RFC 9110, 13.1.4).
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

    /// Whether the request may replace an existing object.
    pub(crate) fn upsert(&self) -> bool {
        !self.must_be_absent
    }

    /// Returns the entity tag that the replaced version must have; `None` for no condition.
    pub(crate) fn etag(&self) -> Option<String> {
        self.etag.clone()
    }

    /// Checks the conditions of a request against the object that the caller can see.
    ///
    /// # Errors
    /// 412 if a condition is false, [`Error::NoSuchKey`] if `If-Match` is present and the object does not exist.
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

    /// Converts the error of writing an object. The result is [`Error::PreconditionFailed`] if `If-None-Match` is present and the object
    /// exists: a concurrent request has created it, or it is hidden from the caller.
    pub(crate) fn refusal(&self, error: Error) -> Error {
        match error {
            Error::AlreadyExists(Kind::Key) if self.must_be_absent => Error::PreconditionFailed,
            other => other,
        }
    }
}

/// Checks the conditions of a deletion against the deleted object, before the deletion is committed.
///
/// # Errors
/// [`Error::PreconditionFailed`] if a condition is false; 501 for conditions of Amazon's directory buckets.
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
