//! The data folder belongs to one running program at a time.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataFolderError {
    /// Another program has it.
    #[error(
        "another cloch{} uses the data folder {}: stop it, or give this one a folder of its own with --data",
        holder.as_ref().map_or_else(String::new, |pid| format!(" (process {pid})")), folder.display()
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
        /// The other's process id, where it is known.
        holder: Option<String>,
    },
    /// It cannot be made or written.
    #[error("the data folder {}: {source}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
}

/// Holds the folder until it is dropped; the system lets it go when the program dies.
#[derive(Debug)]
pub struct DataFolder {
    _lock: File,
}

impl DataFolder {
    /// Makes the folder if needed and takes it.
    ///
    /// # Errors
    /// When another program has it, or it cannot be written.
    pub fn take(folder: &Path) -> Result<Self, DataFolderError> {
        let io = |source| DataFolderError::Io { folder: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        let path = folder.join("cloch.lock");
        let mut lock = File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _ = lock.read_to_string(&mut pid);
                let holder = Some(pid.trim().to_owned()).filter(|pid| !pid.is_empty());
                return Err(DataFolderError::InUse { folder: folder.to_owned(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        lock.set_len(0).and_then(|()| lock.rewind()).map_err(io)?;
        writeln!(lock, "{}", std::process::id()).map_err(io)?;
        Ok(Self { _lock: lock })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_second_program_is_refused_until_the_first_ends() {
        let folder = std::env::temp_dir().join(format!("cloch-lock-{}", uuid::Uuid::new_v4().simple()));
        let first = DataFolder::take(&folder).unwrap();
        let error = DataFolder::take(&folder).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(first);
        assert!(DataFolder::take(&folder).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
