//! Body of a response over HTTP/2: passes the response on in parts, and reports to [`ReadProgress`] which part the client has not read yet.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::open_requests::OpenRequest;
use crate::connection::network_count::CountPermit;

/// Maximum size of a part in bytes: the default size of an HTTP/2 frame, and the number of bytes that a client must read within a window of
/// the minimum rate.
const PART_BYTES: usize = 16 * 1024;

/// Progress of a client that reads a response. The body of the response updates the progress, and the task of the request reads it.
#[derive(Debug, Default)]
pub(super) struct ReadProgress {
    /// Size in bytes of the part that waits for the client. Zero if the server has nothing to send.
    waiting: AtomicUsize,
    /// Number of bytes that were passed on since the last call of [`Self::take_read`].
    read: AtomicUsize,
}

impl ReadProgress {
    /// Whether the server waits until the client reads.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Returns the number of bytes that were passed on since the last call.
    pub(super) fn take_read(&self) -> usize {
        self.read.swap(0, Ordering::Relaxed)
    }

    fn begin_part(&self, bytes: usize) {
        self.waiting.store(bytes, Ordering::Relaxed);
    }

    fn end_part(&self) {
        self.read.fetch_add(self.waiting.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }
}

tokio::task_local! {
    /// Progress of the response of the current task's request.
    pub(super) static PROGRESS: Arc<ReadProgress>;
}

/// Body of a response. Counts the request as open, and holds its permit, until the response has ended.
#[derive(Debug)]
pub(super) struct ResponseBody {
    body: Body,
    /// Part of the current chunk that was not passed on yet.
    rest: Bytes,
    progress: Option<Arc<ReadProgress>>,
    _open: OpenRequest,
    _permit: Option<CountPermit>,
}

impl ResponseBody {
    /// Wraps the body of a response. Must be called in the task of the request.
    pub(super) fn new(body: Body, open: OpenRequest, permit: Option<CountPermit>) -> Self {
        let progress = PROGRESS.try_with(Arc::clone).ok();
        Self { body, rest: Bytes::new(), progress, _open: open, _permit: permit }
    }

    fn next_part(&mut self) -> Frame<Bytes> {
        let part = self.rest.split_to(self.rest.len().min(PART_BYTES));
        if let Some(progress) = &self.progress {
            progress.begin_part(part.len());
        }
        Frame::data(part)
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    /// Returns the next part. hyper calls this method when the client's flow-control window has space for the previous part.
    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(progress) = &self.progress {
            progress.end_part();
        }
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        Poll::Ready(Some(Ok(self.next_part())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let of_body = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(of_body.lower().saturating_add(rest));
        if let Some(upper) = of_body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body::Body as _;
    use http_body_util::BodyExt;

    use super::super::open_requests::OpenRequests;
    use super::*;

    #[tokio::test]
    async fn a_large_chunk_is_passed_on_in_parts_and_keeps_its_length() {
        let content: Vec<u8> = (0..100_000_u32).map(|index| index.to_le_bytes()[0]).collect();
        let requests = OpenRequests::default();
        let progress = Arc::new(ReadProgress::default());
        let body = Body::from(content.clone());
        let mut body = PROGRESS.sync_scope(Arc::clone(&progress), || ResponseBody::new(body, requests.open(), None));
        assert_eq!(body.size_hint().exact(), Some(100_000));
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            let part = frame.unwrap().into_data().unwrap();
            assert!(part.len() <= PART_BYTES && progress.is_waiting());
            read.extend_from_slice(&part);
            assert_eq!(body.size_hint().exact(), Some(100_000 - read.len() as u64));
        }
        assert!(read == content && !progress.is_waiting());
        assert_eq!((progress.take_read(), progress.take_read(), requests.count()), (100_000, 0, 1));
        drop(body);
        assert_eq!(requests.count(), 0);
    }
}
