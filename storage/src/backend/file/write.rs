//! Writes an upload to a file in batches of chunks. A blocking thread writes one batch while the next batch is received.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::task::{JoinHandle, spawn_blocking};

use super::scan::PART_EXTENSION;
use crate::backend::ByteStream;
use crate::backend::blocking_io::{io_error, join_error, sync_folder};
use crate::buffer_pool::{UPLOAD_BUFFER_BYTES, upload_budget};
use crate::error::Result;

const MAX_BATCH_BYTES: usize = 1024 * 1024;
type OpenFile = Box<dyn FnOnce() -> io::Result<File> + Send>;

/// Writes all batches of an upload except the last batch to a file, which is created for the first batch. Returns the total size and the
/// last batch. A small file needs only one blocking task, which creates and writes the file and calls [`LastBatch::publish`].
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
                // Wait for the current write before returning the error, because the caller may start another write to the same file.
                let _ = writer.join_writing().await;
                return Err(error);
            }
        };
        size += bytes.len() as u64;
        batch.push(bytes);
        if batch.size >= batch_size(upload_budget()) {
            writer.start(std::mem::take(&mut batch)).await?;
        }
    }
    writer.join_writing().await?;
    Ok((size, LastBatch { batch, target: writer.target }))
}

/// Returns the size of a batch in bytes: half of the upload's memory budget, rounded to whole buffers, so that the next batch can be
/// collected while this batch is written. The result is at least one buffer and at most [`MAX_BATCH_BYTES`].
fn batch_size(budget: usize) -> usize {
    (budget / 2 / UPLOAD_BUFFER_BYTES * UPLOAD_BUFFER_BYTES).clamp(UPLOAD_BUFFER_BYTES, MAX_BATCH_BYTES)
}

/// Chunks of an upload that are written to the file together.
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

/// The file of an upload, to which batches are appended.
enum Target {
    Unopened(OpenFile),
    Opened(File),
    /// The file is not available: a blocking thread uses it, or a write to it has failed.
    Taken,
}

impl Target {
    /// Appends a batch to the file. Call this function on a blocking thread.
    fn write(self, batch: &Batch) -> io::Result<File> {
        let mut file = match self {
            Self::Unopened(open) => open()?,
            Self::Opened(file) => file,
            Self::Taken => return Err(io::ErrorKind::NotFound.into()),
        };
        batch.chunks.iter().try_for_each(|chunk| file.write_all(chunk))?;
        Ok(file)
    }

    /// Appends a batch to the file and starts the writeback of the batch to the disk while more data is received, so that the fsync at the end
    /// is short.
    fn write_and_start_writeback(self, batch: &Batch) -> io::Result<File> {
        let mut file = self.write(batch)?;
        let (end, size) = (file.stream_position()?, batch.size as u64);
        start_writeback(&file, end.saturating_sub(size), size);
        Ok(file)
    }
}

/// Advises the kernel to start writing a range of the file to the disk. `POSIX_FADV_DONTNEED` has this effect for dirty pages, which stay
/// in the page cache. Errors are ignored, because the fsync at the end reports write errors.
#[cfg(target_os = "linux")]
fn start_writeback(file: &File, offset: u64, size: u64) {
    let _ = rustix::fs::fadvise(file, offset, std::num::NonZeroU64::new(size), rustix::fs::Advice::DontNeed);
}

/// Does nothing, because only Linux starts the writeback on `POSIX_FADV_DONTNEED`.
#[cfg(not(target_os = "linux"))]
fn start_writeback(_: &File, _: u64, _: u64) {}

/// Writer of an upload's batches, one batch at a time, on a blocking thread.
struct Writer {
    target: Target,
    writing: Option<JoinHandle<io::Result<File>>>,
}

impl Writer {
    fn new(open: OpenFile) -> Self {
        Self { target: Target::Unopened(open), writing: None }
    }

    /// Starts writing a batch after the previous batch is written. Returns immediately if the upload's memory budget has room for another
    /// batch, otherwise after this batch is written.
    async fn start(&mut self, batch: Batch) -> Result<()> {
        self.join_writing().await?;
        let has_room = 2 * batch.size <= upload_budget();
        let target = std::mem::replace(&mut self.target, Target::Taken);
        self.writing = Some(spawn_blocking(move || target.write_and_start_writeback(&batch)));
        if has_room { Ok(()) } else { self.join_writing().await }
    }

    async fn join_writing(&mut self) -> Result<()> {
        if let Some(writing) = self.writing.take() {
            self.target = Target::Opened(writing.await.map_err(join_error)?.map_err(io_error("writing an object"))?);
        }
        Ok(())
    }
}

/// The file of an upload, and the last batch, which is not written to the file yet.
pub(super) struct LastBatch {
    batch: Batch,
    target: Target,
}

impl LastBatch {
    /// Appends the last batch and syncs the file.
    pub(super) fn finish(self) -> io::Result<()> {
        self.target.write(&self.batch)?.sync_all()
    }

    /// Appends the last batch to a new file, renames the file from `part` to its final name, and syncs the file and its folder.
    pub(super) fn publish(self, part: &Path) -> io::Result<()> {
        let file = self.target.write(&self.batch)?;
        publish(part, || file.sync_all())
    }
}

/// Renames the finished file `part` to its final name, and syncs the file and its folder.
pub(super) fn publish(part: &Path, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let done = part.with_extension("");
    fs::rename(part, &done)?;
    let synced = sync().and_then(|()| done.parent().map_or(Ok(()), sync_folder));
    if synced.is_err() {
        // No row will refer to the file. If this deletion fails too, the periodic cleanup of orphaned blobs deletes the file.
        let _ = fs::remove_file(done);
    }
    synced
}

/// The temporary file of a blob that is being written. Dropping this value deletes the file unless `kept` is set.
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
            // A blocking thread may still be writing to the open file. Deleting the file's name does not disturb that write. If the thread
            // is still creating the file for its first batch, the file may remain; it is later deleted because of its age.
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
        let buffers = |count: usize| count * UPLOAD_BUFFER_BYTES;
        assert_eq!([32, 16, 5, 3, 1].map(|count| batch_size(buffers(count))), [8, 8, 2, 1, 1].map(buffers));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn all_bytes_are_there_in_order_however_they_are_cut(
            before in prop_oneof![Just(0), Just(4096), 1..9999_usize],
            sizes in proptest::collection::vec(prop_oneof![4 => Just(UPLOAD_BUFFER_BYTES), 1 => 0..9999_usize], 0..40),
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
