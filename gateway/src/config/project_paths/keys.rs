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

/// Keys with paths in config.toml; `*` matches any name. Paths that Cloch does not read are in `UNREAD`.
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
/// Keys for files that only the server itself reads and never shows. These files may be in the data folder.
const PRIVATE: [&str; 4] =
    ["auth.signing_keys_path", "server.tls.certificate", "server.tls.key", "server.acme.root_certificate"];
/// Keys of config.toml with paths of files that Cloch does not read: settings without effect, and files that only the CLI reads.
#[cfg(test)]
const UNREAD: [&str; 5] = [
    "analytics.gcp_jwt_path",
    "api.tls.cert_path",
    "api.tls.key_path",
    "db.migrations.schema_paths",
    "experimental.pgdelta.declarative_schema_path",
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
                let checked = match PRIVATE.contains(pattern) {
                    true => paths.resolve_own(Path::new(&value)).map(drop),
                    false => one(paths, *kind, &value),
                };
                checked.map_err(|message| file.refuse(&key, &message))?;
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
            let folder = paths.resolve_tree(Path::new(value))?;
            links::leading_out(paths, &folder, None, None).map_or(Ok(()), |(_, reason)| Err(reason))
        }
        Kind::Target => match folder_of_url(value)? {
            Some(folder) => paths.resolve_own(&folder).map(drop),
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
    found.iter().try_for_each(|file| match double_star {
        DoubleStar::OneFolder => paths.resolve(file).map(drop),
        // A pattern for any number of folders also matches files of a data folder inside the repository. Functions do not get these files
        // (`Source::static_files`).
        DoubleStar::AnyDepth => paths.resolve_own(file).map(drop),
    })
}

/// A path that a key names.
pub(super) struct NamedPath {
    pub(super) key: String,
    pub(super) path: PathBuf,
    /// Whether the server writes to the path.
    pub(super) is_written: bool,
}

/// Returns the absolute paths of all keys in config.toml and cloch.toml. For a pattern, returns its fixed part and each match.
pub(super) fn named_paths(paths: &ProjectPaths, [config, cloch]: [&TomlFile; 2]) -> Vec<NamedPath> {
    let mut found = Vec::new();
    for (file, keys) in [(config, CONFIG_TOML.as_slice()), (cloch, CLOCH_TOML.as_slice())] {
        for (pattern, kind) in keys {
            for (key, value) in values(file, pattern) {
                let named = used_paths(paths, *kind, &value).into_iter();
                found.extend(named.map(|path| NamedPath {
                    key: key.clone(),
                    path: paths.project.join(path),
                    is_written: *kind == Kind::Target,
                }));
            }
        }
    }
    found
}

