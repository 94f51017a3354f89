//! Where an object is: its bucket and its name in it.

use std::fmt;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;

/// The id of a bucket and the name of an object in it. The bucket may not exist, and either may break the rules for names.
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

/// `bucket/name`, as answers and the tokens of signed URLs have it.
impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.bucket, self.name)
    }
}

/// From the last two parameters of a route, `{bucket}/{*name}`.
impl<S: Send + Sync> FromRequestParts<S> for ObjectPath {
    type Rejection = PathRejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, PathRejection> {
        let Path((bucket, name)) = Path::from_request_parts(parts, state).await?;
        Ok(Self { bucket, name })
    }
}
