//! The custom metadata of an object: any JSON object that its client sends.

use axum::http::HeaderMap;
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::error::{Error, Result};

/// Reads `x-metadata`: base64 of a JSON object.
///
/// # Errors
/// When it is anything else.
pub(crate) fn of_headers(headers: &HeaderMap) -> Result<Option<Value>> {
    let Some(value) = headers.get("x-metadata").filter(|value| !value.is_empty()) else { return Ok(None) };
    // Clients send both alphabets, with and without padding.
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text = value.to_str().map_err(|_| invalid())?.trim().replace('-', "+").replace('_', "/");
    let decoded = GeneralPurpose::new(&ALPHABET, lenient).decode(text).map_err(|_| invalid())?;
    of_json(Some(&decoded))
}

/// Reads a JSON text: an object, or nothing where there is none.
///
/// # Errors
/// When it is anything else: an object without what its client sent would not be what was asked for.
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
