//! Endpoints of `/files` that list, rename, copy, remove and sign objects.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::content::object_path;
use crate::dashboard::apis::segment;
use crate::dashboard::audit::Note;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, DashboardState};

/// Maximum number of objects on a page.
const MAX_LIMIT: u32 = 1000;
/// Maximum number of objects in a deletion request.
const MAX_REMOVED: usize = 1000;
/// Maximum lifetime of a signed URL in seconds: one year.
const MAX_SIGNED_SECONDS: u32 = 365 * 24 * 3600;

#[derive(Deserialize)]
pub(super) struct Page {
    #[serde(default)]
    prefix: String,
    limit: Option<u32>,
    #[serde(default)]
    offset: u32,
    #[serde(default)]
    search: String,
    sort_by: Option<SortBy>,
}

#[derive(Deserialize)]
struct SortBy {
    column: String,
    order: String,
}

pub(super) async fn list(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(page): Input<Page>,
) -> Result<Json<Value>, ApiError> {
    let (column, order) = page.sort_by.map_or(("name".to_owned(), "asc".to_owned()), |by| (by.column, by.order));
    let body = json!({
        "prefix": page.prefix, "limit": page.limit.unwrap_or(100).clamp(1, MAX_LIMIT), "offset": page.offset,
        "search": page.search, "sortBy": { "column": column, "order": order },
    });
    let path = format!("/object/list/{}", segment(&bucket));
    state.ask_storage(&parts, Method::POST, &path, Some(body)).await.map(Json)
}

#[derive(Deserialize)]
pub(super) struct FromTo {
    from: String,
    to: String,
}

pub(super) async fn rename(
    state: State<DashboardState>,
    bucket: At<String>,
    parts: Parts,
    names: Input<FromTo>,
) -> Result<Response, ApiError> {
    from_to(state, bucket, parts, names, "/object/move").await
}

pub(super) async fn copy(
    state: State<DashboardState>,
    bucket: At<String>,
    parts: Parts,
    names: Input<FromTo>,
) -> Result<Response, ApiError> {
    from_to(state, bucket, parts, names, "/object/copy").await
}

async fn from_to(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(names): Input<FromTo>,
    path: &str,
) -> Result<Response, ApiError> {
    let body = json!({ "bucketId": bucket, "sourceKey": names.from, "destinationKey": names.to });
    let note = Note(json!({ "from": names.from, "to": names.to }));
    let done = state.ask_storage(&parts, Method::POST, path, Some(body)).await?;
    Ok((axum::Extension(note), Json(done)).into_response())
}

#[derive(Deserialize)]
pub(super) struct Names {
    paths: Vec<String>,
}

pub(super) async fn remove(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(names): Input<Names>,
) -> Result<Response, ApiError> {
    if names.paths.len() > MAX_REMOVED {
        return Err(ApiError::bad_request(format!("{MAX_REMOVED} objects can be removed at once")));
    }
    let note = Note(json!({ "paths": names.paths.iter().take(20).collect::<Vec<_>>(), "count": names.paths.len() }));
    let path = format!("/object/{}", segment(&bucket));
    let body = json!({ "prefixes": names.paths });
    let removed = state.ask_storage(&parts, Method::DELETE, &path, Some(body)).await?;
    Ok((StatusCode::OK, axum::Extension(note), Json(removed)).into_response())
}

#[derive(Deserialize)]
pub(super) struct Signed {
    path: String,
    expires_in: u32,
}

pub(super) async fn sign(
    State(state): State<DashboardState>,
    At(bucket): At<String>,
    parts: Parts,
    Input(asked): Input<Signed>,
) -> Result<Response, ApiError> {
    let body = json!({ "expiresIn": asked.expires_in.clamp(1, MAX_SIGNED_SECONDS) });
    let path = format!("/object/sign/{}", object_path(&bucket, &asked.path));
    let note = Note(json!({ "path": asked.path, "seconds": asked.expires_in }));
    let signed = state.ask_storage(&parts, Method::POST, &path, Some(body)).await?;
    let below = signed.get("signedURL").and_then(Value::as_str).unwrap_or_default();
    let url = state.config.url(&format!("/storage/v1{below}"));
    Ok((axum::Extension(note), Json(json!({ "url": url }))).into_response())
}
