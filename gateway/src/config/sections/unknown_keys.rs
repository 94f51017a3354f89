//! Handles unknown keys. In security-relevant sections of config.toml, an unknown key is an error. In other sections of config.toml it is a
//! warning, because a newer Supabase CLI may define the key. In cloch.toml every unknown key is an error, because a misspelt limit would
//! silently not apply.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_functions::settings::{CLI_KEYS, Options};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::config::files::tracked_deserialize::{self, UnknownKey};
use crate::config::{ClochToml, ConfigError, TomlFile};

/// Sections of config.toml whose keys may restrict access: sign-in, the API, buckets, functions. Only two subsections of `[db]` are in this
/// list, because most other keys of `[db]` are read only by the CLI.
const CLOSING_SECTIONS: [&str; 6] =
    ["auth.", "api.", "functions.", "storage.buckets.", "db.network_restrictions.", "db.ssl_enforcement."];

/// Sections of which `enabled = false` switches off everything: sections whose name begins with one of these. An unknown key in them closes
/// nothing. `[auth.email]` and `[auth.sms]` themselves are not in this list, because accounts that exist can still sign in.
const SWITCHED_SECTIONS: [&str; 8] = [
    "auth.hook.",
    "auth.external.",
    "auth.third_party.",
    "auth.sms.",
    "auth.web3.",
    "auth.captcha",
    "auth.email.smtp",
    "functions.",
];

/// Names that are no keys of config.toml and are often written instead of one: the names of Supabase's management API, and those that AI tools
/// invent. Such a key closes nothing if its value is in effect without it. Columns: the name, the key, the key's default in TOML.
const OTHER_NAMES: [(&str, &str, &str); 2] = [
    ("auth.refresh_token_rotation_enabled", "auth.enable_refresh_token_rotation", "true"),
    ("auth.access_token_expiry", "auth.jwt_expiry", "3600"),
];

/// Returns warnings about unknown keys of config.toml, including those in `[functions.<name>]`.
///
/// # Errors
/// If the file contains keys of cloch.toml, or unknown keys in security-relevant sections that `[server] ignored_keys` does not list.
pub(in crate::config) fn of_config_toml(
    source: &TomlFile,
    mut unknown: Vec<UnknownKey>,
    ignored: &[String],
) -> Result<Vec<String>, ConfigError> {
    for (name, function) in source.table("functions") {
        let section = format!("functions.{name}");
        let written = function.as_table().into_iter().flat_map(Table::keys);
        let unlisted = written.filter(|key| !CLI_KEYS.contains(&key.as_str()));
        unknown.extend(unlisted.map(|key| UnknownKey::new(&section, key, CLI_KEYS)));
    }
    let (misplaced, unknown): (Vec<_>, Vec<_>) =
        unknown.into_iter().partition(|unknown| is_of_cloch_toml(&unknown.key) && !ignored.contains(&unknown.key));
    if !misplaced.is_empty() {
        let keys = misplaced.into_iter().map(|unknown| source.misplaced(&unknown.key, "cloch.toml")).collect();
        return Err(ConfigError::Unknown { keys });
    }
    let closes = |unknown: &UnknownKey| {
        could_close(unknown)
            && !ignored.contains(&unknown.key)
            && !is_switched_off(source, &unknown.key)
            && !is_in_effect(source, &unknown.key)
    };
    let (closing, harmless): (Vec<_>, Vec<_>) = unknown.into_iter().partition(closes);
    if !closing.is_empty() {
        let remedy = |line: String| {
            format!(
                "{line} It could close what stays open without it: correct it, or list it in [server] ignored_keys of cloch.toml to start without it"
            )
        };
        let lines =
            source.explain(closing).into_iter().map(|line| if line.ends_with('?') { line } else { format!("{line}.") });
        return Err(ConfigError::Unknown { keys: lines.map(remedy).collect() });
    }
    Ok(source.explain(harmless).into_iter().map(|line| format!("{line}{}", effect(&line))).collect())
}

/// Whether cloch.toml has this key. An operator who wrote the key into config.toml by mistake expects an effect, such as backups.
fn is_of_cloch_toml(key: &str) -> bool {
    // `ClochToml` has no type for the options of a function, so another type is used for them.
    if let Some((name, option)) = key.strip_prefix("functions.").and_then(|rest| rest.rsplit_once('.')) {
        let options = Value::Table(Table::from_iter([(option.to_owned(), Value::Boolean(true))]));
        let mut unknown = Vec::new();
        add_unknown_of_function(&options, name, &mut unknown);
        return unknown.is_empty();
    }
    if key.starts_with("functions.") {
        return false;
    }
    let value = key
        .rsplit('.')
        .fold(Value::Table(Table::new()), |value, part| Value::Table(Table::from_iter([(part.to_owned(), value)])));
    let Value::Table(table) = value else { return false };
    let mut unknown = Vec::new();
    // The value may have the wrong type: only the key matters.
    let _: Result<ClochToml, _> = tracked_deserialize::read(table, "", &mut unknown);
    unknown.is_empty()
}

