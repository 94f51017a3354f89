//! The header `X-HTTP-Method-Override`, for clients and networks that cannot send PATCH or DELETE (TUS 1.0.0, "Headers").

use axum::extract::Request;
use axum::http::{HeaderMap, Method};

use super::error::{Result, TusError};

const NAME: &str = "x-http-method-override";

/// Replaces the method of a request to a path of resumable uploads by the method in the header. The actual method is then ignored.
///
/// # Errors
/// If the header contains no method.
pub(crate) fn apply(mut request: Request) -> Result<Request> {
    if let Some(method) = requested(request.headers())? {
        *request.method_mut() = method;
    }
    Ok(request)
}

fn requested(headers: &HeaderMap) -> Result<Option<Method>> {
    let Some(name) = headers.get(NAME).map(|value| value.as_bytes().to_ascii_uppercase()) else { return Ok(None) };
    if name.is_empty() {
        return Ok(None);
    }
    Method::from_bytes(&name).map(Some).map_err(|_| TusError::Protocol(400, "Invalid X-HTTP-Method-Override"))
}
