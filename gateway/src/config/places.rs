//! Paths of the files and folders in the data folder.

use std::path::PathBuf;

use super::Config;

impl Config {
    /// Returns the path of secrets.toml, which stores the project's keys and passwords.
    #[must_use]
    pub fn secrets_file(&self) -> PathBuf {
        self.data.join("secrets.toml")
    }

    /// Returns the folder for the packages, versions and logs of the project's own functions.
    #[must_use]
    pub fn functions_folder(&self) -> PathBuf {
        self.data.join("functions")
    }

    /// Returns the folder of uploaded files if the files are not stored on an S3 server.
    #[must_use]
    pub fn objects_folder(&self) -> PathBuf {
        self.cloch.storage.folder.clone().unwrap_or_else(|| self.data.join("objects"))
    }

    /// Whether the server applies the migrations of the project's folder when it starts.
    #[must_use]
    pub fn applies_migrations(&self) -> bool {
        self.file.db.migrations.enabled && self.has_migrations
    }
}