fn used_paths(paths: &ProjectPaths, kind: Kind, value: &str) -> Vec<PathBuf> {
    match kind {
        Kind::Tree if value == EMBEDDED_APP => Vec::new(),
        Kind::File | Kind::Tree => vec![PathBuf::from(value)],
        Kind::Target => folder_of_url(value).ok().flatten().into_iter().collect(),
        Kind::Template => {
            let above = paths.project.parent().map(|above| above.join(value)).filter(|file| file.exists());
            vec![above.unwrap_or_else(|| PathBuf::from(value))]
        }
        // `check` refuses patterns that are not valid.
        Kind::Pattern(double_star) => Pattern::parse(value, double_star).map_or_else(
            |_| Vec::new(),
            |pattern| {
                let matches = pattern.files(&paths.project).unwrap_or_default();
                [pattern.fixed_prefix()].into_iter().chain(matches).collect()
            },
        ),
    }
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
    use std::collections::BTreeSet;

    use super::*;

    /// Keys of config.toml that the Supabase CLI knows.
    const CLI_KEYS: &str = include_str!("../tests/cli_keys.txt");
    /// Every key of cloch.toml. A test of the documentation generates the page from the types that read the file.
    const REFERENCE: &str = include_str!("../../../../docs/configuration.md");
    /// Keys whose value is not a path.
    const WITHOUT_PATH: &str = include_str!("keys_without_path.txt");

    /// Keys of cloch.toml with values that can contain a path: texts, lists of texts, tables, and unions of them.
    fn keys_of_cloch_toml() -> Vec<String> {
        let (mut section, mut found) = (None, Vec::new());
        for line in REFERENCE.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                let name = title.trim_matches('`').strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                section = name.map(|name| name.replace("<name>", "*").trim_matches(['[', ']']).to_owned());
            } else if let (Some(section), Some(row)) = (&section, line.strip_prefix("| `")) {
                let mut cells = row.split(" | ");
                let key = cells.next().unwrap_or_default().trim_end_matches('`');
                let value = cells.next().unwrap_or_default();
                if !matches!(value, "number" | "true or false" | "size" | "list of networks" | "secret") {
                    found.push(format!("{section}.{key}"));
                }
            }
        }
        found
    }

    /// Whether a key is the one of the table, in which `*` stands for any name.
    fn is_same(pattern: &str, key: &str) -> bool {
        let (pattern, key): (Vec<&str>, Vec<&str>) = (pattern.split('.').collect(), key.split('.').collect());
        pattern.len() == key.len() && pattern.iter().zip(&key).all(|(part, name)| *part == "*" || part == name)
    }

    /// A new key fails this test until its value was classified as a path or not.
    #[test]
    fn every_key_is_classified_as_a_path_or_not() {
        let without: BTreeSet<&str> = WITHOUT_PATH.lines().filter(|line| !line.starts_with('#')).collect();
        let of_cloch = keys_of_cloch_toml();
        let of_config = CLI_KEYS.lines().filter(|line| !line.starts_with('#'));
        assert!(of_cloch.len() > 40, "{of_cloch:?}");
        let (mut known, mut problems) = (BTreeSet::new(), Vec::new());
        let all =
            of_config.map(|key| ("config.toml", key)).chain(of_cloch.iter().map(|key| ("cloch.toml", key.as_str())));
        for (file, key) in all {
            let table = if file == "config.toml" { CONFIG_TOML.as_slice() } else { CLOCH_TOML.as_slice() };
            let is_path =
                table.iter().any(|(path, _)| is_same(path, key)) || (file == "config.toml" && UNREAD.contains(&key));
            let line = format!("{file} {key}");
            if is_path == without.contains(line.as_str()) {
                problems.push(line.clone());
            }
            known.insert(line);
        }
        problems
            .extend(without.iter().filter(|line| !known.contains(**line)).map(|line| format!("{line}: no such key")));
        assert!(problems.is_empty(), "not classified, or twice:\n{}", problems.join("\n"));
        let named = CONFIG_TOML.iter().map(|(key, _)| format!("config.toml {key}"));
        let named = named.chain(CLOCH_TOML.iter().map(|(key, _)| format!("cloch.toml {key}")));
        for line in named.chain(UNREAD.iter().map(|key| format!("config.toml {key}"))) {
            assert!(known.contains(&line), "{line} is no key");
        }
    }

    #[test]
    fn every_key_with_a_path_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let paths = ProjectPaths::new(&project, &folder.path().join("data"), None).unwrap();
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
        // The data folder is inside the repository. Here, the repository is the project itself.
        let paths = ProjectPaths::new(&project, &project.join("data"), None).unwrap();
        for (key, kind) in CONFIG_TOML.iter().chain(&CLOCH_TOML) {
            let value = Value::Array(vec!["./data/secrets.toml".into()]);
            let (section, name) = key.rsplit_once('.').unwrap();
            let file = read("x.toml", format!("[{}]\n{name} = {value}\n", section.replace('*', "a")));
            let (config, cloch) =
                if CONFIG_TOML.iter().any(|(known, _)| known == key) { (file, none()) } else { (none(), file) };
            let is_closed =
                check(&paths, &config, &cloch).is_err_and(|error| error.to_string().contains("in the data folder"));
            assert_eq!(is_closed, *kind != Kind::Target && !PRIVATE.contains(key), "{key}");
        }
        for above in [".", "./"] {
            let file = read("x.toml", format!("[web]\napp = {above:?}\n"));
            let error = check(&paths, &none(), &file).unwrap_err().to_string();
            assert!(error.contains("the data folder of the server with its secrets"), "{error}");
        }
        let file = read("x.toml", "[backup]\nto = \"s3://bucket/prefix\"\n[web]\napp = \"embedded\"\n".to_owned());
        assert!(check(&paths, &none(), &file).is_ok());
    }
}
