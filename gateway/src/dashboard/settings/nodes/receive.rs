//! Applies a change that was made on another node to the files of this node, with the same checks as a change in the dashboard.

use super::message::{InFiles, Message, UNREADABLE};
use crate::dashboard::ApiError;
use crate::dashboard::node_settings::{Problem, SettingsFiles};
use crate::dashboard::settings::change::{self, Change, Draft};
use crate::dashboard::settings::{list, write};
use crate::error;

/// Result of a received change.
pub(super) struct Received {
    /// Keys of the change; empty if it could not be read.
    pub(super) keys: Vec<String>,
    /// Keys of settings whose values in the files take effect only after a restart. If the change was not applied, the reason.
    pub(super) outcome: Result<Vec<String>, String>,
}

impl Received {
    /// Returns the problem to store, if the change was not applied.
    pub(super) fn problem(&self, change: i64) -> Option<Problem> {
        let reason = self.outcome.as_ref().err()?.clone();
        Some(Problem { change, keys: self.keys.clone(), reason })
    }
}

/// Applies the change in a row of `cloch.settings_changes`. Blocks the thread, because it reads and writes files.
pub(super) fn receive(files: &SettingsFiles, id: i64, sealed: Option<&[u8]>) -> Received {
    let unread = |reason: &str| Received { keys: Vec::new(), outcome: Err(reason.to_owned()) };
    let Some(sealed) = sealed else {
        return unread(
            "A change that this node has missed is no longer stored. Copy the project's files from another node",
        );
    };
    let Some(message) = Message::open(&files.keys, id, sealed) else {
        return unread(UNREADABLE);
    };
    Received { keys: message.keys(), outcome: apply(files, message) }
}

/// Writes a change to the files, and applies the files to the running server. If the files already contain the change, for example because
/// the nodes share a project folder, only applies the files.
fn apply(files: &SettingsFiles, message: Message) -> Result<Vec<String>, String> {
    let config = files.live_settings.config();
    for sent in &message.settings {
        let key = &sent.change.key;
        let present = InFiles::read(files, &config, key).map_err(|error| text(&error))?;
        if present != sent.old && present != sent.new {
            return Err(format!(
                "{key} has another value in the files of this node than it had where the change was made"
            ));
        }
    }
    let changes: Vec<Change> = message.settings.into_iter().map(|sent| sent.change).collect();
    let draft = Draft::new(files, &changes).map_err(|error| text(&error))?;
    write::write(&files.config, &draft).map_err(|error| text(&error))?;
    let applied = files.live_settings.apply().map_err(|error| error::text(&*error))?;
    Ok(applied.waiting)
}

/// Whether the files of this node contain the new values of a change, and the running server uses these values.
pub(super) fn is_done(files: &SettingsFiles, message: &Message) -> bool {
    let config = files.live_settings.config();
    let Ok(next) = change::next(&config) else { return false };
    message.settings.iter().all(|sent| {
        let is_written = InFiles::read(files, &config, &sent.change.key).is_ok_and(|present| present == sent.new);
        let is_in_effect =
            list::find(&config, &sent.change.key).is_some_and(|listed| change::is_in_effect(&listed, &config, &next));
        is_written && is_in_effect
    })
}

fn text(error: &ApiError) -> String {
    match error.hint() {
        Some(hint) => format!("{}. {hint}", error.message()),
        None => error.message().to_owned(),
    }
}
