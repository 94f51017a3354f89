//! Endpoints for the project, its organisation, API keys and buckets. A server has exactly one project.

use axum::Json;
use axum::extract::{Path, Query, State};
use chrono::{DateTime, SecondsFormat, Utc};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ProjectState};
use crate::project::buckets::Bucket;
use crate::project::{Project, ProjectError};

/// Fixed name of the organisation of a self-hosted project.
const ORGANIZATION: &str = "local";

fn described(project: &Project, version: &str) -> Value {
    json!({
        "id": project.reference, "ref": project.reference, "name": project.name,
        "organization_id": ORGANIZATION, "organization_slug": ORGANIZATION,
        "region": "local", "status": "ACTIVE_HEALTHY",
        "created_at": time(project.created_at.saturating_mul(1000)),
        "database": {
            "host": project.sessions.host(), "version": version, "release_channel": "ga",
            "postgres_engine": version.split('.').next(),
        },
    })
}

/// Formats a time in milliseconds since 1970 (UTC) as RFC 3339.
pub(super) fn time(milliseconds: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(milliseconds).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

async fn version(project: &Project) -> Result<String, ProjectError> {
    let text = "select split_part(current_setting('server_version'), ' ', 1)";
    Ok(sqlx::query_scalar(text).fetch_one(project.database.admin()).await?)
}

pub(super) async fn list(State(project): State<ProjectState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(json!([described(&project, &version(&project).await?)])))
}

pub(super) async fn show(State(project): State<ProjectState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(described(&project, &version(&project).await?)))
}

pub(super) async fn organizations() -> Json<Value> {
    Json(json!([{ "id": ORGANIZATION, "slug": ORGANIZATION, "name": ORGANIZATION }]))
}

pub(super) async fn organization(Path(slug): Path<String>) -> Result<Json<Value>, ApiError> {
    if slug != ORGANIZATION {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "There is no such organization"));
    }
    let answer = json!({
        "id": ORGANIZATION, "slug": ORGANIZATION, "name": ORGANIZATION, "plan": "enterprise",
        "opt_in_tags": [], "allowed_release_channels": ["ga"],
    });
    Ok(Json(answer))
}

#[derive(Deserialize)]
pub(super) struct Reveal {
    #[serde(default)]
    reveal: bool,
}

/// Returns the four API keys. As in the hosted Management API, the secret key is complete only with `reveal=true`, and the legacy keys
/// are always complete.
pub(super) async fn api_keys(State(project): State<ProjectState>, Query(query): Query<Reveal>) -> Json<Value> {
    let keys = &project.api_keys;
    let secret = keys.secret.expose();
    let shown = if query.reveal { secret.to_owned() } else { format!("{}…", secret.get(..14).unwrap_or_default()) };
    let legacy = |name: &str, key: &str| {
        json!({ "name": name, "api_key": key, "id": name, "type": "legacy", "hash": "", "prefix": "",
                "description": format!("Legacy {name} API key") })
    };
    let opaque = |kind: &str, key: &str| json!({ "name": "default", "api_key": key, "id": kind, "type": kind, "prefix": key.get(..14), "description": null });
    Json(json!([
        legacy("anon", keys.anon.expose()),
        legacy("service_role", keys.service_role.expose()),
        opaque("publishable", keys.publishable.expose()),
        opaque("secret", &shown),
    ]))
}

pub(super) async fn legacy_keys() -> Json<Value> {
    Json(json!({ "enabled": true }))
}

pub(super) async fn buckets(State(project): State<ProjectState>) -> Result<Json<Vec<Bucket>>, ApiError> {
    Ok(Json(project.buckets().await?))
}
