//! Lock of the data folder (the file `cloch.lock`) and of its database: only one program at a time can use a data folder. If links in several
//! data folders lead to the same database, only one program at a time can use this database. Also restricts the folder's permissions to the
//! account that runs the program.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cloch_sql::embedded::Account;

/// Content of `.gitignore` in the data folder. The data folder may be inside a repository, and its keys must not be committed.
const GIT_IGNORE: &str = "# Keys, database and files: never under version control.\n*\n";
/// Maximum time to wait for the lock of the data folder. Waiting is necessary because `cloch status` holds the lock for a moment.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
/// File in the data folder with the keys of the running server (`config/secrets/in_use.rs`). Deleted when the lock is acquired and released.
pub(crate) const KEYS_IN_USE: &str = "keys-in-use.toml";

/// Error: the data folder cannot be locked or prepared.
#[derive(Debug, thiserror::Error)]
pub enum DataDirLockError {
    /// Another program has locked the data folder.
    #[error(
        "another cloch{} uses the data folder {}: stop it, or give this one a folder of its own with --data",
        holder.as_ref().map_or_else(String::new, |pid| format!(" (process {pid})")), folder.display()
    )]
    InUse {
        /// Path of the data folder.
        folder: PathBuf,
        /// Process ID of the other program; `None` if unknown.
        holder: Option<String>,
    },
    /// Another program has locked the database to which the data folder's link leads.
    #[error(
        "another cloch uses the database {}, to which {} leads: stop that one, or give this one a database of its own (docs/operations/move.md)",
        cluster.display(), link.display()
    )]
    DatabaseInUse {
        /// Folder of the database.
        cluster: PathBuf,
        /// Path of the database in this data folder.
        link: PathBuf,
    },
    /// The data folder or its lock file cannot be created or written.
    #[error("the data folder {}: {source}", folder.display())]
    Io {
        /// Path of the data folder.
        folder: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// Lock of the data folder, held until the value is dropped. If the process is killed, the kernel releases the lock. The lock file contains
/// the process ID in the first line and, if the process is a server, its port in the second line.
#[derive(Debug)]
pub struct DataDirLock {
    lock: File,
    /// Path of the data folder.
    folder: PathBuf,
    /// Lock on the database's folder itself; `None` if the folder does not exist yet, or the file system cannot lock folders.
    _database: Option<File>,
}

impl DataDirLock {
    /// Creates the data folder if it does not exist, and locks it.
    ///
    /// # Errors
    /// When another program has locked the folder, or the folder cannot be written.
    pub fn acquire(folder: &Path) -> Result<Self, DataDirLockError> {
        let io = |source| DataDirLockError::Io { folder: folder.to_owned(), source };
        make(folder).map_err(io)?;
        let path = folder.join("cloch.lock");
        let mut lock = File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        match lock_within_timeout(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(DataDirLockError::InUse { folder: folder.to_owned(), holder: line_of(&mut lock, 0) });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let database = lock_database(folder)?;
        lock.set_len(0).and_then(|()| lock.rewind()).map_err(io)?;
        // A killed server leaves its keys, so delete them. This must happen before the process ID is written, because process IDs repeat
        // (in a container, the ID is always 1).
        delete_keys(folder).map_err(io)?;
        writeln!(lock, "{}", std::process::id()).map_err(io)?;
        Ok(Self { lock, folder: folder.to_owned(), _database: database })
    }

    /// Writes the server's port to the lock file. Commands read it there, because the port of a running server may come from a flag.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn note_port(&mut self, port: u16) -> io::Result<()> {
        writeln!(self.lock, "{port}")
    }

    /// Checks that no other program has locked the data folder or its database. A starting server calls this before it changes anything
    /// that another program may use.
    ///
    /// # Errors
    /// When another program has locked the folder or the database.
    pub fn refuse_second(folder: &Path) -> Result<(), DataDirLockError> {
        match Self::holder(folder) {
            Some(pid) => {
                let holder = Some(pid).filter(|pid| !pid.is_empty());
                Err(DataDirLockError::InUse { folder: folder.to_owned(), holder })
            }
            None => lock_database(folder).map(drop),
        }
    }

    /// Returns the ID of the process that holds the lock of the data folder, or `None` if the folder is not locked.
    #[must_use]
    pub fn holder(folder: &Path) -> Option<String> {
        let mut lock = File::open(folder.join("cloch.lock")).ok()?;
        match lock.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(line_of(&mut lock, 0).unwrap_or_default()),
            _ => None,
        }
    }

    /// Returns the port of the server that holds the lock of the data folder, or `None` if no server holds the lock.
    #[must_use]
    pub fn port(folder: &Path) -> Option<u16> {
        Self::holder(folder)?;
        line_of(&mut File::open(folder.join("cloch.lock")).ok()?, 1)?.parse().ok()
    }
}

impl Drop for DataDirLock {
    /// Deletes the keys of this server before the lock is released. The error is ignored: without a lock, no command uses the file.
    fn drop(&mut self) {
        let _ = delete_keys(&self.folder);
    }
}

fn delete_keys(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(KEYS_IN_USE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn lock_within_timeout(file: &File) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(20));
            }
            outcome => return outcome,
        }
    }
}

