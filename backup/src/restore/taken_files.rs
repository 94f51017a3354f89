//! Extracts files from a backup and writes them under their object names.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use cloch_storage::backend::BlobKey;

use super::Step;
use super::missing_files;
use super::partial::Only;
use super::recover::{Object, Recovered};
use crate::blobs;
use crate::encryption::Opener;
use crate::error::{BackupError, Result, blocking};
use crate::layout;
use crate::private;
use crate::repository::Repository;

/// A file that was extracted from a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenFile {
    /// `BUCKET/NAME`, also the path below the new folder.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// Writes the requested files of a backup as `BUCKET/NAME` below `folder`. Returns the written files, and the files that are missing or damaged in
/// the backup.
pub(super) async fn take(
    repository: &Repository,
    opener: &Opener,
    recovered: &Recovered,
    wanted: &[Only],
    folder: &Path,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<(Vec<TakenFile>, Vec<String>)> {
    let mut objects: Vec<&Object> = Vec::new();
    for only in wanted.iter().filter(|only| matches!(only, Only::File { .. } | Only::Bucket(_))) {
        let before = objects.len();
        objects.extend(recovered.objects.iter().filter(|object| only.has_object(&object.path)));
        if objects.len() == before {
            return Err(BackupError::Refused(format!("{only} was not there at that moment")));
        }
    }
    objects.sort_by(|one, other| one.path.cmp(&other.path));
    objects.dedup_by(|one, other| one.path == other.path);
    if objects.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let present = blobs::in_target(repository).await?;
    let (mut files, mut missing, total) = (Vec::new(), Vec::new(), objects.len() as u64);
    for (done, object) in (1..).zip(objects) {
        let key = BlobKey::parse(&object.version);
        match key.and_then(|key| Some((key, *present.get(&key)?))) {
            None => missing.push(object.path.clone()),
            Some((key, count)) => {
                let path = inside(folder, &object.path)?;
                match write(repository, opener, key, count, object.size, &path).await {
                    Ok(bytes) => files.push(TakenFile { path: object.path.clone(), bytes }),
                    Err(error) => {
                        missing.push(format!("{} ({})", object.path, missing_files::reason(error)?));
                        fs::remove_file(&path).map_err(BackupError::io(&path))?;
                    }
                }
            }
        }
        report(Step::Files, done, total);
    }
    Ok((files, missing))
}

/// Returns the path of a file below `folder`. Users choose object names, so names with `..` or an absolute path are refused.
fn inside(folder: &Path, name: &str) -> Result<PathBuf> {
    let relative = Path::new(name);
    match relative.components().all(|part| matches!(part, Component::Normal(_))) {
        true => Ok(folder.join(relative)),
        false => {
            Err(BackupError::Refused(format!("{name} is no name of a file on a disk: restore all, and download it")))
        }
    }
}

async fn write(
    repository: &Repository,
    opener: &Opener,
    key: BlobKey,
    count: usize,
    size: Option<u64>,
    path: &Path,
) -> Result<u64> {
    private::make_folder(path.parent().unwrap_or(path))?;
    let mut file = private::make_file(path)?;
    let mut bytes = 0;
    for number in 1..=count {
        let part = repository.get(opener, &layout::blob_part(key, number, count)).await?;
        bytes += part.len() as u64;
        let own = path.to_owned();
        file = blocking(move || file.write_all(&part).map(|()| file).map_err(BackupError::io(own))).await?;
    }
    match size {
        Some(size) if size != bytes => {
            let reason = format!("its row says {size} bytes, and the backup has {bytes}");
            Err(BackupError::damaged(&layout::blob_part(key, 1, count), reason))
        }
        _ => Ok(bytes),
    }
}
