//! Writes secrets.toml in two steps: first a draft file beside it, then a rename. Between the two steps, a caller can make a change that
//! requires the new secrets, such as storing a password in the database. The change is unlikely to be made without the new secrets, because
//! the rename rarely fails after the draft was written.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::Secrets;
use crate::config::ConfigError;

/// New content of secrets.toml in a draft file beside it. Dropping the value deletes the draft file.
#[derive(Debug)]
pub struct SecretsDraft {
    file: PathBuf,
    draft: PathBuf,
    is_committed: bool,
}

impl Secrets {
    /// Writes secrets.toml atomically, with mode 0600.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), ConfigError> {
        self.draft(file)?.commit()
    }

    /// Writes and syncs the new content of secrets.toml to a draft beside the file, with mode 0600.
    ///
    /// # Errors
    /// When the draft cannot be written.
    pub fn draft(&self, file: &Path) -> Result<SecretsDraft, ConfigError> {
        let text = toml::to_string(self)
            .map_err(|error| ConfigError::Variable { name: file.display().to_string(), message: error.to_string() })?;
        let path = file.with_extension("toml.new");
        let _ = std::fs::remove_file(&path);
        let unwritable = |source| ConfigError::Unreadable { file: file.to_owned(), source };
        let mut options = std::fs::OpenOptions::new();
        let mut out = options.write(true).create_new(true).mode(0o600).open(&path).map_err(unwritable)?;
        let draft = SecretsDraft { file: file.to_owned(), draft: path, is_committed: false };
        let text = format!("# Keep this file secret, and back it up: without it nobody can sign in.\n{text}");
        out.write_all(text.as_bytes()).and_then(|()| out.sync_all()).map_err(unwritable)?;
        Ok(draft)
    }
}

impl SecretsDraft {
    /// Replaces secrets.toml by the draft file. Both files are in the same folder, so the replacement needs no disk space.
    ///
    /// # Errors
    /// When the file cannot be replaced.
    pub fn commit(mut self) -> Result<(), ConfigError> {
        let unwritable = |source| ConfigError::Unreadable { file: self.file.clone(), source };
        std::fs::rename(&self.draft, &self.file).map_err(unwritable)?;
        self.is_committed = true;
        Ok(())
    }
}

impl Drop for SecretsDraft {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = std::fs::remove_file(&self.draft);
        }
    }
}
