//! Reads the content of a stored blob at any offset, in windows of limited size.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};

use super::edits::Piece;
use crate::backend::{Backend, BlobKey};
use crate::error::{Error, Result};

/// Size of a read window in bytes: the maximum part of a blob that is in memory.
pub(super) const WINDOW_BYTES: usize = 256 * 1024;

pub(super) struct BlobReader {
    backend: Arc<dyn Backend>,
    key: BlobKey,
    size: u64,
    window: Bytes,
    /// Offset of the read window in the blob.
    start: u64,
}

impl BlobReader {
    pub(super) fn new(backend: Arc<dyn Backend>, key: BlobKey, size: u64) -> Self {
        Self { backend, key, size, window: Bytes::new(), start: 0 }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns `length` bytes at offset `at`, at most [`WINDOW_BYTES`]. Returns fewer bytes at the end of the blob.
    pub(super) async fn bytes(&mut self, at: u64, length: usize) -> Result<Bytes> {
        let end = at.saturating_add(length.min(WINDOW_BYTES) as u64).min(self.size);
        if at >= end {
            return Ok(Bytes::new());
        }
        if at < self.start || end > self.start + self.window.len() as u64 {
            self.window = self.fetch(at..at.saturating_add(WINDOW_BYTES as u64).min(self.size)).await?;
            self.start = at;
        }
        let index = |place: u64| usize::try_from(place - self.start).unwrap_or(usize::MAX).min(self.window.len());
        Ok(self.window.slice(index(at)..index(end)))
    }

    /// Returns exactly `N` bytes at offset `at`. `None` if the blob is too short.
    pub(super) async fn array<const N: usize>(&mut self, at: u64) -> Result<Option<[u8; N]>> {
        Ok(self.bytes(at, N).await?.as_ref().try_into().ok())
    }

    async fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        let mut content = self.backend.get(self.key, range).await?.into_stream();
        let mut all = BytesMut::new();
        while let Some(chunk) = content.next().await {
            all.extend_from_slice(&chunk?);
        }
        Ok(all.freeze())
    }

    /// Returns the edited blob as a stream.
    pub(super) fn edited(self, pieces: Vec<Piece>) -> impl Stream<Item = Result<Bytes>> + Send {
        let (backend, key) = (self.backend, self.key);
        stream::iter(pieces.into_iter().map(Ok::<_, Error>))
            .and_then(move |piece| {
                let backend = backend.clone();
                async move {
                    Ok(match piece {
                        Piece::Old(range) => backend.get(key, range).await?.into_stream(),
                        Piece::New(bytes) => stream::iter([Ok(bytes)]).boxed(),
                        Piece::Zeros(length) => zeros(length).boxed(),
                    })
                }
            })
            .try_flatten()
    }
}

fn zeros(length: u64) -> impl Stream<Item = Result<Bytes>> + Send {
    const BLOCK: &[u8] = &[0; 4096];
    stream::unfold(length, |left| async move {
        let block = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK.len());
        let bytes = Bytes::from_static(BLOCK).slice(..block);
        (block > 0).then(|| (Ok(bytes), left - block as u64))
    })
}
