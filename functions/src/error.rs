//! Errors of functions, and the HTTP responses to these errors.

use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use cloch_core::disk_full;
use cloch_core::log_fields::LogFields;
use cloch_core::workers::JobError;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde_json::json;

/// Value of the `Retry-After` header of a response with status 503.
const UNAVAILABLE_RETRY_AFTER: Duration = Duration::from_secs(2);

/// An error response with the body `{"error": message, "code": code}`. supabase-js throws a `FunctionsHttpError` for a response whose
/// status is not in the range 200 to 299.
#[derive(Debug)]
pub struct FunctionError {
    status: StatusCode,
    code: &'static str,
    message: String,
    retry_after: Option<Duration>,
}

impl FunctionError {
    /// Creates an error with status 400: the input is invalid.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_input", message)
    }

    /// Creates an error with status 403: the caller is not allowed to perform the action.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// Creates an error with status 429 and the time after which the client may retry.
    pub fn too_often(message: impl Into<String>, retry_after: Duration) -> Self {
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_calls", message);
        Self { retry_after: Some(retry_after), ..error }
    }

    /// Creates an error with status 503 and the header `Retry-After`: all worker threads are busy, or a dependency is unavailable.
    #[must_use]
    pub fn unavailable() -> Self {
        let message = "The server is busy; please try again in a moment";
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message);
        Self { retry_after: Some(UNAVAILABLE_RETRY_AFTER), ..error }
    }

    /// Creates an error with status 502: the dependency `what` failed. The reason is logged, and the response does not contain the reason.
    pub fn dependency(what: &'static str, reason: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %reason, "functions: request of a function to another service failed ({what}), responding with status 502");
        Self::new(StatusCode::BAD_GATEWAY, "dependency_failed", format!("{what} failed; please try again later"))
    }

    /// Creates an error with status 500: Cloch or its database failed. The reason is logged, and the response does not contain the reason.
    pub fn internal(reason: &dyn std::fmt::Display) -> Self {
        tracing::error!(error = %reason, "functions: internal error during a request to a function, responding with status 500");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "The function failed; please try again later")
    }

    /// Returns the HTTP status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Creates an error with the given status and code.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }
}

impl From<JobError> for FunctionError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::QueueFull => Self::unavailable(),
            JobError::Lost => Self::internal(&error),
        }
    }
}

impl From<sqlx::Error> for FunctionError {
    fn from(error: sqlx::Error) -> Self {
        if cloch_sql::database::is_disk_full(&error) {
            disk_full::report("functions");
            return Self { message: disk_full::MESSAGE.to_owned(), ..Self::unavailable() };
        }
        if !cloch_sql::database::is_unavailable(&error) {
            return Self::internal(&error);
        }
        tracing::error!(%error, "functions: database unreachable for a function, responding with status 503");
        Self::unavailable()
    }
}

impl From<cloch_mail::MailError> for FunctionError {
    fn from(error: cloch_mail::MailError) -> Self {
        use cloch_mail::MailError;
        match error {
            MailError::Address | MailError::Recipients => Self::bad_input(error.to_string()),
            MailError::Database(error) => error.into(),
            other => Self::internal(&other),
        }
    }
}

impl IntoResponse for FunctionError {
    fn into_response(self) -> Response {
        let body = Json(json!({ "error": self.message, "code": self.code }));
        let mut response = (self.status, body).into_response();
        LogFields::set_code(response.extensions_mut(), self.code);
        if let Some(wait) = self.retry_after {
            // The value is rounded up, so that a client that waits exactly this number of seconds is admitted.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        response
    }
}
