//! `/functions/deploy`: deployment of a function by a multipart form with its files, their paths, and metadata.

use axum::Json;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use cloch_functions::deno::{MAX_UPLOAD_FILES, MAX_VERSION_BYTES, Upload, UploadedFile, is_function_name};
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::super::access::too_large;
use super::super::{ApiError, ManagementState, Project};
use super::refused;

const MAX_METADATA_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::management) struct Target {
    slug: Option<String>,
    /// Whether the version is uploaded without being served yet.
    #[serde(default)]
    bundle_only: bool,
}

/// Metadata of an uploaded function. An empty path counts as absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::management) struct Metadata {
    pub(in crate::management) name: Option<String>,
    pub(in crate::management) entrypoint_path: String,
    pub(in crate::management) import_map_path: Option<String>,
    pub(in crate::management) static_patterns: Vec<String>,
    pub(in crate::management) verify_jwt: Option<bool>,
}

pub(in crate::management) async fn deploy(
    State(state): State<ManagementState>,
    Query(target): Query<Target>,
    form: Multipart,
) -> Result<Response, ApiError> {
    let (metadata, files) = read_form(form).await?;
    let slug = target.slug.or_else(|| metadata.name.clone()).unwrap_or_default();
    let function = state.deploy(&slug, metadata, files, !target.bundle_only).await?;
    Ok((StatusCode::CREATED, Json(function)).into_response())
}

impl Project {
    /// Stores a new version after resolving its imports, and serves it if `serve` is set.
    pub(in crate::management) async fn deploy(
        &self,
        slug: &str,
        metadata: Metadata,
        files: Vec<(String, Bytes)>,
        serve: bool,
    ) -> Result<Value, ApiError> {
        if !is_function_name(slug) {
            return Err(ApiError::bad(
                "A function's name is letters, digits, - and _, beginning with a letter, 128 at most",
            ));
        }
        let engine = self.engine()?;
        if self.functions_state()?.is_taken(slug) {
            return Err(ApiError::bad(format!(
                "{slug} is a function of the server itself, or has an upstream in cloch.toml"
            )));
        }
        let before = engine.versions().uploaded(slug);
        let declared = self.functions_state()?.services();
        let in_config = || declared.settings.functions.get(slug).is_none_or(|declared| declared.verify_jwt);
        let now = Upload::now();
        let upload = Upload {
            name: metadata.name.unwrap_or_else(|| slug.to_owned()),
            verify_jwt: metadata
                .verify_jwt
                .unwrap_or_else(|| before.as_ref().map_or_else(in_config, |before| before.verify_jwt)),
            entrypoint_path: metadata.entrypoint_path,
            import_map_path: metadata.import_map_path.filter(|path| !path.is_empty()),
            static_patterns: metadata.static_patterns,
            created_at: before.map_or(now, |before| before.created_at),
            updated_at: now,
        };
        let files = files.into_iter().map(|(path, content)| UploadedFile::new(&path, content));
        let files = files.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let number = engine.deployments().add_upload(slug, &upload, &files).await.map_err(refused)?;
        if let Err(problem) = engine.check_upload(slug, number).await {
            engine.versions().discard(slug, number);
            return Err(ApiError::bad(format!("The function cannot run: {problem}")));
        }
        engine.deployments().publish(slug, number).await.map_err(refused)?;
        if serve {
            engine.deployments().serve(slug, number).await.map_err(refused)?;
            engine.refresh(slug).await;
        }
        Ok(self.described(slug, number, &upload))
    }
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
