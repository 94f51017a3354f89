//! The lock file while Deno writes it. If Deno runs in a separate account, it writes a copy of the lock file in a folder of this account.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Maximum size in bytes of a lock file that Deno has written.
pub(super) const MAX_LOCK_BYTES: u64 = 64 << 20;

/// The lock file that Deno reads and writes.
pub(super) struct LockCopy {
    lock: PathBuf,
    /// Folder with the copy; `None` if Deno writes the lock file itself.
    folder: Option<PathBuf>,
}

impl LockCopy {
    /// Copies the lock file, if it exists, to a new folder in `made` that belongs to `account`. Without `account`, Deno uses the lock file
    /// itself.
    pub(super) fn make(made: &Path, lock: &Path, account: Option<u32>) -> io::Result<Self> {
        let Some(id) = account else { return Ok(Self { lock: lock.to_owned(), folder: None }) };
        let folder = made.join("lock");
        remove(&folder)?;
        std::fs::create_dir(&folder)?;
        let made = Self { lock: lock.to_owned(), folder: Some(folder.clone()) };
        if lock.is_file() {
            std::fs::copy(lock, made.path())?;
            chown(made.path(), Some(id), Some(id))?;
        }
        chown(&folder, Some(id), Some(id))?;
        Ok(made)
    }

    /// Path of the lock file for Deno.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.as_ref().map_or_else(|| self.lock.clone(), |folder| folder.join("deno.lock"))
    }

    /// Replaces the lock file by the file that Deno has written, and deletes the copy's folder. Deno writes no file if the function has no
    /// packages.
    pub(super) fn keep(self) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        match read(&self.path()) {
            Ok(text) => super::replace(&self.lock, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        remove(folder)
    }
}

/// Reads a file of the other account. Refuses everything that is not a regular file: a link of the other account could lead to a file that
/// only root can read.
fn read(file: &Path) -> io::Result<String> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(file)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other("the lock file is not a file"));
    }
    let mut text = String::new();
    opened.take(MAX_LOCK_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_LOCK_BYTES {
        return Err(io::Error::other(format!("the lock file has more than {MAX_LOCK_BYTES} bytes")));
    }
    Ok(text)
}

fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    fn own() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    #[test]
    fn the_file_that_deno_writes_replaces_the_lock_file() {
        let made = tempfile::tempdir().unwrap();
        let lock = made.path().join("deno.lock");
        let unchanged = LockCopy::make(made.path(), &lock, None).unwrap();
        assert_eq!(unchanged.path(), lock);
        unchanged.keep().unwrap();
        LockCopy::make(made.path(), &lock, Some(own())).unwrap().keep().unwrap();
        assert!(!lock.exists(), "Deno has written no file");
        std::fs::write(&lock, "old").unwrap();
        let copy = LockCopy::make(made.path(), &lock, Some(own())).unwrap();
        assert_eq!(std::fs::read_to_string(copy.path()).unwrap(), "old");
        assert_eq!(std::fs::metadata(copy.path()).unwrap().uid(), own());
        std::fs::write(copy.path(), "new").unwrap();
        copy.keep().unwrap();
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "new");
        assert!(!made.path().join("lock").exists());
    }

    #[test]
    fn a_file_that_is_too_large_is_refused_and_not_cut() {
        let made = tempfile::tempdir().unwrap();
        let lock = made.path().join("deno.lock");
        std::fs::write(&lock, "old").unwrap();
        let copy = LockCopy::make(made.path(), &lock, Some(own())).unwrap();
        std::fs::File::create(copy.path()).unwrap().set_len(MAX_LOCK_BYTES + 1).unwrap();
        copy.keep().unwrap_err();
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "old");
    }

    #[test]
    fn a_link_in_place_of_the_copy_is_refused() {
        let made = tempfile::tempdir().unwrap();
        let (lock, secret) = (made.path().join("deno.lock"), made.path().join("secrets.toml"));
        std::fs::write(&secret, "secret").unwrap();
        let copy = LockCopy::make(made.path(), &lock, Some(own())).unwrap();
        symlink(&secret, copy.path()).unwrap();
        copy.keep().unwrap_err();
        assert!(!lock.exists());
    }
}
