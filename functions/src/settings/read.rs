//! Reads the sections of config.toml and cloch.toml about functions. Errors name the allowed values.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloch_core::Secret;
use cloch_core::wrong_type::{no_address, plain};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::{Declared, Options, Sections, Settings};
use crate::source::{Source, discover, is_function_name};

/// Name of the configuration file of the Supabase CLI.
pub const CONFIG_TOML: &str = "config.toml";
/// Name of Cloch's own configuration file, for keys that the Supabase CLI does not support.
pub const CLOCH_TOML: &str = "cloch.toml";

/// An invalid value in a configuration file.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{file}: {key}: {problem}")]
pub struct SettingsError {
    /// Name of the file: `config.toml` or `cloch.toml`.
    pub file: &'static str,
    /// Dotted name of the configuration key.
    pub key: String,
    /// Description of the error, and the allowed values.
    pub problem: String,
}

pub(super) fn settings(sections: Sections<'_>) -> Result<Settings, SettingsError> {
    let found = discover(sections.project);
    let repository = cloch_core::project_root::of(sections.project);
    let undeclared = Value::Table(Table::new());
    let mut functions = BTreeMap::new();
    let not_declared =
        found.keys().filter(|name| !sections.declared.contains_key(*name)).map(|name| (name, &undeclared));
    for (name, value) in sections.declared.iter().chain(not_declared) {
        if let Some(declared) = declared(name, value, (&sections, &repository), found.get(name))? {
            functions.insert(name.clone(), declared);
        }
    }
    let is_set = |secret: &Secret| !secret.is_empty() && !is_unset(secret.expose());
    // The Supabase CLI converts the names of secrets to upper case.
    let secrets = sections.secrets.iter().filter(|(_, secret)| is_set(secret));
    let secrets = secrets.map(|(name, secret)| (name.to_uppercase(), secret.clone())).collect();
    Ok(Settings { functions, secrets, ..Settings::default() })
}

/// Whether a value is still an `env(…)` expression. The Supabase CLI leaves the expression unchanged if the environment variable is not
/// set.
fn is_unset(text: &str) -> bool {
    text.starts_with("env(") && text.ends_with(')')
}

/// Returns the keys of a table that have a value. An empty text and an `env(…)` expression whose variable is not set count as no value.
fn set_only(table: &Table) -> Table {
    let kept = table.iter().filter(|(_, value)| !value.as_str().is_some_and(|text| text.is_empty() || is_unset(text)));
    kept.map(|(name, value)| {
        let value = value.as_table().map_or_else(|| value.clone(), |inner| Value::Table(set_only(inner)));
        (name.clone(), value)
    })
    .collect()
}

/// `[functions.<name>]` of config.toml.
#[derive(Deserialize)]
#[serde(default)]
struct DeclaredSection {
    enabled: bool,
    verify_jwt: bool,
    entrypoint: Option<String>,
    import_map: Option<String>,
    static_files: Vec<String>,
    env: BTreeMap<String, Secret>,
}

impl Default for DeclaredSection {
    fn default() -> Self {
        Self {
            enabled: true,
            verify_jwt: true,
            entrypoint: None,
            import_map: None,
            static_files: Vec::new(),
            env: BTreeMap::new(),
        }
    }
}

