//! Both files of a project, read as far as its paths and its `env()` may lead.

use std::path::Path;

use super::env_files::EnvFiles;
use super::env_policy::EnvPolicy;
use super::project_paths::{self, ProjectPaths};
use super::{ConfigError, TomlFile};

/// config.toml, cloch.toml, and the warnings of their `.env` files. Nothing is read before the folder's links are known to stay in the project; the data folder, which has links
/// of its own, may be below it.
pub(super) fn read(
    project: &Path,
    data: &Path,
    environment: &impl Fn(&str) -> Option<String>,
) -> Result<(TomlFile, TomlFile, Vec<String>), ConfigError> {
    let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
    let paths = ProjectPaths::new(project, variable("CLOCH_ALLOW_PATHS").as_deref())?;
    project_paths::check_folder(&paths, data)?;
    let policy = EnvPolicy::read(variable);
    let env_files = EnvFiles::read(project, environment)?;
    let allowed = policy.of_process(environment);
    let fill_in = |name: &str| allowed(name).or_else(|| env_files.lookup(name));
    let config = TomlFile::read(&project.join("config.toml"), fill_in)?;
    let cloch = TomlFile::read(&project.join("cloch.toml"), fill_in)?;
    [&config, &cloch].into_iter().try_for_each(|file| policy.check(file, environment))?;
    project_paths::check(&paths, &config, &cloch)?;
    Ok((config, cloch, env_files.warnings()))
}
