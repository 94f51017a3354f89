//! Checks the paths in config.toml and cloch.toml: a table of all keys with paths, and the check for each kind of path.

use std::path::{Path, PathBuf};

use cloch_core::glob::{DoubleStar, Pattern};
use toml::{Table, Value};

use super::{ProjectPaths, links};
use crate::config::{ConfigError, TomlFile};

/// How the server uses a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The path is a file that the server reads.
    File,
    /// The path is a folder that the server reads with all its content.
    Tree,
    /// The path is a folder to which the server writes.
    Target,
    /// The value is a glob pattern for files.
    Pattern(DoubleStar),
    /// A mail template: a file relative to the parent folder of the project or, if it does not exist there, relative to the project (the
    /// CLI's rule).
    Template,
}

/// Keys with paths in config.toml; `*` matches any name. Excluded: `api.tls`, `analytics` and `experimental`, whose files no code reads,
/// and `db.migrations.schema_paths`, which only the CLI reads.
const CONFIG_TOML: [(&str, Kind); 8] = [
    ("db.seed.sql_paths", Kind::Pattern(DoubleStar::OneFolder)),
    ("storage.buckets.*.objects_path", Kind::Tree),
    ("auth.signing_keys_path", Kind::File),
    ("auth.email.template.*.content_path", Kind::Template),
    ("auth.email.notification.*.content_path", Kind::Template),
    ("functions.*.entrypoint", Kind::File),
    ("functions.*.import_map", Kind::File),
    ("functions.*.static_files", Kind::Pattern(DoubleStar::AnyDepth)),
];
/// Keys with paths in cloch.toml; `*` matches any name.
const CLOCH_TOML: [(&str, Kind); 7] = [
    ("web.app", Kind::Tree),
    ("seed.objects", Kind::Tree),
    ("storage.folder", Kind::Target),
    ("backup.to", Kind::Target),
    ("server.tls.certificate", Kind::File),
    ("server.tls.key", Kind::File),
    ("server.acme.root_certificate", Kind::File),
];
/// Value of `[web] app` that is not a path.
const EMBEDDED_APP: &str = "embedded";

/// Checks all paths in config.toml and cloch.toml.
///
/// # Errors
/// Returns an error for the first path that leads outside of the allowed folders. The error names file, line and key.
pub(in crate::config) fn check(paths: &ProjectPaths, config: &TomlFile, cloch: &TomlFile) -> Result<(), ConfigError> {
    for (file, keys) in [(config, CONFIG_TOML.as_slice()), (cloch, CLOCH_TOML.as_slice())] {
        for (pattern, kind) in keys {
            for (key, value) in values(file, pattern) {
                one(paths, *kind, &value).map_err(|message| file.refuse(&key, &message))?;
            }
        }
    }
    Ok(())
}

fn one(paths: &ProjectPaths, kind: Kind, value: &str) -> Result<(), String> {
    match kind {
        Kind::File => paths.resolve(Path::new(value)).map(drop),
        Kind::Tree if value == EMBEDDED_APP => Ok(()),
        Kind::Tree => {
            let folder = paths.resolve(Path::new(value))?;
            links::leading_out(paths, &folder, None, None).map_or(Ok(()), |(_, reason)| Err(reason))
        }
        Kind::Target => match folder_of_url(value)? {
            Some(folder) => paths.resolve(&folder).map(drop),
            None => Ok(()),
        },
        Kind::Pattern(double_star) => pattern(paths, value, double_star),
        Kind::Template => {
            let above = paths.project.parent().map(|above| above.join(value)).filter(|file| file.exists());
            above.map_or(Ok(()), |file| paths.resolve(&file).map(drop))?;
            paths.resolve(Path::new(value)).map(drop)
        }
    }
}

/// Returns the folder that a path or `file://` URL names; `None` for URLs with other schemes.
fn folder_of_url(value: &str) -> Result<Option<PathBuf>, String> {
    match value.split_once("://") {
        None => Ok(Some(PathBuf::from(value))),
        Some(("file", _)) => {
            let url = url::Url::parse(value).map_err(|error| error.to_string())?;
            url.to_file_path().map(Some).map_err(|()| format!("{value:?} names no folder of this machine"))
        }
        Some(_) => Ok(None),
    }
}

