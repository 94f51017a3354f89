//! Streams downloads and uploads of objects. Downloads keep Storage's response headers, which prevent a browser from running the content.

use axum::extract::{Request, State};
use axum::response::Response;
use axum::{Json, body::Body};
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded;

use crate::dashboard::apis::{answer, segment};
use crate::dashboard::extract::{At, Params};
use crate::dashboard::{ApiError, DashboardState};

/// Request headers that a download passes on to Storage.
const READ_HEADERS: [HeaderName; 4] = [RANGE, IF_RANGE, IF_NONE_MATCH, IF_MODIFIED_SINCE];
/// Request headers that an upload passes on to Storage.
const UPLOAD_HEADERS: [HeaderName; 2] = [CONTENT_TYPE, CONTENT_LENGTH];

/// Returns the path of an object in Storage's URLs, with each segment percent-encoded.
pub(super) fn object_path(bucket: &str, name: &str) -> String {
    let segments: Vec<String> = std::iter::once(bucket).chain(name.split('/')).map(segment).collect();
    segments.join("/")
}

#[derive(Deserialize)]
pub(super) struct Read {
    /// File name under which a browser saves the object; `None` if the response is not a download.
    download: Option<String>,
    /// Version to read; `None` for the current version.
    version: Option<String>,
}

impl Read {
    /// Returns the query string of the request to Storage.
    fn query(self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.download.map(|name| ("download", name)));
        query.extend_pairs(self.version.map(|version| ("versionId", version)));
        query.finish()
    }
}

pub(super) async fn read(
    State(state): State<DashboardState>,
    At((bucket, name)): At<(String, String)>,
    Params(asked): Params<Read>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, _) = request.into_parts();
    let mut path = format!("/object/{}", object_path(&bucket, &name));
    let query = asked.query();
    if !query.is_empty() {
        path = format!("{path}?{query}");
    }
    let mut inside = state.request(&parts, Method::GET, &path, Body::empty())?;
    copy(&READ_HEADERS, &parts.headers, inside.headers_mut());
    let mut response = state.send_to_storage(inside).await?;
    if response.status().is_client_error() || response.status().is_server_error() {
        return Err(answer(response).await.err().unwrap_or_else(|| ApiError::not_found("There is no such object")));
    }
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.entry(ACCEPT_RANGES).or_insert(HeaderValue::from_static("bytes"));
    Ok(response)
}

#[derive(Deserialize)]
pub(super) struct Upload {
    #[serde(default)]
    upsert: bool,
}

pub(super) async fn upload(
    State(state): State<DashboardState>,
    At((bucket, name)): At<(String, String)>,
    Params(asked): Params<Upload>,
    request: Request,
) -> Result<Json<Value>, ApiError> {
    let (parts, body) = request.into_parts();
    let path = format!("/object/{}", object_path(&bucket, &name));
    let mut inside = state.request(&parts, Method::POST, &path, body)?;
    inside.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    copy(&UPLOAD_HEADERS, &parts.headers, inside.headers_mut());
    let upsert = HeaderValue::from_static(if asked.upsert { "true" } else { "false" });
    inside.headers_mut().insert(HeaderName::from_static("x-upsert"), upsert);
    answer(state.send_to_storage(inside).await?).await.map(Json)
}

fn copy(names: &[HeaderName], from: &HeaderMap, to: &mut HeaderMap) {
    for name in names {
        if let Some(value) = from.get(name) {
            to.insert(name, value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::object_path;

    #[test]
    fn a_name_leads_nowhere_else() {
        assert_eq!(object_path("b", "a/../c"), "b/a/%2E%2E/c");
        assert_eq!(object_path("b/x", "a b?.txt"), "b%2Fx/a%20b%3F.txt");
    }
}
