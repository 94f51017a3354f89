//! Determines the folder of a cluster. The cluster is in the data folder itself, so that a copy of the data folder contains the database.
//!
//! Earlier versions placed the cluster below /var/lib/cloch if PostgreSQL's account could not enter the data folder, and left a symbolic link.
//! Such a link still works; a link without a target, and the link in a copy of the data folder, are refused.

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::{Account, EmbeddedError};

/// Maximum length in bytes of the path of the socket's folder. The path of a socket may have 107 bytes (`sockaddr_un`). If the data
/// folder's path is too long, the socket is placed below the temporary folder.
const MAX_SOCKET_FOLDER_BYTES: usize = 85;
/// Name of a file in a cluster to which a data folder has a symbolic link. The file contains the path of this data folder.
const OWNER_FILE: &str = "cloch-data-folder";
/// Folder for temporary clusters that PostgreSQL's account could not reach in the data folder.
const TEMPORARY_FOLDER: &str = "/var/lib/cloch";

/// Returns the path to which the cluster's folder `wanted` links; `None` if `wanted` is not a symbolic link.
#[must_use]
pub fn link_target(wanted: &Path) -> Option<PathBuf> {
    let target = fs::read_link(wanted).ok()?;
    Some(wanted.parent().unwrap_or(wanted).join(target))
}

impl Account {
    /// Returns the real folder of the cluster whose configured folder is `wanted`, the folder `db` of a data folder. Creates no folder.
    ///
    /// # Errors
    /// Fails if this account cannot enter the folder, or if `wanted` is a symbolic link to a missing folder or to the cluster of another
    /// data folder.
    pub fn cluster_folder(self, wanted: &Path) -> Result<PathBuf, EmbeddedError> {
        if let Some(target) = link_target(wanted) {
            let Ok(folder) = wanted.canonicalize() else {
                return Err(EmbeddedError::LostLink { link: wanted.to_owned(), target });
            };
            return match owner(&folder).filter(|owner| is_other_owner(owner, wanted, &folder)) {
                Some(owner) => Err(EmbeddedError::CopiedLink { link: wanted.to_owned(), target: folder, owner }),
                None => Ok(folder),
            };
        }
        // Check the permission bits only for a new cluster. An existing cluster may be reachable through access lists, which the bits do
        // not show.
        if !wanted.exists() {
            self.must_enter(wanted.parent().unwrap_or(wanted))?;
        }
        Ok(wanted.to_owned())
    }

    /// Checks that this account can enter a folder and all folders above it.
    ///
    /// # Errors
    /// Fails with the list of the folders that this account cannot enter.
    pub fn must_enter(self, folder: &Path) -> Result<(), EmbeddedError> {
        let closed = self.closed(folder);
        if closed.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = closed.iter().map(|folder| folder.display().to_string()).collect();
        Err(EmbeddedError::Closed { folder: folder.to_owned(), closed: list.join(" ") })
    }

    /// Returns a folder for a temporary cluster: `wanted` if this account can enter its parent folders. Otherwise returns a new folder
    /// below /var/lib/cloch and creates a symbolic link to it at `wanted`.
    ///
    /// # Errors
    /// Fails if the folder or the link cannot be created.
    pub fn temporary_cluster_folder(self, wanted: &Path) -> Result<PathBuf, EmbeddedError> {
        if self.closed(wanted.parent().unwrap_or(wanted)).is_empty() {
            return Ok(wanted.to_owned());
        }
        let target = Path::new(TEMPORARY_FOLDER).join(uuid::Uuid::new_v4().simple().to_string()).join("db");
        let parent = target.parent().unwrap_or(&target);
        fs::create_dir_all(parent).map_err(EmbeddedError::io(parent))?;
        self.own(parent)?;
        std::os::unix::fs::symlink(&target, wanted).map_err(EmbeddedError::io(wanted))?;
        Ok(target)
    }
}

/// If `wanted`, the folder `db` of a data folder, is a symbolic link: logs a warning, and writes the path of the data folder to a file in
/// `folder`, to which the link leads. Because of this file, another data folder with the same link is refused.
pub(super) fn note_link(wanted: &Path, folder: &Path, account: Account) -> Result<(), EmbeddedError> {
    if link_target(wanted).is_none() || super::cluster::version(folder).is_none() {
        return Ok(());
    }
    tracing::warn!(
        "database: {} is a link, the data folder does not contain the database, which is in {}. A copy of the data folder lacks the database. \
         docs/operations/move.md says how to move it into the data folder",
        wanted.display(),
        folder.display()
    );
    let file = folder.join(OWNER_FILE);
    let data = wanted.parent().unwrap_or(wanted);
    if owner(folder).as_deref() != Some(data) {
        fs::write(&file, data.as_os_str().as_bytes()).map_err(EmbeddedError::io(&file))?;
        account.own(&file)?;
    }
    Ok(())
}