/// Reads the settings of one function. Returns `None` for a disabled function.
fn declared(
    name: &str,
    value: &Value,
    (sections, repository): (&Sections<'_>, &Path),
    found: Option<&PathBuf>,
) -> Result<Option<Declared>, SettingsError> {
    let key = format!("functions.{name}");
    if !is_function_name(name) {
        return Err(problem(
            CONFIG_TOML,
            key,
            "a name is letters, digits, - and _, beginning with a letter, 128 at most",
        ));
    }
    let declared: DeclaredSection = section(CONFIG_TOML, &key, Some(value))?;
    let options: Options = section(CLOCH_TOML, &key, sections.options.get(name))?;
    check(&key, &options)?;
    if !declared.enabled {
        return Ok(None);
    }
    let in_project = |path: &String| sections.project.join(path);
    let entrypoint = match declared.entrypoint.as_ref().map(in_project) {
        Some(file) if file.is_file() => Some(file),
        Some(_) if found.is_some() => {
            let text = "there is no such file, and the function's folder has another one";
            return Err(problem(CONFIG_TOML, format!("{key}.entrypoint"), text));
        }
        // The entrypoint does not exist. This is no error, because the default config.toml of the Supabase CLI declares functions that a
        // project may not contain.
        Some(_) => None,
        None => found.cloned(),
    };
    let source = entrypoint.map(|entrypoint| Source {
        project: sections.project.to_owned(),
        entrypoint: normalized(&entrypoint),
        import_map: declared.import_map.as_ref().map(in_project).map(|file| normalized(&file)),
        static_files: declared.static_files,
        env: declared.env,
        version: None,
        repository: repository.to_owned(),
        closed: Some(sections.data.to_owned()),
        imported: Vec::new(),
    });
    for pattern in source.iter().flat_map(Source::unmatched_static_files) {
        tracing::warn!(
            "functions: static files missing: nothing matches {pattern} of {key}.static_files in config.toml, the function runs without these files"
        );
    }
    Ok(Some(Declared { verify_jwt: declared.verify_jwt, options, source }))
}

/// Removes a leading `./` from a path.
fn normalized(path: &Path) -> PathBuf {
    path.components().collect()
}

fn check(key: &str, options: &Options) -> Result<(), SettingsError> {
    let refused = |name: &str, text: &str| Err(problem(CLOCH_TOML, format!("{key}.{name}"), text));
    if options.upstream.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
        return refused("upstream", "must be an http:// or https:// URL");
    }
    if options.timeout_seconds.is_some_and(|seconds| !(1..=400).contains(&seconds)) {
        return refused("timeout_seconds", "must be 1 to 400");
    }
    if options.max_body_kb.is_some_and(|kb| !(1..=262_144).contains(&kb)) {
        return refused("max_body_kb", "must be 1 to 262144 (256 MB)");
    }
    for (name, value, range) in [
        ("memory_mb", options.memory_mb, 64..=65_536),
        ("cpu_seconds", options.cpu_seconds, 1..=3_600),
        ("wall_seconds", options.wall_seconds, 1..=86_400),
        ("idle_seconds", options.idle_seconds, 1..=86_400),
        ("max_workers", options.max_workers.map(|count| count as u64), 1..=64),
        ("max_requests", options.max_requests.map(|count| count as u64), 1..=100_000),
    ] {
        if value.is_some_and(|value| !range.contains(&value)) {
            return refused(name, &format!("must be {} to {}", range.start(), range.end()));
        }
    }
    Ok(())
}

/// Deserialises a section of a configuration file. A missing section counts as empty, and an `env(…)` value whose variable is not set
/// counts as missing.
///
/// # Errors
/// If a value has the wrong type. The error contains the file, the key with the invalid field, the value and the expected type.
pub fn section<T: DeserializeOwned>(file: &'static str, key: &str, value: Option<&Value>) -> Result<T, SettingsError> {
    let table = match value {
        None => Table::new(),
        Some(Value::Table(table)) => set_only(table),
        Some(_) => return Err(problem(file, key.to_owned(), "must be a section")),
    };
    // Deserialise each field separately first, so that the error can name the invalid field.
    for (name, value) in &table {
        let alone = Table::from_iter([(name.clone(), value.clone())]);
        if let Err(error) = T::deserialize(Value::Table(alone)) {
            let message = error.message();
            let text = no_address(message, &value.to_string()).unwrap_or_else(|| plain(message.trim()));
            return Err(problem(file, format!("{key}.{name}"), &text));
        }
    }
    T::deserialize(Value::Table(table)).map_err(|error| problem(file, key.to_owned(), &plain(error.message().trim())))
}

