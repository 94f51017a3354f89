//! Limits the time of each request.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

use crate::error::AuthError;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Responds with status 504 when a request exceeds the time limit. The request's transaction is rolled back.
pub(crate) async fn timeout(request: Request, next: Next) -> Response {
    tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await.unwrap_or_else(|_| {
        AuthError::Refused {
            status: StatusCode::GATEWAY_TIMEOUT,
            code: "request_timeout",
            message: "Processing this request timed out, please retry after a moment.".into(),
        }
        .into_response()
    })
}
