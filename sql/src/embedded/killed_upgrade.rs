//! Cleanup after an upgrade of the cluster was killed: ends programs that still run, completes partial renames and deletes unused copies.
//! The caller of this module must hold the lock on the data folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::{EmbeddedError, cluster, leftover};

/// Suffix of the folder in which pg_upgrade creates the new cluster.
pub(super) const DRAFT_SUFFIX: &str = ".upgraded";
/// Suffix of the folder in which pg_upgrade runs, and of a folder that is being deleted.
pub(super) const WORK_SUFFIX: &str = ".upgrade";
/// Suffix of a folder's temporary name during a swap of two folders, on file systems that cannot exchange names atomically.
pub(super) const ASIDE_SUFFIX: &str = ".aside";

/// Returns the path of the folder that contains the old cluster after an upgrade. `version` is the old cluster's major version.
pub(super) fn kept(folder: &Path, version: &str) -> PathBuf {
    cluster::beside(folder, &format!("-{version}"))
}

/// Completes or undoes an upgrade that was killed. Afterwards `folder` contains a complete cluster of the old or new version, an old
/// cluster beside it has its final name, and all other folders are deleted.
///
/// # Errors
/// Fails if a folder cannot be renamed or deleted.
pub(super) fn end(folder: &Path) -> Result<(), EmbeddedError> {
    let [draft, work, aside] = [DRAFT_SUFFIX, WORK_SUFFIX, ASIDE_SUFFIX].map(|suffix| cluster::beside(folder, suffix));
    if draft.exists() || work.exists() {
        // pg_upgrade and its servers continue to run after the program that started them was killed.
        leftover::kill_programs_of(&draft);
    }
    end_exchange(folder, &draft, &aside)?;
    let number = |folder: &Path| cluster::version(folder).and_then(|version| version.parse::<u32>().ok());
    if let Some(current) = number(folder) {
        if let Some(old) = number(&draft).filter(|old| *old < current) {
            rename(&draft, &kept(folder, &old.to_string()))?;
        }
        // If a rollback of an upgrade was killed, the old cluster is already in the cluster's folder, and the new cluster is in the folder
        // in which an old cluster is kept. The new cluster must be deleted.
        let refused = kept(folder, &current.to_string());
        if number(&refused).is_some_and(|new| new > current) {
            rename(&refused, &draft)?;
        }
    }
    cluster::remove_drafts(&draft);
    remove(&draft)?;
    remove(&work)
}

/// Completes a killed three-step swap of `folder` and `draft`: renames the temporary folder `aside` to `folder` if `folder` is missing,
/// otherwise to `draft`.
fn end_exchange(folder: &Path, draft: &Path, aside: &Path) -> Result<(), EmbeddedError> {
    match (aside.exists(), folder.exists()) {
        (false, _) => Ok(()),
        (true, false) => rename(aside, folder),
        (true, true) => rename(aside, draft),
    }
}

/// Deletes the folder of an old cluster. The folder is renamed first, so that no partial folder has the original name if Cloch is killed
/// during the deletion.
pub(super) fn remove_kept(folder: &Path, kept: &Path) -> Result<(), EmbeddedError> {
    let work = cluster::beside(folder, WORK_SUFFIX);
    remove(&work)?;
    rename(kept, &work)?;
    remove(&work)
}

pub(super) fn remove(folder: &Path) -> Result<(), EmbeddedError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EmbeddedError::io(folder)(error)),
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), EmbeddedError> {
    fs::rename(from, to).map_err(EmbeddedError::io(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates folders that contain a file `PG_VERSION` with the given version, runs the cleanup for the folder `db`, and returns the
    /// remaining folders with their versions. Version 0 means a folder without this file.
    fn ended(before: &[(&str, u32)]) -> Vec<(String, u32)> {
        let place = std::env::temp_dir().join(format!("cloch-killed-{}", uuid::Uuid::new_v4().simple()));
        fs::create_dir(&place).unwrap();
        for (name, version) in before {
            let folder = place.join(name);
            fs::create_dir(&folder).unwrap();
            if *version > 0 {
                fs::write(folder.join("PG_VERSION"), format!("{version}\n")).unwrap();
            }
        }
        end(&place.join("db")).unwrap();
        let entries = fs::read_dir(&place).unwrap().flatten();
        let mut left: Vec<(String, u32)> = entries
            .map(|entry| {
                let version = cluster::version(&entry.path()).and_then(|version| version.parse().ok()).unwrap_or(0);
                (entry.file_name().into_string().unwrap(), version)
            })
            .collect();
        left.sort();
        fs::remove_dir_all(&place).unwrap();
        left
    }

    #[test]
    fn after_each_step_one_whole_cluster_is_in_its_place() {
        let (old, new, kept) = (("db", 15), ("db", 18), ("db-15", 15));
        let is = |before: &[(&str, u32)], after: &[(&str, u32)]| {
            let after: Vec<(String, u32)> =
                after.iter().map(|(name, version)| ((*name).to_owned(), *version)).collect();
            assert_eq!(ended(before), after, "{before:?}");
        };
        // The upgrade was killed before pg_upgrade, at its beginning, during its work, and after it.
        is(&[old], &[old]);
        is(&[old, ("db.upgrade", 0), ("db.upgraded.draft1", 0)], &[old]);
        is(&[old, ("db.upgrade", 0), ("db.upgraded", 18)], &[old]);
        is(&[old, ("db.upgraded", 0)], &[old]);
        // The upgrade was killed after the folders were swapped in one step, or during the three steps.
        is(&[new, ("db.upgraded", 15)], &[new, kept]);
        is(&[("db.aside", 15), ("db.upgraded", 18)], &[old]);
        is(&[new, ("db.aside", 15)], &[new, kept]);
        is(&[new, kept], &[new, kept]);
        // The upgrade was killed while the old cluster was moved back to the cluster's folder, in one step or in three steps. The new
        // cluster is deleted.
        is(&[old, ("db-15", 18)], &[old]);
        is(&[("db.aside", 18), kept], &[new, kept]);
        is(&[old, ("db.aside", 18)], &[old]);
        // The upgrade was killed while the old cluster was being deleted.
        is(&[new, ("db.upgrade", 15)], &[new]);
        // The cluster was not created yet.
        is(&[], &[]);
    }
}
