//! Reads the JSON files in which a project configures imports (deno.json, import_map.json, package.json).

use std::path::Path;

use serde_json::{Map, Value};
use url::Url;

use super::ImportsError;

/// Maximum size of a file that configures imports.
pub(super) const MAX_CONFIG_BYTES: usize = 1 << 20;

pub(super) fn read_json(file: &Path) -> Result<Value, ImportsError> {
    parse_json(file, &read_config(file)?)
}

/// Reads the text of a configuration file. Only regular files are read: opening a named pipe would wait forever.
pub(super) fn read_config(file: &Path) -> Result<String, ImportsError> {
    if file.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(problem(file, "it is not a regular file"));
    }
    cloch_core::bounded_file::read_text(file, MAX_CONFIG_BYTES).map_err(|error| problem(file, &error.to_string()))
}

pub(super) fn parse_json(file: &Path, text: &str) -> Result<Value, ImportsError> {
    jsonc_parser::parse_to_serde_value::<Value>(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| problem(file, &error.to_string()))
}

pub(super) fn problem(file: &Path, problem: &str) -> ImportsError {
    ImportsError::Config { file: file.to_owned(), problem: problem.to_owned() }
}

pub(super) fn entries<'a>(
    object: Option<&'a Value>,
    file: &Path,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, ImportsError> {
    match object {
        None => Ok(None.into_iter().flatten()),
        Some(Value::Object(entries)) => Ok(Some(entries).into_iter().flatten()),
        Some(_) => Err(problem(file, "imports and scopes must be objects")),
    }
}

/// Converts the targets of an import map: relative targets become file URLs. A null target is kept, because it blocks the import.
pub(super) fn absolute(imports: Option<&Value>, file: &Path) -> Result<Map<String, Value>, ImportsError> {
    let target = |(name, target): (&String, &Value)| match target {
        Value::String(text) => Ok((name.clone(), absolute_target(text, file).into())),
        Value::Null => Ok((name.clone(), Value::Null)),
        _ => Err(problem(file, &format!("the target of the import {name:?} must be a text"))),
    };
    entries(imports, file)?.map(target).collect()
}

pub(super) fn absolute_target(target: &str, file: &Path) -> String {
    let is_relative = target.starts_with("./") || target.starts_with("../") || target.starts_with('/');
    let base = is_relative.then(|| Url::from_file_path(file).ok()).flatten();
    base.and_then(|base| base.join(target).ok()).map_or_else(|| target.to_owned(), String::from)
}
