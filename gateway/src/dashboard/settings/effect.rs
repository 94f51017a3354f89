//! Applies the written files to the running server, and tells for each changed setting when its new value is in effect.

use serde::Serialize;
use serde_json::{Value, json};

use super::change::Draft;
use crate::error;
use crate::live_settings::LiveSettings;

/// Result of a saved change.
#[derive(Debug, Serialize)]
pub(super) struct Saved {
    /// Key, old value, new value and effect of each setting.
    pub(super) changes: Vec<Value>,
    /// Why the server could not apply the files. Then its present settings stay in effect.
    pub(super) problem: Option<String>,
}

/// Applies the files after they were written. Reads files, so it blocks.
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
    Saved { changes: changes.collect(), problem }
}
