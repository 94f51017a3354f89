//! Applies the response status and headers that SQL functions set in the settings `response.status` and `response.headers`.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value};

use crate::error::ApiError;

/// Parses the HTTP status from the leading digits of the setting `response.status`.
pub(super) fn status(text: &str) -> Result<StatusCode, ApiError> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let code = text.get(..end).and_then(|digits| digits.parse::<u16>().ok());
    code.and_then(|code| StatusCode::from_u16(code).ok()).ok_or_else(ApiError::response_status)
}

/// Replaces response headers by the headers of the same name that SQL functions set.
pub(super) fn headers(text: &str, headers: &mut HeaderMap) -> Result<(), ApiError> {
    let list: Vec<Map<String, Value>> = serde_json::from_str(text).map_err(|_| ApiError::response_headers())?;
    let mut given = HeaderMap::new();
    for object in list {
        let mut entries = object.into_iter();
        let (Some((name, Value::String(value))), None) = (entries.next(), entries.next()) else {
            return Err(ApiError::response_headers());
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| ApiError::response_headers())?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| ApiError::response_headers())?;
        given.append(name, value);
    }
    given.keys().for_each(|name| _ = headers.remove(name));
    for (name, value) in &given {
        headers.append(name, value.clone());
    }
    Ok(())
}
