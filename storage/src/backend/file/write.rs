//! Writing a file from bytes as they come, with little memory and without blocking the runtime.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::task::{JoinHandle, spawn_blocking};

use super::append::Appending;
use super::{UNFINISHED, io_error, joined, sync_folder};
use crate::backend::ByteStream;
use crate::error::Result;
use crate::share::{part, share};

/// After so many bytes those in the page cache are sent to the disk, and no sooner: small files are faster in one go.
const STRIDE: u64 = 32 * 1024 * 1024;

/// So many bytes are written at once at most.
const BATCH: usize = 1024 * 1024;

type Opening = Box<dyn FnOnce() -> io::Result<File> + Send>;

/// Writes all bytes to a file that is opened when the first ones are there. The last batch is still to be written: see
/// [`Open::finish`].
pub(super) async fn write_all(
    mut body: ByteStream,
    open: impl FnOnce() -> io::Result<File> + Send + 'static,
) -> Result<(u64, Open)> {
    let mut size = 0_u64;
    let mut batch = Batch::default();
    let mut writing = Writing { open: Some(Box::new(open)), ..Writing::default() };
    let mut ahead = Ahead::default();
    while let Some(bytes) = body.next().await {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => {
                // The thread that writes must have stopped before anybody else writes to the same file.
                let _ = writing.settle().await;
                let _ = ahead.settle().await;
                return Err(error);
            }
        };
        size += bytes.len() as u64;
        batch.push(bytes);
        if batch.len >= part(share(), BATCH) {
            writing.settle().await?;
            let room_for_two = 2 * batch.len <= share();
            ahead.sync(writing.file.as_ref().and_then(Appending::cached), size - batch.len as u64).await?;
            writing.start(std::mem::take(&mut batch));
            // The next batch is gathered while this one is written, if there is room for both.
            if !room_for_two {
                writing.settle().await?;
            }
        }
    }
    writing.settle().await?;
    ahead.settle().await?;
    Ok((size, Open { batch, file: writing.file, open: writing.open }))
}

/// A file, in this thread or in the one that writes to it.
#[derive(Default)]
struct Writing {
    /// How it is opened, until the first bytes are there.
    open: Option<Opening>,
    file: Option<Appending>,
    task: Option<JoinHandle<io::Result<Appending>>>,
}

impl Writing {
    /// Has a batch written.
    fn start(&mut self, batch: Batch) {
        let (file, open) = (self.file.take(), self.open.take());
        self.task = Some(spawn_blocking(move || batch.write(file, open)));
    }

    /// Waits until it is written.
    async fn settle(&mut self) -> Result<()> {
        if let Some(task) = self.task.take() {
            self.file = Some(task.await.map_err(joined)?.map_err(io_error("writing an object"))?);
        }
        Ok(())
    }
}

/// Bytes on their way to the disk while more are written, so that the last wait for it is short.
#[derive(Default)]
struct Ahead {
    size: u64,
    under_way: Option<JoinHandle<io::Result<()>>>,
}

impl Ahead {
    /// Sends what has been written to the disk, where that is much and nothing else is on its way.
    async fn sync(&mut self, file: Option<&File>, size: u64) -> Result<()> {
        let (Some(file), true) = (file, size >= self.size + STRIDE) else { return Ok(()) };
        if self.under_way.as_ref().is_some_and(|task| !task.is_finished()) {
            return Ok(());
        }
        self.settle().await?;
        let file = file.try_clone().map_err(io_error("writing an object"))?;
        self.size = size;
        self.under_way = Some(spawn_blocking(move || file.sync_data()));
        Ok(())
    }

    /// Waits for it. A failure is told here and nowhere else: the system tells each only once.
    async fn settle(&mut self) -> Result<()> {
        match self.under_way.take() {
            Some(task) => task.await.map_err(joined)?.map_err(io_error("writing an object")),
            None => Ok(()),
        }
    }
}

/// A file and the last bytes that belong into it.
pub(super) struct Open {
    batch: Batch,
    file: Option<Appending>,
    open: Option<Opening>,
}

impl Open {
    /// Writes the last bytes and makes all of them safe.
    pub(super) fn finish(self) -> io::Result<()> {
        self.batch.write(self.file, self.open)?.sync()
    }

    /// Writes the last bytes of a new file, and makes all of it safe under the name that it then has.
    pub(super) fn publish(self, part: &Path) -> io::Result<()> {
        let file = self.batch.write(self.file, self.open)?;
        publish(part, || file.sync())
    }
}

/// Gives a finished file its name, and makes its bytes and the name safe.
pub(super) fn publish(part: &Path, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let done = part.with_extension("");
    fs::rename(part, &done)?;
    let safe = sync().and_then(|()| done.parent().map_or(Ok(()), sync_folder));
    if safe.is_err() {
        // Nobody will ask for it. If it cannot be removed either, it is left to the sweep.
        let _ = fs::remove_file(done);
    }
    safe
}

/// Bytes to be written together.
#[derive(Default)]
struct Batch {
    chunks: Vec<Bytes>,
    len: usize,
}

impl Batch {
    fn push(&mut self, bytes: Bytes) {
        self.len += bytes.len();
        self.chunks.push(bytes);
    }

    /// Appends the batch to the file, which is opened for the first one.
    fn write(self, file: Option<Appending>, open: Option<Opening>) -> io::Result<Appending> {
        let mut file = match (file, open) {
            (Some(file), _) => file,
            (None, Some(open)) => Appending::new(open()?)?,
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        file.write(&self.chunks)?;
        Ok(file)
    }
}

/// A file being written; removed unless it is kept.
pub(super) struct PartFile {
    pub(super) path: PathBuf,
    pub(super) kept: bool,
}

impl PartFile {
    pub(super) fn new(done: PathBuf) -> Self {
        Self { path: done.with_extension(UNFINISHED), kept: false }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.kept {
            // A write may still be under way in another thread; it holds the open file, not the name. A file whose first batch is
            // only now being created stays behind for the sweeper.
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

    use super::*;

    #[test]
    fn what_cannot_be_made_safe_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("blob").with_extension(UNFINISHED);
        let files = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        assert!(publish(&part, || Ok(())).is_err(), "there is none");

        fs::write(&part, "bytes").unwrap();
        publish(&part, || Err(io::Error::other("the disk is broken"))).unwrap_err();
        assert!(files().is_empty());

        fs::write(&part, "bytes").unwrap();
        publish(&part, || Ok(())).unwrap();
        assert_eq!(files(), ["blob"]);
    }
}
