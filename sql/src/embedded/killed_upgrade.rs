//! What a killed upgrade has left: programs that still run, folders whose names were half changed, and copies that nobody uses. Whoever calls
//! this holds the lock on the data folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::{EmbeddedError, cluster, leftover};

/// Suffix of the folder that pg_upgrade fills.
pub(super) const DRAFT_SUFFIX: &str = ".upgraded";
/// Suffix of the folder in which pg_upgrade runs, and of one that is being deleted.
pub(super) const WORK_SUFFIX: &str = ".upgrade";
/// Suffix of a folder on the way to another name, where the file system cannot exchange two names in one step.
pub(super) const ASIDE_SUFFIX: &str = ".aside";

/// The folder of a cluster of before an upgrade from a version.
pub(super) fn kept(folder: &Path, version: &str) -> PathBuf {
    cluster::beside(folder, &format!("-{version}"))
}

/// Ends a killed upgrade: the cluster in `folder` is a whole one of the old version or of the new one afterwards, an old one beside it
/// has the name of one, and the rest is deleted.
///
/// # Errors
/// When a folder cannot be renamed or deleted.
pub(super) fn end(folder: &Path) -> Result<(), EmbeddedError> {
    let [draft, work, aside] = [DRAFT_SUFFIX, WORK_SUFFIX, ASIDE_SUFFIX].map(|suffix| cluster::beside(folder, suffix));
    if draft.exists() || work.exists() {
        // pg_upgrade and its servers outlive the program that has started them.
        leftover::kill_programs_of(&draft);
    }
    end_exchange(folder, &draft, &aside)?;
    let number = |folder: &Path| cluster::version(folder).and_then(|version| version.parse::<u32>().ok());
    if let Some(current) = number(folder) {
        if let Some(old) = number(&draft).filter(|old| *old < current) {
            rename(&draft, &kept(folder, &old.to_string()))?;
        }
        // The new one, which was not what the old one is, and was to be deleted.
        let refused = kept(folder, &current.to_string());
        if number(&refused).is_some_and(|new| new > current) {
            rename(&refused, &draft)?;
        }
    }
    cluster::remove_drafts(&draft);
    remove(&draft)?;
    remove(&work)
}

/// Where two names were exchanged in three steps: what was first put aside comes back, or gets the other name.
fn end_exchange(folder: &Path, draft: &Path, aside: &Path) -> Result<(), EmbeddedError> {
    match (aside.exists(), folder.exists()) {
        (false, _) => Ok(()),
        (true, false) => rename(aside, folder),
        (true, true) => rename(aside, draft),
    }
}

/// Deletes a folder under another name, so that a kill leaves no half of it under its own.
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

    /// Makes folders of versions, ends the upgrade of `db`, and says what is left; a version of 0 is a folder without one.
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
        // Nothing was begun; pg_upgrade has begun, works, has ended.
        is(&[old], &[old]);
        is(&[old, ("db.upgrade", 0), ("db.upgraded.draft1", 0)], &[old]);
        is(&[old, ("db.upgrade", 0), ("db.upgraded", 18)], &[old]);
        is(&[old, ("db.upgraded", 0)], &[old]);
        // The two have changed places, in one step or in three.
        is(&[new, ("db.upgraded", 15)], &[new, kept]);
        is(&[("db.aside", 15), ("db.upgraded", 18)], &[old]);
        is(&[new, ("db.aside", 15)], &[new, kept]);
        is(&[new, kept], &[new, kept]);
        // The old one is put back, in one step or in three; the new one is deleted.
        is(&[old, ("db-15", 18)], &[old]);
        is(&[("db.aside", 18), kept], &[new, kept]);
        is(&[old, ("db.aside", 18)], &[old]);
        // The old one is deleted.
        is(&[new, ("db.upgrade", 15)], &[new]);
        // The first start was not made yet.
        is(&[], &[]);
    }
}
