//! Reads config.toml and cloch.toml, and checks the paths and `env()` references of the two files.

use std::path::Path;

use cloch_core::Secret;

use super::files::env_files::EnvFiles;
use super::files::env_policy::EnvPolicy;
use crate::config::changed_files::ChangedFiles;
use crate::config::project_paths::outside::{self, OutsidePath};
use crate::config::project_paths::{self, ProjectPaths};
use crate::config::{ConfigError, TomlFile};

/// config.toml and cloch.toml of a project, with the warnings from reading them.
pub(super) struct ProjectFiles {
    pub config: TomlFile,
    pub cloch: TomlFile,
    /// Warnings about skipped lines and links of `.env` files, and about a migrations folder that is a link to a missing path.
    pub warnings: Vec<String>,
    /// Whether migrations may be read from the project's folder: false if the folder is a link to a path that does not exist.
    pub has_migrations: bool,
    /// Paths outside of the project's folder and the data folder that the configuration names.
    pub outside: Vec<OutsidePath>,
}

/// Reads config.toml and cloch.toml; texts in `changed` replace the content of the files. The links in the project's folder are checked
/// before any file is read. The check skips the data folder, which may be in the project's folder and contains links that the server has
/// created.
pub(super) fn read(
    project: &Path,
    data: &Path,
    environment: &impl Fn(&str) -> Option<String>,
    changed: &ChangedFiles,
) -> Result<ProjectFiles, ConfigError> {
    let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
    let paths = ProjectPaths::new(project, data, variable("CLOCH_ALLOW_PATHS").as_deref())?;
    let nowhere = project_paths::check_folder(&paths, data)?;
    let policy = EnvPolicy::read(variable);
    let env_files = EnvFiles::read(project, environment, changed.env_local.as_ref().map(Secret::expose))?;
    let allowed = policy.of_process(environment);
    let fill_in = |name: &str| allowed(name).or_else(|| env_files.lookup(name));
    let read = |name: &str, changed: &Option<Secret>| match changed {
        Some(text) => TomlFile::parse(&project.join(name), text.expose().to_owned(), fill_in),
        None => TomlFile::read(&project.join(name), fill_in),
    };
    let mut config = read("config.toml", &changed.config_toml)?;
    let mut cloch = read("cloch.toml", &changed.cloch_toml)?;
    [&config, &cloch].into_iter().try_for_each(|file| policy.check(file, environment))?;
    project_paths::check(&paths, &config, &cloch)?;
    if let Some(tables) = &changed.tables {
        tables.replace_in(&mut config, &mut cloch);
    }
    let mut outside = outside::list(&paths, [&config, &cloch], data, variable);
    let inside = outside::Inside::new(project, data);
    for file in env_files.read_files() {
        inside.list(&mut outside, "variables of the project", file, false);
    }
    let mut warnings = env_files.warnings();
    warnings.extend(nowhere.as_deref().map(without_migrations));
    Ok(ProjectFiles { config, cloch, warnings, has_migrations: nowhere.is_none(), outside })
}

fn without_migrations(folder: &Path) -> String {
    let target = folder.read_link().unwrap_or_default();
    format!(
        "{} is a link to {}, which does not exist: the project has no migrations. Put the folder itself in its place",
        folder.display(),
        target.display()
    )
}
