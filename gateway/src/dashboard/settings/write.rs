//! Writes the settings files of this node's project folder.

use std::fs;
use std::path::Path;

use super::change::{Draft, Texts};
use super::template_file::TemplateFile;
use crate::config::{Config, ENV_LOCAL};
use crate::dashboard::ApiError;
use crate::project::{ProjectError, files};

/// Writes the files of a change. If one file cannot be written, restores the old texts of the files that are already written.
pub(super) fn write(config: &Config, draft: &Draft) -> Result<(), ApiError> {
    // The files of mail templates are written first, because the new config.toml may refer to new files.
    for (count, file) in draft.templates.iter().enumerate() {
        if let Err(error) = replace_template(config, file) {
            restore_templates(config, draft.templates.get(..count).unwrap_or_default());
            return Err(not_written(error));
        }
    }
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
            restore_templates(config, &draft.templates);
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
    restore_templates(config, &draft.templates);
}

/// Writes the new text of a mail template's file.
fn replace_template(config: &Config, file: &TemplateFile) -> Result<(), ProjectError> {
    let path = config.project.join(&file.name);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(ProjectError::NotWritable);
    };
    match file.is_new {
        true => files::write(folder, name, &file.texts.new).map(drop),
        false => replace_in(folder, name, &file.texts.new, 0o644),
    }
}

/// Restores the files of mail templates to the texts before a change, and removes new files.
fn restore_templates(config: &Config, templates: &[TemplateFile]) {
    for file in templates {
        let path = config.project.join(&file.name);
        let (folder, name) = (path.parent().unwrap_or(&path), path.file_name().unwrap_or_default().to_string_lossy());
        let restored = match file.is_new {
            true => fs::remove_file(&path).map_err(|error| error.to_string()),
            false => replace_in(folder, &name, &file.texts.old, 0o644).map_err(|error| error.to_string()),
        };
        if let Err(error) = restored {
            tracing::error!(
                %error,
                file = file.name,
                "dashboard: saving a mail template failed, and restoring its file failed too: the file keeps the new text"
            );
        }
    }
}

/// Replaces the text of a file. If the file has Windows line breaks, the new text gets Windows line breaks too.
fn replace(config: &Config, name: &str, text: &str, mode: u32) -> Result<(), ProjectError> {
    replace_in(&config.project, name, text, mode)
}

fn replace_in(folder: &Path, name: &str, text: &str, mode: u32) -> Result<(), ProjectError> {
    let has_crlf = files::read(&folder.join(name))?.is_some_and(|old| old.contains("\r\n"));
    let text = if has_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
    files::replace(folder, name, &text, mode)?;
    Ok(())
}
