//! The file in a request's body: raw, with its details in headers, or as one part of a form.

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use cloch_sql::pace::{Pace, TooSlow, paced};
use futures_util::StreamExt;
use serde_json::Value;

use super::{Details, Incoming, multipart};
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::rules::mime::MediaType;
use crate::rules::robots;

/// A file that arrives, and where the form's later fields will be found.
pub(crate) struct Arriving {
    pub(crate) incoming: Incoming,
    /// Fields of a form that come after the file, known once its bytes are read.
    pub(crate) trailing: Option<multipart::Trailing>,
}

/// Opens the file in a request's body.
///
/// # Errors
/// When a header or the form's beginning is malformed.
pub(crate) async fn open(headers: &HeaderMap, body: Body, pace: Pace) -> Result<Arriving> {
    let robots = header(headers, "x-robots-tag").filter(|tag| !tag.is_empty()).map(str::to_owned);
    if let Some(tag) = &robots {
        robots::check(tag)?;
    }
    let content_type = header(headers, CONTENT_TYPE.as_str());
    let mimetype = match content_type.map(MediaType::parse) {
        Some(None) => return Err(Error::ContentType),
        Some(Some(mimetype)) => mimetype,
        None => MediaType::default(),
    };
    let bytes = frames(body, pace);
    let declared_length = header(headers, CONTENT_LENGTH.as_str()).and_then(|value| value.parse().ok());
    match content_type {
        Some(form) if mimetype.essence() == "multipart/form-data" => {
            let (mut incoming, trailing) = multipart::open(form, bytes).await?;
            incoming.details.robots = robots;
            incoming.details.declared_length = declared_length;
            Ok(Arriving { incoming, trailing: Some(trailing) })
        }
        _ => {
            let details = Details {
                mimetype,
                cache_control: header(headers, CACHE_CONTROL.as_str()).unwrap_or("no-cache").to_owned(),
                user_metadata: user_metadata(headers)?,
                robots,
                declared_length,
            };
            Ok(Arriving { incoming: Incoming { details, bytes }, trailing: None })
        }
    }
}

/// The custom metadata in `x-metadata`: base64 of a JSON object; what cannot be decoded is ignored.
///
/// # Errors
/// When it is JSON but no object.
pub(crate) fn user_metadata(headers: &HeaderMap) -> Result<Option<Value>> {
    // Clients send both alphabets, with and without padding.
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let decoded = header(headers, "x-metadata").and_then(|text| {
        let standard = text.trim().replace('-', "+").replace('_', "/");
        GeneralPurpose::new(&ALPHABET, lenient).decode(standard).ok()
    });
    json_object(decoded.as_deref())
}

/// Custom metadata from its JSON text: an object, or nothing where it is no JSON.
///
/// # Errors
/// When it is JSON but no object.
pub(crate) fn json_object(text: Option<&[u8]>) -> Result<Option<Value>> {
    match text.and_then(|text| serde_json::from_slice(text).ok()) {
        None | Some(Value::Null) => Ok(None),
        Some(object @ Value::Object(_)) => Ok(Some(object)),
        Some(_) => Err(Error::InvalidParameter("invalid input syntax for type json".to_owned())),
    }
}

/// A header's text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// A body's bytes as they come, which end with an error when the client sends more slowly than the minimum rate.
pub(crate) fn frames(body: Body, pace: Pace) -> ByteStream {
    let aborted = |error: axum::Error| match TooSlow::is_reason(&error) {
        true => Error::Aborted("The client sends too slowly"),
        false => Error::Aborted("Request stream closed before upload could complete"),
    };
    paced(body, pace).into_data_stream().map(move |frame| frame.map_err(aborted)).boxed()
}
