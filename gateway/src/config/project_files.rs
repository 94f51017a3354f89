//! Reads config.toml and cloch.toml, and checks the paths and `env()` references of the two files.

use std::path::Path;

use cloch_core::Secret;

use super::files::env_files::EnvFiles;
use super::files::env_policy::EnvPolicy;
use crate::config::changed_files::ChangedFiles;
use crate::config::project_paths::{self, ProjectPaths};
use crate::config::{ConfigError, TomlFile};

/// Returns config.toml, cloch.toml (with the texts of `changed`, if it contains any) and the warnings of their `.env` files. The links in the project's folder are checked before any file is
/// read. The data folder contains links of its own and may be in the project's folder, so it is excluded from the check.
pub(super) fn read(
    project: &Path,
    data: &Path,
    environment: &impl Fn(&str) -> Option<String>,
    changed: &ChangedFiles,
) -> Result<(TomlFile, TomlFile, Vec<String>), ConfigError> {
    let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
    let paths = ProjectPaths::new(project, variable("CLOCH_ALLOW_PATHS").as_deref())?;
    project_paths::check_folder(&paths, data)?;
    let policy = EnvPolicy::read(variable);
    let env_files = EnvFiles::read(project, environment, changed.env_local.as_ref().map(Secret::expose))?;
    let allowed = policy.of_process(environment);
    let fill_in = |name: &str| allowed(name).or_else(|| env_files.lookup(name));
    let read = |name: &str, changed: &Option<Secret>| match changed {
        Some(text) => TomlFile::parse(&project.join(name), text.expose().to_owned(), fill_in),
        None => TomlFile::read(&project.join(name), fill_in),
    };
    let config = read("config.toml", &changed.config_toml)?;
    let cloch = read("cloch.toml", &changed.cloch_toml)?;
    [&config, &cloch].into_iter().try_for_each(|file| policy.check(file, environment))?;
    project_paths::check(&paths, &config, &cloch)?;
    Ok((config, cloch, env_files.warnings()))
}
