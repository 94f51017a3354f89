//! Keys that mean nothing. In config.toml they are warnings, for a newer Supabase CLI may know them; in cloch.toml, where a misspelt
//! limit or proxy would silently leave a server open, they are refused.

use cloch_functions::settings::{Ai, CLI_KEYS, Options};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::keys::{self, UnknownKey};
use super::{ClochFile, ConfigError, Source};

/// Warnings about config.toml: the keys its type does not know, and those of `[functions.<name>]`.
pub(super) fn in_project(source: &Source, mut unknown: Vec<UnknownKey>) -> Vec<String> {
    for (name, function) in source.table("functions") {
        let section = format!("functions.{name}");
        let written = function.as_table().into_iter().flat_map(Table::keys);
        let strangers = written.filter(|key| !CLI_KEYS.contains(&key.as_str()));
        unknown.extend(strangers.map(|key| UnknownKey::new(&section, key, CLI_KEYS)));
    }
    source.explain(unknown).into_iter().map(|line| format!("{line}{}", effect(&line))).collect()
}

fn effect(line: &str) -> &'static str {
    if line.ends_with('?') { " It has no effect" } else { " and has no effect" }
}

/// cloch.toml, or every key of it that means nothing. `declared` is config.toml's `[functions]`.
pub(super) fn refused_in_cloch(source: &Source, declared: &Table) -> Result<ClochFile, ConfigError> {
    let (file, mut unknown): (ClochFile, _) = source.typed()?;
    for (name, options) in &file.functions {
        if declared.contains_key(name) {
            note::<Options>(options, &format!("functions.{name}"), &mut unknown);
        } else {
            unknown.push(UnknownKey::new("functions", name, declared.keys().map(String::as_str)));
        }
    }
    note::<Ai>(&Value::Table(file.ai.clone()), "ai", &mut unknown);
    if unknown.is_empty() {
        return Ok(file);
    }
    Err(ConfigError::Unknown { keys: source.explain(unknown) })
}

/// Notes the keys of a section that another crate reads. Its values are judged there, once variables are filled in.
fn note<T: DeserializeOwned>(section: &Value, key: &str, unknown: &mut Vec<UnknownKey>) {
    if let Value::Table(table) = section {
        let _: Result<T, _> = keys::read(table.clone(), key, unknown);
    }
}
