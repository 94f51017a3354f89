//! Path of an object: its bucket and its name.

use std::fmt;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

/// Bucket id and name of an object. The bucket need not exist, and neither the id nor the name needs to be valid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ObjectPath {
    pub(crate) bucket: String,
    pub(crate) name: String,
}

impl ObjectPath {
    pub(crate) fn new(bucket: impl Into<String>, name: impl Into<String>) -> Self {
        Self { bucket: bucket.into(), name: name.into() }
    }
}

/// Formats the object path as `bucket/name`, as used in responses and tokens of signed URLs.
impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.bucket, self.name)
    }
}

/// Extracts the object path from the last two parameters of a route, `{bucket}/{*name}`.
impl<S: Send + Sync> FromRequestParts<S> for ObjectPath {
    type Rejection = PathRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PathRejection> {
        let Path((bucket, name)) = Path::from_request_parts(parts, state).await?;
        Ok(Self { bucket, name })
    }
}
