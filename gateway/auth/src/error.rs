//! Errors of the auth API, with GoTrue's codes and messages.

use std::borrow::Cow;

use cloch_core::disk_full;
use http::StatusCode;

pub(crate) const UNEXPECTED: &str = "Unexpected failure, please check server logs for more information";

pub(crate) type Result<T, E = AuthError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthError {
    /// A refused request with an HTTP status, GoTrue's error code and a message.
    #[error("{code}: {message}")]
    Refused { status: StatusCode, code: &'static str, message: Cow<'static, str> },
    /// A password that violates the password policy.
    #[error("weak_password: {message}")]
    WeakPassword { message: String, reasons: Vec<&'static str> },
    /// An error in the JSON form of RFC 6749, which OAuth libraries parse.
    #[error("{error}: {description}")]
    Oauth { status: StatusCode, error: Cow<'static, str>, description: Cow<'static, str> },
    /// An internal error of the server or the database. The client receives `message`; `cause` is written to the log.
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

    /// Creates an error with status 400 and GoTrue's code `validation_failed`.
    pub(crate) fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::bad_request("validation_failed", message)
    }

    pub(crate) fn oauth(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::Oauth { status: StatusCode::BAD_REQUEST, error: error.into(), description: description.into() }
    }

    /// Creates an OAuth error with status 401, for an OAuth client whose authentication failed (RFC 6749, section 5.2).
    pub(crate) fn oauth_unauthorized(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::Oauth { status: StatusCode::UNAUTHORIZED, error: error.into(), description: description.into() }
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
            Self::Oauth { status, .. } => *status,
            // The status is 503 instead of 500, because auth-js then keeps the session and retries the request.
            Self::Internal { .. } if self.is_unavailable() || self.is_disk_full() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Whether the error occurred because the database is temporarily unavailable.
    fn is_unavailable(&self) -> bool {
        self.is_caused_by(cloch_sql::database::is_unavailable)
    }

    /// Whether the error occurred because the database's disk is full.
    fn is_disk_full(&self) -> bool {
        self.is_caused_by(cloch_sql::database::is_disk_full)
    }

    fn is_caused_by(&self, is_cause: fn(&sqlx::Error) -> bool) -> bool {
        let Self::Internal { cause, .. } = self else {
            return false;
        };
        let cause: &(dyn std::error::Error + 'static) = cause.as_ref();
        std::iter::successors(Some(cause), |cause| cause.source())
            .filter_map(|cause| cause.downcast_ref::<sqlx::Error>())
            .any(is_cause)
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
            Self::Internal { .. } if self.is_disk_full() => disk_full::MESSAGE,
            Self::Refused { message, .. } | Self::Internal { message, .. } => message,
            Self::WeakPassword { message, .. } => message,
            Self::Oauth { description, .. } => description,
        }
    }

    /// Whether an SQL statement violated a unique constraint, because a concurrent request inserted the same row first.
    pub(crate) fn is_unique_violation(&self) -> bool {
        let Self::Internal { cause, .. } = self else {
            return false;
        };
        cause
            .downcast_ref::<sqlx::Error>()
            .and_then(|error| error.as_database_error())
            .is_some_and(|error| error.is_unique_violation())
    }

    pub(crate) fn log(&self) {
        if self.is_disk_full() {
            return disk_full::report("auth");
        }
        if let Self::Internal { message, cause } = self {
            let sqlstate = cause
                .downcast_ref::<sqlx::Error>()
                .and_then(|error| error.as_database_error())
                .and_then(|error| error.code().map(Cow::into_owned));
            // The database's error message may quote a row, so only the SQLSTATE is logged.
            match sqlstate {
                Some(sqlstate) => tracing::error!(
                    db.sqlstate = sqlstate,
                    "auth: request failed in the database, answered with an internal error: {message}"
                ),
                None => {
                    tracing::error!(error = %cause, "auth: request failed, answered with an internal error: {message}")
                }
            }
        }
    }
}

impl From<sqlx::Error> for AuthError {
    fn from(error: sqlx::Error) -> Self {
        Self::internal(UNEXPECTED, error)
    }
}

/// Converts errors of the server or the database to [`AuthError::Internal`] with an error message of GoTrue.
pub(crate) trait Context<T> {
    fn context(self, message: &'static str) -> Result<T>;
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> Context<T> for std::result::Result<T, E> {
    fn context(self, message: &'static str) -> Result<T> {
        self.map_err(|error| {
            let cause = error.into();
            match cause.downcast::<AuthError>() {
                // The operator `?` has already converted a database error to `AuthError` with a general message. This code keeps the cause
                // of the error and replaces the message.
                Ok(refused) => match *refused {
                    AuthError::Internal { message: Cow::Borrowed(UNEXPECTED), cause } => {
                        AuthError::Internal { message: message.into(), cause }
                    }
                    refused => refused,
                },
                Err(cause) => AuthError::Internal { message: message.into(), cause },
            }
        })
    }
}
