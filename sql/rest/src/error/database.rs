//! Converts errors of PostgreSQL and of the database connection to API errors.

use std::collections::BTreeMap;

use cloch_core::disk_full;
use http::{HeaderName, StatusCode, header};
use serde::Deserialize;

use super::ApiError;
use cloch_sql::client::{ClientError, DbError};

impl ApiError {
    /// Converts a database error to an API error. `is_anonymous` is true if the request ran as the role `anon`: a missing privilege then
    /// causes status 401 instead of 403.
    pub(crate) fn database(error: ClientError, is_anonymous: bool) -> Self {
        match error {
            ClientError::Connect(reason) => {
                let message = "Database connection error.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "PGRST000", message)
                    .details(reason)
                    .header(header::RETRY_AFTER, "1")
            }
            ClientError::Lost(reason) => {
                let message = "Database client error. Retrying the connection.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "PGRST001", message)
                    .details(reason)
                    .header(header::RETRY_AFTER, "1")
            }
            ClientError::Busy => {
                let message = "Timed out acquiring connection from connection pool.";
                Self::new(StatusCode::GATEWAY_TIMEOUT, "PGRST003", message).header(header::RETRY_AFTER, "1")
            }
            ClientError::TooLarge => Self::answer_too_large(is_anonymous),
            ClientError::NoRoom => Self::no_room_for_answer(),
            ClientError::TooManyParameters(_) => {
                let message = "The request holds too many values";
                Self::new(StatusCode::BAD_REQUEST, "54000", message).details(error.to_string())
            }
            ClientError::Db(error) if error.code == "PGRST" => Self::raised(&error),
            ClientError::Db(error) => Self::reported(*error, is_anonymous),
        }
    }

    /// Returns the error for requests while the database connection is lost.
    #[must_use]
    pub fn database_lost() -> Self {
        Self::database(ClientError::Lost("the server does not answer".to_owned()), false)
    }

    fn reported(error: DbError, is_anonymous: bool) -> Self {
        if error.code == disk_full::SQLSTATE {
            disk_full::report("rest");
            // Replace PostgreSQL's message, because it names a file of the database server.
            let mut answer = Self::new(StatusCode::SERVICE_UNAVAILABLE, error.code, disk_full::MESSAGE);
            answer.0.hint = error.hint;
            return answer.header(header::RETRY_AFTER, "1");
        }
        let status = status(&error, is_anonymous);
        let mut answer = Self::new(status, error.code, error.message);
        answer.0.reason = answer.0.code.starts_with("PT").then(|| answer.0.message.clone());
        answer.0.details = error.detail.map(Into::into);
        answer.0.hint = error.hint;
        answer.0.constraint = error.constraint;
        match status {
            StatusCode::UNAUTHORIZED => answer.header(header::WWW_AUTHENTICATE, "Bearer"),
            StatusCode::SERVICE_UNAVAILABLE => answer.header(header::RETRY_AFTER, "1"),
            _ => answer,
        }
    }

    /// Builds the HTTP response for an SQL function's `RAISE SQLSTATE 'PGRST'`: the message and detail of the database error define the
    /// whole response.
    fn raised(error: &DbError) -> Self {
        let unreadable = |details: String, hint: &str| {
            let message = "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error";
            Self::new(StatusCode::INTERNAL_SERVER_ERROR, "PGRST121", message).details(details).hint(hint)
        };
        let Ok(raised) = serde_json::from_str::<RaisedMessage>(&error.message) else {
            return unreadable(
                format!("Invalid JSON value for MESSAGE: '{}'", error.message),
                "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
            );
        };
        let hint =
            "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";
        let Some(detail) = &error.detail else {
            return unreadable("DETAIL is missing in the RAISE statement".to_owned(), hint);
        };
        let Ok(shape) = serde_json::from_str::<RaisedDetail>(detail) else {
            return unreadable(format!("Invalid JSON value for DETAIL: '{detail}'"), hint);
        };
        let status = StatusCode::from_u16(shape.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut answer = Self::new(status, raised.code, raised.message);
        answer.0.reason = shape.status_text;
        answer.0.details = raised.details.map(Into::into);
        answer.0.hint = raised.hint;
        for (name, value) in shape.headers {
            if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                answer = answer.header(name, &value);
            }
        }
        answer
    }
}

