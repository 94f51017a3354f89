//! How each API says that the database is lost.

use axum::response::IntoResponse;
use cloch_http::OutageForms;
use cloch_rest::ApiError;

use crate::dashboard;

/// The 503 of each API.
pub fn forms() -> OutageForms {
    OutageForms(vec![
        ("/rest/v1", |_, _| ApiError::database_lost().into_response()),
        ("/auth/v1", |_, headers| cloch_auth::unavailable(headers)),
        ("/storage/v1", |path, _| cloch_storage::unavailable(path)),
        ("/_/api", |_, _| dashboard::ApiError::database_lost().into_response()),
    ])
}
