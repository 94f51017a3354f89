//! Reading a file: whole where it is small, in chunks where it is large.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::task::spawn_blocking;

use super::buffers::{Buffers, Lent};
use super::{io_error, joined};
use crate::backend::{BlobKey, ByteStream};
use crate::error::{Error, Result};

pub(super) fn open(path: &Path, key: BlobKey) -> Result<File> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::BlobMissing(key.to_string()),
        _ => io_error("opening an object")(error),
    })
}

/// Reads exactly so many bytes: a shorter file is damaged, and must not be served as if it were whole.
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

/// A large file, and what of it is still to be read.
struct Reading {
    file: File,
    next: u64,
    end: u64,
    buffers: Buffers,
}

/// The bytes of a file in chunks.
pub(super) fn chunks(file: File, start: u64, length: u64, buffers: Buffers) -> ByteStream {
    let reading = Reading { file, next: start, end: start + length, buffers };
    stream::unfold(Some(reading), |reading| async move {
        let reading = reading.filter(|reading| reading.next < reading.end)?;
        match reading.chunk().await {
            Ok((bytes, reading)) => Some((Ok(bytes), Some(reading))),
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

impl Reading {
    /// Reads the next chunk: here where the system has it in memory, else in a thread that may wait for the disk.
    async fn chunk(mut self) -> Result<(Bytes, Self)> {
        let wanted = usize::try_from(self.end - self.next).unwrap_or(usize::MAX);
        let mut lent = self.buffers.lend();
        let present = present(&self.file, lent.room(wanted), self.next).map_err(io_error("reading an object"))?;
        lent.advance(present);
        if !lent.room(wanted).is_empty() {
            (lent, self) = spawn_blocking(move || self.fill(lent, wanted).map(|lent| (lent, self)))
                .await
                .map_err(joined)?
                .map_err(io_error("reading an object"))?;
        }
        self.next += lent.filled() as u64;
        Ok((lent.into_bytes(), self))
    }

    /// Fills the rest of a buffer, however long that takes.
    fn fill(&self, mut lent: Lent, wanted: usize) -> io::Result<Lent> {
        let start = self.next + lent.filled() as u64;
        let room = lent.room(wanted);
        let length = room.len();
        self.file.read_exact_at(room, start)?;
        lent.advance(length);
        Ok(lent)
    }
}

/// Reads what the system has in memory, without waiting for the disk.
#[cfg(target_os = "linux")]
fn present(file: &File, room: &mut [u8], start: u64) -> io::Result<usize> {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    match preadv2(file, &mut [io::IoSliceMut::new(room)], start, ReadWriteFlags::NOWAIT) {
        Ok(bytes) => Ok(bytes),
        // Nothing is there, or the file system cannot tell.
        Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::INTR) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere nobody can tell.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
fn present(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Ok(0)
}
