//! Backup target in a folder, on another disk or a mounted network drive. Each file is written under a temporary name, synced and renamed; then the
//! file's folder is synced.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::beneath::{self, Place};
use super::{Entry, MAX_FILE_BYTES, ROOT_FILE};

const DRAFT_EXTENSION: &str = "draft";
/// Age from which a temporary file counts as left by a killed process.
const STALE_DRAFT_AGE: Duration = Duration::from_secs(60 * 60);

#[derive(Clone, Debug)]
pub(super) struct Folder(Arc<Path>);

impl Folder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) async fn put(&self, name: &str, bytes: Bytes) -> Result<(), String> {
        let (root, name, is_root_file) = (Arc::clone(&self.0), PathBuf::from(name), name == ROOT_FILE);
        run(move || {
            refuse_unmounted(&root, is_root_file)?;
            let draft = format!("{}.{DRAFT_EXTENSION}", uuid::Uuid::new_v4().simple());
            Place::open(&root, &name, true)?.write(&draft, &bytes)?;
            // Check the mount again, because the disk may have been unmounted during the write.
            refuse_unmounted(&root, is_root_file)
        })
        .await
    }

    pub(super) async fn get(&self, name: &str) -> Result<Option<Bytes>, String> {
        let (root, name) = (Arc::clone(&self.0), PathBuf::from(name));
        run(move || match Place::open(&root, &name, false).and_then(|place| place.read(MAX_FILE_BYTES)) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    pub(super) async fn list(&self, folder_name: &str) -> Result<Vec<Entry>, String> {
        let (root, folder_name) = (Arc::clone(&self.0), folder_name.to_owned());
        run(move || {
            let mut entries = Vec::new();
            for found in beneath::list(&root, Path::new(&folder_name))? {
                let name = format!("{}/{}", folder_name.trim_end_matches('/'), found.name);
                if Path::new(&name).extension().is_some_and(|extension| extension == DRAFT_EXTENSION) {
                    if SystemTime::now().duration_since(found.modified).is_ok_and(|age| age > STALE_DRAFT_AGE) {
                        let _ = Place::open(&root, Path::new(&name), false).and_then(|place| place.delete());
                    }
                    continue;
                }
                entries.push(Entry { name, size: found.size, modified: found.modified });
            }
            Ok(entries)
        })
        .await
    }

    pub(super) async fn delete(&self, name: &str) -> Result<(), String> {
        let (root, name) = (Arc::clone(&self.0), PathBuf::from(name));
        run(move || match Place::open(&root, &name, false).and_then(|place| place.delete()) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }
}

/// Refuses to write if the disk of the backup target is not mounted any more. Files would be written into the empty mount point, and would
/// not be in the backup.
fn refuse_unmounted(root: &Path, is_root_file: bool) -> io::Result<()> {
    if is_root_file || root.join(ROOT_FILE).exists() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::NotFound, format!("it holds no {ROOT_FILE} any more: is the disk mounted?")))
}

