//! Reads the configuration that a project would have if its files were changed. Uses the same code as the server's start.

use std::path::PathBuf;

use cloch_core::Secret;

use super::files::env_files::EnvFiles;
use super::files::env_policy::EnvPolicy;
use super::{Config, ConfigError, KeyOverrides, LiveKeys, Tables};

/// New content of a project's files. For a field that is `None`, the file on disk is read.
#[derive(Debug, Default)]
pub(crate) struct ChangedFiles {
    /// New text of config.toml.
    pub(crate) config_toml: Option<Secret>,
    /// New text of cloch.toml.
    pub(crate) cloch_toml: Option<Secret>,
    /// New text of `.env.local` in the project's folder.
    pub(crate) env_local: Option<Secret>,
    /// Parsed tables that replace the content of config.toml and cloch.toml.
    pub(crate) tables: Option<Tables>,
    /// Keys of the running server, which replace those of this process's environment and of config.toml.
    pub(crate) keys_in_use: Option<KeyOverrides>,
}

/// Source of the value of a variable in `env(NAME)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VariableSource {
    /// The environment of this process.
    Process,
    /// A `.env` file.
    File(PathBuf),
}

impl Config {
    /// Reads the configuration that the server would have after a restart with the changed files.
    pub(crate) fn next(&self, changed: &ChangedFiles) -> Result<Self, ConfigError> {
        Self::read_changed(&self.flags, |name| std::env::var(name).ok(), changed)
    }

    /// Returns the configuration of the running server, in which the keys that need no restart have the values of `next`.
    ///
    /// # Errors
    /// When the new values are invalid in combination with the current values of the other keys.
    pub(crate) fn with_live_values_of(&self, next: &Self) -> Result<Self, ConfigError> {
        let tables = self.tables.with_live(&next.tables, &LiveKeys::of(self, next));
        let mut config = self.next(&ChangedFiles { tables: Some(tables), ..ChangedFiles::default() })?;
        // Keeps the port on which the database listens: when the server started, it may have chosen another port than the one that the
        // files configure.
        config.database = self.database.clone();
        Ok(config)
    }

    /// Returns where the value of `env(NAME)` in the project's files comes from; `None` if the variable is not set.
    ///
    /// # Errors
    /// When a `.env` file cannot be read.
    pub(crate) fn variable_source(&self, name: &str) -> Result<Option<VariableSource>, ConfigError> {
        let environment = |name: &str| std::env::var(name).ok();
        let policy = EnvPolicy::read(|name| environment(name).filter(|value| !value.is_empty()));
        if policy.of_process(&environment)(name).is_some_and(|value| !value.is_empty()) {
            return Ok(Some(VariableSource::Process));
        }
        let files = EnvFiles::read(&self.project, environment, None)?;
        Ok(files.file_of(name).map(|file| VariableSource::File(file.to_owned())))
    }
}
