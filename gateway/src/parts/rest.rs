//! /rest/v1 from the configuration.

use cloch_sql::rest::{RestState, Settings};

use super::Shared;

/// The state of the table REST. It loads its catalog by itself; until then requests are answered 503.
#[must_use]
pub fn state(shared: &Shared) -> RestState {
    let api = &shared.config.file.api;
    let settings = Settings {
        schemas: api.schemas.clone(),
        extra_search_path: api.extra_search_path.clone(),
        max_rows: Some(api.max_rows),
        pool_size: usize::try_from(shared.rest_connections).unwrap_or(2),
        openapi_url: Some(shared.config.url("/rest/v1")),
        app_settings: vec![("app.settings.jwt_exp".to_owned(), shared.config.file.auth.jwt_expiry.to_string())],
        ..Settings::default()
    };
    RestState::connect(shared.database.caller_login().clone(), settings, shared.shutdown.clone())
}
