//! Reads and writes files in the project's folder. Files are written atomically, and symbolic links are not followed.

use std::fs::{OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use super::ProjectError;

/// Maximum size in bytes of a file that is read.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 20;
/// Prefix and suffix of a temporary file's name, around a random UUID.
const TEMPORARY_PREFIX: &str = ".cloch-";
const TEMPORARY_SUFFIX: &str = ".part";
/// Age from which a temporary file is removed. Writing a file of [`MAX_FILE_BYTES`] takes seconds.
const LEFT_OVER_AGE: Duration = Duration::from_mins(10);

/// Reads a regular file. Returns `None` if the file does not exist or is not a regular file, such as a symbolic link.
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

/// Writes a file atomically: writes a temporary file in the same folder, and renames it to `file`. Each call uses its own temporary file,
/// so that concurrent calls do not fail; the last rename determines the content.
///
/// If the folder is writable for its group, the file is too. Operators and the server can then change each other's files.
pub(crate) fn write(folder: &Path, file: &str, text: &str) -> Result<PathBuf, ProjectError> {
    create_folder(folder).map_err(|error| not_writable(&folder.join(file), &error))?;
    write_with_mode(folder, file, text, 0o644 | (mode_of(folder) & 0o020))
}

/// Creates a missing folder with the group permissions of its parent folder. The umask of the Debian package's service would remove these
/// permissions, so that operators in the group could not read the server's files.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    let of_group = folder.parent().map_or(0, mode_of) & 0o070;
    std::fs::set_permissions(folder, Permissions::from_mode((mode_of(folder) & 0o707) | of_group))
}

fn mode_of(path: &Path) -> u32 {
    std::fs::metadata(path).map_or(0, |about| about.permissions().mode() & 0o777)
}

/// Writes a file as [`write`] does. An existing file keeps its permissions; a new file gets `mode`.
pub(crate) fn replace(folder: &Path, file: &str, text: &str, mode: u32) -> Result<PathBuf, ProjectError> {
    let existing = std::fs::symlink_metadata(folder.join(file)).ok().filter(std::fs::Metadata::is_file);
    write_with_mode(folder, file, text, existing.map_or(mode, |about| about.permissions().mode() & 0o777))
}

/// Whether files can be written in a folder. Tests this by creating and removing a temporary file.
pub(crate) fn is_writable(folder: &Path) -> bool {
    let temporary = temporary_file(folder);
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
    drop(std::fs::remove_file(&temporary));
    created.is_ok()
}

/// Whether files can be written in the subfolder `name` of a project's folder. Writing a file creates a missing subfolder, so then the
/// project's folder must be writable.
pub(crate) fn is_subfolder_writable(project: &Path, name: &str) -> bool {
    let folder = project.join(name);
    if folder.exists() { is_writable(&folder) } else { is_writable(project) }
}

/// Returns the path of a temporary file. Its name is independent of the file that is replaced, because that file's name may already have the
/// maximum length of the file system.
fn temporary_file(folder: &Path) -> PathBuf {
    folder.join(format!("{TEMPORARY_PREFIX}{}{TEMPORARY_SUFFIX}", Uuid::new_v4().simple()))
}

fn write_with_mode(folder: &Path, file: &str, text: &str, mode: u32) -> Result<PathBuf, ProjectError> {
    let path = folder.join(file);
    let temporary = temporary_file(folder);
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        remove_left_over(folder);
        let mut options = OpenOptions::new();
        let mut opened = options.write(true).create_new(true).mode(mode).open(&temporary)?;
        // The permissions are set explicitly, because the process's umask may have removed permissions that the replaced file has.
        opened.set_permissions(Permissions::from_mode(mode))?;
        opened.write_all(text.as_bytes())?;
        opened.sync_all()?;
        std::fs::rename(&temporary, &path)
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) => {
            drop(std::fs::remove_file(&temporary));
            Err(not_writable(&path, &error))
        }
    }
}