/// Whether an unknown key could restrict access: the key is in a security-relevant section, or its name is a misspelt name of a
/// security-relevant section, such as `[Auth]`, whose keys the server does not read.
fn could_close(unknown: &UnknownKey) -> bool {
    let above = unknown.key.rsplit_once('.').map_or("", |(above, _)| above);
    let meant = unknown.nearest.as_ref().map(|name| match above {
        "" => format!("{name}."),
        above => format!("{above}.{name}."),
    });
    let is_meant = |section: &str| {
        meant.as_deref().is_some_and(|meant| meant == section || meant == "storage." && section.starts_with(meant))
    };
    CLOSING_SECTIONS.iter().any(|section| unknown.key.starts_with(section) || is_meant(section))
}

/// Whether the key is in a section that the file switches off as a whole, or is itself such a section: for example
/// `auth.hook.send_email.secret` beside `enabled = false`, or the section of a provider that only a newer Supabase CLI knows.
fn is_switched_off(source: &TomlFile, key: &str) -> bool {
    let section_of_key = key.rsplit_once('.').map_or("", |(section, _)| section);
    [section_of_key, key].into_iter().any(|section| {
        SWITCHED_SECTIONS.iter().any(|switched| section.starts_with(switched))
            && source.value(&format!("{section}.enabled")) == Some(Value::Boolean(false))
    })
}

/// Whether the key is another name of a key with the same value.
fn is_in_effect(source: &TomlFile, key: &str) -> bool {
    let Some((_, meant, default)) = OTHER_NAMES.iter().find(|(name, ..)| *name == key) else { return false };
    let default = || format!("value = {default}").parse::<Table>().ok()?.remove("value");
    source.value(key).is_some_and(|written| Some(written) == source.value(meant).or_else(default))
}

fn effect(line: &str) -> &'static str {
    if line.ends_with('?') { " It has no effect" } else { " and has no effect" }
}

/// Parses cloch.toml. `declared` is `[functions]` of config.toml; `found` contains the functions in the project's folder. Returns an error
/// that names all unknown keys if there are any.
pub(in crate::config) fn refuse_in_cloch_toml(
    source: &TomlFile,
    declared: &Table,
    found: &BTreeMap<String, PathBuf>,
) -> Result<ClochToml, ConfigError> {
    let (file, mut unknown): (ClochToml, _) = source.typed()?;
    for (name, options) in &file.functions {
        if declared.contains_key(name) || found.contains_key(name) {
            add_unknown_of_function(options, &format!("functions.{name}"), &mut unknown);
        } else {
            let known = declared.keys().chain(found.keys()).map(String::as_str);
            unknown.push(UnknownKey::new("functions", name, known));
        }
    }
    add_unknown::<cloch_functions::settings::Ai>(&Value::Table(file.ai.clone()), "ai", &mut unknown);
    if unknown.is_empty() {
        return Ok(file);
    }
    Err(ConfigError::Unknown { keys: source.explain(unknown) })
}

/// Appends the keys of `[functions.<name>]` that neither the runtime nor one of the club's built-in functions (crate cloch_club) reads.
fn add_unknown_of_function(options: &Value, section: &str, unknown: &mut Vec<UnknownKey>) {
    let (mut of_runtime, mut of_club) = (Vec::new(), Vec::new());
    add_unknown::<Options>(options, section, &mut of_runtime);
    add_unknown::<cloch_club::settings::Options>(options, section, &mut of_club);
    for UnknownKey { key, nearest } in of_runtime {
        if let (Some(other), Some((_, name))) = (of_club.iter().find(|other| other.key == key), key.rsplit_once('.')) {
            let known = [nearest.as_deref(), other.nearest.as_deref()].into_iter().flatten();
            unknown.push(UnknownKey::new(section, name, known));
        }
    }
}

/// Appends the keys of `section` that `T` does not have to `unknown`. Ignores invalid values: the crate that `T` belongs to reports them
/// later, when `env()` references are replaced.
fn add_unknown<T: DeserializeOwned>(section: &Value, key: &str, unknown: &mut Vec<UnknownKey>) {
    if let Value::Table(table) = section {
        let _: Result<T, _> = tracked_deserialize::read(table.clone(), key, unknown);
    }
}
