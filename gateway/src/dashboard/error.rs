//! Error responses of the dashboard's API: `{"code", "message", "hint"?, "details"?}`.

use std::borrow::Cow;
use std::time::Duration;

use axum::Json;
use axum::response::{IntoResponse, Response};
use cloch_core::disk_full;
use cloch_core::log_fields::LogFields;
use cloch_sql::client::ClientError;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::project::{ProjectError, SqlRefusal};

/// Error response of the dashboard's API.
#[derive(Debug, Serialize)]
pub struct ApiError {
    #[serde(skip)]
    status: StatusCode,
    #[serde(skip)]
    retry_after: Option<Duration>,
    /// Stable error code for programs.
    code: &'static str,
    /// Message for the operator.
    message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Box<Value>>,
}

macro_rules! refusals {
    ($($name:ident = $status:ident),* $(,)?) => {
        $(
            #[doc = concat!("A refusal with the code `", stringify!($name), "`.")]
            pub(super) fn $name(message: impl Into<Cow<'static, str>>) -> Self {
                Self::new(StatusCode::$status, stringify!($name), message)
            }
        )*
    };
}

impl ApiError {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, retry_after: None, code, message: message.into(), hint: None, details: None }
    }

    refusals! {
        bad_request = BAD_REQUEST,
        invalid_credentials = UNAUTHORIZED,
        signed_out = UNAUTHORIZED,
        totp_required = UNAUTHORIZED,
        cross_site = FORBIDDEN,
        csrf = FORBIDDEN,
        forbidden = FORBIDDEN,
        not_found = NOT_FOUND,
        conflict = CONFLICT,
        too_large = PAYLOAD_TOO_LARGE,
        unavailable = SERVICE_UNAVAILABLE,
    }

    /// Returns a 429 error. `wait` is the time until the next attempt is allowed; the response contains it as `Retry-After`.
    pub(super) fn too_many_requests(wait: Duration) -> Self {
        let mut error = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too_many_requests",
            "Too many attempts. Wait before you try again.",
        );
        error.retry_after = Some(wait);
        error
    }

    /// Logs an internal error and returns a 500 response without its details.
    pub(super) fn internal(what: &str, error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "dashboard: internal error, responding with status 500: {what}");
        let message = "Something went wrong; the server's log says what";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// Returns the error response for an SQL statement that PostgreSQL refused because of the operator's input, with SQLSTATE, hint and
    /// position.
    pub(super) fn database(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(refusal) = &error else { return Self::from(error) };
        let refusal = refusal.try_downcast_ref::<sqlx::postgres::PgDatabaseError>();
        let is_ours = cloch_sql::database::is_unavailable(&error) || cloch_sql::database::is_disk_full(&error);
        let Some(refusal) = refusal.filter(|_| !is_ours) else {
            return Self::from(error);
        };
        let position = match refusal.position() {
            Some(sqlx::postgres::PgErrorPosition::Original(at)) => Some(at),
            _ => None,
        };
        let details = json!({
            "sqlstate": refusal.code(), "detail": refusal.detail(), "hint": refusal.hint(), "position": position,
        });
        Self::bad_request(refusal.message().to_owned()).with_code("database").with_details(details)
    }

    /// Returns the 503 error for an unreachable database.
    #[must_use]
    pub fn database_lost() -> Self {
        Self::unavailable("The database cannot be reached")
    }

    /// Returns the 503 error for a full disk, and logs that the disk is full.
    fn disk_full() -> Self {
        disk_full::report("dashboard");
        Self::unavailable(disk_full::MESSAGE)
    }

    pub(super) fn with_code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, wait, code) = (self.status, self.retry_after, self.code);
        let mut response = (status, Json(self)).into_response();
        LogFields::set_code(response.extensions_mut(), code);
        if let Some(wait) = wait {
            let seconds = wait.as_secs().max(1);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        if cloch_sql::database::is_unavailable(&error) {
            return Self::database_lost();
        }
        if cloch_sql::database::is_disk_full(&error) {
            return Self::disk_full();
        }
        Self::internal("an SQL statement of Cloch failed", error)
    }
}