/// Removes temporary files of earlier processes that were killed while writing. Files newer than [`LEFT_OVER_AGE`] stay, because another
/// process may still write them.
fn remove_left_over(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY_PREFIX)?.strip_suffix(TEMPORARY_SUFFIX));
        let is_temporary = id.is_some_and(|id| Uuid::try_parse(id).is_ok());
        // For a symbolic link, this metadata describes the link and not its target, so links are not removed.
        let age = || entry.metadata().ok().filter(std::fs::Metadata::is_file)?.modified().ok()?.elapsed().ok();
        if is_temporary && age().is_some_and(|age| age >= LEFT_OVER_AGE) {
            drop(std::fs::remove_file(entry.path()));
        }
    }
}

/// Logs that writing to the project's folder failed (the folder may be mounted read-only), and returns the error for the operator.
pub(crate) fn not_writable(file: &Path, error: &Error) -> ProjectError {
    tracing::warn!(%error, file = %file.display(), "project API: writing or deleting a file of the project folder failed, the file is unchanged, the folder may be mounted read-only");
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

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_a_new_file_gets_the_given_ones() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        replace(folder.path(), ".env.local", "A=1", 0o600).unwrap();
        assert_eq!(mode(".env.local"), 0o600);
        write(folder.path(), "config.toml", "").unwrap();
        std::fs::set_permissions(folder.path().join("config.toml"), Permissions::from_mode(0o660)).unwrap();
        replace(folder.path(), "config.toml", "a = 1", 0o644).unwrap();
        assert_eq!(mode("config.toml"), 0o660);
        assert!(is_writable(folder.path()) && !is_writable(&folder.path().join("missing")));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn a_group_that_may_write_to_the_project_may_write_to_new_files() {
        for (project, folder, file) in [(0o770, 0o070, 0o664), (0o750, 0o050, 0o644)] {
            let place = tempfile::tempdir().unwrap();
            std::fs::set_permissions(place.path(), Permissions::from_mode(project)).unwrap();
            let snippets = place.path().join("snippets");
            let path = write(&snippets, "a.sql", "select 1").unwrap();
            assert_eq!((mode_of(&snippets) & 0o070, mode_of(&path)), (folder, file), "{project:o}");
            assert!(
                is_subfolder_writable(place.path(), "snippets") && is_subfolder_writable(place.path(), "migrations")
            );
        }
        // In this folder of the kernel, nobody can create files.
        let place = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/proc/tty", place.path().join("snippets")).unwrap();
        assert!(!is_subfolder_writable(place.path(), "snippets"));
        assert!(!is_subfolder_writable(&place.path().join("missing"), "snippets"));
    }

    #[test]
    fn concurrent_writers_of_a_file_all_succeed() {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<String> = (0..16).map(|number| number.to_string().repeat(100_000)).collect();
        std::thread::scope(|scope| {
            let path = folder.path();
            let writers: Vec<_> = texts.iter().map(|text| scope.spawn(move || write(path, "a.sql", text))).collect();
            for writer in writers {
                writer.join().unwrap().unwrap();
            }
        });
        assert!(texts.contains(&read(&folder.path().join("a.sql")).unwrap().unwrap()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_long_name_is_no_reason_to_fail() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &format!("{}.sql", "x".repeat(251)), "select 1").unwrap();
    }

    #[test]
    fn left_over_temporary_files_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = || format!("{TEMPORARY_PREFIX}{}{TEMPORARY_SUFFIX}", Uuid::new_v4().simple());
        let (old, new) = (temporary(), temporary());
        for name in [old.as_str(), new.as_str(), ".cloch-notes.part", "b.part"] {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            if name != new {
                file.set_modified(std::time::SystemTime::now() - LEFT_OVER_AGE).unwrap();
            }
        }
        write(folder.path(), "a.sql", "select 1").unwrap();
        for (name, remains) in
            [(old.as_str(), false), (new.as_str(), true), (".cloch-notes.part", true), ("b.part", true)]
        {
            assert_eq!(folder.path().join(name).exists(), remains, "{name}");
        }
    }
}
