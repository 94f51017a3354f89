//! Copies files from this project's object store into a folder.

use std::path::{Path, PathBuf};

use cloch_storage::backend::{Backend, BlobKey, ByteStream};
use futures_util::{StreamExt, stream};
use tokio::io::AsyncWriteExt;

use super::{FileRecord, MAX_CONCURRENT_FILES, MAX_LISTED_FAILURES, Moved, Present, bar, tree, verify};
use crate::error::CommandError;
use crate::transfer::LeftOut;

pub(in super::super) type Written = Moved;

/// Copies all stored files from the object store to the folder, except for files that the folder already contains.
///
/// # Errors
/// When the object store cannot be listed or the folder cannot be created.
pub(in super::super) async fn write_folder(
    records: Vec<FileRecord>,
    store: &dyn Backend,
    folder: &Path,
) -> Result<Written, CommandError> {
    let present = Present::list(store).await?;
    let bar = bar(records.len());
    let jobs = placed(records).into_iter().map(|(record, path)| {
        let size = present.size(&record);
        async move {
            let result = write_one(&record, size, store, &folder.join(&path)).await;
            (record, result)
        }
    });
    let mut results = stream::iter(jobs).buffer_unordered(MAX_CONCURRENT_FILES);
    let mut moved = Moved::default();
    while let Some((record, result)) = results.next().await {
        bar.inc(1);
        match result {
            Ok(None) => moved.present += 1,
            Ok(Some(bytes)) => {
                moved.files += 1;
                moved.bytes += bytes;
            }
            Err(error) => {
                moved.failed += 1;
                if moved.failures.len() < MAX_LISTED_FAILURES {
                    moved
                        .failures
                        .push(LeftOut::new(&format!("file {}/{}", record.bucket, record.name), error.to_string()));
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok(moved)
}

/// Returns each file with its path in the destination folder. If the path `bucket/name` of a file is at the same time a folder that other
/// files need, the file gets a path under `.by-id/`.
fn placed(records: Vec<FileRecord>) -> Vec<(FileRecord, PathBuf)> {
    let is_folder: std::collections::HashSet<PathBuf> = records
        .iter()
        .filter_map(tree::by_name)
        .flat_map(|path| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>())
        .collect();
    let place = |record: FileRecord| {
        let path = tree::by_name(&record).filter(|path| !is_folder.contains(path)).or_else(|| tree::by_id(&record))?;
        Some((record, path))
    };
    records.into_iter().filter_map(place).collect()
}

/// Writes a file to the destination folder and returns its size. Returns `None` if the file already exists there with the right size. The
/// content is written to a temporary file, which is renamed when it is complete.
async fn write_one(
    record: &FileRecord,
    size: Option<u64>,
    store: &dyn Backend,
    path: &Path,
) -> Result<Option<u64>, CommandError> {
    let key = BlobKey::of_version(record.version.as_deref())?;
    let size = size.ok_or("the store does not have it")?;
    if tokio::fs::metadata(path).await.is_ok_and(|file| file.len() == size) {
        return Ok(None);
    }
    if let Some(parent) = path.parent() {
        tokio::fs::create_dir_all(parent).await?;
    }
    let body: ByteStream = store.get(key, 0..size).await?.into_stream();
    let mut body = verify::verified(body, record, None);
    let draft = path.with_file_name(format!(".{key}.partial"));
    let mut out = tokio::fs::File::create(&draft).await?;
    while let Some(bytes) = body.next().await {
        match bytes {
            Ok(bytes) => out.write_all(&bytes).await?,
            Err(error) => {
                let _ = tokio::fs::remove_file(&draft).await;
                return Err(error.into());
            }
        }
    }
    out.sync_all().await?;
    tokio::fs::rename(&draft, path).await?;
    Ok(Some(size))
}
