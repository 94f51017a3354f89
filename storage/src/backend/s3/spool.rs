//! Stores the bytes of one S3 part temporarily. Parts have at least 5 MiB, so a hundred slow uploads would need too much memory. The bytes
//! are spooled to an unlinked file, which disappears when the process ends.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::backend::blocking_io::blocking;
use crate::backend::{ByteStream, private_files};
use crate::error::Result;

const CONTEXT: &str = "buffering a part of an object";
/// Number of bytes that are collected in memory before they are written to the spool file. Smaller uploads do not use the disk.
const BATCH_BYTES: usize = 256 * 1024;

/// Spooled bytes of one S3 part.
pub(super) struct Spool {
    folder: PathBuf,
    file: Option<Arc<File>>,
    /// Number of bytes in the spool file.
    written: usize,
    /// Bytes in memory, which follow the bytes in the spool file.
    recent: Vec<u8>,
}

impl Spool {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, file: None, written: 0, recent: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.written + self.recent.len()
    }

    /// Reads from `body` until the spool contains `size` bytes. Returns whether `body` has ended.
    pub(super) async fn fill(&mut self, body: &mut ByteStream, size: usize) -> Result<bool> {
        while self.len() < size {
            match body.next().await {
                Some(bytes) => self.push(bytes?).await?,
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    pub(super) async fn push(&mut self, bytes: Bytes) -> Result<()> {
        self.recent.extend_from_slice(&bytes);
        if self.recent.len() < BATCH_BYTES {
            return Ok(());
        }
        let (folder, file, recent) = (self.folder.clone(), self.file.take(), std::mem::take(&mut self.recent));
        let size = recent.len();
        self.file = Some(blocking(CONTEXT, move || append(&folder, file, &recent)).await?);
        self.written += size;
        Ok(())
    }

    /// Returns a stream of all spooled bytes, which stay in the spool.
    pub(super) fn stream(&self) -> impl Stream<Item = io::Result<Bytes>> + use<> {
        let (file, written) = (self.file.clone(), self.written);
        let in_file = stream::try_unfold(0, move |at| {
            let file = file.clone().filter(|_| at < written);
            async move {
                let Some(file) = file else { return Ok(None) };
                let bytes = spawn_blocking(move || read(&file, at, written)).await.map_err(io::Error::other)??;
                let next = at + bytes.len();
                Ok(Some((bytes, next)))
            }
        });
        in_file.chain(stream::iter([Ok(Bytes::copy_from_slice(&self.recent))]))
    }

    pub(super) async fn clear(&mut self) -> Result<()> {
        self.recent.clear();
        let written = std::mem::take(&mut self.written);
        let Some(file) = self.file.clone().filter(|_| written > 0) else { return Ok(()) };
        blocking(CONTEXT, move || {
            file.set_len(0)?;
            (&*file).seek(SeekFrom::Start(0)).map(drop)
        })
        .await
    }
}

fn read(file: &File, at: usize, end: usize) -> io::Result<Bytes> {
    let mut bytes = vec![0; BATCH_BYTES.min(end - at)];
    file.read_exact_at(&mut bytes, at as u64)?;
    Ok(bytes.into())
}

/// Appends to the spool file. The file is created for the first bytes and unlinked immediately.
fn append(folder: &std::path::Path, file: Option<Arc<File>>, bytes: &[u8]) -> io::Result<Arc<File>> {
    let file = match file {
        Some(file) => file,
        None => {
            private_files::create_folder(folder)?;
            let path = folder.join(Uuid::new_v4().to_string());
            let file = private_files::new_file().read(true).create_new(true).open(&path)?;
            std::fs::remove_file(path)?;
            Arc::new(file)
        }
    };
    (&*file).write_all(bytes)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_goes_in_comes_out_and_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("cloch-spool-{}", Uuid::new_v4()));
        let bytes: Vec<u8> = (0..BATCH_BYTES * 3 + 17).map(|n| (n % 251) as u8).collect();
        let chunks: Vec<_> = bytes.chunks(50_001).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let mut body: ByteStream = stream::iter(chunks).boxed();
        let mut spool = Spool::new(folder.clone());
        let mut all = Vec::new();
        for (size, is_end) in [(10, false), (BATCH_BYTES * 2, false), (usize::MAX, true)] {
            assert_eq!(spool.fill(&mut body, size).await.unwrap(), is_end);
            assert_eq!(spool.file.is_some(), size > 10);
            let (once, again) = (read_all(&spool).await, read_all(&spool).await);
            assert!(once == again && once.len() == spool.len());
            all.extend_from_slice(&once);
            spool.clear().await.unwrap();
            assert_eq!(spool.len(), 0);
        }
        assert!(all == bytes);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir(folder).unwrap();
    }

    async fn read_all(spool: &Spool) -> Vec<u8> {
        spool.stream().map(|bytes| bytes.unwrap().to_vec()).concat().await
    }
}
