//! JSON bodies: at most a megabyte, refused in the words of this API.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::Fields;
use crate::error::{Error, Result};

/// The largest JSON body.
const MAX_BODY: usize = 1024 * 1024;

/// The fields of a request's JSON body.
#[derive(Debug)]
pub(crate) struct JsonBody(pub(crate) Fields);

impl<S: Sync> FromRequest<S> for JsonBody {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let is_json = is_json(request.headers());
        let body = read(request.into_body()).await?;
        let value = match (is_json, body.is_empty()) {
            (true, true) => {
                return Err(Error::JsonBody("Body cannot be empty when content-type is set to 'application/json'"));
            }
            (true, false) => serde_json::from_slice(&body)
                .map_err(|_| Error::JsonBody("Body is not valid JSON but content-type is set to 'application/json'"))?,
            (false, _) => Value::Null,
        };
        Fields::of_body(value).map(Self)
    }
}

/// A body that an endpoint needs none of: read and dropped, so that the connection can be used again, but one that says it is
/// JSON and is empty or broken is refused.
#[derive(Debug)]
pub(crate) struct NoBody;

impl<S: Sync> FromRequest<S> for NoBody {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let is_json = is_json(request.headers());
        let body = read(request.into_body()).await?;
        if is_json && body.is_empty() {
            return Err(Error::JsonBody("Body cannot be empty when content-type is set to 'application/json'"));
        }
        if is_json && serde_json::from_slice::<serde::de::IgnoredAny>(&body).is_err() {
            return Err(Error::JsonBody("Body is not valid JSON but content-type is set to 'application/json'"));
        }
        Ok(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Reads a small body whole.
pub(crate) async fn read(body: axum::body::Body) -> Result<Bytes> {
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Error::JsonTooLarge),
        Err(_) => Err(Error::Aborted("Request stream closed before upload could begin")),
    }
}
