//! Parses the custom metadata of an object: any JSON object sent by the client.

use axum::http::HeaderMap;
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::error::{Error, Result};

/// Parses the `x-metadata` header: base64 of a JSON object. `None` if the header is absent or empty.
///
/// # Errors
/// If the header is not valid base64 of a JSON object.
pub(crate) fn of_headers(headers: &HeaderMap) -> Result<Option<Value>> {
    let Some(value) = headers.get("x-metadata").filter(|value| !value.is_empty()) else { return Ok(None) };
    // Clients use both base64 alphabets, with and without padding.
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text = value.to_str().map_err(|_| invalid())?.trim().replace('-', "+").replace('_', "/");
    let decoded = GeneralPurpose::new(&ALPHABET, lenient).decode(text).map_err(|_| invalid())?;
    of_json(Some(&decoded))
}

/// Parses custom metadata, which must be a JSON object. `None` if the text is empty or `null`.
///
/// # Errors
/// If the text is not a JSON object. Invalid metadata is refused, because ignoring it would store an object without its metadata.
pub(crate) fn of_json(text: Option<&[u8]>) -> Result<Option<Value>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    match serde_json::from_slice(text).map_err(|_| invalid())? {
        Value::Null => Ok(None),
        object @ Value::Object(_) => Ok(Some(object)),
        _ => Err(invalid()),
    }
}

fn invalid() -> Error {
    Error::InvalidParameter("invalid input syntax for type json".to_owned())
}
