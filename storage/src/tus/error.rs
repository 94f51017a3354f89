//! Errors of resumable uploads: plain text with the actual HTTP status, as TUS clients expect.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cloch_core::log_fields::LogFields;
use serde_json::json;

use super::headers::PROTOCOL_VERSION;
use crate::error::Error;
use crate::json_response::Json;

/// Messages that only the storage API uses. The TUS server of Supabase Storage does not have these messages.
const OWN: [&str; 3] =
    ["Metadata header is required", "Invalid upload id", "Cannot terminate an already completed upload"];

pub(crate) type Result<T, E = TusError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TusError {
    /// A violation of the TUS protocol: HTTP status and text.
    #[error("{1}")]
    Protocol(u16, &'static str),
    /// The caller's token was refused. The response is JSON, as for the endpoints outside TUS.
    #[error(transparent)]
    Token(Error),
    /// Any other error of the storage API.
    #[error(transparent)]
    Storage(#[from] Error),
}

impl From<sqlx::Error> for TusError {
    fn from(error: sqlx::Error) -> Self {
        Self::Storage(error.into())
    }
}

impl TusError {
    pub(super) const NOT_FOUND: Self = Self::Protocol(404, "The file for this url was not found");
    pub(super) const TOO_LARGE: Self = Self::Protocol(413, "Maximum size exceeded");
    pub(super) const EXCEEDED: Self = Self::Protocol(413, "upload's size exceeded");
}

impl IntoResponse for TusError {
    fn into_response(self) -> Response {
        let (mut header, mut code) = (None, None);
        let (status, text) = match self {
            // The TUS server of Supabase Storage ends its messages with a line break. The messages in `OWN` have no line break.
            Self::Protocol(status, text) if OWN.contains(&text) => (status, text.to_owned()),
            Self::Protocol(status, text) => (status, format!("{text}\n")),
            Self::Token(error) => {
                let body = json!({
                    "statusCode": "403", "error": "Unauthorized", "message": error.message(), "code": "AccessDenied",
                });
                return (StatusCode::BAD_REQUEST, Json(body)).into_response();
            }
            Self::Storage(error) => {
                error.log();
                header = error.header();
                code = Some(error.code());
                (error.status(), error.message())
            }
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = [(CONTENT_TYPE.as_str(), "text/plain;charset=UTF-8"), ("tus-resumable", PROTOCOL_VERSION)];
        let mut response = (status, headers, text).into_response();
        response.headers_mut().extend(header);
        if let Some(code) = code {
            LogFields::set_code(response.extensions_mut(), code);
        }
        response
    }
}
