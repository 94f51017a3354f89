//! Reads blobs from files: small blobs as a whole, large blobs in chunks.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use crate::backend::blocking_io::{blocking, io_error};
use crate::backend::{BlobKey, ByteStream};
use crate::buffer_pool::Buffer;
use crate::error::{Error, Result};

pub(super) fn open(path: &Path, key: BlobKey) -> Result<File> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::BlobMissing(key.to_string()),
        _ => io_error("opening an object")(error),
    })
}

/// Reads exactly `length` bytes of a blob. A shorter file is damaged and must not be served as if it were complete.
pub(super) fn read(file: &File, start: u64, length: usize) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(length);
    if start == 0 {
        file.take(length as u64).read_to_end(&mut bytes)?;
    } else {
        bytes.resize(length, 0);
        file.read_exact_at(&mut bytes, start)?;
    }
    if bytes.len() == length { Ok(bytes.into()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A range of a large blob file, read in chunks.
#[derive(Clone, Debug)]
pub struct FileBytes {
    file: Arc<File>,
    range: Range<u64>,
}

impl FileBytes {
    pub(super) fn new(file: File, range: Range<u64>) -> Self {
        Self { file: Arc::new(file), range }
    }

    /// Reads a chunk at offset `at`, up to the end of the range. Data in the page cache is read on the current thread, other data on a
    /// blocking thread.
    ///
    /// # Errors
    /// If the disk fails, or the file is shorter than the range (damaged).
    pub async fn read(&self, at: u64) -> Result<Bytes> {
        let wanted = usize::try_from(self.range.end.saturating_sub(at)).unwrap_or(usize::MAX);
        let mut buffer = Buffer::for_download().map_err(io_error("reading an object"))?;
        let present = present(&self.file, buffer.unfilled(wanted), at).map_err(io_error("reading an object"))?;
        buffer.advance(present);
        if !buffer.unfilled(wanted).is_empty() {
            let file = Arc::clone(&self.file);
            buffer = blocking("reading an object", move || fill(&file, at, buffer, wanted)).await?;
        }
        Ok(buffer.into_bytes())
    }

    /// Returns the range of the file as a stream of chunks.
    #[must_use]
    pub fn into_stream(self) -> ByteStream {
        stream::unfold(Some((self.range.start, self)), |state| async move {
            let (next, bytes) = state.filter(|(next, bytes)| *next < bytes.range.end)?;
            match bytes.read(next).await {
                Ok(chunk) => {
                    let next = next + chunk.len() as u64;
                    Some((Ok(chunk), Some((next, bytes))))
                }
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed()
    }
}

/// Fills the rest of a buffer from the file, starting at offset `at`. Blocks until the disk delivers the data.
fn fill(file: &File, at: u64, mut buffer: Buffer, wanted: usize) -> io::Result<Buffer> {
    let start = at + buffer.filled() as u64;
    let room = buffer.unfilled(wanted);
    let length = room.len();
    file.read_exact_at(room, start)?;
    buffer.advance(length);
    Ok(buffer)
}

/// Reads data from the page cache into `room` without waiting for the disk (`RWF_NOWAIT`). Returns the number of bytes read, which may be
/// 0.
#[cfg(target_os = "linux")]
fn present(file: &File, room: &mut [u8], start: u64) -> io::Result<usize> {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    match preadv2(file, &mut [io::IoSliceMut::new(room)], start, ReadWriteFlags::NOWAIT) {
        Ok(bytes) => Ok(bytes),
        // Nothing was read, because the page cache has no data or the file system does not support `RWF_NOWAIT`.
        Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::INTR) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Reads nothing, because systems other than Linux lack `RWF_NOWAIT`. The blocking read fetches all data.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
fn present(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Ok(0)
}
