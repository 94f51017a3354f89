//! Copies the content of stored files: `fetch` copies from a source into this project's object store, `store` from this project's object
//! store into a folder.
//!
//! A blob is stored under its final key only when it is complete and verified. Therefore existing blobs are complete, and a repeated command
//! copies only the missing blobs.

mod origin;
mod present;
mod store;
mod tree;
mod verify;

use cloch_storage::backend::{Backend, BlobKey};
use futures_util::{StreamExt, stream};
use indicatif::{ProgressBar, ProgressStyle};
use sqlx::{PgConnection, Row};

pub(crate) use super::keys::value;
pub(crate) use origin::Access;
pub(super) use origin::Origin;
pub(super) use present::Present;
pub(super) use store::{Written, write_folder};

use super::LeftOut;
use crate::error::CommandError;

/// Maximum number of files that are copied concurrently. More than one, because each request to a distant server takes long.
const MAX_CONCURRENT_FILES: usize = 8;
const MAX_ATTEMPTS: u32 = 4;
/// Pause before the second attempt to copy a file; doubled before each further attempt.
const RETRY_PAUSE: std::time::Duration = std::time::Duration::from_millis(250);
/// Maximum number of failed files that are listed; further failures are only counted.
const MAX_LISTED_FAILURES: usize = 50;

/// A file's row in `storage.objects`.
#[derive(Clone, Debug)]
pub(super) struct FileRecord {
    pub id: String,
    pub bucket: String,
    pub name: String,
    /// Version of the object; it is the key of the file's blob in the object store.
    pub version: Option<String>,
    /// Size of the file in bytes; `None` if the file's metadata lacks it.
    pub size: Option<u64>,
    /// ETag of the file; `None` if the file's metadata lacks it.
    pub etag: Option<String>,
}

/// Returns the records of all stored files, ordered by bucket and name.
pub(super) async fn records(connection: &mut PgConnection) -> sqlx::Result<Vec<FileRecord>> {
    let rows = sqlx::query(
        "select id::text, bucket_id, name, version, (metadata->>'size')::bigint, metadata->>'eTag'
           from storage.objects order by bucket_id, name collate \"C\"",
    )
    .fetch_all(connection)
    .await?;
    let read = |row: &sqlx::postgres::PgRow| {
        let size: Option<i64> = row.try_get(4)?;
        Ok(FileRecord {
            id: row.try_get(0)?,
            bucket: row.try_get(1)?,
            name: row.try_get(2)?,
            version: row.try_get(3)?,
            size: size.and_then(|size| u64::try_from(size).ok()),
            etag: row.try_get(5)?,
        })
    };
    rows.iter().map(read).collect()
}

#[derive(Debug, Default)]
pub(super) struct Moved {
    pub files: u64,
    pub bytes: u64,
    /// Number of files that were already in the destination and were not copied.
    pub present: u64,
    pub failed: u64,
    /// The files that could not be copied, with the reasons. At most [`MAX_LISTED_FAILURES`] are listed.
    pub failures: Vec<LeftOut>,
}

/// Copies from `origin` the content of all stored files that this project's object store lacks.
///
/// # Errors
/// When the object store cannot be listed. If a single file cannot be copied, it is counted in the result and not an error.
pub(super) async fn fetch(
    records: Vec<FileRecord>,
    origin: &Origin,
    store: &dyn Backend,
) -> Result<Moved, CommandError> {
    let present = Present::list(store).await?;
    let (done, missing): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| present.has(record));
    let mut moved = Moved { present: done.len() as u64, ..Moved::default() };
    let bar = bar(missing.len());
    let mut results = stream::iter(missing)
        .map(|record| async move {
            let result = fetch_with_retries(&record, origin, store).await;
            (record, result)
        })
        .buffer_unordered(MAX_CONCURRENT_FILES);
    while let Some((record, result)) = results.next().await {
        bar.inc(1);
        match result {
            Ok(bytes) => {
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

async fn fetch_with_retries(record: &FileRecord, origin: &Origin, store: &dyn Backend) -> Result<u64, CommandError> {
    let mut pause = RETRY_PAUSE;
    let mut attempt = 1;
    loop {
        match fetch_one(record, origin, store).await {
            Err(error) if attempt < MAX_ATTEMPTS && !origin.is_final(&error) => {
                tokio::time::sleep(pause).await;
                pause *= 2;
                attempt += 1;
            }
            result => return result,
        }
    }
}

async fn fetch_one(record: &FileRecord, origin: &Origin, store: &dyn Backend) -> Result<u64, CommandError> {
    let key = BlobKey::of_version(record.version.as_deref())?;
    let opened = origin.open(record).await?;
    // `fetch` copies only files whose blob is missing or has a wrong size. A blob with this key is therefore not a complete copy of the
    // file, and is deleted.
    store.delete(key).await?;
    let body = verify::verified(opened.body, record, opened.etag.as_deref());
    match store.put(key, body).await {
        Ok(bytes) => Ok(bytes),
        Err(cloch_storage::Error::Internal { source, .. }) => Err(source),
        Err(error) => Err(error.into()),
    }
}

/// Returns a progress bar for a number of files. The bar is displayed only if the output is a terminal.
fn bar(files: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} files, {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
