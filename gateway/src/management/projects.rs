//! Endpoints for the project, its organisation, API keys and buckets. A server has exactly one project.

use axum::Json;
use axum::extract::{Path, Query, State};
use chrono::{DateTime, SecondsFormat, Utc};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::Row;

use super::{ApiError, ManagementState, Project};

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

/// Formats milliseconds since 1970 as RFC 3339.
pub(super) fn time(milliseconds: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(milliseconds).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

async fn version(state: &ManagementState) -> Result<String, ApiError> {
    let text = "select split_part(current_setting('server_version'), ' ', 1)";
    Ok(sqlx::query_scalar(text).fetch_one(state.database.admin()).await?)
}

pub(super) async fn list(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(json!([described(&state, &version(&state).await?)])))
}

pub(super) async fn show(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(described(&state, &version(&state).await?)))
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

/// Returns the four API keys. As upstream, the secret key is complete only with `reveal=true`, and the legacy keys are always complete.
pub(super) async fn api_keys(State(state): State<ManagementState>, Query(query): Query<Reveal>) -> Json<Value> {
    let keys = &state.api_keys;
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

pub(super) async fn buckets(State(state): State<ManagementState>) -> Result<Json<Value>, ApiError> {
    Ok(Json(buckets_of(&state).await?))
}

/// Returns the buckets of Storage, sorted by id.
pub(super) async fn buckets_of(project: &Project) -> Result<Value, ApiError> {
    let text = "select id, name, coalesce(owner_id, '') as owner, public, created_at, updated_at from storage.buckets order by id";
    let rows = sqlx::query(text).fetch_all(project.database.admin()).await?;
    let mut buckets = Vec::with_capacity(rows.len());
    for row in rows {
        let (id, name, owner): (String, String, String) =
            (row.try_get("id")?, row.try_get("name")?, row.try_get("owner")?);
        let (public, created): (Option<bool>, Option<DateTime<Utc>>) =
            (row.try_get("public")?, row.try_get("created_at")?);
        let updated: Option<DateTime<Utc>> = row.try_get("updated_at")?;
        buckets.push(json!({ "id": id, "name": name, "owner": owner, "public": public.unwrap_or_default(),
                             "created_at": created, "updated_at": updated }));
    }
    Ok(Value::Array(buckets))
}
