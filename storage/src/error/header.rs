//! Chooses the response headers of errors.

use axum::http::header::{CONTENT_RANGE, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue};

use super::Error;

/// Value of `Retry-After` in seconds if the server is busy.
const RETRY_AFTER_BUSY_SECONDS: u64 = 5;
/// Value of `Retry-After` in seconds while the database is unavailable.
const RETRY_AFTER_DATABASE_SECONDS: u64 = 1;

impl Error {
    /// Returns the header that the error response has in every protocol (JSON, TUS, S3): `Retry-After` for temporary errors, `Content-Range`
    /// for an unsatisfiable range (RFC 9110, 15.5.17), `None` for other errors.
    pub(crate) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let seconds = match self {
            Self::InvalidRange(size) => {
                let unsatisfied = HeaderValue::from_str(&format!("bytes */{size}"));
                return unsatisfied.ok().map(|value| (CONTENT_RANGE, value));
            }
            Self::TooMany(_, seconds) => *seconds,
            Self::Busy(_) | Self::StoreAway(_) => RETRY_AFTER_BUSY_SECONDS,
            Self::DatabaseLost | Self::DatabaseReadOnly | Self::DatabaseFull => RETRY_AFTER_DATABASE_SECONDS,
            _ => return None,
        };
        Some((RETRY_AFTER, seconds.into()))
    }
}
