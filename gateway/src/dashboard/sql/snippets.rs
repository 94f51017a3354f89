//! `/sql/snippets`: SQL files in the folder `snippets/` of the project. Operators share them through the project's git repository.

use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::dashboard::extract::{At, Input};
use crate::dashboard::{ApiError, Dashboard, DashboardState};
use crate::project::files::{MAX_FILE_BYTES, is_subfolder_writable, not_writable, read, write};

/// Maximum number of snippet files that are listed.
const MAX_SNIPPETS: usize = 1_000;
/// Maximum length of a file name in characters.
const MAX_NAME_CHARS: usize = 100;

/// Subfolder of the project's folder with the snippets.
const FOLDER: &str = "snippets";

fn folder(state: &Dashboard) -> PathBuf {
    state.project.folder.join(FOLDER)
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
    let is_writable = is_subfolder_writable(&state.project.folder, FOLDER);
    Ok(Json(json!({ "snippets": snippets, "writable": is_writable })))
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
    let file = folder(&state).join(format!("{name}.sql"));
    match std::fs::remove_file(&file) {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(ApiError::not_found("There is no such snippet"))
        }
        Err(error) => Err(not_writable(&file, &error).into()),
    }
}

/// Accepts only file names of letters, digits, spaces, `-` and `_`. Such a name contains no path and no shell syntax, and is not the name of
/// a hidden file.
fn check_name(name: &str) -> Result<(), ApiError> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let is_right = !name.trim().is_empty()
        && name.trim() == name
        && name.chars().count() <= MAX_NAME_CHARS
        && name.chars().all(is_plain);
    match is_right {
        true => Ok(()),
        false => Err(ApiError::bad_request(format!(
            "A name has 1 to {MAX_NAME_CHARS} letters, digits, spaces, \"-\" and \"_\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_leave_their_folder() {
        for wrong in
            ["", " ", "..", "../a", "a/b", "a\\b", ".a", "a.sql", " a", "a\n", "$(id)", "a;b", &"a".repeat(101)]
        {
            assert!(check_name(wrong).is_err(), "{wrong:?}");
        }
        for right in ["a", "Monthly report", "top_10-users", "größe"] {
            assert!(check_name(right).is_ok(), "{right}");
        }
    }
}
