//! Endpoints of `/files` for buckets with versions: list the versions of an object, and restore a version.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::Method;
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::dashboard::apis::segment;
use crate::dashboard::audit::Note;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of entries in a response: versions of one object, or deleted objects of one folder.
const MAX_LISTED: u32 = 200;
/// Maximum number of versions of an object that are read to find the version to restore.
const MAX_SEARCHED: u32 = 1000;

#[derive(Deserialize)]
pub(super) struct Object {
    path: String,
}

/// Lists the versions of an object, the newest first: the current version, replaced versions, and delete markers.
pub(super) async fn list(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(Object { path }): Input<Object>,
) -> Result<Json<Value>, ApiError> {
    versions(&state, &parts, &bucket, &path, MAX_LISTED).await.map(Json)
}

async fn versions(
    state: &DashboardState,
    parts: &Parts,
    bucket: &str,
    path: &str,
    limit: u32,
) -> Result<Value, ApiError> {
    let options = json!({
        "prefix": path, "exactMatch": true, "noncurrentVersions": "include", "deleteMarkers": "include", "limit": limit,
    });
    state.ask_storage(parts, Method::POST, &format!("/object/list-v2/{}", segment(bucket)), Some(options)).await
}

#[derive(Deserialize)]
pub(super) struct Folder {
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    cursor: String,
}

/// Lists the deleted objects below a prefix, each with its delete marker.
pub(super) async fn deleted(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(Folder { prefix, cursor }): Input<Folder>,
) -> Result<Json<Value>, ApiError> {
    let options = json!({ "prefix": prefix, "cursor": cursor, "deleteMarkers": "only", "limit": MAX_LISTED });
    let path = format!("/object/list-v2/{}", segment(&bucket));
    state.ask_storage(&parts, Method::POST, &path, Some(options)).await.map(Json)
}

#[derive(Deserialize)]
pub(super) struct Chosen {
    path: String,
    version: String,
}

/// Makes a version of an object the current version. If the chosen version is the delete marker of a deleted object, the marker is removed,
/// so that the version before the marker becomes current.
pub(super) async fn restore(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(Chosen { path, version }): Input<Chosen>,
) -> Result<Response, ApiError> {
    let listed = versions(&state, &parts, &bucket, &path, MAX_SEARCHED).await?;
    let objects = listed.get("objects").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = objects.iter().find(|object| object.get("version").and_then(Value::as_str) == Some(&version));
    let found = found.ok_or_else(|| ApiError::not_found("There is no such version"))?;
    let is_marker = found.get("is_delete_marker").and_then(Value::as_bool) == Some(true);
    if is_marker && found.get("archived_at").is_some_and(|at| !at.is_null()) {
        return Err(ApiError::conflict("The version records a former deletion and has no content"));
    }
    let note = Note(json!({ "path": path, "version": version }));
    let done = if is_marker {
        let items = json!({ "prefixes": [{ "path": path, "versionId": version }] });
        state.ask_storage(&parts, Method::DELETE, &format!("/object/{}", segment(&bucket)), Some(items)).await?
    } else {
        let paths =
            json!({ "bucketId": bucket, "sourceKey": path, "destinationKey": path, "sourceVersionId": version });
        state.ask_storage(&parts, Method::POST, "/object/move", Some(paths)).await?
    };
    Ok((axum::Extension(note), Json(done)).into_response())
}
