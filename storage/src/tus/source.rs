//! The bytes of one request, handed out in segments: each is made safe before the next is begun, so that little is lost
//! whatever happens.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::headers::Sum;
use crate::backend::ByteStream;
use crate::error::Error;

/// What is made safe at once. A part of an S3 upload too, which must have at least 5 MiB.
pub(crate) const SEGMENT: u64 = 8 * 1024 * 1024;

/// The bytes of a request's body, and how they ended.
#[derive(Clone)]
pub(crate) struct Source(Arc<Mutex<Inner>>);

struct Inner {
    bytes: ByteStream,
    /// What has come of the next segment already.
    next: Bytes,
    end: Option<End>,
    stop: CancellationToken,
    sum: Option<Sum>,
}

/// How a body ended.
#[derive(Debug)]
pub(crate) enum End {
    /// It is complete.
    Whole,
    /// Another request asked for the upload.
    Stopped,
    /// The client went away, or was too slow.
    Failed(Error),
}

impl Source {
    /// The bytes of a body, until they end or `stop` says so. `sum` takes in all that are handed out.
    pub(crate) fn new(bytes: ByteStream, stop: CancellationToken, sum: Option<Sum>) -> Self {
        Self(Arc::new(Mutex::new(Inner { bytes, next: Bytes::new(), end: None, stop, sum })))
    }

    /// Whether there are more bytes; waits for them.
    pub(crate) async fn has_more(&self) -> bool {
        let mut inner = self.0.lock().await;
        inner.fill().await;
        !inner.next.is_empty()
    }

    /// The next bytes, at most so many. They end without an error even where the body does not: what has come counts.
    pub(crate) fn segment(&self, most: u64) -> ByteStream {
        let source = self.clone();
        stream::unfold((source, most), |(source, left)| async move {
            let bytes = source.0.lock().await.take(left).await?;
            let left = left - bytes.len() as u64;
            Some((Ok(bytes), (source, left)))
        })
        .boxed()
    }

    /// How the body ended, and the sum of its bytes.
    pub(crate) async fn end(&self) -> (End, Option<Sum>) {
        let mut inner = self.0.lock().await;
        (inner.end.take().unwrap_or(End::Whole), inner.sum.take())
    }
}

impl Inner {
    async fn fill(&mut self) {
        while self.next.is_empty() && self.end.is_none() {
            let item = tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.end = Some(End::Stopped);
                    return;
                }
                item = self.bytes.next() => item,
            };
            match item {
                Some(Ok(bytes)) => self.next = bytes,
                Some(Err(error)) => self.end = Some(End::Failed(error)),
                None => self.end = Some(End::Whole),
            }
        }
    }

    async fn take(&mut self, most: u64) -> Option<Bytes> {
        self.fill().await;
        let length = usize::try_from(most).unwrap_or(usize::MAX).min(self.next.len());
        if length == 0 {
            return None;
        }
        let bytes = self.next.split_to(length);
        if let Some(sum) = &mut self.sum {
            sum.update(&bytes);
        }
        Some(bytes)
    }
}
