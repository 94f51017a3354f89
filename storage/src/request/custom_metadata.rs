//! The custom metadata of an object: any JSON object that its client sends.

use axum::http::HeaderMap;
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::http_headers::header;

/// Reads `x-metadata`: base64 of a JSON object; what cannot be decoded is ignored.
///
/// # Errors
/// When it is JSON but no object.
pub(crate) fn of_headers(headers: &HeaderMap) -> Result<Option<Value>> {
    // Clients send both alphabets, with and without padding.
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decoded = header(headers, "x-metadata").and_then(|text| {
        let standard = text.trim().replace('-', "+").replace('_', "/");
        GeneralPurpose::new(&ALPHABET, lenient).decode(standard).ok()
    });
    of_json(decoded.as_deref())
}

/// Reads a JSON text: an object, or nothing where it is no JSON.
///
/// # Errors
/// When it is JSON but no object.
pub(crate) fn of_json(text: Option<&[u8]>) -> Result<Option<Value>> {
    match text.and_then(|text| serde_json::from_slice(text).ok()) {
        None | Some(Value::Null) => Ok(None),
        Some(object @ Value::Object(_)) => Ok(Some(object)),
        Some(_) => Err(Error::InvalidParameter("invalid input syntax for type json".to_owned())),
    }
}
