//! Unknown keys. In config.toml they are warnings, because a newer Supabase CLI may know them, except where a key may close something. In
//! cloch.toml they are errors, because a misspelt limit or proxy would silently leave a server open.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_functions::settings::{CLI_KEYS, Options};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::tracked_deserialize::{self, UnknownKey};
use super::{ClochToml, ConfigError, TomlFile};

/// Sections of config.toml in which a key may close something: sign-in, the API, a bucket, a function. `db.` alone has too much that only
/// the CLI reads.
const CLOSING_SECTIONS: [&str; 6] =
    ["auth.", "api.", "functions.", "storage.buckets.", "db.network_restrictions.", "db.ssl_enforcement."];

/// Warnings about the keys of config.toml that its type does not know, and those of `[functions.<name>]`.
///
/// # Errors
/// Those in a section where a key may close something, and that cloch.toml does not list in `[server] ignored_keys`.
pub(super) fn of_config_toml(
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
    let closes = |unknown: &UnknownKey| could_close(unknown) && !ignored.contains(&unknown.key);
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

/// Whether a key is in such a section, or is the misspelt name of one: what stands below `[Auth]` is not read either.
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

fn effect(line: &str) -> &'static str {
    if line.ends_with('?') { " It has no effect" } else { " and has no effect" }
}

/// cloch.toml, or an error with every unknown key of it. `declared` is config.toml's `[functions]`, `found` those of the folder.
pub(super) fn refuse_in_cloch_toml(
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

/// Adds the keys of `[functions.<name>]` that neither the runtime nor one of the club's functions reads.
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

/// Adds the unknown keys of a section that another crate reads. Its values are checked there, once variables are filled in.
fn add_unknown<T: DeserializeOwned>(section: &Value, key: &str, unknown: &mut Vec<UnknownKey>) {
    if let Value::Table(table) = section {
        let _: Result<T, _> = tracked_deserialize::read(table.clone(), key, unknown);
    }
}
