//! Converts errors into responses of the JSON endpoints.

use axum::response::{IntoResponse, Response};
use cloch_core::log_fields::LogFields;
use serde_json::json;

use super::Error;
use crate::json_response::Json;

/// Whether an unknown path belongs to the endpoints that use the common JSON error format for unknown routes.
fn is_api(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or(path);
    ["/object", "/bucket", "/archive", "/cdn", "/render/image", "/vector"]
        .iter()
        .any(|area| path.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        self.log();
        let status = self.http_status();
        let body = match &self {
            Self::BadUrl(_) => json!({
                "error": "Bad Request", "code": self.code(), "message": self.message(), "statusCode": 400,
            }),
            Self::NoRoute(_, path) if !is_api(path) => json!({
                "message": self.message(), "error": self.label(), "statusCode": 404,
            }),
            _ => json!({
                "statusCode": self.status().to_string(),
                "error": self.label(),
                "message": self.message(),
                "code": self.code(),
            }),
        };
        let mut response = (status, Json(body)).into_response();
        response.headers_mut().extend(self.header());
        LogFields::set_code(response.extensions_mut(), self.code());
        response
    }
}
