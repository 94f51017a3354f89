//! `/functions/{slug}/body`: source code of a function as multipart form, for `supabase functions download --use-api` and the MCP server.

use std::path::{Path as FilePath, PathBuf};

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use cloch_functions::deno::{FUNCTIONS_FOLDER, MAX_UPLOAD_FILES, Source, Versions};
use http::header::CONTENT_TYPE;
use serde_json::json;

use super::super::{ApiError, ManagementState, Project};

pub(in crate::management) async fn body(
    State(state): State<ManagementState>,
    Path((_, slug)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (entrypoint, files) = state.function_files(&slug).await?;
    let boundary = format!("cloch-{}", uuid::Uuid::new_v4().simple());
    let metadata = json!({ "deno2_entrypoint_path": entrypoint, "entrypoint_path": entrypoint });
    let mut form = Vec::new();
    let mut part = |disposition: &str, kind: &str, content: &[u8]| {
        let head =
            format!("--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: {kind}\r\n\r\n");
        form.extend_from_slice(head.as_bytes());
        form.extend_from_slice(content);
        form.extend_from_slice(b"\r\n");
    };
    part("name=\"metadata\"", "application/json", metadata.to_string().as_bytes());
    for (path, content) in files {
        let name = path.display().to_string().replace(['"', '\r', '\n'], "_");
        part(&format!("name=\"file\"; filename=\"{name}\""), "application/octet-stream", &content);
    }
    form.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok(([(CONTENT_TYPE, format!("multipart/form-data; boundary={boundary}"))], form).into_response())
}

impl Project {
    /// Returns the path of a function's entrypoint, and its files with their contents.
    pub(crate) async fn function_files(&self, slug: &str) -> Result<(PathBuf, Vec<(PathBuf, Vec<u8>)>), ApiError> {
        self.function(slug)?;
        let source = self.engine()?.source(slug).ok_or_else(|| ApiError::bad("The function has no code here"))?;
        let uploaded = self.engine()?.versions().uploaded(slug).is_some();
        let root = if uploaded { source.project.join(FUNCTIONS_FOLDER).join(slug) } else { source.project.clone() };
        // Clients store the files at paths relative to the entrypoint.
        let entrypoint = source.entrypoint.strip_prefix(&root).unwrap_or(&source.entrypoint).to_owned();
        let read = tokio::task::spawn_blocking(move || files(&source, &root));
        let files = read.await.map_err(|error| ApiError::internal("reading the files of a function failed", error))?;
        Ok((entrypoint, files?))
    }
}

/// Returns a function's files with the paths of the upload, or relative to the project's folder. Files named `.env*` are left out, because
/// they contain secrets.
fn files(source: &Source, root: &FilePath) -> Result<Vec<(PathBuf, Vec<u8>)>, ApiError> {
    let unreadable = |error: String| ApiError::internal("reading the files of a function failed", error);
    let mut listed = Versions::files_of(source).map_err(unreadable)?;
    listed.retain(|file| !file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".env")));
    // An incomplete set of files would change the function at its next deployment.
    if listed.len() > MAX_UPLOAD_FILES {
        return Err(ApiError::bad(format!("The function has more than the {MAX_UPLOAD_FILES} files of an upload")));
    }
    let mut files = Vec::new();
    for file in listed {
        let content = std::fs::read(&file).map_err(|error| unreadable(format!("{}: {error}", file.display())))?;
        let relative = file.strip_prefix(root).map_err(|_| {
            ApiError::bad(format!("The function has a file outside of the project's folder: {}", file.display()))
        })?;
        files.push((relative.to_owned(), content));
    }
    Ok(files)
}
