//! Files that the dashboard writes into the project's folder. File names have a restricted set of characters, and symbolic links are not
//! followed.

use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::dashboard::ApiError;

/// Maximum length of a file name in characters.
const MAX_NAME_CHARS: usize = 100;
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Accepts file names of letters, digits, spaces, `-` and `_`. Such a name cannot leave its folder, name a hidden file, or contain shell
/// syntax.
pub(super) fn check_name(name: &str) -> Result<(), ApiError> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let is_right = !name.trim().is_empty()
        && name.trim() == name
        && name.chars().count() <= MAX_NAME_CHARS
        && name.chars().all(is_plain);
    match is_right {
        true => Ok(()),
        false => Err(ApiError::bad_request(format!(
            "A name has 1 to {MAX_NAME_CHARS} letters, digits, spaces, \"-\" and \"_\""
        ))),
    }
}

/// Reads a regular file. `None` if the file does not exist or is not a regular file.
pub(in crate::dashboard) fn read(path: &Path) -> Result<Option<String>, ApiError> {
    let failed = |error: Error| ApiError::internal("a file of the project cannot be read", error);
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
        Ok(about) if !about.is_file() => Ok(None),
        Ok(about) if about.len() > MAX_FILE_BYTES => Err(ApiError::too_large("The file is too large")),
        Ok(_) => std::fs::read_to_string(path).map(Some).map_err(failed),
    }
}

/// Writes a file atomically.
pub(in crate::dashboard) fn write(folder: &Path, file: &str, text: &str) -> Result<PathBuf, ApiError> {
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

/// Logs a failed write and returns an error response. The project's folder may be mounted read-only.
pub(super) fn not_writable(error: &Error) -> ApiError {
    tracing::warn!(%error, "dashboard: writing a file of the project folder failed");
    ApiError::conflict("The project's folder cannot be written here")
        .with_code("read_only")
        .with_hint("Copy the SQL into a file of your repository")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_leave_their_folder() {
        for wrong in
            ["", " ", "..", "../a", "a/b", "a\\b", ".a", "a.sql", " a", "a\n", "$(id)", "a;b", &"a".repeat(101)]
        {
            assert!(check_name(wrong).is_err(), "{wrong:?}");
        }
        for right in ["a", "Monthly report", "top_10-users", "größe"] {
            assert!(check_name(right).is_ok(), "{right}");
        }
    }

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
