//! Writing a body to a file in batches: a blocking thread writes one while the next arrives.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::task::{JoinHandle, spawn_blocking};

use super::scan::PART_EXTENSION;
use crate::backend::ByteStream;
use crate::backend::blocking_io::{io_error, join_error, sync_folder};
use crate::buffer_pool::{BUFFER_BYTES, upload_budget};
use crate::error::Result;

/// The most bytes that are written at once.
const MAX_BATCH_BYTES: usize = 1024 * 1024;
/// After so many bytes those in the page cache are sent to the disk while more are written, so that the fsync at the end is short.
/// Smaller files are faster with that one fsync.
const SYNC_INTERVAL_BYTES: u64 = 32 * 1024 * 1024;

type OpenFile = Box<dyn FnOnce() -> io::Result<File> + Send>;

/// Writes all bytes but the last batch to a file, which is opened for the first one. Returns the size of the whole. A small file takes
/// one blocking task in all: opening, writing and [`LastBatch::publish`].
pub(super) async fn write_all(
    mut body: ByteStream,
    open: impl FnOnce() -> io::Result<File> + Send + 'static,
) -> Result<(u64, LastBatch)> {
    let (mut size, mut batch) = (0_u64, Batch::default());
    let mut writer = Writer::new(Box::new(open));
    while let Some(bytes) = body.next().await {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                // No thread may still be writing when somebody else writes to the same file.
                let _ = writer.settle().await;
                return Err(error);
            }
        };
        size += bytes.len() as u64;
        batch.push(bytes);
        if batch.size >= batch_size(upload_budget()) {
            writer.start(std::mem::take(&mut batch)).await?;
        }
    }
    writer.settle().await?;
    Ok((size, LastBatch { batch, target: writer.target }))
}

/// Whole buffers, and half of the budget where that is two of them, so that another batch can be gathered meanwhile.
fn batch_size(budget: usize) -> usize {
    (budget / 2 / BUFFER_BYTES * BUFFER_BYTES).clamp(BUFFER_BYTES, MAX_BATCH_BYTES)
}

/// Bytes to be written together.
#[derive(Default)]
struct Batch {
    chunks: Vec<Bytes>,
    size: usize,
}

impl Batch {
    fn push(&mut self, bytes: Bytes) {
        self.size += bytes.len();
        self.chunks.push(bytes);
    }
}

/// The file that batches are appended to.
enum Target {
    Unopened(OpenFile),
    Opened(File),
    /// A thread has it, or has failed with it.
    Taken,
}

impl Target {
    /// Appends a batch, on a blocking thread.
    fn write(self, batch: &Batch) -> io::Result<File> {
        let mut file = match self {
            Self::Unopened(open) => open()?,
            Self::Opened(file) => file,
            Self::Taken => return Err(io::ErrorKind::NotFound.into()),
        };
        batch.chunks.iter().try_for_each(|chunk| file.write_all(chunk))?;
        Ok(file)
    }
}

/// Writes one batch at a time on a blocking thread.
struct Writer {
    target: Target,
    writing: Option<JoinHandle<io::Result<File>>>,
    written: u64,
    syncing: Option<JoinHandle<io::Result<()>>>,
    /// The bytes that were written when the last sync began.
    synced: u64,
}

impl Writer {
    fn new(open: OpenFile) -> Self {
        Self { target: Target::Unopened(open), writing: None, written: 0, syncing: None, synced: 0 }
    }

    /// Has a batch written once the one before it is. Returns at once where the budget has room for another batch.
    async fn start(&mut self, batch: Batch) -> Result<()> {
        self.join_writing().await?;
        self.start_sync().await?;
        let has_room = 2 * batch.size <= upload_budget();
        self.written += batch.size as u64;
        let target = std::mem::replace(&mut self.target, Target::Taken);
        self.writing = Some(spawn_blocking(move || target.write(&batch)));
        if has_room { Ok(()) } else { self.join_writing().await }
    }

    /// Waits until all that was started is done.
    async fn settle(&mut self) -> Result<()> {
        let written = self.join_writing().await;
        let synced = self.join_syncing().await;
        written.and(synced)
    }

    async fn join_writing(&mut self) -> Result<()> {
        if let Some(writing) = self.writing.take() {
            self.target = Target::Opened(writing.await.map_err(join_error)?.map_err(io_error("writing an object"))?);
        }
        Ok(())
    }

