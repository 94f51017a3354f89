//! Creates the table REST API from the configuration.

use std::time::Duration;

use axum::response::IntoResponse;
use cloch_rest::{ApiError, RestState, Settings, VisitorLimits};

use super::SharedServices;
use crate::config::Config;
use crate::config::sections::config_toml::ByteSize;
use crate::graphql;
use crate::service::Service;

/// Maximum time for which the start of the server waits until the schema cache is loaded.
const SCHEMA_CACHE_TIMEOUT: Duration = Duration::from_secs(10);

/// Creates the service of the table REST API, and waits for its schema cache. The state is `None` if the table REST API is disabled.
pub async fn service(shared: &SharedServices) -> (Service, Option<RestState>) {
    let service = Service::default()
        .metrics(cloch_rest::metrics::register)
        .during_outage("/rest/v1", |_, _| ApiError::database_lost().into_response())
        .during_outage("/graphql/v1", |_, _| graphql::database_lost());
    if !shared.config.file.api.enabled {
        let setting = "[api] enabled = false";
        return (service.disabled("/rest/v1", setting).disabled("/graphql/v1", setting), None);
    }
    let state = state(shared);
    wait_for_schema_cache(&state).await;
    let (handler, calls) = (state.clone(), state.clone());
    let (live, connections) = (state.clone(), shared.rest_connections);
    let service = service
        .mount("/rest/v1", move |request| handler.clone().answer(request))
        .mount("/graphql/v1", move |request| graphql::answer(calls.clone(), request))
        .on_change(move |config| {
            let (live, settings) = (live.clone(), settings(config, connections));
            Ok(Box::new(move || live.change_settings(&settings)))
        });
    (service, Some(state))
}

/// Waits until the schema cache is loaded, so that the first requests do not get 503. After a timeout, the server starts without the cache,
/// which is then loaded in the background.
async fn wait_for_schema_cache(state: &RestState) {
    let loaded = async {
        while !state.ready() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(SCHEMA_CACHE_TIMEOUT, loaded).await.is_err() {
        tracing::warn!(
            timeout_s = SCHEMA_CACHE_TIMEOUT.as_secs(),
            "rest: schema cache not loaded within the timeout, the table REST API responds with status 503 until the cache is loaded"
        );
    }
}

/// Creates the state of the table REST API. The schema cache is loaded in the background; until then, requests get 503.
fn state(shared: &SharedServices) -> RestState {
    let logins = shared.database.logins();
    let settings = settings(&shared.config, shared.rest_connections);
    RestState::connect(logins.requests.clone(), logins.callers.clone(), settings, shared.shutdown.clone())
}

fn settings(config: &Config, connections: u32) -> Settings {
    let (api, server, visitors) = (&config.file.api, &config.cloch.server, &config.cloch.limits.visitors);
    let bytes = |size: ByteSize| usize::try_from(size.0).unwrap_or(usize::MAX);
    Settings {
        schemas: api.schemas.clone(),
        extra_search_path: api.extra_search_path.clone(),
        max_rows: Some(api.max_rows),
        pool_size: usize::try_from(connections).unwrap_or(2),
        max_body_bytes: bytes(server.body_limit),
        min_rate: server.min_rate(),
        request_timeout: Duration::from_secs(server.request_timeout.max(1)),
        slow_statement: Duration::try_from_secs_f64(server.slow_statement).ok().filter(|limit| !limit.is_zero()),
        visitors: VisitorLimits {
            body_bytes: bytes(visitors.body_limit),
            rows_per_write: visitors.rows_per_write,
            rows_per_hour: visitors.rows_per_hour,
        },
        openapi_url: Some(config.url("/rest/v1")),
        app_settings: vec![("app.settings.jwt_exp".to_owned(), config.file.auth.jwt_expiry.to_string())],
        replica: config.replica.clone(),
        ..Settings::default()
    }
}
