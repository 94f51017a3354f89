//! The text of a mail template in a file of the project. config.toml names the file (`content_path`). The text is a setting of its own, so that
//! it is reviewed, checked, recorded and sent to the other nodes like other settings.

use std::path::{Path, PathBuf};

use cloch_auth::settings::{Email, Template};
use cloch_auth::{DraftProblem, MailDraft};
use serde_json::{Value, json};

use super::change::Texts;
use super::edit;
use super::list::Listed;
use crate::config::Config;
use crate::dashboard::ApiError;
use crate::project::files;

/// Folder of the project for files that this module creates.
const FOLDER: &str = "templates";

/// A template's file with its texts before and after a change.
pub(super) struct TemplateFile {
    /// Path below the project's folder.
    pub(super) name: String,
    pub(super) texts: Texts,
    /// Whether the file does not exist before the change.
    pub(super) is_new: bool,
}

/// Location of the current text of a mail.
enum Place {
    /// The file that config.toml names, below the project's folder.
    File(String),
    /// No file: the default text is sent. Contains the name of the file to create for a new text, and its path in config.toml.
    Default { name: String, path: String },
}

/// Returns the key of a template's other setting, such as `auth.email.template.invite.content_path`.
pub(super) fn sibling(listed: &Listed, part: &str) -> String {
    let key = listed.key();
    format!("{}.{part}", key.rsplit_once('.').map_or(key.as_str(), |(section, _)| section))
}

/// Returns the reason why the text cannot be changed here; `None` if it can be changed. `text` is the content of config.toml.
pub(super) fn locked(config: &Config, listed: &Listed, text: &str) -> Option<String> {
    if edit::get(text, &sibling(listed, "content")).is_some() {
        return Some("Its text is in config.toml.".to_owned());
    }
    place(config, listed, text).err()
}

/// Returns the text of the mail's file; `None` if there is no such file.
pub(super) fn text(config: &Config, listed: &Listed, config_toml: &str) -> Result<Option<String>, ApiError> {
    let is_inline = edit::get(config_toml, &sibling(listed, "content")).is_some();
    match place(config, listed, config_toml) {
        Ok(Place::File(name)) if !is_inline => read(config, &name),
        _ => Ok(None),
    }
}

/// Returns the path of the mail's file below the project's folder; `None` if there is no such file.
pub(super) fn name(config: &Config, listed: &Listed, config_toml: &str) -> Option<String> {
    match place(config, listed, config_toml) {
        Ok(Place::File(name)) => Some(name),
        _ => None,
    }
}

/// Changes the text of a mail: writes it to the file that config.toml names, or to a new file, which `config_toml` then names. `None` removes the
/// file's name from config.toml, so that the default text is sent again; the file stays.
///
/// # Errors
/// If the file cannot be changed here. The error is the end of a sentence that begins with the key.
pub(super) fn change(
    config: &Config,
    listed: &Listed,
    config_toml: &mut String,
    new: Option<String>,
) -> Result<Option<TemplateFile>, String> {
    let by_hand = str::to_owned;
    let Some(new) = new else {
        *config_toml = edit::remove(config_toml, &sibling(listed, "content_path")).map_err(by_hand)?;
        return Ok(None);
    };
    let (name, path) = match place(config, listed, config_toml)? {
        Place::File(name) => (name, None),
        Place::Default { name, path } => (name, Some(path)),
    };
    if let Some(path) = path {
        *config_toml = edit::set(config_toml, &sibling(listed, "content_path"), path.into()).map_err(by_hand)?;
    }
    let old = read(config, &name).map_err(|error| format!("is in a file that cannot be read: {}", error.message()))?;
    let is_new = old.is_none();
    let texts = Texts { old: old.unwrap_or_default(), new };
    Ok((texts.old != texts.new || is_new).then_some(TemplateFile { name, texts, is_new }))
}

