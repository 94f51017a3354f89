//! Computes a change of settings: the new texts of the project's files. The code of the server's start checks the new texts. No file is
//! written here.

use std::collections::{BTreeMap, HashSet};

use cloch_core::Secret;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::list::{self, File, Files, Listed};
use super::redact::{is_visible, redacted};
use super::template_file::{self, TemplateFile};
use super::{diff, edit, env_local, locked, value};
use crate::config::{ChangedFiles, Config, ENV_LOCAL, warnings};
use crate::dashboard::ApiError;
use crate::dashboard::node_settings::SettingsFiles;
use crate::project::files;

/// Maximum number of settings in one change.
const MAX_CHANGES: usize = 100;

/// New value of a setting. `null` removes the key, so that the setting has its default value.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Change {
    pub(super) key: String,
    pub(super) value: Value,
}

/// Texts of a file before and after the change.
pub(super) struct Texts {
    pub(super) old: String,
    pub(super) new: String,
}

/// A change that is ready to be written.
pub(super) struct Draft {
    /// Settings files (config.toml, cloch.toml) that the change affects.
    pub(super) files: BTreeMap<File, Texts>,
    /// Files of mail templates that the change affects.
    pub(super) templates: Vec<TemplateFile>,
    /// Texts of `.env.local`; `None` if the change neither sets nor removes a secret.
    pub(super) env_local: Option<Texts>,
    /// Descriptions of the changes for the audit log and the web page: key, old value and new value of each setting; for secrets only the
    /// key.
    pub(super) notes: Vec<Value>,
    /// The changed settings, in the order of [`Self::notes`].
    pub(super) listed: Vec<Listed>,
    /// Names of the environment variables in which the changed secrets are stored.
    pub(super) variables: Vec<String>,
    /// Keys of the settings that the operator has to confirm by typing the key, each with the consequence of the change.
    pub(super) confirm: Vec<(String, &'static str)>,
    /// Lines that the operator can insert into each file by hand if the server cannot write the files.
    pub(super) paste: BTreeMap<File, String>,
    /// Warnings about the changed configuration that the present configuration does not cause.
    pub(super) warnings: Vec<String>,
    visible: HashSet<String>,
    /// New texts of mail templates in files.
    texts: Vec<(Listed, String)>,
}

impl Draft {
    /// Creates the new texts of the files, and checks the resulting configuration. Blocks the thread, because it reads files.
    ///
    /// # Errors
    /// If `changes` contains an unknown key, a value outside its bounds or a setting whose value comes from a variable, or if the server would
    /// refuse to start with the resulting configuration.
    pub(super) fn new(settings: &SettingsFiles, changes: &[Change]) -> Result<Self, ApiError> {
        let config = &*settings.live_settings.config();
        if config.is_inspection {
            return Err(ApiError::conflict(
                "This server shows a copy of the project; its settings are changed on the original",
            ));
        }
        if changes.is_empty() || changes.len() > MAX_CHANGES {
            return Err(ApiError::bad_request(format!("A change has 1 to {MAX_CHANGES} settings")));
        }
        let mut draft = Self::unchanged(config)?;
        let mut env_text = read(config, ENV_LOCAL)?;
        let mut env_new = env_text.clone();
        let mut seen = HashSet::new();
        for change in changes {
            let listed = list::find(config, &change.key).ok_or_else(|| {
                ApiError::not_found(format!("There is no setting {} that can be changed here", change.key))
            })?;
            if !seen.insert(change.key.clone()) {
                return Err(ApiError::bad_request(format!("{} is in the change twice", change.key)));
            }
            draft.apply(config, &listed, change, &mut env_new)?;
        }
        if env_new != env_text {
            draft.env_local = Some(Texts { old: std::mem::take(&mut env_text), new: env_new });
        }
        draft.files.retain(|_, texts| texts.old != texts.new);
        draft.check(settings)?;
        Ok(draft)
    }

    fn unchanged(config: &Config) -> Result<Self, ApiError> {
        let mut files = BTreeMap::new();
        for file in File::ALL {
            let text = read(config, file.name())?;
            files.insert(file, Texts { new: text.clone(), old: text });
        }
        let listed = list::all(config).into_iter().flat_map(|(_, settings)| settings);
        let visible = listed.filter(|listed| !listed.is_secret()).flat_map(|listed| listed.keys()).collect();
        Ok(Self {
            files,
            templates: Vec::new(),
            env_local: None,
            notes: Vec::new(),
            listed: Vec::new(),
            variables: Vec::new(),
            confirm: Vec::new(),
            paste: BTreeMap::new(),
            warnings: Vec::new(),
            visible,
            texts: Vec::new(),
        })
    }