impl From<ClientError> for ApiError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Db(refusal) if refusal.code == disk_full::SQLSTATE => Self::disk_full(),
            ClientError::Db(refusal) => {
                let details = json!({ "sqlstate": refusal.code, "hint": refusal.hint });
                Self::bad_request(refusal.message).with_code("database").with_details(details)
            }
            other => {
                tracing::error!(error = %other, "dashboard: database unreachable, responding with status 503");
                Self::unavailable("The database cannot be reached")
            }
        }
    }
}

impl From<ProjectError> for ApiError {
    fn from(error: ProjectError) -> Self {
        let text = error.to_string();
        match error {
            ProjectError::Invalid(_) => Self::bad_request(text),
            ProjectError::NotFound(_) => Self::not_found(text),
            ProjectError::Conflict(_) => Self::conflict(text),
            ProjectError::TooLarge(_) => Self::too_large(text),
            ProjectError::Unsupported(_) => Self::new(StatusCode::NOT_IMPLEMENTED, "internal", text),
            ProjectError::Busy => Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", text),
            ProjectError::Unavailable | ProjectError::DiskFull => Self::unavailable(text),
            ProjectError::Internal => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text),
            ProjectError::NotWritable => {
                Self::conflict(text).with_code("read_only").with_hint("Copy the SQL into a file of your repository")
            }
            ProjectError::TransactionControl(statement) => Self::bad_request(format!(
                "\"{statement}\" begins or ends a transaction, and the dashboard applies a migration in one. Write the file into the folder \
                 migrations instead: the next start applies it as written"
            )),
            ProjectError::Sql(refusal) => {
                let SqlRefusal { code, message, detail, hint, position } = *refusal;
                let details = json!({ "sqlstate": code, "detail": detail, "hint": hint, "position": position });
                Self::bad_request(message).with_code("database").with_details(details)
            }
        }
    }
}

pub(super) async fn not_found() -> ApiError {
    ApiError::not_found("There is no such endpoint")
}

pub(super) async fn method_not_allowed() -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "This endpoint has no such method")
}

#[cfg(test)]
mod tests {
    use cloch_sql::client::DbError;

    use super::*;

    #[test]
    fn errors_of_the_project_have_the_dashboards_form() {
        let text = || "Why.".to_owned();
        for (error, status, code) in [
            (ProjectError::Invalid(text()), 400, "bad_request"),
            (ProjectError::NotFound(text()), 404, "not_found"),
            (ProjectError::Conflict(text()), 409, "conflict"),
            (ProjectError::TooLarge(text()), 413, "too_large"),
            (ProjectError::Unsupported(text()), 501, "internal"),
            (ProjectError::Busy, 429, "too_many_requests"),
            (ProjectError::Unavailable, 503, "unavailable"),
            (ProjectError::DiskFull, 503, "unavailable"),
            (ProjectError::Internal, 500, "internal"),
            (ProjectError::NotWritable, 409, "read_only"),
            (ProjectError::TransactionControl(text()), 400, "bad_request"),
        ] {
            let message = error.to_string();
            let shown = ApiError::from(error);
            assert_eq!((shown.status.as_u16(), shown.code), (status, code), "{message}");
        }
        let error = DbError { code: "42P01".to_owned(), message: "no table".to_owned(), ..DbError::default() };
        let shown = serde_json::to_value(ApiError::from(ProjectError::Sql(Box::new(error.into())))).unwrap();
        let details = json!({ "sqlstate": "42P01", "detail": null, "hint": null, "position": null });
        assert_eq!(shown, json!({ "code": "database", "message": "no table", "details": details }));
        let shown = ApiError::from(ProjectError::TransactionControl("commit".to_owned())).message;
        assert!(shown.starts_with("\"commit\" begins or ends a transaction, and the dashboard applies"), "{shown}");
    }
}
