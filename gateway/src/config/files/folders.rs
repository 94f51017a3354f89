//! Finds the project folder and the data folder.

use std::path::{Path, PathBuf};

use cloch_core::project_root;

use crate::config::{ConfigError, Flags};

/// Names of a project folder inside the folder of an application, in order of precedence.
const PROJECT_FOLDERS: [&str; 2] = ["supabase-config", "supabase"];
/// Subfolders of a project: a folder with one of these subfolders is a project folder even without config.toml, as with the Supabase CLI.
const PARTS: [&str; 3] = ["migrations", "functions", "schemas"];

/// Returns the absolute path of the project folder: the folder of `--project`, or the nearest project folder from the current folder up to
/// the root of its repository.
pub(in crate::config) fn project_folder(flags: &Flags) -> Result<PathBuf, ConfigError> {
    let refused = |message: String| ConfigError::Variable { name: "--project".into(), message };
    let found = match &flags.project {
        Some(folder) if !folder.is_dir() => return Err(refused(format!("{} is not a folder", folder.display()))),
        Some(folder) => named(folder).ok_or_else(|| {
            refused(format!(
                "{0} contains no config.toml and no migrations, and neither does a folder supabase/ in it; `cloch init {0}` creates a new \
                 project there",
                folder.display()
            ))
        })?,
        None => {
            let current = std::env::current_dir().map_err(|error| refused(format!("the current folder: {error}")))?;
            nearest(&current).ok_or_else(|| {
                refused(format!(
                    "no project found in {} or above it: change to the folder that contains supabase/, name the folder with --project, or \
                     create a project with `cloch init`",
                    current.display()
                ))
            })?
        }
    };
    std::path::absolute(&found).map_err(|source| ConfigError::Unreadable { file: found, source })
}

/// Returns `folder` if it is a project folder, otherwise the project folder in it. `None` if neither is a project folder.
fn named(folder: &Path) -> Option<PathBuf> {
    if folder.join("config.toml").exists() {
        return Some(folder.to_owned());
    }
    inside(folder).or_else(|| has_parts(folder).then(|| folder.to_owned()))
}

/// Returns the project folder that is nearest to `current`. Searches `current` and its parent folders up to the root of the repository.
fn nearest(current: &Path) -> Option<PathBuf> {
    let root = project_root::of(current);
    let up_to_root = current.ancestors().take_while(|folder| folder.starts_with(&root) || *folder == current);
    up_to_root.into_iter().find_map(|folder| {
        // config.toml alone is not enough, because other programs have a config.toml too.
        let is_project = folder.join("config.toml").exists() && (has_parts(folder) || is_named_usually(folder));
        inside(folder).or_else(|| is_project.then(|| folder.to_owned()))
    })
}

/// Returns the project folder in `folder` that has one of the names [`PROJECT_FOLDERS`]. A folder with config.toml takes precedence over a
/// folder without config.toml.
fn inside(folder: &Path) -> Option<PathBuf> {
    let usual = || PROJECT_FOLDERS.iter().map(|name| folder.join(name));
    usual().find(|folder| folder.join("config.toml").exists()).or_else(|| usual().find(|folder| has_parts(folder)))
}

fn has_parts(folder: &Path) -> bool {
    PARTS.iter().any(|name| folder.join(name).is_dir()) || folder.join("seed.sql").is_file()
}

fn is_named_usually(folder: &Path) -> bool {
    folder.file_name().is_some_and(|own| PROJECT_FOLDERS.iter().any(|name| own == *name))
}

pub(in crate::config) fn data_folder(flags: &Flags, variable: Option<String>, project: &Path) -> PathBuf {
    let wanted = flags
        .data
        .clone()
        .or_else(|| variable.map(PathBuf::from))
        .unwrap_or_else(|| project.parent().unwrap_or(project).join(".cloch"));
    std::path::absolute(&wanted).unwrap_or(wanted)
}

pub(in crate::config) fn folder_name(project: &Path) -> String {
    let own = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_usual = PROJECT_FOLDERS.contains(&own.as_str());
    match project.parent().and_then(Path::file_name) {
        Some(parent) if is_usual => parent.to_string_lossy().into_owned(),
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Creates files, with their folders, below a new folder that is the root of a repository.
    fn repository(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files.iter().chain([&".git/HEAD"]) {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    fn nearest_from(root: &tempfile::TempDir, current: &str) -> Option<String> {
        let current = root.path().canonicalize().unwrap().join(current);
        fs::create_dir_all(&current).unwrap();
        let found = nearest(&current)?;
        Some(found.strip_prefix(root.path().canonicalize().unwrap()).unwrap().to_string_lossy().into_owned())
    }

    #[test]
    fn the_nearest_project_up_to_the_repositorys_root_is_found() {
        let app = repository(&["supabase/config.toml", "supabase/migrations/1.sql", "src/index.ts"]);
        for current in ["", "src", "src/deep/er", "supabase", "supabase/migrations"] {
            assert_eq!(nearest_from(&app, current).as_deref(), Some("supabase"), "{current}");
        }
        let monorepo = repository(&["apps/web/supabase/migrations/1.sql", "apps/other/index.ts", "config.toml"]);
        assert_eq!(
            nearest_from(&monorepo, "apps/web/src").as_deref(),
            Some("apps/web/supabase"),
            "without config.toml"
        );
        assert_eq!(nearest_from(&monorepo, "apps/other"), None, "config.toml of another program");
        let renamed = repository(&["backend/config.toml", "backend/migrations/1.sql"]);
        assert_eq!(nearest_from(&renamed, "backend").as_deref(), Some("backend"));
        let both = repository(&["supabase/migrations/1.sql", "supabase-config/config.toml"]);
        assert_eq!(nearest_from(&both, "").as_deref(), Some("supabase-config"));
    }

    #[test]
    fn the_search_ends_at_the_repositorys_root() {
        let outer = repository(&["supabase/config.toml", "inner/.git/HEAD"]);
        assert_eq!(nearest_from(&outer, "inner/src"), None);
    }

    #[test]
    fn a_named_folder_is_the_project_or_contains_it() {
        let app =
            repository(&["web/supabase/config.toml", "bare/migrations/1.sql", "empty/index.ts", "plain/config.toml"]);
        let of =
            |name: &str| named(&app.path().join(name)).map(|found| found.strip_prefix(app.path()).unwrap().to_owned());
        assert_eq!(of("web"), Some(PathBuf::from("web/supabase")));
        assert_eq!(of("bare"), Some(PathBuf::from("bare")));
        assert_eq!(of("plain"), Some(PathBuf::from("plain")));
        assert_eq!(of("empty"), None);
    }
}