async fn run<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?;
    done.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => {
            format!("{error}: it belongs to the account that wrote it; give this one the files (chown -R), or run this as that account")
        }
        _ => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a backup target with its root file `cloch-backup.json`.
    async fn target(place: &Path) -> Folder {
        let target = Folder::new(place.join("target"));
        target.put(ROOT_FILE, Bytes::from_static(b"{}")).await.unwrap();
        target
    }

    #[tokio::test]
    async fn nothing_is_written_into_the_folder_of_a_disk_that_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let target = Folder::new(place.path().join("target"));
        assert!(target.put("series/a", Bytes::from_static(b"1")).await.is_err(), "before it is a target");
        assert!(!target.path().exists());
        target.put(ROOT_FILE, Bytes::from_static(b"{}")).await.unwrap();
        target.put("series/a", Bytes::from_static(b"1")).await.unwrap();
        assert_eq!(target.get("series/a").await, Ok(Some(Bytes::from_static(b"1"))));
        fs::rename(target.path(), place.path().join("away")).unwrap();
        let refused = target.put("series/b", Bytes::from_static(b"2")).await;
        assert!(refused.is_err_and(|reason| reason.contains("is the disk mounted?")));
        assert!(!target.path().exists());
    }

    #[tokio::test]
    async fn what_is_no_file_of_a_backup_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let target = target(place.path()).await;
        target.put("series/a", Bytes::from_static(b"1")).await.unwrap();
        symlink("a", target.path().join("series/link")).unwrap();
        assert!(target.get("series/link").await.is_err_and(|reason| reason.contains("it is not a file")));
        assert!(target.get("series").await.is_err_and(|reason| reason.contains("it is not a file")));
        File::create(target.path().join("huge")).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        assert!(target.get("huge").await.is_err_and(|reason| reason.contains("larger than any file")));
        assert_eq!(target.get("series/none").await, Ok(None));
        assert_eq!(target.get("none/none").await, Ok(None));
    }

    /// Tests two attacks: a link in the middle of the path, and a link that replaces a folder after the folder was listed.
    #[tokio::test]
    async fn links_in_the_place_of_folders_lead_nowhere() {
        let place = tempfile::tempdir().unwrap();
        let target = target(place.path()).await;
        let outside = place.path().join("outside");
        fs::create_dir_all(outside.join("base/0")).unwrap();
        let kept = ["base/0/shadow", "base/0/old.draft", "passwd"].map(|name| outside.join(name));
        for file in &kept {
            let written = File::create(file).unwrap();
            written.set_modified(SystemTime::now() - STALE_DRAFT_AGE - STALE_DRAFT_AGE).unwrap();
        }
        symlink(&outside, target.path().join("series")).unwrap();
        let names = |listed: Vec<Entry>| listed.into_iter().map(|entry| entry.name).collect::<Vec<_>>();
        let refused = |reason: &String| reason.contains("it is a link or a file, and no folder");
        assert!(target.list("series/").await.is_err_and(|reason| refused(&reason)));
        assert!(target.get("series/passwd").await.is_err_and(|reason| refused(&reason)));
        assert!(target.put("series/passwd", Bytes::from_static(b"x")).await.is_err_and(|reason| refused(&reason)));
        assert!(target.delete("series/passwd").await.is_err_and(|reason| refused(&reason)));
        assert!(target.put("series/new/a", Bytes::from_static(b"x")).await.is_err_and(|reason| refused(&reason)));

        fs::remove_file(target.path().join("series")).unwrap();
        target.put("series/run/base/0/shadow", Bytes::from_static(b"x")).await.unwrap();
        assert_eq!(names(target.list("series/").await.unwrap()), ["series/run/base/0/shadow"]);
        for name in ["series/run/base/0", "series/run"] {
            fs::remove_dir_all(target.path().join(name)).unwrap();
            symlink(outside.join("base/0"), target.path().join(name)).unwrap();
            assert_eq!(names(target.list("series/").await.unwrap()), [""; 0]);
            assert!(target.delete("series/run/base/0/shadow").await.is_err_and(|reason| refused(&reason)), "{name}");
        }
        assert!(kept.iter().all(|file| file.exists()) && !outside.join("new").exists());
    }

    /// These files must be listed. If the listing omitted them, a check would pass without reading all files.
    #[tokio::test]
    async fn what_lies_too_deep_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let target = target(place.path()).await;
        let folder = |depth| format!("series/{}", "a/".repeat(depth));
        target.put(&format!("{}file", folder(12)), Bytes::from_static(b"1")).await.unwrap();
        assert_eq!(target.list("series/").await.unwrap().len(), 1);
        target.put(&format!("{}file", folder(13)), Bytes::from_static(b"1")).await.unwrap();
        let reason = target.list("series/").await.unwrap_err();
        assert!(reason.contains("deeper than any folder of a backup"), "{reason}");
    }

    #[tokio::test]
    async fn a_deleted_file_takes_its_empty_folders_along() {
        let place = tempfile::tempdir().unwrap();
        let target = target(place.path()).await;
        for name in ["series/a/b/c", "series/a/d"] {
            target.put(name, Bytes::from_static(b"1")).await.unwrap();
        }
        target.delete("series/a/b/c").await.unwrap();
        assert!(target.path().join("series/a/d").exists() && !target.path().join("series/a/b").exists());
        target.delete("series/a/d").await.unwrap();
        target.delete("series/a/d").await.unwrap();
        assert!(!target.path().join("series").exists() && target.path().exists());
    }
}