/// Checks the text of a mail with the engine that renders the mails. Returns the first error, with line and column.
pub(super) fn problem(config: &Config, listed: &Listed, text: &str) -> Option<ApiError> {
    let draft = MailDraft { content: Some(text.to_owned()), subject: Some(String::new()), ..MailDraft::default() };
    let rendered = cloch_auth::render_mail_draft(&config.file.auth.email, &config.project, &listed.name, &draft);
    let problems = rendered.ok().flatten().map(|rendered| rendered.problems).unwrap_or_default();
    let DraftProblem { line, column, message, .. } = problems.into_iter().find(|problem| !problem.is_for_user)?;
    let error = ApiError::bad_request(format!("{}: line {line}, column {column}: {message}", listed.key()));
    Some(error.with_details(json!({ "line": line, "column": column, "part": "content", "message": message })))
}

/// Sets the new text of a mail in the parsed settings. It replaces the text of the file, which is still the old text until the change is
/// written.
pub(super) fn put(email: &mut Email, listed: &Listed, text: &str) {
    let template = match listed.key().starts_with("auth.email.template.") {
        true => email.template.get_mut(&listed.name),
        false => email.notification.get_mut(&listed.name).map(|notification| &mut notification.template),
    };
    if let Some(Template { content, .. }) = template {
        *content = Some(text.to_owned());
    }
}

/// Shortens a text for the audit log.
pub(super) fn noted(text: Option<&str>) -> Value {
    const MAX_CHARS: usize = 2_000;
    let Some(text) = text else { return Value::Null };
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => json!(format!("{}…", text.get(..at).unwrap_or_default())),
        None => json!(text),
    }
}

/// Finds the file of a mail's text. The path in config.toml is relative to the parent of the project's folder or, if there is no such file, to
/// the project's folder, as at the start of the server.
fn place(config: &Config, listed: &Listed, config_toml: &str) -> Result<Place, String> {
    let project = &config.project;
    let Some(value) = edit::get(config_toml, &sibling(listed, "content_path")) else {
        if project.join(FOLDER).is_symlink() {
            return Err(format!("has no file, and the folder {FOLDER} is a link"));
        }
        let name = format!("{FOLDER}/{}.html", listed.name);
        let folder = project.file_name().unwrap_or_default().to_string_lossy();
        return Ok(Place::Default { path: format!("./{folder}/{name}"), name });
    };
    let path = value.as_str().filter(|path| !path.starts_with("env(")).ok_or("has a file that a variable names")?;
    let candidates = [project.parent().map(|parent| parent.join(path)), Some(project.join(path))];
    let file = candidates.into_iter().flatten().find(|file| file.is_file()).ok_or("has a file that does not exist")?;
    let name = below(project, &file).ok_or("has a file outside of the project's folder")?;
    // The dashboard shows the text and records it in the audit log. Therefore files with secrets, settings or code are not accepted as
    // mails.
    let is_html =
        file.extension().is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"));
    match is_html && !name.split('/').any(|part| part.starts_with('.')) {
        true => Ok(Place::File(name)),
        false => Err("has a file that is no HTML file of the project".to_owned()),
    }
}

/// Returns the path of a file below the project's folder; `None` if the file is not in this folder. Symbolic links of folders are resolved.
fn below(project: &Path, file: &Path) -> Option<String> {
    let folder = file.parent()?.canonicalize().ok()?;
    let path: PathBuf = folder.join(file.file_name()?);
    Some(path.strip_prefix(project.canonicalize().ok()?).ok()?.to_str()?.to_owned())
}

/// Reads a template's file. Windows line breaks become `\n`, and the byte order mark of some editors is removed.
fn read(config: &Config, name: &str) -> Result<Option<String>, ApiError> {
    let path = config.project.join(name);
    match files::read(&path)? {
        Some(text) => Ok(Some(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))),
        None if path.symlink_metadata().is_ok() => Err(ApiError::conflict(format!("{name} is no regular file"))),
        None => Ok(None),
    }
}
