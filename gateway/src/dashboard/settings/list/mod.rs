//! List of the settings that owners can change in the dashboard: key, file, type, bounds and texts of each setting. The values are read from
//! the parsed configuration, so that this list needs no default values.

mod advisors;
mod api;
mod auth;
mod functions;
mod hooks;
mod limits;
mod mail;
mod providers;
mod storage;

use cloch_auth::settings::GoDuration;
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::sections::config_toml::ByteSize;
use crate::config::{ClochToml, Config, ConfigFile, ConfigToml};

pub(super) use advisors::IGNORED;

/// File that contains a setting.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub(super) enum File {
    #[serde(rename = "config.toml")]
    ConfigToml,
    #[serde(rename = "cloch.toml")]
    ClochToml,
}

impl File {
    pub(super) const ALL: [Self; 2] = [Self::ConfigToml, Self::ClochToml];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ConfigToml => "config.toml",
            Self::ClochToml => "cloch.toml",
        }
    }
}

impl From<File> for ConfigFile {
    fn from(file: File) -> Self {
        match file {
            File::ConfigToml => Self::ConfigToml,
            File::ClochToml => Self::ClochToml,
        }
    }
}

/// Type and bounds of a setting's value.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Kind {
    Switch,
    /// Whole number.
    Count {
        min: i64,
        max: i64,
    },
    /// Number of bytes with a unit, such as `50MiB`.
    Size,
    /// Duration in Go's notation, such as `1h30m`.
    Duration,
    Text,
    /// Text with line breaks.
    Lines,
    /// Text of a mail template in a file of the project.
    Template,
    /// Absolute URL.
    Url,
    /// One of the given texts.
    Choice {
        choices: &'static [&'static str],
    },
    /// List of texts.
    List,
    /// List of ignored advisor findings.
    Ignored,
    /// Text that is stored in `.env.local` and never shown.
    Secret,
}

/// Kinds of names that replace the `*` in a setting's key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Names {
    /// The key has no `*`.
    None,
    /// Sign-in providers.
    Providers,
    /// Auth hooks.
    Hooks,
    /// The project's functions.
    Functions,
    /// Mails with links and codes.
    Templates,
    /// Mails about changes of an account.
    Notifications,
}

/// Parsed content of config.toml and cloch.toml.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    pub(super) config: &'a ConfigToml,
    pub(super) cloch: &'a ClochToml,
}

impl<'a> Files<'a> {
    pub(super) fn of(config: &'a Config) -> Self {
        Self { config: &config.file, cloch: &config.cloch }
    }
}

/// An entry of the list. If its key contains `*`, the entry stands for several settings, one for each name that replaces `*`.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) file: File,
    key: &'static str,
    /// New name of the key in newer versions of the Supabase CLI. If the file contains the new name, the value is written to the new name.
    newer: Option<&'static str>,
    pub(super) kind: Kind,
    label: &'static str,
    hint: &'static str,
    /// Consequence of a change that can make the dashboard unreachable. The operator has to type the key to confirm such a change.
    pub(super) lock_out: Option<&'static str>,
    /// Returns a sentence about the name that replaces `*`. It precedes `hint`.
    about: fn(&str) -> &'static str,
    /// Whether the path of an HTTP URL may contain a token. Such a path is left out of the audit, which developers can read too.
    pub(super) hides_path: bool,
    /// Returns the setting's value in the parsed files. The second argument is the name that replaces `*`.
    read: fn(Files<'_>, &str) -> Value,
}

