//! The 503 responses of the APIs while the database is unavailable.

use axum::response::IntoResponse;
use cloch_http::OutageForms;
use cloch_rest::ApiError;

use crate::dashboard;

/// Returns the 503 response of each API, by path prefix.
pub fn forms() -> OutageForms {
    OutageForms(vec![
        ("/rest/v1", |_, _| ApiError::database_lost().into_response()),
        ("/auth/v1", |_, headers| cloch_auth::unavailable(headers)),
        ("/storage/v1", |path, _| cloch_storage::unavailable(path)),
        ("/_/api", |_, _| dashboard::ApiError::database_lost().into_response()),
    ])
}
