//! Parses a TOML file into typed values: replaces `env(NAME)` by variables, records unknown keys, and reports invalid values with file,
//! line and key.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::toml_position::{duplicate_key, line_of, line_of_key, too_large};
use super::tracked_deserialize::{self, UnknownKey};

/// Maximum size of a TOML file in bytes.
const MAX_BYTES: usize = 4 << 20;

/// An invalid configuration. The message contains the file's path, the line, the key, and the allowed values.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Unreadable {
        /// Path of the file that cannot be read.
        file: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is not valid TOML.
    #[error("{}, line {line}: {message}", file.display())]
    Syntax {
        /// Path of the invalid TOML file.
        file: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Message of the TOML parser.
        message: String,
    },
    /// A key has an invalid value.
    #[error("{}{}: {key}: {message}", file.display(), line.map_or_else(String::new, |line| format!(", line {line}")))]
    Value {
        /// Path of the file with the invalid value.
        file: PathBuf,
        /// Line number of the key, from 1; `None` if the key is not in the file.
        line: Option<usize>,
        /// Dotted key.
        key: String,
        /// Describes what is invalid and which values are allowed.
        message: String,
    },
    /// secrets.toml is missing, but the data folder contains a database that was created with it.
    #[error(
        "{} is missing, while the database in {} was made with it: it holds the database's passwords and the keys that sign \
         tokens. Copy it back from a backup. If it is lost for good, `cloch keys make` makes new secrets for this database: everybody \
         signs in again, and applications need the new API keys",
        file.display(), database.display()
    )]
    LostSecrets {
        /// Path of secrets.toml.
        file: PathBuf,
        /// Folder of the database cluster.
        database: PathBuf,
    },
    /// Unknown keys in cloch.toml, or in a security-relevant section of config.toml.
    #[error("{}", keys.join("\n"))]
    Unknown {
        /// One line for each key: file, line, key and the most similar known key.
        keys: Vec<String>,
    },
    /// An environment variable or flag has an invalid value.
    #[error("{name}: {message}")]
    Variable {
        /// Name of the variable or flag.
        name: String,
        /// Describes what is invalid and which values are allowed.
        message: String,
    },
}

/// A parsed TOML file, with `env(NAME)` replaced by variables.
#[derive(Debug)]
pub struct TomlFile {
    file: PathBuf,
    text: String,
    pub(in crate::config) table: Table,
}

impl TomlFile {
    /// Reads and parses a file. A missing file gives an empty table.
    ///
    /// # Errors
    /// When the file cannot be read or is not valid TOML.
    pub fn read(file: &Path, environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        match cloch_core::bounded_file::read_text(file, MAX_BYTES) {
            Ok(text) => Self::parse(file, text, environment),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::parse(file, String::new(), environment),
            Err(source) => Err(ConfigError::Unreadable { file: file.to_owned(), source }),
        }
    }