impl Spec {
    const fn new(
        file: File,
        key: &'static str,
        kind: Kind,
        label: &'static str,
        read: fn(Files<'_>, &str) -> Value,
    ) -> Self {
        Self { file, key, newer: None, kind, label, hint: "", lock_out: None, about: |_| "", hides_path: false, read }
    }

    const fn config(key: &'static str, kind: Kind, label: &'static str, read: fn(Files<'_>, &str) -> Value) -> Self {
        Self::new(File::ConfigToml, key, kind, label, read)
    }

    const fn cloch(key: &'static str, kind: Kind, label: &'static str, read: fn(Files<'_>, &str) -> Value) -> Self {
        Self::new(File::ClochToml, key, kind, label, read)
    }

    /// Creates the entry of a secret. The secret's value is read only to determine whether it is set, and whether it has changed.
    const fn secret(key: &'static str, label: &'static str, read: fn(Files<'_>, &str) -> Value) -> Self {
        Self::new(File::ConfigToml, key, Kind::Secret, label, read)
    }

    const fn hint(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    const fn about(mut self, about: fn(&str) -> &'static str) -> Self {
        self.about = about;
        self
    }

    const fn hides_path(mut self) -> Self {
        self.hides_path = true;
        self
    }

    const fn newer(mut self, key: &'static str) -> Self {
        self.newer = Some(key);
        self
    }

    const fn lock_out(mut self, consequence: &'static str) -> Self {
        self.lock_out = Some(consequence);
        self
    }
}

/// Settings that a page of the dashboard shows together.
#[derive(Debug)]
pub(super) struct Group {
    /// Name in the page's address.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    names: Names,
    settings: &'static [Spec],
}

/// All groups, in the order in which the dashboard shows them.
const GROUPS: &[&[Group]] = &[
    auth::GROUPS,
    providers::GROUPS,
    hooks::GROUPS,
    mail::GROUPS,
    api::GROUPS,
    storage::GROUPS,
    limits::GROUPS,
    functions::GROUPS,
    advisors::GROUPS,
];

/// A setting whose key is complete: a name replaces the `*` of the list's entry.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) spec: &'static Spec,
    /// Name that replaces `*`, or an empty text.
    pub(super) name: String,
}

impl Listed {
    /// Returns the dotted key. If the key has a newer name, returns the older name.
    pub(super) fn key(&self) -> String {
        self.spec.key.replace('*', &self.name)
    }

    /// Returns the dotted keys under which a file may contain the setting. If the file contains none of these keys, the setting is written
    /// under the first key.
    pub(super) fn keys(&self) -> Vec<String> {
        [Some(self.spec.key), self.spec.newer].into_iter().flatten().map(|key| key.replace('*', &self.name)).collect()
    }

    pub(super) fn label(&self) -> String {
        self.spec.label.replace('*', &self.name)
    }

    pub(super) fn hint(&self) -> String {
        let parts = [(self.spec.about)(&self.name), self.spec.hint];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the setting's value in the parsed files; null for a secret.
    pub(super) fn read(&self, files: Files<'_>) -> Value {
        if self.is_secret() { Value::Null } else { (self.spec.read)(files, &self.name) }
    }

    /// Whether the setting has the same value in `a` and `b`. Also compares secrets.
    pub(super) fn is_same(&self, a: Files<'_>, b: Files<'_>) -> bool {
        (self.spec.read)(a, &self.name) == (self.spec.read)(b, &self.name)
    }

    /// Whether a secret is set to a non-empty value.
    pub(super) fn has_secret(&self, files: Files<'_>) -> bool {
        (self.spec.read)(files, &self.name).as_str().is_some_and(|text| !text.is_empty())
    }

    /// Whether the setting is the text of a mail template's file.
    pub(super) fn is_template(&self) -> bool {
        matches!(self.spec.kind, Kind::Template)
    }

    pub(super) fn is_secret(&self) -> bool {
        matches!(self.spec.kind, Kind::Secret)
    }
}

/// Returns all groups with their settings. `config` contains the names of functions and providers that replace `*`.
pub(super) fn all(config: &Config) -> Vec<(&'static Group, Vec<Listed>)> {
    let groups = GROUPS.iter().copied().flatten();
    groups
        .map(|group| {
            let listed = names(group.names, config)
                .into_iter()
                .flat_map(|name| group.settings.iter().map(move |spec| Listed { spec, name: name.clone() }));
            (group, listed.collect())
        })
        .collect()
}

/// Returns the setting with this key; `None` if the key is not in the list.
pub(super) fn find(config: &Config, key: &str) -> Option<Listed> {
    all(config).into_iter().flat_map(|(_, settings)| settings).find(|listed| listed.key() == key)
}

fn names(names: Names, config: &Config) -> Vec<String> {
    let mut found: Vec<String> = match names {
        Names::None => return vec![String::new()],
        Names::Hooks => return hooks::names(),
        Names::Templates => return mail::TEMPLATES.map(str::to_owned).into(),
        Names::Notifications => return mail::NOTIFICATIONS.map(str::to_owned).into(),
        Names::Providers => {
            let declared = config.file.auth.external.keys().cloned();
            declared.chain(cloch_auth::provider_names().map(str::to_owned)).collect()
        }
        Names::Functions => {
            let found = cloch_functions::deno::discover(&config.project);
            found.into_keys().chain(config.functions.keys().cloned()).collect()
        }
    };
    // Names with a dot are left out, because the dot would separate two parts of the key.
    found.retain(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
    found.sort();
    found.dedup();
    found
}

/// Formats a number of bytes in the largest unit in which it is a whole number.
fn size(ByteSize(bytes): ByteSize) -> Value {
    let units = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes > 0 && bytes % unit == 0) {
        Some((unit, name)) => json!(format!("{}{name}", bytes / unit)),
        None => json!(bytes.to_string()),
    }
}

/// Formats a duration in Go's notation, in the largest unit in which it is a whole number.
fn duration(duration: GoDuration) -> Value {
    let milliseconds = duration.get().as_millis();
    let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    match units.into_iter().find(|(unit, _)| milliseconds > 0 && milliseconds.is_multiple_of(*unit)) {
        Some((unit, name)) => json!(format!("{}{name}", milliseconds / unit)),
        None if milliseconds == 0 => json!("0s"),
        None => json!(format!("{milliseconds}ms")),
    }
}

#[cfg(test)]
mod tests;