fn owner(folder: &Path) -> Option<PathBuf> {
    let path = fs::read(folder.join(OWNER_FILE)).ok().filter(|path| !path.is_empty())?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(path)))
}

/// Whether the cluster in `folder` belongs to a different data folder than `wanted`. `owner` is the data folder that is recorded in the
/// cluster: the cluster belongs to `owner` if `owner` still links to the cluster. Otherwise the data folder was moved, and `wanted` is the
/// only link.
fn is_other_owner(owner: &Path, wanted: &Path, folder: &Path) -> bool {
    let is_same = |one: &Path, other: &Path| matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other);
    !is_same(owner, wanted.parent().unwrap_or(wanted)) && is_same(&owner.join("db"), folder)
}

/// Returns the folder of the server's Unix socket: the cluster's folder, or, if its path is too long, a folder with a short path below the
/// temporary folder.
pub(super) fn socket_folder(folder: &Path, account: Account) -> Result<PathBuf, EmbeddedError> {
    if folder.as_os_str().len() <= MAX_SOCKET_FOLDER_BYTES {
        return Ok(folder.to_owned());
    }
    let name: String = folder.to_string_lossy().chars().rev().filter(char::is_ascii_alphanumeric).take(40).collect();
    let short = std::env::temp_dir().join(format!("cloch-{name}"));
    account.make_folder(&short)?;
    Ok(short)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Creates the data folder `one`, in which `db` links to a cluster, and the data folder `copy`, a copy of `one`.
    fn copied() -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let cluster = place.path().join("elsewhere");
        for folder in [&cluster, &place.path().join("one"), &place.path().join("copy")] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(cluster.join("PG_VERSION"), "17\n").unwrap();
        for name in ["one", "copy"] {
            symlink(&cluster, place.path().join(name).join("db")).unwrap();
        }
        let cluster = cluster.canonicalize().unwrap();
        (place, cluster)
    }

    #[test]
    fn a_link_that_leads_nowhere_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("db");
        symlink("gone", &link).unwrap();
        let error = Account::Own.cluster_folder(&link).unwrap_err();
        assert!(
            matches!(&error, EmbeddedError::LostLink { target, .. } if *target == place.path().join("gone")),
            "{error}"
        );
        fs::create_dir(place.path().join("gone")).unwrap();
        assert_eq!(Account::Own.cluster_folder(&link).unwrap(), place.path().join("gone").canonicalize().unwrap());
    }

    #[test]
    fn the_link_in_a_copy_of_a_data_folder_is_refused_and_that_in_a_moved_one_is_not() {
        let (place, cluster) = copied();
        let [one, copy] = ["one", "copy"].map(|name| place.path().join(name).join("db"));
        assert_eq!(Account::Own.cluster_folder(&one).unwrap(), cluster);
        note_link(&one, &cluster, Account::Own).unwrap();
        assert_eq!(Account::Own.cluster_folder(&one).unwrap(), cluster);
        let error = Account::Own.cluster_folder(&copy).unwrap_err();
        assert!(
            matches!(&error, EmbeddedError::CopiedLink { owner, .. } if *owner == place.path().join("one")),
            "{error}"
        );
        // After the first link is deleted, the second link counts as the link of a moved data folder.
        fs::remove_file(&one).unwrap();
        assert_eq!(Account::Own.cluster_folder(&copy).unwrap(), cluster);
        note_link(&copy, &cluster, Account::Own).unwrap();
        assert_eq!(owner(&cluster).unwrap(), place.path().join("copy"));
    }

    #[test]
    fn a_new_cluster_is_refused_below_a_closed_folder_and_an_existing_one_stays() {
        let place = tempfile::tempdir().unwrap();
        let closed = place.path().join("closed");
        fs::create_dir_all(closed.join("data")).unwrap();
        for folder in [place.path(), closed.join("data").as_path()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        let other = Account::Other { uid: 4_000_000, gid: 4_000_000 };
        let error = other.cluster_folder(&closed.join("data/db")).unwrap_err().to_string();
        assert!(error.contains(&format!("chmod o+x {}", closed.display())) && error.contains("--data"), "{error}");
        assert!(other.cluster_folder(&place.path().join("db")).is_ok());
        assert!(Account::Own.cluster_folder(&closed.join("data/db")).is_ok());
        fs::create_dir(closed.join("data/db")).unwrap();
        assert!(other.cluster_folder(&closed.join("data/db")).is_ok());
    }
}