/// Creates an error about a configuration value. Only the first line of `text` is used.
#[must_use]
pub fn problem(file: &'static str, key: String, text: &str) -> SettingsError {
    SettingsError { file, key, problem: text.lines().next().unwrap_or_default().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the settings from the texts of config.toml and cloch.toml.
    fn read(config: &str, cloch: &str) -> Result<Settings, SettingsError> {
        read_in(Path::new("/nowhere"), config, cloch)
    }

    fn read_in(project: &Path, config: &str, cloch: &str) -> Result<Settings, SettingsError> {
        let section = |text: &str, name: &str| match text.parse::<Table>().unwrap().remove(name) {
            Some(Value::Table(section)) => section,
            _ => Table::new(),
        };
        let secrets = match section(config, "edge_runtime").remove("secrets") {
            Some(Value::Table(table)) => table.into_iter().collect(),
            _ => BTreeMap::new(),
        };
        let secrets = secrets
            .into_iter()
            .map(|(name, value): (String, Value)| (name, Secret::new(value.as_str().unwrap())))
            .collect();
        settings(Sections {
            declared: &section(config, "functions"),
            secrets: &secrets,
            options: &section(cloch, "functions"),
            project,
            data: Path::new("/nowhere/data"),
        })
    }

    fn refused(config: &str, cloch: &str) -> String {
        read(config, cloch).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_file_key_and_what_is_allowed() {
        let declared = "[functions.a]";
        assert_eq!(
            refused("[functions.a]\nverify_jwt = 1", ""),
            "config.toml: functions.a.verify_jwt: 1 is written where true or false is expected"
        );
        assert!(refused("[functions.'../x']", "").starts_with("config.toml: functions.../x: a name is"));
        assert_eq!(refused("[functions]\na = 3", ""), "config.toml: functions.a: must be a section");
        assert_eq!(
            refused(declared, "[functions.a]\nupstream = 'x'"),
            "cloch.toml: functions.a.upstream: \"x\" is no whole URL: begin with https:// or http://"
        );
        assert_eq!(
            refused(declared, "[functions.a]\nmemory_mb = 'many'"),
            "cloch.toml: functions.a.memory_mb: \"many\" is written where a whole number, not negative and without a unit is expected"
        );
        assert_eq!(
            refused(declared, "[functions.a]\nallowed_networks = ['home']"),
            "cloch.toml: functions.a.allowed_networks: [\"home\"] is written where a network such as 10.0.0.0/8, or an address is expected"
        );
        assert_eq!(
            refused(declared, "[functions.a]\nupstream = 'file:///etc/passwd'"),
            "cloch.toml: functions.a.upstream: must be an http:// or https:// URL"
        );
    }

    #[test]
    fn reads_what_both_files_say() {
        let settings = read(
            "[functions.send-email]\nverify_jwt = false\n[functions.off]\nenabled = false\n\
             [edge_runtime.secrets]\nA = 'x'\nB = 'env(NOT_SET)'\nOPENAI_API_KEY = 'k'",
            "[functions.send-email]\nupstream = 'http://127.0.0.1:9/'\ntimeout_seconds = 5\n[functions.other]",
        )
        .unwrap();
        assert_eq!(settings.functions.keys().collect::<Vec<_>>(), ["send-email"]);
        let declared = &settings.functions["send-email"];
        assert!(!declared.verify_jwt);
        assert_eq!(declared.options.upstream.as_ref().unwrap().as_str(), "http://127.0.0.1:9/");
        assert_eq!(declared.options.limits(crate::limits::Limits::default()).timeout.as_secs(), 5);
        assert_eq!(settings.secrets.keys().collect::<Vec<_>>(), ["A", "OPENAI_API_KEY"]);
    }

    #[test]
    fn a_variable_that_is_not_set_is_a_key_that_is_not_written() {
        let settings = read("[functions.a]", "[functions.a]\nupstream = 'env(NOT_SET)'").unwrap();
        assert_eq!(settings.functions["a"].options.upstream, None);
    }

    #[test]
    fn an_entrypoint_that_is_not_there_is_not_replaced_by_another() {
        let project = tempfile::tempdir().unwrap();
        let entrypoint = |path: &str| {
            let read = read_in(project.path(), &format!("[functions.a]\nentrypoint = '{path}'"), "")?;
            Ok::<_, SettingsError>(read.functions["a"].source.as_ref().map(|source| source.entrypoint.clone()))
        };
        assert_eq!(entrypoint("./functions/a/index.ts"), Ok(None));
        std::fs::create_dir_all(project.path().join("functions/a")).unwrap();
        std::fs::write(project.path().join("functions/a/index.ts"), "").unwrap();
        assert_eq!(entrypoint("./functions/a/index.ts"), Ok(Some(project.path().join("functions/a/index.ts"))));
        let refused = entrypoint("./functions/a/mian.ts").unwrap_err().to_string();
        assert!(refused.starts_with("config.toml: functions.a.entrypoint: there is no such file"), "{refused}");
    }

    #[test]
    fn a_project_without_functions_has_none() {
        assert!(read("project_id = 'x'", "").unwrap().functions.is_empty());
    }
}
