//! Builds the table REST from the configuration.

use std::time::Duration;

use cloch_rest::{RestState, Settings, VisitorLimits};

use super::SharedServices;
use crate::config::sections::config_toml::ByteSize;

/// Creates the state of the table REST. It loads its schema cache in the background; until then requests get 503.
#[must_use]
pub fn state(shared: &SharedServices) -> RestState {
    let api = &shared.config.file.api;
    let server = &shared.config.cloch.server;
    let visitors = &shared.config.cloch.limits.visitors;
    let bytes = |size: ByteSize| usize::try_from(size.0).unwrap_or(usize::MAX);
    let settings = Settings {
        schemas: api.schemas.clone(),
        extra_search_path: api.extra_search_path.clone(),
        max_rows: Some(api.max_rows),
        pool_size: usize::try_from(shared.rest_connections).unwrap_or(2),
        max_body_bytes: bytes(server.body_limit),
        min_rate: server.min_rate(),
        request_timeout: Duration::from_secs(server.request_timeout.max(1)),
        slow_statement: Duration::try_from_secs_f64(server.slow_statement).ok().filter(|limit| !limit.is_zero()),
        visitors: VisitorLimits {
            body_bytes: bytes(visitors.body_limit),
            rows_per_write: visitors.rows_per_write,
            rows_per_hour: visitors.rows_per_hour,
        },
        openapi_url: Some(shared.config.url("/rest/v1")),
        app_settings: vec![("app.settings.jwt_exp".to_owned(), shared.config.file.auth.jwt_expiry.to_string())],
        replica: shared.config.replica.clone(),
        ..Settings::default()
    };
    let logins = shared.database.logins();
    RestState::connect(logins.requests.clone(), logins.callers.clone(), settings, shared.shutdown.clone())
}
