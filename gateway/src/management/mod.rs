//! `/v1`: the endpoints of Supabase's Management API that the Supabase CLI, its MCP server and CI use. Requests contain the project's access
//! token.
//!
//! Handlers parse the request, call [`crate::project`], and return the result in the JSON form of Supabase's hosted API.

mod advisors;
mod database;
mod error;
mod functions;
mod health;
mod logs;
mod projects;
mod secrets;
mod settings;
mod types;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use cloch_core::log_fields::LogFields;
use http::request::Parts;

use crate::project::Project;
use crate::token_access::recorded::is_recorded_request;
use crate::token_access::{ApiError, MAX_BODY_BYTES, TokenAccess, audit, with_headers};

/// Shared reference to the project.
type ProjectState = Arc<Project>;

/// Returns the router of the API, to be nested at `/v1`.
pub fn router(access: Arc<TokenAccess>) -> Router {
    let project = Router::new()
        .route("/", get(projects::show))
        .route("/api-keys", get(projects::api_keys))
        .route("/api-keys/legacy", get(projects::legacy_keys))
        .route("/health", get(health::show))
        .route("/postgrest", get(settings::postgrest))
        .route("/config/{part}", get(settings::show))
        .route("/config/database/{part}", get(settings::database))
        .route("/functions", get(functions::list).put(functions::switch_all).post(functions::refuse_bundle))
        .route("/functions/deploy", post(functions::deploy))
        .route("/functions/{slug}", get(functions::show).patch(functions::change).delete(functions::remove))
        .route("/functions/{slug}/body", get(functions::body))
        .route("/secrets", get(secrets::list).post(secrets::set).delete(secrets::unset))
        .route("/database/query", post(database::query))
        .route("/database/query/read-only", post(database::query_read_only))
        .route("/database/migrations", get(database::list_migrations).post(database::apply_migration))
        .route("/advisors/{kind}", get(advisors::show))
        .route("/types/typescript", get(types::typescript))
        .route("/storage/buckets", get(projects::buckets))
        .route("/analytics/endpoints/{endpoint}", get(logs::show));
    Router::new()
        .route("/organizations", get(projects::organizations))
        .route("/organizations/{slug}", get(projects::organization))
        .route("/projects", get(projects::list))
        .nest("/projects/{ref}", project)
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::method_not_allowed)
        .with_state(Arc::clone(&access.project))
        .layer(from_fn_with_state(access, admit))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
}

/// Checks whether the client may use the API, and writes the audit entry if the request has to be recorded.
async fn admit(State(access): State<Arc<TokenAccess>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let response = match begin(&access, &parts).await {
        Ok(entry) => {
            let mut response = next.run(Request::from_parts(parts, body)).await;
            LogFields::set(response.extensions_mut(), |fields| fields.caller = Some("access token"));
            audit::end(&access.project, entry, response.status()).await;
            response
        }
        // If the audit entry cannot be written, the request is not handled.
        Err(error) => error.into_response(),
    };
    with_headers(response)
}

async fn begin(access: &TokenAccess, parts: &Parts) -> Result<Option<i64>, ApiError> {
    access.check(parts).await?;
    let path = parts.uri.path();
    if !is_recorded_request(&parts.method, path) {
        return Ok(None);
    }
    Ok(Some(audit::begin(&access.project, parts, &format!("/v1{path}")).await?))
}