/// Checks a glob pattern: it is valid, its fixed prefix is an allowed path, no `..` follows a wildcard, and no matching file is a link to a
/// path that is not allowed.
fn pattern(paths: &ProjectPaths, value: &str, double_star: DoubleStar) -> Result<(), String> {
    let pattern = Pattern::parse(value, double_star).map_err(|error| error.to_string())?;
    paths.resolve(&pattern.fixed_prefix())?;
    let found = pattern.files(&paths.project).map_err(|error| format!("{value:?}: {error}"))?;
    found.iter().try_for_each(|file| paths.resolve(file).map(drop))
}

/// Returns the keys that match `pattern`, with their string values.
fn values(file: &TomlFile, pattern: &str) -> Vec<(String, String)> {
    let (section, rest) = pattern.split_once('.').unwrap_or((pattern, ""));
    let mut found = Vec::new();
    collect(&file.table(section), section, rest, &mut found);
    found
}

fn collect(table: &Table, at: &str, pattern: &str, found: &mut Vec<(String, String)>) {
    let (name, rest) = pattern.split_once('.').unwrap_or((pattern, ""));
    let chosen = table.iter().filter(|(key, _)| name == "*" || *key == name);
    for (key, value) in chosen {
        let key = format!("{at}.{key}");
        match value {
            Value::Table(inner) if !rest.is_empty() => collect(inner, &key, rest, found),
            Value::String(text) if rest.is_empty() && !text.is_empty() => found.push((key, text.clone())),
            Value::Array(list) if rest.is_empty() => {
                let texts = list.iter().filter_map(Value::as_str);
                found.extend(texts.map(|text| (key.clone(), text.to_owned())));
            }
            // Values of other types are not paths; the deserializer of the key refuses them.
            _ => {}
        }
    }
}

/// Refuses the project if a symbolic link in its folder, or a linked `.env` file in the parent folder, leads outside of the allowed folders.
/// Skips the data folder. If the project's migrations folder is a link to a path that does not exist, returns the path of this link.
pub(in crate::config) fn check_folder(paths: &ProjectPaths, data: &Path) -> Result<Option<PathBuf>, ConfigError> {
    let nowhere = links::migrations_to_nowhere(paths);
    let link = links::leading_out(paths, &paths.project, Some(data), nowhere.as_deref());
    match link.or_else(|| links::among_variables(paths)) {
        Some((link, reason)) => Err(ConfigError::Variable { name: link.display().to_string(), message: reason }),
        None => Ok(nowhere),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_with_a_path_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let paths = ProjectPaths::new(&project, None).unwrap();
        let read = |name: &str, text: String| TomlFile::parse(Path::new(name), text, |_| None).unwrap();
        let none = || read("config.toml", String::new());
        for (key, _) in CONFIG_TOML.iter().chain(&CLOCH_TOML) {
            let (section, name) = key.rsplit_once('.').unwrap();
            let section = section.replace('*', "a");
            for outside in ["/etc/hostname", "../../x", "file:///etc/x"] {
                let is_url = outside.contains("://");
                if is_url && *key != "backup.to" {
                    continue;
                }
                let value = if name.ends_with('s') && *key != "seed.objects" {
                    format!("[{outside:?}]")
                } else {
                    format!("{outside:?}")
                };
                let file = read("x.toml", format!("[{section}]\n{name} = {value}\n"));
                let (config, cloch) =
                    if CONFIG_TOML.iter().any(|(known, _)| known == key) { (file, none()) } else { (none(), file) };
                let error = check(&paths, &config, &cloch).unwrap_err().to_string();
                assert!(
                    error.contains("x.toml, line 2: ") && error.contains("CLOCH_ALLOW_PATHS"),
                    "{key} {outside}: {error}"
                );
            }
        }
        let file = read("x.toml", "[functions.a]\nstatic_files = [\"./functions/*/../../../etc/*\"]\n".to_owned());
        assert!(check(&paths, &file, &none()).unwrap_err().to_string().contains("behind a wildcard"));
        let file = read("x.toml", "[db.seed]\nsql_paths = [\"./seeds/**.sql\", \"./seeds/[0-.sql\"]\n".to_owned());
        let error = check(&paths, &file, &none()).unwrap_err().to_string();
        assert!(error.contains("db.seed.sql_paths: \"./seeds/[0-.sql\" is not a valid pattern"), "{error}");
        let file = read("x.toml", "[backup]\nto = \"s3://bucket/prefix\"\n[web]\napp = \"embedded\"\n".to_owned());
        assert!(check(&paths, &none(), &file).is_ok());
    }
}
