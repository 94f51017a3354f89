//! Writes the settings files of this node's project folder.

use super::change::{Draft, Texts};
use crate::config::{Config, ENV_LOCAL};
use crate::dashboard::ApiError;
use crate::project::{ProjectError, files};

/// Writes the files of a change. If one file cannot be written, restores the old texts of the files that are already written.
pub(super) fn write(config: &Config, draft: &Draft) -> Result<(), ApiError> {
    let env = draft.env_local.iter().map(|texts| (ENV_LOCAL, texts, 0o600));
    let settings = draft.files.iter().map(|(file, texts)| (file.name(), texts, 0o644));
    let mut written: Vec<(&str, &Texts, u32)> = Vec::new();
    for (name, texts, mode) in env.chain(settings) {
        if let Err(error) = replace(config, name, &texts.new, mode) {
            for (name, texts, mode) in written {
                if let Err(unrestored) = replace(config, name, &texts.old, mode) {
                    tracing::error!(
                        error = %unrestored,
                        file = name,
                        "dashboard: saving the settings failed, and restoring a file failed too: this file keeps the new settings, which apply \
                         at the next start"
                    );
                }
            }
            return Err(not_written(error));
        }
        written.push((name, texts, mode));
    }
    Ok(())
}

fn not_written(error: ProjectError) -> ApiError {
    match error {
        ProjectError::NotWritable => ApiError::from(error)
            .with_hint("The project's folder is read-only here: change the files in your repository"),
        other => other.into(),
    }
}

/// Restores the files to the texts before a change that could not be completed.
pub(super) fn restore(config: &Config, draft: &Draft) {
    let env = draft.env_local.iter().map(|texts| (ENV_LOCAL, texts, 0o600));
    for (name, texts, mode) in env.chain(draft.files.iter().map(|(file, texts)| (file.name(), texts, 0o644))) {
        if let Err(error) = replace(config, name, &texts.old, mode) {
            tracing::error!(
                %error,
                file = name,
                "dashboard: saving the settings failed, and restoring a file failed too: this file keeps the new settings, which apply at the \
                 next start"
            );
        }
    }
}

/// Replaces the text of a file. If the file has Windows line breaks, the new text gets Windows line breaks too.
fn replace(config: &Config, name: &str, text: &str, mode: u32) -> Result<(), ProjectError> {
    let has_crlf = files::read(&config.project.join(name))?.is_some_and(|old| old.contains("\r\n"));
    let text = if has_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    files::replace(&config.project, name, &text, mode)?;
    Ok(())
}