    /// Sends what has been written to the disk, where that is much and nothing else is on its way.
    async fn start_sync(&mut self) -> Result<()> {
        let is_due = self.written >= self.synced + SYNC_INTERVAL_BYTES;
        let Target::Opened(file) = &self.target else { return Ok(()) };
        if !is_due || self.syncing.as_ref().is_some_and(|syncing| !syncing.is_finished()) {
            return Ok(());
        }
        let file = file.try_clone().map_err(io_error("writing an object"))?;
        self.join_syncing().await?;
        self.synced = self.written;
        self.syncing = Some(spawn_blocking(move || file.sync_data()));
        Ok(())
    }

    /// Waits for a sync. Its failure must not be dropped: the kernel reports each only once.
    async fn join_syncing(&mut self) -> Result<()> {
        match self.syncing.take() {
            Some(syncing) => syncing.await.map_err(join_error)?.map_err(io_error("writing an object")),
            None => Ok(()),
        }
    }
}

/// A file, and the last bytes to be appended to it.
pub(super) struct LastBatch {
    batch: Batch,
    target: Target,
}

impl LastBatch {
    /// Writes the last bytes and syncs the file.
    pub(super) fn finish(self) -> io::Result<()> {
        self.target.write(&self.batch)?.sync_all()
    }

    /// Writes the last bytes of a new file, gives it its final name, and syncs it with its folder.
    pub(super) fn publish(self, part: &Path) -> io::Result<()> {
        let file = self.target.write(&self.batch)?;
        publish(part, || file.sync_all())
    }
}

/// Gives a finished file its final name, and syncs the file and its folder.
pub(super) fn publish(part: &Path, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let done = part.with_extension("");
    fs::rename(part, &done)?;
    let synced = sync().and_then(|()| done.parent().map_or(Ok(()), sync_folder));
    if synced.is_err() {
        // No row will name it. If it cannot be removed either, the sweep will.
        let _ = fs::remove_file(done);
    }
    synced
}

/// A file being written; removed when dropped unless it is kept.
pub(super) struct PartFile {
    pub(super) path: PathBuf,
    pub(super) kept: bool,
}

impl PartFile {
    pub(super) fn new(done: PathBuf) -> Self {
        Self { path: done.with_extension(PART_EXTENSION), kept: false }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.kept {
            // A thread may still be writing; it holds the open file, not the name. A file whose first batch is only now being created
            // stays behind for the sweep.
            let path = std::mem::take(&mut self.path);
            match tokio::runtime::Handle::try_current() {
                Ok(runtime) => drop(runtime.spawn_blocking(move || fs::remove_file(path))),
                Err(_) => drop(fs::remove_file(path)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::io::Seek;

    use futures_util::stream;
    use proptest::prelude::*;

    use super::*;
    use crate::error::Error;

    #[test]
    fn what_cannot_be_synced_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("blob").with_extension(PART_EXTENSION);
        let files = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        assert!(publish(&part, || Ok(())).is_err(), "there is none");

        fs::write(&part, "bytes").unwrap();
        publish(&part, || Err(io::Error::other("the disk is broken"))).unwrap_err();
        assert!(files().is_empty());

        fs::write(&part, "bytes").unwrap();
        publish(&part, || Ok(())).unwrap();
        assert_eq!(files(), ["blob"]);
    }

    #[test]
    fn a_batch_is_whole_buffers_and_leaves_room_for_another() {
        let buffers = |count: usize| count * BUFFER_BYTES;
        assert_eq!([32, 16, 5, 3, 1].map(|count| batch_size(buffers(count))), [8, 8, 2, 1, 1].map(buffers));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn all_bytes_are_there_in_order_however_they_are_cut(
            before in prop_oneof![Just(0), Just(4096), 1..9999_usize],
            sizes in proptest::collection::vec(prop_oneof![4 => Just(BUFFER_BYTES), 1 => 0..9999_usize], 0..40),
            is_broken in any::<bool>(),
        ) {
            let chunks: Vec<Bytes> = sizes.iter().enumerate().map(|(at, size)| vec![at as u8; *size].into()).collect();
            let whole = [vec![255; before], chunks.concat()].concat();
            let named = tempfile::NamedTempFile::new().unwrap();
            fs::write(&named, vec![255; before]).unwrap();
            let end = is_broken.then_some(Err(Error::Aborted("gone")));
            let body = stream::iter(chunks.into_iter().map(Ok).chain(end)).boxed();
            let mut file = named.reopen().unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let written = runtime.block_on(write_all(body, move || file.seek(io::SeekFrom::End(0)).map(|_| file)));
            match written {
                Ok((size, last)) => {
                    prop_assert_eq!(size as usize, whole.len() - before);
                    last.finish().unwrap();
                    prop_assert!(fs::read(&named).unwrap() == whole);
                }
                Err(_) => prop_assert!(is_broken && whole.starts_with(&fs::read(&named).unwrap())),
            }
        }
    }
}
