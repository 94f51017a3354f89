//! The answer to requests whose head is too long: one that clients can show, which the HTTP library's is not.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, StatusCode};
use serde_json::json;

/// The HTTP library's longest target.
pub(super) const LONGEST_TARGET: usize = u16::MAX as usize - 1;
/// Request line and headers together: the longest target and a few long tokens. A connection that has brought much has a buffer of
/// this size as long as it stays open, and there may be many.
pub(super) const LONGEST_HEAD: usize = 80 * 1024;
const HEADER: HeaderName = HeaderName::from_static("cloch-cut");

/// What of a request was cut off before the HTTP library read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The query.
    Target,
    /// The query and all headers.
    Head,
}

impl Cut {
    /// The header line that says so. A client that sends it itself refuses its own request.
    pub(super) fn line(self) -> &'static [u8] {
        match self {
            Self::Target => b"cloch-cut: target\r\n",
            Self::Head => b"cloch-cut: head\r\n",
        }
    }
}

/// Refuses what was cut, in a form that holds what each API's clients look for.
pub(super) fn refusal(request: &Request) -> Option<Response> {
    let (status, message, details) = match request.headers().get(HEADER)?.as_bytes() {
        b"head" => {
            let details = format!("a request's headers may have {LONGEST_HEAD} bytes");
            (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "Request header fields too large", details)
        }
        _ => {
            let details = format!("a request's URL may have {LONGEST_TARGET} bytes");
            (StatusCode::URI_TOO_LONG, "URI too long", details)
        }
    };
    let hint = "Long lists of values can be sent in the body of a function call.";
    let code = status.as_u16().to_string();
    let body = json!({
        "code": code, "message": message, "details": details, "hint": hint,
        "statusCode": code, "error": message, "msg": message,
    });
    Some((status, Json(body)).into_response())
}
