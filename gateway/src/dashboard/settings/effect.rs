//! Applies saved settings files to the running server, and reports for each changed setting whether its new value is in effect at once or
//! after a restart.

use serde::Serialize;
use serde_json::{Value, json};

use super::change::Draft;
use crate::error;
use crate::live_settings::LiveSettings;

/// Result of a saved change.
#[derive(Debug, Serialize)]
pub(super) struct Saved {
    /// Each changed setting with its key, old value, new value, and when the new value takes effect.
    pub(super) changes: Vec<Value>,
    /// Reason why the server could not apply the files; its present settings then stay in effect. `None` after a success.
    pub(super) problem: Option<String>,
    /// Keys of all settings whose values in the files take effect only after a restart.
    pub(super) waiting: Vec<String>,
}

/// Applies the files to the running server after they were written. Blocks the thread, because it reads files.
pub(super) fn apply(settings: &LiveSettings, draft: Draft) -> Saved {
    let applied = settings.apply();
    let problem = applied.as_ref().err().map(|error| error::text(&**error));
    if let Some(error) = &problem {
        tracing::error!(
            error,
            "dashboard: applying saved settings failed, the files are saved, the present settings stay in effect until a restart"
        );
    }
    let is_applied =
        |keys: &[String]| applied.as_ref().is_ok_and(|applied| !keys.iter().any(|key| applied.waiting.contains(key)));
    let changes = draft.listed.iter().zip(draft.notes).map(|(listed, mut note)| {
        let effect = if is_applied(&listed.keys()) { "applied" } else { "next start" };
        if let Some(note) = note.as_object_mut() {
            note.insert("effect".to_owned(), json!(effect));
        }
        note
    });
    let changes = changes.collect();
    let waiting = applied.map(|applied| applied.waiting).unwrap_or_default();
    Saved { changes, problem, waiting }
}
