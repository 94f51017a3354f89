//! Bytes on their way to S3, gathered until they make a part. S3 takes parts of five megabytes and more: were they gathered in
//! memory, a hundred phones on poor connections would fill it. They lie in a file without a name, which is gone with the process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use bytes::Bytes;
use futures_util::StreamExt;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::backend::ByteStream;
use crate::error::{Error, Result};

/// Up to this size bytes stay in memory: small uploads never touch the disk.
const BATCH: usize = 256 * 1024;

/// Gathered bytes.
pub(super) struct Spool {
    folder: PathBuf,
    file: Option<File>,
    /// The bytes in the file.
    written: usize,
    /// The bytes after them.
    recent: Vec<u8>,
}

impl Spool {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, file: None, written: 0, recent: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.written + self.recent.len()
    }

    /// Gathers until there are so many bytes; tells whether the body has ended.
    pub(super) async fn fill(&mut self, body: &mut ByteStream, size: usize) -> Result<bool> {
        while self.len() < size {
            match body.next().await {
                Some(bytes) => self.push(bytes?).await?,
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Adds bytes.
    pub(super) async fn push(&mut self, bytes: Bytes) -> Result<()> {
        self.recent.extend_from_slice(&bytes);
        if self.recent.len() < BATCH {
            return Ok(());
        }
        let (folder, file, recent) = (self.folder.clone(), self.file.take(), std::mem::take(&mut self.recent));
        let size = recent.len();
        self.file = Some(blocking(move || append(&folder, file, &recent)).await?);
        self.written += size;
        Ok(())
    }

    /// Takes all bytes out, into a buffer.
    pub(super) async fn take(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        let recent = std::mem::take(&mut self.recent);
        let written = std::mem::take(&mut self.written);
        let mut all = std::mem::take(buffer);
        all.clear();
        let Some(mut file) = self.file.take() else {
            all.extend_from_slice(&recent);
            *buffer = all;
            return Ok(());
        };
        let (file, all) = blocking(move || {
            all.reserve_exact(written + recent.len());
            file.seek(SeekFrom::Start(0))?;
            file.read_to_end(&mut all)?;
            if all.len() != written {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            all.extend_from_slice(&recent);
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            Ok((file, all))
        })
        .await?;
        self.file = Some(file);
        *buffer = all;
        Ok(())
    }
}

/// Appends to the file, which is made for the first bytes and loses its name at once.
fn append(folder: &std::path::Path, file: Option<File>, bytes: &[u8]) -> io::Result<File> {
    let mut file = match file {
        Some(file) => file,
        None => {
            std::fs::create_dir_all(folder)?;
            let path = folder.join(Uuid::new_v4().to_string());
            let file = File::options().read(true).write(true).create_new(true).open(&path)?;
            std::fs::remove_file(path)?;
            file
        }
    };
    file.write_all(bytes)?;
    Ok(file)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let context = "gathering a part of an object";
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|source| Error::Internal { context, source: source.into() }),
        Err(source) => Err(Error::Internal { context, source: source.into() }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn what_goes_in_comes_out_and_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("cloch-spool-{}", Uuid::new_v4()));
        let bytes: Vec<u8> = (0..BATCH * 3 + 17).map(|n| (n % 251) as u8).collect();
        let chunks: Vec<_> = bytes.chunks(50_001).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let mut body: ByteStream = stream::iter(chunks).boxed();
        let mut spool = Spool::new(folder.clone());
        assert!(!spool.fill(&mut body, 10).await.unwrap());
        assert!(spool.file.is_none());
        let (mut all, mut buffer) = (Vec::new(), Vec::new());
        spool.take(&mut all).await.unwrap();
        assert!(!spool.fill(&mut body, BATCH * 2).await.unwrap());
        spool.take(&mut buffer).await.unwrap();
        all.extend_from_slice(&buffer);
        assert_eq!(spool.len(), 0);
        assert!(spool.fill(&mut body, usize::MAX).await.unwrap());
        spool.take(&mut buffer).await.unwrap();
        all.extend_from_slice(&buffer);
        assert!(all == bytes);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir(folder).unwrap();
    }
}
