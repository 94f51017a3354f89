//! Adds `Retry-After` to responses that report a temporary failure of any API. While a database restarts or its standby takes over, clients
//! and proxies should retry soon.

use axum::response::Response;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

/// Value of `Retry-After` in seconds, equal to the interval between checks of the database.
const SECONDS: HeaderValue = HeaderValue::from_static("1");

/// HTTP status with which Supabase's storage API reports that no database connection was available in time.
const DATABASE_TIMEOUT: u16 = 544;

/// Adds `Retry-After` to a response that reports a temporary failure (503, 544, or 504 while the database is unreachable), unless the API
/// has already set the header.
pub(crate) fn add_to(response: &mut Response, is_database_lost: bool) {
    let is_temporary = match response.status() {
        StatusCode::SERVICE_UNAVAILABLE => true,
        StatusCode::GATEWAY_TIMEOUT => is_database_lost,
        status => status.as_u16() == DATABASE_TIMEOUT,
    };
    if is_temporary {
        response.headers_mut().entry(RETRY_AFTER).or_insert(SECONDS);
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    fn retry_after(status: u16, is_database_lost: bool) -> Option<HeaderValue> {
        let mut response = StatusCode::from_u16(status).unwrap().into_response();
        add_to(&mut response, is_database_lost);
        response.headers().get(RETRY_AFTER).cloned()
    }

    #[test]
    fn other_failures_are_not_asked_to_be_repeated() {
        for status in [200, 404, 429, 500, 504] {
            assert_eq!(retry_after(status, false), None, "{status}");
        }
        assert_eq!(retry_after(500, true), None);
    }

    #[test]
    fn a_lost_database_is_asked_again_soon() {
        for (status, is_lost) in [(503, false), (503, true), (544, false), (504, true)] {
            assert_eq!(retry_after(status, is_lost), Some(SECONDS), "{status}");
        }
        let mut own = (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")]).into_response();
        add_to(&mut own, true);
        assert_eq!(own.headers().get(RETRY_AFTER).unwrap(), "5", "an API knows better");
    }
}
