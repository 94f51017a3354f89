//! Divides the request body of a resumable upload into segments. Each segment is stored before the next segment is read, so that a failure
//! loses little content.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::headers::Hasher;
use crate::backend::ByteStream;
use crate::error::Error;

/// Size of a segment in bytes. With the S3 backend, a segment is also a part of an S3 multipart upload, and such a part must have at least
/// 5 MiB.
pub(crate) const SEGMENT_BYTES: u64 = 8 * 1024 * 1024;

/// The request body of a resumable upload, divided into segments.
#[derive(Clone)]
pub(crate) struct Segments(Arc<Mutex<Inner>>);

struct Inner {
    bytes: ByteStream,
    /// Received bytes that belong to the next segment.
    next: Bytes,
    end: Option<BodyEnd>,
    stop: CancellationToken,
    hasher: Option<Hasher>,
}

/// How a request body ended.
#[derive(Debug)]
pub(crate) enum BodyEnd {
    /// The request body is complete.
    Whole,
    /// Reading has stopped, because another request wants the upload lock.
    Stopped,
    /// The client disconnected or sent too slowly.
    Failed(Error),
}

impl Segments {
    /// Reads a request body until it ends or `stop` is cancelled. `hasher` hashes all returned bytes.
    pub(crate) fn new(bytes: ByteStream, stop: CancellationToken, hasher: Option<Hasher>) -> Self {
        Self(Arc::new(Mutex::new(Inner { bytes, next: Bytes::new(), end: None, stop, hasher })))
    }

    /// Waits for the next bytes of the request body. Returns whether the body contains more bytes.
    pub(crate) async fn has_more(&self) -> bool {
        let mut inner = self.0.lock().await;
        inner.fill().await;
        !inner.next.is_empty()
    }

    /// Returns the next segment of at most `max_bytes` bytes. The stream ends without an error even if the request body fails, so that the
    /// bytes received so far are stored.
    pub(crate) fn next(&self, max_bytes: u64) -> ByteStream {
        let segments = self.clone();
        stream::unfold((segments, max_bytes), |(segments, left)| async move {
            let bytes = segments.0.lock().await.take(left).await?;
            let left = left - bytes.len() as u64;
            Some((Ok(bytes), (segments, left)))
        })
        .boxed()
    }

    /// Returns how the request body ended, and the hasher of its bytes.
    pub(crate) async fn end(&self) -> (BodyEnd, Option<Hasher>) {
        let mut inner = self.0.lock().await;
        (inner.end.take().unwrap_or(BodyEnd::Whole), inner.hasher.take())
    }
}

impl Inner {
    async fn fill(&mut self) {
        while self.next.is_empty() && self.end.is_none() {
            let item = tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.end = Some(BodyEnd::Stopped);
                    return;
                }
                item = self.bytes.next() => item,
            };
            match item {
                Some(Ok(bytes)) => self.next = bytes,
                Some(Err(error)) => self.end = Some(BodyEnd::Failed(error)),
                None => self.end = Some(BodyEnd::Whole),
            }
        }
    }

    async fn take(&mut self, max_bytes: u64) -> Option<Bytes> {
        self.fill().await;
        let length = usize::try_from(max_bytes).unwrap_or(usize::MAX).min(self.next.len());
        if length == 0 {
            return None;
        }
        let bytes = self.next.split_to(length);
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&bytes);
        }
        Some(bytes)
    }
}
