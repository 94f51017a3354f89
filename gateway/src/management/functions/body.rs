//! `/functions/{slug}/body`: source code of a function as multipart form, for `supabase functions download --use-api` and the MCP server.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use serde_json::json;

use super::super::{ApiError, ProjectState};

pub(in crate::management) async fn body(
    State(project): State<ProjectState>,
    Path((_, slug)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (entrypoint, files) = project.function_files(&slug).await?;
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
