//! Reading a file: whole where it is small, in chunks where it is large.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::task::spawn_blocking;

use super::{io_error, joined};
use crate::backend::{BlobKey, ByteStream};
use crate::error::{Error, Result};

/// What is read at once of larger files.
const READ_CHUNK: usize = 512 * 1024;
/// The same while many are read: two of these are in memory for each download.
const CROWDED_CHUNK: usize = 128 * 1024;
const CROWD: usize = 32;

pub(super) fn open(path: &Path, start: u64, key: BlobKey) -> Result<File> {
    let mut file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::BlobMissing(key.to_string()),
        _ => io_error("opening an object")(error),
    })?;
    if start > 0 {
        file.seek(SeekFrom::Start(start)).map_err(io_error("reading an object"))?;
    }
    Ok(file)
}

/// Reads exactly so many bytes: a shorter file is damaged, and must not be served as if it were whole.
pub(super) fn read(file: &mut File, length: u64) -> io::Result<Bytes> {
    read_into(Vec::with_capacity(usize::try_from(length).unwrap_or(READ_CHUNK)), file, length)
}

fn read_into(mut buffer: Vec<u8>, file: &mut File, length: u64) -> io::Result<Bytes> {
    file.take(length).read_to_end(&mut buffer)?;
    if buffer.len() as u64 == length { Ok(buffer.into()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The next bytes of a file in chunks; one chunk is read ahead while the last one is sent. Every stream holds a clone of
/// `crowd`, so that each knows how many there are.
pub(super) fn chunks(file: File, length: u64, crowd: Arc<()>) -> ByteStream {
    let next = move |mut file: File, left: u64| {
        (left > 0).then(|| {
            let most = if Arc::strong_count(&crowd) > CROWD { CROWDED_CHUNK } else { READ_CHUNK };
            let length = left.min(most as u64);
            // Made on the thread that frees it: the allocator would keep what the many threads for files have made.
            let buffer = Vec::with_capacity(usize::try_from(length).unwrap_or(READ_CHUNK));
            spawn_blocking(move || -> io::Result<_> {
                let bytes = read_into(buffer, &mut file, length)?;
                Ok((bytes, file, left - length))
            })
        })
    };
    let first = next(file, length);
    stream::unfold((first, next), |(reading, next)| async move {
        match reading?.await.map_err(joined) {
            Ok(Ok((bytes, file, left))) => {
                let following = next(file, left);
                Some((Ok(bytes), (following, next)))
            }
            Ok(Err(error)) => Some((Err(io_error("reading an object")(error)), (None, next))),
            Err(error) => Some((Err(error), (None, next))),
        }
    })
    .boxed()
}
