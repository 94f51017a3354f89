//! `/functions/deploy`: deploys a function from a multipart form, which contains the function's files, their paths, and metadata.

use axum::Json;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use cloch_functions::deno::{MAX_UPLOAD_FILES, MAX_VERSION_BYTES};
use http::StatusCode;
use serde::Deserialize;

use super::super::{ApiError, ProjectState};
use crate::project::deployments::Metadata;
use crate::token_access::too_large;

const MAX_METADATA_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::management) struct Target {
    slug: Option<String>,
    /// Whether the uploaded version is only stored. A later request of the client makes it the served version.
    #[serde(default)]
    bundle_only: bool,
}

pub(in crate::management) async fn deploy(
    State(project): State<ProjectState>,
    Query(target): Query<Target>,
    form: Multipart,
) -> Result<Response, ApiError> {
    let (metadata, files) = read_form(form).await?;
    let slug = target.slug.or_else(|| metadata.name.clone()).unwrap_or_default();
    let function = project.deploy(&slug, metadata, files, !target.bundle_only).await?;
    Ok((StatusCode::CREATED, Json(function)).into_response())
}

/// Returns the form's metadata, and its files with their paths.
async fn read_form(mut form: Multipart) -> Result<(Metadata, Vec<(String, Bytes)>), ApiError> {
    let (mut metadata, mut files, mut bytes) = (None, Vec::new(), 0_u64);
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        if field.name() == Some("metadata") {
            let text = read_field(field, MAX_METADATA_BYTES as u64).await?;
            let read = serde_json::from_slice(&text).map_err(|error| ApiError::bad(format!("metadata: {error}")))?;
            metadata = Some(read);
        } else if let Some(path) = field.file_name().map(str::to_owned) {
            let content = read_field(field, MAX_VERSION_BYTES - bytes).await?;
            bytes += content.len() as u64;
            files.push((path, content));
        }
        if files.len() > MAX_UPLOAD_FILES {
            return Err(ApiError::bad(format!("A function has {MAX_UPLOAD_FILES} files at most")));
        }
    }
    let metadata = metadata.ok_or_else(|| ApiError::bad("The form has no metadata"))?;
    Ok((metadata, files))
}

async fn read_field(mut field: Field<'_>, max_bytes: u64) -> Result<Bytes, ApiError> {
    let mut content = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        content.extend_from_slice(&chunk);
        if content.len() as u64 > max_bytes {
            return Err(too_large());
        }
    }
    Ok(content.into())
}

fn unreadable(error: MultipartError) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        status => ApiError::new(status, error.body_text()),
    }
}
