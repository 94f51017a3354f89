//! Extractors for request bodies, queries and paths, with error responses in the format of the dashboard's API. The extractors reject NUL
//! characters, which PostgreSQL's type `text` cannot store.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ApiError;

/// JSON body of a request.
pub(super) struct Input<T>(pub(super) T);

/// Query parameters of a request.
pub(super) struct Params<T>(pub(super) T);

/// Path parameters of a request.
pub(super) struct At<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let Json(value) = Json::<Value>::from_request(request, state).await.map_err(refused_body)?;
        if has_nul(&value) {
            return Err(ApiError::bad_request("A text has a NUL character"));
        }
        serde_json::from_value(value).map(Self).map_err(|error| ApiError::bad_request(error.to_string()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        refuse_nul(parts.uri.query())?;
        let refused = |error: QueryRejection| ApiError::bad_request(error.body_text());
        Query::<T>::from_request_parts(parts, state).await.map(|Query(value)| Self(value)).map_err(refused)
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        refuse_nul(Some(parts.uri.path()))?;
        let refused = |_: PathRejection| ApiError::not_found("There is nothing of this name");
        Path::<T>::from_request_parts(parts, state).await.map(|Path(value)| Self(value)).map_err(refused)
    }
}

fn refused_body(error: JsonRejection) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large("The request is too large"),
        _ => ApiError::bad_request(error.body_text()),
    }
}

fn refuse_nul(encoded: Option<&str>) -> Result<(), ApiError> {
    match encoded.is_some_and(|encoded| encoded.contains("%00")) {
        true => Err(ApiError::bad_request("A text has a NUL character")),
        false => Ok(()),
    }
}

/// Whether a string or object key in a JSON value contains a NUL character. serde_json limits the depth of the recursion.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}