    fn apply(&mut self, config: &Config, listed: &Listed, change: &Change, env: &mut String) -> Result<(), ApiError> {
        let (file, key) = (listed.spec.file, listed.key());
        let refused = |why: &str| ApiError::bad_request(format!("{key} {why}"));
        let by_hand =
            |why: &str| ApiError::conflict(format!("{key} {why}")).with_hint(format!("Change {} by hand", file.name()));
        let Some(texts) = self.files.get_mut(&file) else { return Err(by_hand("is in no file")) };
        if let Some(why) = locked::reason(config, listed, &texts.old) {
            return Err(ApiError::conflict(format!("{key} cannot be changed here")).with_hint(why));
        }
        if listed.is_template() {
            return self.apply_template(config, listed, change);
        }
        let written = listed.keys().into_iter().find(|key| edit::get(&texts.new, key).is_some());
        let target = written.unwrap_or_else(|| key.clone());
        let old = edit::get(&texts.old, &target).and_then(|value| serde_json::to_value(value).ok());
        if change.value.is_null() {
            if listed.is_secret() {
                let variable = locked::secret_variable(listed, &texts.old);
                *env = env_local::with(env, &variable, None)
                    .ok_or_else(|| by_hand("is in a form that cannot be changed"))?;
            }
            for key in listed.keys() {
                texts.new = edit::remove(&texts.new, &key).map_err(by_hand)?;
            }
        } else {
            let new = if listed.is_secret() {
                let secret = value::secret(&change.value).map_err(|why| refused(&why))?;
                let variable = locked::secret_variable(listed, &texts.old);
                *env = env_local::with(env, &variable, Some(secret))
                    .ok_or_else(|| by_hand("cannot be written to .env.local"))?;
                let reference = format!("env({variable})").into();
                self.variables.push(variable);
                reference
            } else {
                value::parse(listed.spec.kind, &change.value).map_err(|why| refused(&why))?
            };
            texts.new = edit::set(&texts.new, &target, new.clone()).map_err(by_hand)?;
            let paste = self.paste.entry(file).or_default();
            *paste = edit::set(paste, &target, new).map_err(by_hand)?;
            if edit::get(&texts.new, &target).is_none() {
                return Err(by_hand("cannot be changed line by line"));
            }
        }
        if let Some(consequence) = listed.spec.lock_out.filter(|_| change.value != json!(true)) {
            self.confirm.push((key.clone(), consequence));
        }
        let note = |value: Option<Value>| {
            let value = value.filter(|value| is_visible(&target, value, &self.visible))?;
            Some(if listed.spec.hides_path { without_path(value) } else { value })
        };
        self.notes.push(match listed.is_secret() {
            true => json!({ "key": key, "secret": true, "removed": change.value.is_null() }),
            false => json!({ "key": key, "old": note(old), "new": note(Some(change.value.clone())) }),
        });
        self.listed.push(listed.clone());
        Ok(())
    }

    /// Changes the text of a mail template's file.
    fn apply_template(&mut self, config: &Config, listed: &Listed, change: &Change) -> Result<(), ApiError> {
        let key = listed.key();
        let new = match &change.value {
            Value::Null => None,
            value => Some(value::lines(value).map_err(|why| ApiError::bad_request(format!("{key} {why}")))?),
        };
        if let Some(problem) = new.as_deref().and_then(|text| template_file::problem(config, listed, text)) {
            return Err(problem);
        }
        let Some(texts) = self.files.get_mut(&listed.spec.file) else {
            return Err(ApiError::conflict(format!("{key} is in no file")));
        };
        let (old, before) = (template_file::text(config, listed, &texts.old)?, texts.new.clone());
        let file = template_file::change(config, listed, &mut texts.new, new.clone())
            .map_err(|why| ApiError::conflict(format!("{key} {why}")).with_hint("Change it by hand"))?;
        let path_key = template_file::sibling(listed, "content_path");
        if texts.new != before
            && let Some(path) = edit::get(&texts.new, &path_key).as_ref().and_then(toml::Value::as_str)
        {
            let paste = self.paste.entry(listed.spec.file).or_default();
            *paste = edit::set(paste, &path_key, path.into()).map_err(ApiError::conflict)?;
        }
        let name = file.as_ref().map(|file| file.name.clone());
        let name = name.or_else(|| template_file::name(config, listed, &texts.old));
        let [old, noted] = [old.as_deref(), new.as_deref()].map(template_file::noted);
        self.notes.push(json!({ "key": key, "file": name, "old": old, "new": noted }));
        self.templates.extend(file);
        self.texts.extend(new.map(|text| (listed.clone(), text)));
        self.listed.push(listed.clone());
        Ok(())
    }

