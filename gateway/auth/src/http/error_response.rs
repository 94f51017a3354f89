//! Converts errors to HTTP responses: sets the status, headers and body of all errors.

use std::sync::Arc;

use axum::Json;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cloch_core::log_fields::LogFields;
use http::header::{ALLOW, AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

use crate::error::AuthError;

/// The request header that selects the newer or older JSON form of errors. The server copies the header to the response.
const VERSION_HEADER: HeaderName = HeaderName::from_static("x-supabase-api-version");
/// The first API version whose errors have the newer JSON form.
const NEWER_VERSION: &str = "2024-01-01";
const CODE_HEADER: HeaderName = HeaderName::from_static("x-sb-error-code");

impl AuthError {
    fn status_and_body(&self, newer: bool) -> (StatusCode, Value) {
        self.raised_by_project().filter(|_| !newer).unwrap_or_else(|| (self.status(), self.body(newer)))
    }

    fn written(&self, newer: bool) -> Response {
        let (status, body) = self.status_and_body(newer);
        let mut response = (status, Json(body)).into_response();
        if newer {
            response.headers_mut().insert(VERSION_HEADER, HeaderValue::from_static(NEWER_VERSION));
        }
        if !self.code().is_empty() {
            response.headers_mut().insert(CODE_HEADER, HeaderValue::from_static(self.code()));
            LogFields::set_code(response.extensions_mut(), self.code());
        }
        response
    }

    fn body(&self, newer: bool) -> Value {
        if let Self::Oauth { error, description, .. } = self {
            return if description.is_empty() {
                json!({ "error": error })
            } else {
                json!({ "error": error, "error_description": description })
            };
        }
        let mut body = if newer {
            json!({ "code": self.code(), "message": self.message() })
        } else {
            json!({ "code": self.status().as_u16(), "error_code": self.code(), "msg": self.message() })
        };
        if let (Self::WeakPassword { reasons, .. }, Value::Object(fields)) = (self, &mut body) {
            fields.insert("weak_password".into(), json!({ "reasons": reasons }));
        }
        body
    }

    /// Returns the response for an error that the project's own triggers or constraints raised. `None` for other errors. Used only for the
    /// older JSON form. SQLSTATE `PTxyz` sets the HTTP status `xyz`.
    fn raised_by_project(&self) -> Option<(StatusCode, Value)> {
        let Self::Internal { cause, .. } = self else {
            return None;
        };
        let database = cause.downcast_ref::<sqlx::Error>()?.as_database_error()?;
        let error = database.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()?;
        let known = ["P0001", "23000", "23001", "23502", "23503", "23505", "23514", "23P01"];
        let status = match error.code().strip_prefix("PT") {
            Some(asked) => StatusCode::from_bytes(asked.as_bytes()).ok()?,
            None if known.contains(&error.code()) => StatusCode::INTERNAL_SERVER_ERROR,
            None => return None,
        };
        let mut body = json!({ "code": error.code(), "message": error.message() });
        for (name, text) in [("hint", error.hint()), ("detail", error.detail())] {
            if let (Some(text), Value::Object(fields)) = (text, &mut body) {
                fields.insert(name.into(), text.into());
            }
        }
        Some((status, body))
    }
}

impl IntoResponse for AuthError {
    /// Attaches the error to an empty response. The middleware [`write_errors`] writes the body, because only the middleware receives the
    /// headers that select the JSON form.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Writes each error of the API in the JSON form that the request's headers select (middleware).
pub(crate) async fn write_errors(request: Request, next: Next) -> Response {
    let newer = asks_for_newer(request.headers());
    let is_basic = request
        .headers()
        .get(AUTHORIZATION)
        .is_some_and(|value| value.as_bytes().get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"basic ")));
    let response = next.run(request).await;
    let Some(error) = response.extensions().get::<Arc<AuthError>>().cloned() else {
        return response;
    };
    error.log();
    let mut written = error.written(newer);
    if let Some(methods) = response.headers().get(ALLOW) {
        written.headers_mut().insert(ALLOW, methods.clone());
    }
    if is_basic && written.status() == StatusCode::UNAUTHORIZED {
        // RFC 6749, section 5.2: `WWW-Authenticate` must name the authentication scheme that the client used.
        let challenge = HeaderValue::from_static("Basic realm=\"OAuth client\"");
        written.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    written
}

/// Returns the 503 response that requests receive while the database is unavailable, in the JSON form that `headers` select.
#[must_use]
pub fn unavailable(headers: &HeaderMap) -> Response {
    AuthError::unavailable("unexpected_failure", "The database cannot be reached").written(asks_for_newer(headers))
}

/// Returns the error for an unknown path. GoTrue's router (chi) responds with plain text, which auth-js reports as a JSON syntax error.
pub(crate) async fn no_such_path() -> AuthError {
    AuthError::not_found("route_not_found", "404 page not found")
}

/// Returns the error for a method that the path does not support.
pub(crate) async fn no_such_method() -> AuthError {
    let (status, code) = (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed");
    AuthError::Refused { status, code, message: "405 method not allowed".into() }
}

/// Whether the request selects the newer JSON form of errors. An invalid date, or a date before [`NEWER_VERSION`], selects the older form.
fn asks_for_newer(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION_HEADER)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| chrono::NaiveDate::parse_from_str(value, "%Y-%m-%d").ok())
        .zip(chrono::NaiveDate::from_ymd_opt(2024, 1, 1))
        .is_some_and(|(asked, newer)| asked >= newer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(value: &'static str) -> bool {
        asks_for_newer(&HeaderMap::from_iter([(VERSION_HEADER, HeaderValue::from_static(value))]))
    }

    #[test]
    fn odd_versions_mean_the_first() {
        assert!(!asks_for_newer(&HeaderMap::new()));
        assert!(!version("latest"));
        assert!(!version("2023-12-31"));
        assert!(version("2024-01-01"));
        assert!(version("2026-05-05"));
    }

    #[test]
    fn both_forms_carry_the_code() {
        let error = AuthError::validation("no");
        assert_eq!(error.body(false), json!({"code": 400, "error_code": "validation_failed", "msg": "no"}));
        assert_eq!(error.body(true), json!({"code": "validation_failed", "message": "no"}));
    }

    #[test]
    fn a_fault_does_not_tell_its_cause() {
        let error = AuthError::internal("Database error", "password=hunter2");
        assert!(!error.body(true).to_string().contains("hunter2"));
    }
}
