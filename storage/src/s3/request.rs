//! A request of the S3 protocol with a verified signature.

use axum::http::HeaderMap;

use super::signature_v4::Signed;
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::http_headers;
use crate::model::object_path::ObjectPath;
use crate::request::Authenticated;
use crate::state::StorageState;

/// A request of the S3 protocol with a verified signature. `path.name` is empty for operations on a bucket; `path.bucket` is also empty for
/// ListBuckets.
pub(crate) struct S3Request {
    pub(crate) state: StorageState,
    pub(crate) identity: Authenticated,
    pub(crate) signed: Signed,
    pub(crate) path: ObjectPath,
    pub(crate) query: Fields,
}

impl S3Request {
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.identity.headers()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        http_headers::header(self.headers(), name)
    }

    /// Returns the version id in the request's query (`versionId`); `None` if it is absent.
    pub(crate) fn version_id(&self) -> Option<&str> {
        self.query.raw("versionId").and_then(serde_json::Value::as_str)
    }

    /// Returns the value of the query parameter `name`, a number in decimal digits. `None` if the parameter is absent.
    ///
    /// # Errors
    /// 400 if the parameter's value is not a number.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>> {
        let Some(text) = self.param(name) else { return Ok(None) };
        // `str::parse` would accept a leading plus sign.
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse().ok() } else { None };
        number.map(Some).ok_or_else(|| {
            Error::S3(400, "InvalidArgument", format!("Provided {name} not an integer or within integer range"))
        })
    }

    pub(crate) fn param(&mut self, name: &str) -> Option<String> {
        self.query.text(name)
    }
}
