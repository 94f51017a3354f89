//! `/sql/snippets`: SQL files in the project's folder `snippets/`, shared through its git repository.

use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::{MAX_FILE_BYTES, check_name, not_writable, read, write};
use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

/// Maximum number of files that are listed.
const MAX_SNIPPETS: usize = 1_000;

fn folder(state: &Dashboard) -> PathBuf {
    state.config.project.join("snippets")
}

pub(super) async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let mut snippets = Vec::new();
    let entries = match std::fs::read_dir(folder(&state)) {
        Ok(entries) => Some(entries),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(ApiError::internal("the snippets cannot be read", error)),
    };
    if let Some(entries) = entries {
        for entry in entries.flatten().take(MAX_SNIPPETS) {
            let (file, about) = (entry.file_name(), entry.metadata());
            let name = file.to_str().and_then(|file| file.strip_suffix(".sql"));
            let (Some(name), Ok(about)) = (name, about) else { continue };
            if !about.is_file() || check_name(name).is_err() {
                continue;
            }
            let updated_at = about.modified().ok().map(DateTime::<Utc>::from);
            snippets.push(json!({ "name": name, "bytes": about.len(), "updated_at": updated_at }));
        }
    }
    snippets
        .sort_by_cached_key(|snippet| snippet.get("name").and_then(Value::as_str).unwrap_or_default().to_lowercase());
    Ok(Json(json!({ "snippets": snippets })))
}

pub(super) async fn show(State(state): State<DashboardState>, At(name): At<String>) -> Result<Json<Value>, ApiError> {
    check_name(&name)?;
    let sql = read(&folder(&state).join(format!("{name}.sql")))?;
    let sql = sql.ok_or_else(|| ApiError::not_found("There is no such snippet"))?;
    Ok(Json(json!({ "name": name, "sql": sql })))
}

#[derive(Deserialize)]
pub(super) struct Text {
    sql: String,
}

pub(super) async fn save(
    State(state): State<DashboardState>,
    At(name): At<String>,
    Input(text): Input<Text>,
) -> Result<StatusCode, ApiError> {
    check_name(&name)?;
    if text.sql.len() as u64 > MAX_FILE_BYTES {
        return Err(ApiError::too_large("A snippet has 1 MB at most"));
    }
    write(&folder(&state), &format!("{name}.sql"), &text.sql)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn remove(State(state): State<DashboardState>, At(name): At<String>) -> Result<StatusCode, ApiError> {
    check_name(&name)?;
    match std::fs::remove_file(folder(&state).join(format!("{name}.sql"))) {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(ApiError::not_found("There is no such snippet"))
        }
        Err(error) => Err(not_writable(&error)),
    }
}