#[derive(Deserialize)]
struct RaisedMessage {
    code: String,
    message: String,
    details: Option<String>,
    hint: Option<String>,
}

#[derive(Deserialize)]
struct RaisedDetail {
    status: u16,
    status_text: Option<String>,
    headers: BTreeMap<String, String>,
}

/// Returns the HTTP status for the SQLSTATE of a database error.
fn status(error: &DbError, is_anonymous: bool) -> StatusCode {
    let code = error.code.as_str();
    let class = code.get(..2).unwrap_or_default();
    match (code, class) {
        ("23503" | "23505", _) => StatusCode::CONFLICT,
        ("25006", _) => StatusCode::METHOD_NOT_ALLOWED,
        ("21000", _) if error.message.ends_with("requires a WHERE clause") => StatusCode::BAD_REQUEST,
        ("21000" | "53400" | "42P17", _) => StatusCode::INTERNAL_SERVER_ERROR,
        ("22023", _) if error.message.starts_with("role") && error.message.ends_with("does not exist") => {
            StatusCode::UNAUTHORIZED
        }
        // The database server is stopping, has crashed or is starting. A retry may succeed.
        ("57P01" | "57P02" | "57P03", _) => StatusCode::SERVICE_UNAVAILABLE,
        ("P0001", _) => StatusCode::BAD_REQUEST,
        ("42883", _) if error.message.starts_with("function xmlagg(") => StatusCode::NOT_ACCEPTABLE,
        ("42883" | "42P01", _) => StatusCode::NOT_FOUND,
        ("42501", _) if is_anonymous => StatusCode::UNAUTHORIZED,
        ("42501", _) => StatusCode::FORBIDDEN,
        (_, "PT") => {
            let chosen = code.get(2..).and_then(|digits| digits.parse().ok());
            chosen.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
        }
        (_, "08" | "53") => StatusCode::SERVICE_UNAVAILABLE,
        (_, "0L" | "0P" | "28") => StatusCode::FORBIDDEN,
        (_, "09" | "25" | "2D" | "38" | "39" | "3B" | "40" | "54" | "55" | "57" | "58" | "F0" | "HV" | "P0" | "XX") => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        _ => StatusCode::BAD_REQUEST,
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use hyper::ext::ReasonPhrase;

    use super::*;

    fn answer(code: &str, message: &str, detail: Option<&str>) -> (u16, Option<String>) {
        let (code, message, detail) = (code.to_owned(), message.to_owned(), detail.map(str::to_owned));
        let error = DbError { code, message, detail, ..DbError::default() };
        let response = ApiError::database(ClientError::Db(Box::new(error)), false).into_response();
        let reason = response.extensions().get::<ReasonPhrase>();
        let reason = reason.map(|reason| String::from_utf8(reason.as_bytes().to_vec()).unwrap());
        (response.status().as_u16(), reason)
    }

    #[test]
    fn the_database_words_the_reason_of_a_status_it_chose() {
        assert_eq!(answer("PT402", "Payment Required", None), (402, Some("Payment Required".to_owned())));
        let detail = r#"{"status":332,"status_text":"Tide out","headers":{}}"#;
        assert_eq!(answer("PGRST", r#"{"code":"A","message":"B"}"#, Some(detail)), (332, Some("Tide out".to_owned())));
        assert_eq!(answer("P0001", "wrong", None), (400, None));
    }

    #[test]
    fn a_reason_is_a_line_or_nothing() {
        assert_eq!(answer("PT400", "two\nlines", None), (400, None));
        let detail = r#"{"status":400,"status_text":5,"headers":{}}"#;
        assert_eq!(answer("PGRST", r#"{"code":"A","message":"B"}"#, Some(detail)), (500, None));
    }
}
