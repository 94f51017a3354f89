//! Files in the project's folder. They are written atomically, and symbolic links are not followed.

use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::ProjectError;

/// Maximum size of a file in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Reads a regular file. `None` if the file does not exist or is not a regular file.
pub(crate) fn read(path: &Path) -> Result<Option<String>, ProjectError> {
    let failed = |error: Error| ProjectError::internal("a file of the project cannot be read", error);
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
        Ok(about) if !about.is_file() => Ok(None),
        Ok(about) if about.len() > MAX_FILE_BYTES => Err(ProjectError::TooLarge("The file is too large".to_owned())),
        Ok(_) => std::fs::read_to_string(path).map(Some).map_err(failed),
    }
}

/// Writes a file atomically.
pub(crate) fn write(folder: &Path, file: &str, text: &str) -> Result<PathBuf, ProjectError> {
    let path = folder.join(file);
    let temporary = folder.join(format!(".{file}.{}.part", std::process::id()));
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut options = std::fs::OpenOptions::new();
        let mut opened = options.write(true).create_new(true).mode(0o644).open(&temporary)?;
        opened.write_all(text.as_bytes())?;
        opened.sync_all()?;
        std::fs::rename(&temporary, &path)
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) => {
            drop(std::fs::remove_file(&temporary));
            Err(not_writable(&error))
        }
    }
}

/// Logs a failed write. The project's folder may be mounted read-only.
pub(crate) fn not_writable(error: &Error) -> ProjectError {
    tracing::warn!(%error, "project: writing a file of the project folder failed");
    ProjectError::NotWritable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_whole_and_links_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let snippets = folder.path().join("snippets");
        let path = write(&snippets, "a.sql", "select 1").unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("select 1"));
        assert_eq!(std::fs::read_dir(&snippets).unwrap().count(), 1);
        std::os::unix::fs::symlink("/etc/hostname", snippets.join("b.sql")).unwrap();
        assert_eq!(read(&snippets.join("b.sql")).unwrap(), None);
        assert_eq!(read(&snippets.join("c.sql")).unwrap(), None);
    }
}