    /// Parses `text` as the content of `file`.
    ///
    /// # Errors
    /// When the text is not valid TOML.
    pub fn parse(file: &Path, text: String, environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| ConfigError::Syntax {
            file: file.to_owned(),
            line: error.span().map_or(1, |span| line_of(&text, span.start)),
            message: duplicate_key(&text, &error)
                .or_else(|| too_large(&text, &error))
                .unwrap_or_else(|| error.message().to_owned()),
        })?;
        let mut value = Value::Table(table);
        fill_in(&mut value, &environment);
        let Value::Table(table) = value else { unreachable!("a table stays a table") };
        Ok(Self { file: file.to_owned(), text, table })
    }

    /// Deserializes the TOML file, and returns the keys that the type `T` does not have. Values of config.toml are converted to the needed
    /// type as in the Supabase CLI; in Cloch's own files, a value of another type is refused.
    ///
    /// # Errors
    /// Returns an error for the first invalid value.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<(T, Vec<UnknownKey>), ConfigError> {
        let mut unknown = Vec::new();
        let is_weak = self.file.file_name().is_some_and(|name| name == "config.toml");
        let read = tracked_deserialize::read_as(is_weak, self.table.clone(), "", &mut unknown);
        Ok((read.map_err(|wrong| self.refuse(&wrong.key, &wrong.message))?, unknown))
    }

    /// Returns a warning for each value that is still the text `env(NAME)`, because the variable is not set. Skips sections with `enabled =
    /// false` and keys for which `is_optional` returns true.
    #[must_use]
    pub fn unset_variables(&self, is_optional: impl Fn(&str) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        find_unset(&Value::Table(self.table.clone()), "", &mut found);
        let needed = found.into_iter().filter(|(key, _)| !is_optional(key));
        let lines = needed.map(|(key, name)| {
            let line = self.line(&key).map_or_else(String::new, |line| format!(", line {line}"));
            format!("{}{line}: {key} takes its value from the variable {name}, which is not set", self.file.display())
        });
        lines.collect()
    }

    /// Returns each key whose value is `env(NAME)` with the name of its variable. Includes sections with `enabled = false`.
    #[must_use]
    pub(in crate::config) fn named_variables(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        find_named(&Value::Table(self.text.parse().unwrap_or_default()), "", &mut found);
        found
    }

    /// Returns each key whose value is still `env(NAME)`, because the variable is not set, with the name of the variable. Skips sections with
    /// `enabled = false`.
    #[must_use]
    pub(in crate::config) fn left_variables(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        find_unset(&Value::Table(self.table.clone()), "", &mut found);
        found
    }

    /// Returns one line for each unknown key in the order of the file: file, line, key and the most similar known key.
    #[must_use]
    pub fn explain(&self, mut unknown: Vec<UnknownKey>) -> Vec<String> {
        unknown.sort_by_cached_key(|unknown| (self.line(&unknown.key), unknown.key.clone()));
        let lines = unknown.iter().map(|unknown| {
            let line = self.line(&unknown.key).map_or_else(String::new, |line| format!(", line {line}"));
            format!("{}{line}: {unknown}", self.file.display())
        });
        lines.collect()
    }

    /// Returns the message for the key `key`, which belongs in the file `other`.
    #[must_use]
    pub fn misplaced(&self, key: &str, other: &str) -> String {
        let line = self.line(key).map_or_else(String::new, |line| format!(", line {line}"));
        format!(
            "{}{line}: the key {key} has no effect in this file: move it to {other} in the same folder",
            self.file.display()
        )
    }

    /// Whether the value of a key is still the text `env(NAME)`, because the variable is not set.
    #[must_use]
    pub(in crate::config) fn is_unset_variable(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| value.as_str().and_then(variable_name).is_some())
    }

    /// Creates the error for an invalid value of a key.
    #[must_use]
    pub fn refuse(&self, key: &str, message: &str) -> ConfigError {
        let (section, name) = key.rsplit_once('.').map_or((None, key), |(section, name)| (Some(section), name));
        let mut sections = section.into_iter().flat_map(|section| section.split('.'));
        let table = sections.try_fold(&self.table, |table, part| table.get(part)?.as_table());
        let value = table.and_then(|table| table.get(name)?.as_str());
        // The value is still the text `env(NAME)`, so the cause is that the variable is not set.
        let message = match value.and_then(variable_name) {
            Some(name) => format!("the value is that of the variable {name}, which is not set ({message})"),
            None => message.to_owned(),
        };
        self.refuse_variable(key, message)
    }

    /// Creates the error for a key whose variable is not set or not permitted.
    #[must_use]
    pub(in crate::config) fn refuse_variable(&self, key: &str, message: String) -> ConfigError {
        ConfigError::Value { file: self.file.clone(), line: self.line(key), key: key.to_owned(), message }
    }

    /// Returns `message` with the path of the file and the line of `key` in front of it.
    #[must_use]
    pub(in crate::config) fn located(&self, key: &str, message: &str) -> String {
        let line = self.line(key).map_or_else(String::new, |line| format!(", line {line}"));
        format!("{}{line}: {message}", self.file.display())
    }

    #[must_use]
    pub(in crate::config) fn value(&self, key: &str) -> Option<Value> {
        let (first, rest) = key.split_once('.').unwrap_or((key, ""));
        let mut rest = rest.split('.').filter(|part| !part.is_empty());
        rest.try_fold(self.table.get(first)?, |value, part| value.get(part)).cloned()
    }

    /// Returns a top-level table of the file, or an empty table if the file lacks the table.
    #[must_use]
    pub fn table(&self, name: &str) -> Table {
        self.table.get(name).and_then(Value::as_table).cloned().unwrap_or_default()
    }

    /// Returns the line number of a dotted key. If the file lacks the key, returns the line of the innermost table of its path that exists,
    /// or `None` if no part of the path exists.
    fn line(&self, key: &str) -> Option<usize> {
        line_of_key(&self.text, key)
    }
}

/// Returns NAME if the text is exactly `env(NAME)`.
pub(crate) fn variable_name(text: &str) -> Option<&str> {
    text.strip_prefix("env(")?.strip_suffix(')')
}

/// Collects keys and variables of the texts `env(NAME)` that [`fill_in`] did not replace. Skips sections with `enabled = false`.
fn find_unset(value: &Value, key: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.extend(variable_name(text).map(|name| (key.to_owned(), name.to_owned()))),
        Value::Array(list) => list.iter().for_each(|item| find_unset(item, key, found)),
        Value::Table(table) if table.get("enabled") != Some(&Value::Boolean(false)) => {
            for (name, item) in table {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                find_unset(item, &key, found);
            }
        }
        _ => {}
    }
}

/// Collects keys and variables of all texts `env(NAME)`.
fn find_named(value: &Value, key: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.extend(variable_name(text).map(|name| (key.to_owned(), name.to_owned()))),
        Value::Array(list) => list.iter().for_each(|item| find_named(item, key, found)),
        Value::Table(table) => {
            for (name, item) in table {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                find_named(item, &key, found);
            }
        }
        _ => {}
    }
}

