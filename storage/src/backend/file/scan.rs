//! Scans the folder of a file backend: lists blobs and deletes temporary files left by crashes.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::backend::{BlobKey, Listed};

/// File name extension of a blob that is being written.
pub(super) const PART_EXTENSION: &str = "part";

/// Lists blobs in the order of their keys. Subfolders are named by the first byte of the key, so they are read in order.
pub(super) fn list(folder: &Path, after: Option<BlobKey>, limit: usize) -> io::Result<Vec<Listed>> {
    let first = after.and_then(|key| key.uuid().as_bytes().first().copied()).unwrap_or(0);
    let mut listed = Vec::new();
    for shard in first..=u8::MAX {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder.join(format!("{shard:02x}")))? {
            let entry = entry?;
            let Some(key) = entry.file_name().to_str().and_then(BlobKey::parse) else { continue };
            if after.is_none_or(|after| key > after) {
                match entry.metadata() {
                    Ok(metadata) => found.push(Listed { key, modified: changed(&metadata), size: metadata.len() }),
                    // Skip a file that was deleted after its folder was read.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        found.sort_by_key(|blob| blob.key);
        listed.extend(found);
        if listed.len() >= limit {
            listed.truncate(limit);
            break;
        }
    }
    Ok(listed)
}

/// Returns the time at which a file was written or linked (`ctime`). `mtime` is not used: a hard link keeps the `mtime` of its source, so a
/// new copy would look old.
fn changed(metadata: &fs::Metadata) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(metadata.ctime().try_into().unwrap_or(0))
}

pub(super) fn clear_unfinished(folder: &Path, before: SystemTime) -> io::Result<u64> {
    let mut cleared = 0;
    for shard in 0..=u8::MAX {
        for entry in fs::read_dir(folder.join(format!("{shard:02x}")))? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != PART_EXTENSION) {
                continue;
            }
            // A running upload updates the modification time of its temporary file continuously. Therefore no running upload uses an old
            // temporary file.
            let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
            if modified.is_ok_and(|modified| modified < before) && fs::remove_file(&path).is_ok() {
                cleared += 1;
            }
        }
    }
    Ok(cleared)
}