/// Locks the folder of the database: the subfolder `db` of the data folder `data`, or the folder to which a link of this name leads. The
/// lock applies to the folder itself, not to its path, because a copy of the data folder may contain a link to the same database. Returns
/// `None` if the folder of the database does not exist yet, or the file system cannot lock folders.
fn lock_database(data: &Path) -> Result<Option<File>, DataDirLockError> {
    let link = data.join("db");
    let Ok(database) = File::open(&link) else { return Ok(None) };
    match lock_within_timeout(&database) {
        Ok(()) => Ok(Some(database)),
        Err(TryLockError::WouldBlock) => {
            let cluster = link.canonicalize().unwrap_or_else(|_| link.clone());
            Err(DataDirLockError::DatabaseInUse { cluster, link })
        }
        // The error is ignored, because some network file systems cannot lock folders.
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn line_of(lock: &mut File, number: usize) -> Option<String> {
    let mut text = String::new();
    let _ = lock.read_to_string(&mut text);
    text.lines().nth(number).filter(|line| !line.is_empty()).map(str::to_owned)
}

/// Creates the data folder, or restricts the permissions of an existing data folder. Also restricts its subfolders for files and caches.
///
/// # Errors
/// When the folder cannot be created.
pub fn make(folder: &Path) -> io::Result<()> {
    // If the program runs as root, the account that runs the database needs access to the subfolder db/.
    let mode = if Account::choose() == Account::Own { 0o700 } else { 0o711 };
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(mode).create(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        result => return result.and_then(|()| fs::write(folder.join(".gitignore"), GIT_IGNORE)),
    }
    // An existing folder is restricted only if Cloch has used it before: a folder that is also used for other purposes (/tmp, a home
    // folder) must stay accessible.
    if folder.join("secrets.toml").exists() || folder.join("cloch.lock").exists() {
        restrict(folder, mode);
    }
    ["objects", "cache"].iter().for_each(|name| restrict(&folder.join(name), 0o700));
    Ok(())
}

/// Creates a folder inside the data folder, accessible only to the account that runs the program.
///
/// # Errors
/// When the folder cannot be created.
pub fn make_inner(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Removes permission bits beyond `mode` from a folder that belongs to the account that runs the program.
fn restrict(folder: &Path, mode: u32) {
    let Ok(metadata) = fs::symlink_metadata(folder) else { return };
    let is_ours = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    let is_shared = metadata.mode() & 0o1000 != 0;
    if is_ours && !is_shared && metadata.mode() & 0o777 & !mode != 0 {
        match fs::set_permissions(folder, Permissions::from_mode(metadata.mode() & mode)) {
            Ok(()) => {
                tracing::info!(folder = %folder.display(), "data folder: removed the access of other accounts to a folder")
            }
            Err(error) => {
                tracing::warn!(%error, folder = %folder.display(), "data folder: restricting the permissions of a folder failed, it stays open to other accounts")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_folder() -> PathBuf {
        std::env::temp_dir().join(format!("cloch-lock-{}", uuid::Uuid::new_v4().simple()))
    }

    #[test]
    fn a_new_folder_stays_out_of_version_control() {
        let folder = new_folder();
        make(&folder).unwrap();
        assert!(fs::read_to_string(folder.join(".gitignore")).unwrap().ends_with("\n*\n"));
        fs::remove_dir_all(folder).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_second_program_is_refused_until_the_first_ends() {
        let folder = new_folder();
        assert_eq!((DataDirLock::holder(&folder), DataDirLock::port(&folder)), (None, None));
        let mut first = DataDirLock::acquire(&folder).unwrap();
        assert_eq!(DataDirLock::port(&folder), None);
        first.note_port(54321).unwrap();
        assert_eq!(DataDirLock::port(&folder), Some(54321));
        let error = DataDirLock::acquire(&folder).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        assert_eq!(DataDirLock::holder(&folder), Some(std::process::id().to_string()));
        drop(first);
        assert_eq!((DataDirLock::holder(&folder), DataDirLock::port(&folder)), (None, None));
        assert!(DataDirLock::acquire(&folder).is_ok());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_database_of_two_data_folders_has_one_user_at_a_time() {
        let (one, copy) = (new_folder(), new_folder());
        make(&one).unwrap();
        fs::create_dir(one.join("db")).unwrap();
        make(&copy).unwrap();
        std::os::unix::fs::symlink(one.join("db"), copy.join("db")).unwrap();
        let first = DataDirLock::acquire(&one).unwrap();
        let refusals = [DataDirLock::acquire(&copy).unwrap_err(), DataDirLock::refuse_second(&copy).unwrap_err()];
        for error in refusals {
            assert!(
                matches!(&error, DataDirLockError::DatabaseInUse { link, .. } if *link == copy.join("db")),
                "{error}"
            );
        }
        drop(first);
        let second = DataDirLock::acquire(&copy).unwrap();
        assert!(DataDirLock::acquire(&one).is_err());
        drop(second);
        assert!(DataDirLock::acquire(&one).is_ok());
        [one, copy].iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    }

    #[test]
    fn other_accounts_cannot_look_into_it() {
        let folder = new_folder();
        drop(DataDirLock::acquire(&folder).unwrap());
        assert_eq!(mode(&folder) & 0o066, 0);
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(folder.join("objects")).unwrap();
        fs::set_permissions(folder.join("objects"), Permissions::from_mode(0o755)).unwrap();
        drop(DataDirLock::acquire(&folder).unwrap());
        assert_eq!((mode(&folder) & 0o066, mode(&folder.join("objects"))), (0, 0o700));
        fs::remove_dir_all(folder).unwrap();

        let shared = new_folder();
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
        drop(DataDirLock::acquire(&shared).unwrap());
        drop(DataDirLock::acquire(&shared).unwrap());
        assert_eq!(mode(&shared), 0o777);
        fs::remove_dir_all(shared).unwrap();
    }
}