/// Replaces each text that is exactly `env(NAME)` by the variable's value. If the variable is unset or empty, the text `env(NAME)` stays, as
/// in the Supabase CLI.
fn fill_in(value: &mut Value, environment: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(found) = variable_name(text).and_then(environment).filter(|found| !found.is_empty()) {
                *text = found;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| fill_in(item, environment)),
        Value::Table(table) => table.iter_mut().for_each(|(_, item)| fill_in(item, environment)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, Default)]
    #[serde(default)]
    struct Sample {
        api: Api,
    }

    #[derive(Debug, Deserialize, Default)]
    #[serde(default)]
    struct Api {
        port: u16,
        name: String,
    }

    fn source(text: &str) -> Result<TomlFile, ConfigError> {
        TomlFile::parse(Path::new("config.toml"), text.into(), |name| (name == "NAME").then(|| "filled".into()))
    }

    #[test]
    fn a_value_of_a_variable_that_is_not_set_is_named_where_it_is_used() {
        let text = "[api]\nname = \"env(NAME)\"\nurl = \"env(URL)\"\n[off]\nenabled = false\nkey = \"env(KEY)\"\n\
                    [ai]\nkey = \"env(KEY)\"\n";
        let unset = source(text).unwrap().unset_variables(|key| key.starts_with("ai."));
        assert_eq!(unset, ["config.toml, line 3: api.url takes its value from the variable URL, which is not set"]);
    }

    #[test]
    fn a_syntax_error_names_file_and_line() {
        let error = source("[api]\nport = 1\nport == 2\n").unwrap_err().to_string();
        assert!(error.starts_with("config.toml, line 3: "), "{error}");
    }

    #[test]
    fn a_number_beyond_the_range_of_toml_is_named_with_its_key() {
        for (text, key) in
            [("[api]\nport = 99999999999999999999\n", "api.port"), ("\nport = -99999999999999999999\n", "port")]
        {
            let error = source(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("config.toml, line 2: {key}: the number ")), "{error}");
            assert!(error.contains("99999999999999999999 is outside of the range"), "{error}");
        }
    }

    #[test]
    fn a_wrong_value_in_a_list_of_sections_names_its_own_line() {
        type Sections = std::collections::BTreeMap<String, Vec<Api>>;
        let text = "[[list]]\nport = 1\n\n[[list]]\nname = \"b\"\nport = \"many\"\n";
        let error = source(text).unwrap().typed::<Sections>().unwrap_err().to_string();
        assert!(error.starts_with("config.toml, line 6: list[1].port: "), "{error}");
    }

    #[test]
    fn a_key_that_is_written_twice_is_named_with_both_lines() {
        for (text, expected) in [
            ("port = 1\nport = 2\n", "line 2: the key port is written twice, first in line 1"),
            ("[api]\nport = 1\n\nport = 2\n", "line 4: the key api.port is written twice, first in line 2"),
            ("[api]\nport = 1\n[db]\n[api] # again\n", "line 4: the section api is written twice, first in line 1"),
            ("[a.b]\n[a.b]\n", "line 2: the section a.b is written twice, first in line 1"),
        ] {
            let error = source(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_wrong_value_names_file_line_and_key() {
        let error = source("[api]\n\nport = \"many\"\n").unwrap().typed::<Sample>().unwrap_err().to_string();
        assert!(error.starts_with("config.toml, line 3: api.port: "), "{error}");
        let error = source("[api]\nport = 70000\n").unwrap().typed::<Sample>().unwrap_err().to_string();
        assert!(error.contains("api.port") && error.contains("line 2"), "{error}");
    }

    #[test]
    fn a_refused_value_names_the_variable_that_is_not_set() {
        let error = source("[api]\nurl = \"env(URL)\"\n").unwrap().refuse("api.url", "no URL").to_string();
        assert_eq!(
            error,
            "config.toml, line 2: api.url: the value is that of the variable URL, which is not set (no URL)"
        );
    }

    #[test]
    fn variables_are_filled_in_where_they_are_set() {
        let (sample, _): (Sample, _) = source("[api]\nname = \"env(NAME)\"").unwrap().typed().unwrap();
        assert_eq!(sample.api.name, "filled");
        let (sample, _): (Sample, _) = source("[api]\nname = \"env(OTHER)\"").unwrap().typed().unwrap();
        assert_eq!(sample.api.name, "env(OTHER)");
    }

    #[test]
    fn a_value_of_another_type_is_converted_in_config_toml_and_refused_in_cloch_toml() {
        for (text, port) in [("[api]\nport = \"54321\"\nname = 5\n", 54321), ("[api]\nport = 15.8\nname = \"5\"\n", 15)]
        {
            let (sample, _): (Sample, _) = source(text).unwrap().typed().unwrap();
            assert_eq!((sample.api.port, sample.api.name.as_str()), (port, "5"));
            let own = TomlFile::parse(Path::new("cloch.toml"), text.into(), |_| None).unwrap();
            assert!(own.typed::<Sample>().unwrap_err().to_string().starts_with("cloch.toml, line "));
        }
    }
}
