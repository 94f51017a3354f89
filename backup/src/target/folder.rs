//! A folder, on another disk or a mounted network drive. Written under a temporary name, synced, renamed, synced.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::{Entry, MAX_FILE_BYTES, ROOT_FILE};

/// Extension of a file that is being written.
const DRAFT_EXTENSION: &str = "draft";
/// Age at which a draft is what a killed program has left.
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
        let (root, path, is_root_file) = (Arc::clone(&self.0), self.0.join(name), name == ROOT_FILE);
        run(move || {
            refuse_unmounted(&root, is_root_file)?;
            let parent = path.parent().unwrap_or(&path).to_owned();
            DirBuilder::new().recursive(true).mode(0o700).create(&parent)?;
            let draft = parent.join(format!("{}.{DRAFT_EXTENSION}", uuid::Uuid::new_v4().simple()));
            let written = (|| {
                let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
                file.write_all(&bytes)?;
                file.sync_all()?;
                fs::rename(&draft, &path)
            })();
            if written.is_err() {
                let _ = fs::remove_file(&draft);
            }
            written?;
            File::open(&parent)?.sync_all()?;
            // Once more, because the disk may have gone in between.
            refuse_unmounted(&root, is_root_file)
        })
        .await
    }

    pub(super) async fn get(&self, name: &str) -> Result<Option<Bytes>, String> {
        let path = self.0.join(name);
        run(move || match read(&path) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    pub(super) async fn list(&self, folder_name: &str) -> Result<Vec<Entry>, String> {
        let (root, start) = (Arc::clone(&self.0), self.0.join(folder_name));
        run(move || {
            let mut entries = Vec::new();
            for entry in walkdir::WalkDir::new(&start) {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) if error.io_error().is_some_and(|error| error.kind() == ErrorKind::NotFound) => continue,
                    Err(error) => return Err(error.into()),
                };
                if !entry.file_type().is_file() {
                    continue;
                }
                let metadata = match entry.metadata() {
                    Ok(metadata) => metadata,
                    Err(error) if error.io_error().is_some_and(|error| error.kind() == ErrorKind::NotFound) => continue,
                    Err(error) => return Err(error.into()),
                };
                let modified = metadata.modified()?;
                if entry.path().extension().is_some_and(|extension| extension == DRAFT_EXTENSION) {
                    if SystemTime::now().duration_since(modified).is_ok_and(|age| age > STALE_DRAFT_AGE) {
                        let _ = fs::remove_file(entry.path());
                    }
                    continue;
                }
                let Ok(relative) = entry.path().strip_prefix(&root) else { continue };
                entries.push(Entry { name: relative.to_string_lossy().into_owned(), size: metadata.len(), modified });
            }
            Ok(entries)
        })
        .await
    }

    pub(super) async fn delete(&self, name: &str) -> Result<(), String> {
        let (root, path) = (Arc::clone(&self.0), self.0.join(name));
        run(move || {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            // Folders that are empty now; one that is not refuses.
            for parent in path.ancestors().skip(1).take_while(|parent| *parent != &*root) {
                if fs::remove_dir(parent).is_err() {
                    break;
                }
            }
            Ok(())
        })
        .await
    }
}

/// Reads a file, which is neither a link nor a pipe, and not so large that it fills the memory: others may write to the target.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let refused = |reason: &str| io::Error::new(ErrorKind::InvalidData, format!("{}: {reason}", path.display()));
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Err(refused("it is not a file"));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(refused("it is larger than any file of a backup"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    File::options()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits().cast_signed())
        .open(path)?
        .take(MAX_FILE_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Where a disk is not mounted any more, its folder is still there: what is written into it then is not in the backup.
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
    use super::*;

    #[tokio::test]
    async fn nothing_is_written_into_the_folder_of_a_disk_that_is_gone() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let target = Folder::new(place.path().join("target"));
        assert!(target.put("series/a", Bytes::from_static(b"1")).await.is_err(), "before it is a target");
        assert!(!target.path().exists());
        target.put(ROOT_FILE, Bytes::from_static(b"{}")).await?;
        target.put("series/a", Bytes::from_static(b"1")).await?;
        assert_eq!(target.get("series/a").await?, Some(Bytes::from_static(b"1")));
        std::os::unix::fs::symlink("a", target.path().join("series/link"))?;
        assert!(target.get("series/link").await.is_err_and(|reason| reason.contains("it is not a file")));
        assert!(target.get("series").await.is_err_and(|reason| reason.contains("it is not a file")));
        File::create(target.path().join("huge"))?.set_len(MAX_FILE_BYTES + 1)?;
        assert!(target.get("huge").await.is_err_and(|reason| reason.contains("larger than any file")));
        fs::rename(target.path(), place.path().join("away"))?;
        let refused = target.put("series/b", Bytes::from_static(b"2")).await;
        assert!(refused.is_err_and(|reason| reason.contains("is the disk mounted?")));
        assert!(!target.path().exists());
        Ok(())
    }
}
