//! Changes the advisor findings that the project ignores (`[[advisors.ignore]]` in cloch.toml) as a change of settings, so that it is checked
//! as at a start and reaches all nodes.

use cloch_sql::advisors::Ignore;
use serde_json::{Value, json};

use super::change::{Change, Draft};
use super::list::IGNORED;
use crate::config::ignored_advice;
use crate::dashboard::node_settings::SettingsFiles;
use crate::dashboard::{ApiError, DashboardState};

/// Changes the ignored findings by calling `edit` with the current entries of the file.
///
/// # Errors
/// If `edit` refuses, if cloch.toml cannot be read or written, or if the server would not start with the project's files.
pub(in crate::dashboard) async fn change(
    state: &DashboardState,
    edit: impl FnOnce(&mut Vec<Ignore>) -> Result<(), ApiError> + Send + 'static,
) -> Result<(), ApiError> {
    let nodes = std::sync::Arc::clone(&state.nodes);
    let draft = move |files: &SettingsFiles| {
        let present = ignored_advice(&files.config.project);
        let mut entries = present.map_err(|error| ApiError::conflict(error.to_string()))?;
        edit(&mut entries)?;
        let value = if entries.is_empty() { Value::Null } else { json!(entries) };
        let changes = vec![Change { key: IGNORED.to_owned(), value }];
        Ok((Draft::new(files, &changes)?, changes))
    };
    // The change is saved in a separate task, which continues if the client disconnects.
    let saved = tokio::spawn(async move { nodes.save(draft).await }).await;
    saved.map_err(|error| ApiError::internal("writing the ignored advisor findings failed", error))??;
    Ok(())
}
