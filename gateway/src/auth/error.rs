//! Errors as GoTrue words them, and the one place where they become HTTP.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

/// The header that chooses, and echoes, the form of an error.
const VERSION_HEADER: HeaderName = HeaderName::from_static("x-supabase-api-version");
/// The version that brought the newer form.
const NEWER: &str = "2024-01-01";
const CODE_HEADER: HeaderName = HeaderName::from_static("x-sb-error-code");

/// What a client is told when the fault is ours.
pub(crate) const UNEXPECTED: &str = "Unexpected failure, please check server logs for more information";

pub(crate) type Result<T, E = AuthError> = std::result::Result<T, E>;

/// Why a request was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthError {
    /// The usual form: a status, GoTrue's code, a sentence.
    #[error("{code}: {message}")]
    Refused { status: StatusCode, code: &'static str, message: Cow<'static, str> },
    /// A password that does not meet the policy.
    #[error("weak_password: {message}")]
    WeakPassword { message: String, reasons: Vec<&'static str> },
    /// The form of RFC 6749, for what OAuth libraries read.
    #[error("{error}: {description}")]
    Oauth { error: Cow<'static, str>, description: Cow<'static, str> },
    /// A fault of the server or the database: `message` goes out, the cause is logged.
    #[error("{message}")]
    Internal {
        message: Cow<'static, str>,
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

macro_rules! refusals {
    ($($name:ident = $status:ident),* $(,)?) => {
        $(pub(crate) fn $name(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
            Self::Refused { status: StatusCode::$status, code, message: message.into() }
        })*
    };
}

impl AuthError {
    refusals! {
        bad_request = BAD_REQUEST,
        unauthorized = UNAUTHORIZED,
        forbidden = FORBIDDEN,
        not_found = NOT_FOUND,
        conflict = CONFLICT,
        too_large = PAYLOAD_TOO_LARGE,
        unprocessable = UNPROCESSABLE_ENTITY,
        too_many = TOO_MANY_REQUESTS,
        failed = INTERNAL_SERVER_ERROR,
        unavailable = SERVICE_UNAVAILABLE,
    }

    /// 400 `validation_failed`, the commonest refusal.
    pub(crate) fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::bad_request("validation_failed", message)
    }

    pub(crate) fn oauth(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::Oauth { error: error.into(), description: description.into() }
    }

    pub(crate) fn internal(
        message: impl Into<Cow<'static, str>>,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Internal { message: message.into(), cause: cause.into() }
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Refused { status, .. } => *status,
            Self::WeakPassword { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Oauth { .. } => StatusCode::BAD_REQUEST,
            // auth-js makes such a request again, and keeps the session.
            Self::Internal { .. } if self.is_unavailable() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether the fault is a database that cannot be reached at this moment.
    fn is_unavailable(&self) -> bool {
        let Self::Internal { cause, .. } = self else { return false };
        let cause: &(dyn std::error::Error + 'static) = cause.as_ref();
        std::iter::successors(Some(cause), |cause| cause.source())
            .filter_map(|cause| cause.downcast_ref::<sqlx::Error>())
            .any(cloch_sql::database::is_unavailable)
    }

    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => code,
            Self::WeakPassword { .. } => "weak_password",
            Self::Oauth { .. } => "",
            Self::Internal { .. } => "unexpected_failure",
        }
    }

    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Refused { message, .. } | Self::Internal { message, .. } => message,
            Self::WeakPassword { message, .. } => message,
            Self::Oauth { description, .. } => description,
        }
    }

    /// Whether a unique constraint stood in the way: another request was faster.
    pub(crate) fn is_unique_violation(&self) -> bool {
        let Self::Internal { cause, .. } = self else { return false };
        cause
            .downcast_ref::<sqlx::Error>()
            .and_then(|error| error.as_database_error())
            .is_some_and(|error| error.is_unique_violation())
    }

    /// Status and body in the newer form or the first one.
    fn answer(&self, newer: bool) -> (StatusCode, Value) {
        self.raised_by_project().filter(|_| !newer).unwrap_or_else(|| (self.status(), self.body(newer)))
    }

    fn body(&self, newer: bool) -> Value {
        if let Self::Oauth { error, description } = self {
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

    /// The older form passes on what a project's own trigger or constraint raised; `PTxyz` asks for the status `xyz`.
    fn raised_by_project(&self) -> Option<(StatusCode, Value)> {
        let Self::Internal { cause, .. } = self else { return None };
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

    pub(crate) fn log(&self) {
        if let Self::Internal { message, cause } = self {
            let sqlstate = cause
                .downcast_ref::<sqlx::Error>()
                .and_then(|error| error.as_database_error())
                .and_then(|error| error.code().map(Cow::into_owned));
            // The database's own text may quote a row: its state alone is logged.
            match sqlstate {
                Some(sqlstate) => tracing::error!(db.sqlstate = sqlstate, "auth: {message}"),
                None => tracing::error!(cause = %cause, "auth: {message}"),
            }
        }
    }
}

impl From<sqlx::Error> for AuthError {
    fn from(error: sqlx::Error) -> Self {
        Self::internal(UNEXPECTED, error)
    }
}

/// Names what a failed step was doing, in the words GoTrue's clients see.
pub(crate) trait Doing<T> {
    fn doing(self, message: &'static str) -> Result<T>;
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> Doing<T> for std::result::Result<T, E> {
    fn doing(self, message: &'static str) -> Result<T> {
        self.map_err(|error| {
            let cause = error.into();
            match cause.downcast::<AuthError>() {
                Ok(refused) => *refused,
                Err(cause) => AuthError::Internal { message: message.into(), cause },
            }
        })
    }
}

impl IntoResponse for AuthError {
    /// Leaves the error for [`worded`], which knows the form the client reads.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Writes every error of the API in the form that the request asked for.
pub(crate) async fn worded(request: Request, next: Next) -> Response {
    let newer = asks_for_newer(request.headers());
    let response = next.run(request).await;
    let Some(error) = response.extensions().get::<Arc<AuthError>>().cloned() else { return response };
    error.log();
    let (status, body) = error.answer(newer);
    let mut worded = (status, Json(body)).into_response();
    let headers = worded.headers_mut();
    if newer {
        headers.insert(VERSION_HEADER, HeaderValue::from_static(NEWER));
    }
    if !error.code().is_empty() {
        headers.insert(CODE_HEADER, HeaderValue::from_static(error.code()));
    }
    worded
}

/// How long a request may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(10);

/// Gives up a request that takes too long. What it had begun in the database is undone.
pub(crate) async fn timely(request: Request, next: Next) -> Response {
    tokio::time::timeout(PATIENCE, next.run(request)).await.unwrap_or_else(|_| {
        AuthError::Refused {
            status: StatusCode::GATEWAY_TIMEOUT,
            code: "request_timeout",
            message: "Processing this request timed out, please retry after a moment.".into(),
        }
        .into_response()
    })
}

/// What chi, upstream's router, answers for a path that is none of the API's.
pub(crate) async fn no_such_path() -> (StatusCode, &'static str) {
    (StatusCode::NOT_FOUND, "404 page not found\n")
}

/// A date that is none, or an older one, means the first version.
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