    /// Reads and checks the whole configuration from the changed texts, as the server does when it starts.
    fn check(&mut self, settings: &SettingsFiles) -> Result<(), ApiError> {
        let refused = |error: &dyn std::fmt::Display| {
            ApiError::bad_request("The server would not start with this change").with_hint(error.to_string())
        };
        let new = |file: File| self.files.get(&file).map(|texts| Secret::new(&texts.new));
        let changed = ChangedFiles {
            config_toml: new(File::ConfigToml),
            cloch_toml: new(File::ClochToml),
            env_local: self.env_local.as_ref().map(|texts| Secret::new(&texts.new)),
            ..ChangedFiles::default()
        };
        let mut next = settings.config.next(&changed).map_err(|error| refused(&error))?;
        for (listed, text) in &self.texts {
            template_file::put(&mut next.file.auth.email, listed, text);
        }
        (settings.checks.check)(&next, &settings.secrets).map_err(|error| refused(&error))?;
        let present =
            settings.config.next(&ChangedFiles::default()).map(|config| warnings::of(&config)).unwrap_or_default();
        let new = warnings::of(&next).into_iter().filter(|warning| !present.contains(warning));
        self.warnings = new.map(|warning| format!("{}: {}", warning.key, warning.message)).collect();
        Ok(())
    }

    /// Whether the files already contain all new values.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.templates.is_empty() && self.env_local.is_none()
    }

    /// Returns the diff of each file that the change affects, with the file's name and its text before the change. Secrets are removed from the
    /// diffs.
    pub(super) fn diffs(&self) -> Vec<FileDiff<'_>> {
        let settings = self.files.iter().map(|(file, texts)| {
            let [old, new] = [&texts.old, &texts.new].map(|text| redacted(text, &self.visible));
            let paste = self.paste.get(file).map(String::as_str);
            FileDiff { name: file.name(), old: &texts.old, diff: diff::unified(file.name(), &old, &new), paste }
        });
        let templates = self.templates.iter().map(|TemplateFile { name, texts, .. }| FileDiff {
            name,
            old: &texts.old,
            diff: diff::unified(name, &texts.old, &texts.new),
            paste: Some(&texts.new),
        });
        settings.chain(templates).collect()
    }
}

/// The change of a file.
pub(super) struct FileDiff<'a> {
    pub(super) name: &'a str,
    /// Text of the file before the change.
    pub(super) old: &'a str,
    pub(super) diff: String,
    /// Lines that the operator can insert by hand if the server cannot write the file.
    pub(super) paste: Option<&'a str>,
}

/// Shortens an HTTP URL to its scheme and host. Other texts stay.
fn without_path(value: Value) -> Value {
    match value.as_str().and_then(|text| Url::parse(text).ok()) {
        Some(url) if matches!(url.scheme(), "http" | "https") => {
            json!(format!("{}/…", url.origin().ascii_serialization()))
        }
        _ => value,
    }
}

/// Reads a file of the project. Returns an empty text if the file does not exist. Replaces Windows line breaks by `\n`.
pub(super) fn read(config: &Config, name: &str) -> Result<String, ApiError> {
    let path = config.project.join(name);
    match files::read(&path)? {
        Some(text) => Ok(text.replace("\r\n", "\n")),
        None if path.symlink_metadata().is_ok() => {
            Err(ApiError::conflict(format!("{name} is no regular file")).with_hint("Change it by hand"))
        }
        None => Ok(String::new()),
    }
}

/// Returns the configuration that the server would have after a restart, or the reason why the files cannot be read.
pub(super) fn next(config: &Config) -> Result<Config, String> {
    if config.is_inspection {
        return Err("This server shows a copy of the project".to_owned());
    }
    config.next(&ChangedFiles::default()).map_err(|error| error.to_string())
}

/// Whether a setting has the same value in the running server and after a restart.
pub(super) fn is_in_effect(listed: &Listed, running: &Config, next: &Config) -> bool {
    listed.is_same(Files::of(running), Files::of(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_recorded_without_its_path() {
        for (value, recorded) in [
            ("https://hooks.example/token?key=secret", "https://hooks.example/…"),
            ("http://127.0.0.1:9000/secret", "http://127.0.0.1:9000/…"),
            ("pg-functions://postgres/public/f", "pg-functions://postgres/public/f"),
            ("", ""),
        ] {
            assert_eq!(without_path(json!(value)), recorded);
        }
    }
}
