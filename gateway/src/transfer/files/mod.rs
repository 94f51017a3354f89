//! The bytes of a project's files: from a source into this project's store (`fetch`), and from the store into a folder (`store`).
//!
//! A blob is written under its version once it is complete and verified, so what is there is done: a repeated command brings only the rest.

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

/// Files that move at once: distant servers have a high latency.
const MAX_CONCURRENT_FILES: usize = 8;
/// Attempts for each file.
const MAX_ATTEMPTS: u32 = 4;
/// Pause before the second attempt; each further one waits twice as long.
const RETRY_PAUSE: std::time::Duration = std::time::Duration::from_millis(250);
/// Files whose failure is listed; further ones are counted.
const MAX_LISTED_FAILURES: usize = 50;

/// A file as its record describes it.
#[derive(Clone, Debug)]
pub(super) struct FileRecord {
    /// The record's id.
    pub id: String,
    /// The bucket.
    pub bucket: String,
    /// The name within the bucket.
    pub name: String,
    /// The version, which is its blob's key.
    pub version: Option<String>,
    /// Its size, where the record says it.
    pub size: Option<u64>,
    /// The ETag, where the record says it.
    pub etag: Option<String>,
}

/// The records of all files, in the order of bucket and name.
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

/// What a transfer of files did.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// Files brought now.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were there already.
    pub present: u64,
    /// Files that could not be brought.
    pub failed: u64,
    /// The first of them, with the reason.
    pub failures: Vec<LeftOut>,
}

/// Brings the bytes of all files that the store lacks.
///
/// # Errors
/// When the store cannot be listed. A file that cannot be brought is listed in the result.
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
    // One of another size is the rest of something else.
    store.delete(key).await?;
    let body = verify::verified(opened.body, record, opened.etag.as_deref());
    match store.put(key, body).await {
        Ok(bytes) => Ok(bytes),
        Err(cloch_storage::Error::Internal { source, .. }) => Err(source),
        Err(error) => Err(error.into()),
    }
}

/// A progress bar on the terminal, with the number of files; none where the output is no terminal.
fn bar(files: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} files, {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
