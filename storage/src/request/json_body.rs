//! Reads JSON request bodies. The maximum size of most bodies is 1 MiB.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use bytes::{Bytes, BytesMut};
use cloch_core::min_rate::MinRate;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::body::frames;
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::state::StorageState;

pub(crate) const MAX_BODY_BYTES: usize = 1024 * 1024;
const EMPTY: Error = Error::JsonBody("Body cannot be empty when content-type is set to 'application/json'");
const INVALID: Error = Error::JsonBody("Body is not valid JSON but content-type is set to 'application/json'");

/// Extractor for the fields of a JSON body.
#[derive(Debug)]
pub(crate) struct JsonBody(pub(crate) Fields);

impl FromRequest<StorageState> for JsonBody {
    type Rejection = Error;

    async fn from_request(request: Request, state: &StorageState) -> Result<Self> {
        let value = match json(request, state, MAX_BODY_BYTES).await? {
            Some(body) => parse(&body)?,
            None => Value::Null,
        };
        Fields::of_body(value).map(Self)
    }
}

/// Reads a JSON body of at most `max_bytes` bytes. Returns `None` if the body is not declared as JSON.
///
/// # Errors
/// If the body is larger than `max_bytes`, is received too slowly, or is empty although it is declared as JSON.
pub(crate) async fn json(request: Request, state: &StorageState, max_bytes: usize) -> Result<Option<Bytes>> {
    let is_json = is_json(request.headers());
    let body = gather_at_most(max_bytes, frames(request.into_body(), state.settings().slow_client)).await?;
    match (is_json, body.is_empty()) {
        (true, true) => Err(EMPTY),
        (true, false) => Ok(Some(body)),
        (false, _) => Ok(None),
    }
}

/// Parses a JSON body.
///
/// # Errors
/// [`Error::Schema`] if the JSON does not match the type `T`, [`Error::JsonBody`] if the body is not JSON.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Error::Schema(format!("body: {error}")),
        _ => INVALID,
    })
}

/// Extractor for endpoints without a request body. A body is read and discarded, so that the connection can be reused. A body that is
/// declared as JSON and is empty or invalid is refused.
#[derive(Debug)]
pub(crate) struct NoBody;

impl FromRequest<StorageState> for NoBody {
    type Rejection = Error;

    async fn from_request(request: Request, state: &StorageState) -> Result<Self> {
        let is_json = is_json(request.headers());
        match AnyBody::from_request(request, state).await? {
            AnyBody { empty: true } if is_json => Err(EMPTY),
            _ => Ok(Self),
        }
    }
}

/// Extractor for endpoints without a request body. A body is read and discarded. Unlike [`NoBody`], accepts an empty body that is declared as
/// JSON.
#[derive(Debug)]
pub(crate) struct AnyBody {
    empty: bool,
}

impl FromRequest<StorageState> for AnyBody {
    type Rejection = Error;

    async fn from_request(request: Request, state: &StorageState) -> Result<Self> {
        let is_json = is_json(request.headers());
        let body = read(request.into_body(), state.settings().slow_client).await?;
        if is_json && !body.is_empty() && serde_json::from_slice::<serde::de::IgnoredAny>(&body).is_err() {
            return Err(INVALID);
        }
        Ok(Self { empty: body.is_empty() })
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Reads a request body of at most [`MAX_BODY_BYTES`] bytes into memory.
async fn read(body: Body, min_rate: MinRate) -> Result<Bytes> {
    gather(frames(body, min_rate)).await
}

/// Collects a stream of at most [`MAX_BODY_BYTES`] bytes.
pub(crate) async fn gather(bytes: ByteStream) -> Result<Bytes> {
    gather_at_most(MAX_BODY_BYTES, bytes).await
}

async fn gather_at_most(max_bytes: usize, mut bytes: ByteStream) -> Result<Bytes> {
    let mut whole = BytesMut::new();
    while let Some(chunk) = bytes.next().await {
        let chunk = chunk?;
        if whole.len() + chunk.len() > max_bytes {
            return Err(Error::JsonTooLarge);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}
