//! Body of a request over HTTP/2. If a handler does not read the body to its end, the rest is received and discarded, as at the end of a
//! connection of HTTP/1.1 ([`lingering_close`](crate::connection::lingering_close)). Otherwise the server would reset the request after its
//! response, and some clients that are still sending (curl 7.88) would lose the response.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::connection::lingering_close::{IDLE_TIMEOUT, MAX_LINGER};

/// A request body that is received to its end, even if it is dropped before.
#[derive(Debug)]
pub(super) struct RequestBody<B: Body + Unpin + Send + 'static> {
    /// `None` after the end of the body, or an error.
    body: Option<B>,
}

impl<B: Body + Unpin + Send + 'static> RequestBody<B> {
    pub(super) fn new(body: B) -> Self {
        Self { body: Some(body) }
    }
}

impl<B: Body<Data = Bytes, Error: Send> + Unpin + Send + 'static> Body for RequestBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl<B: Body + Unpin + Send + 'static> Drop for RequestBody<B> {
    fn drop(&mut self) {
        let unread = self.body.take().filter(|body| !body.is_end_stream());
        if let Some(body) = unread
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(discard(body));
        }
    }
}

/// Receives a body until its end, until the client stops sending, or until a time limit is reached.
async fn discard<B: Body + Unpin>(mut body: B) {
    let all = async { while let Ok(Some(Ok(_))) = timeout(IDLE_TIMEOUT, body.frame()).await {} };
    let _ = timeout(MAX_LINGER, all).await;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream;
    use http_body_util::StreamBody;
    use tokio::time::Instant;

    use super::*;

    /// Returns a body of `count` parts that counts the parts that were read. After the last part, the body does not end.
    fn parts(
        count: usize,
        read: &Arc<AtomicUsize>,
    ) -> impl Body<Data = Bytes, Error = std::io::Error> + Unpin + Send + use<> {
        let read = Arc::clone(read);
        StreamBody::new(Box::pin(stream::unfold(0, move |index| {
            let read = Arc::clone(&read);
            async move {
                if index == count {
                    std::future::pending::<()>().await;
                }
                read.fetch_add(1, Ordering::Relaxed);
                Some((Ok(Frame::data(Bytes::from_static(b"part"))), index + 1))
            }
        })))
    }

    #[tokio::test(start_paused = true)]
    async fn the_rest_of_a_dropped_body_is_received() {
        let read = Arc::default();
        let mut body = RequestBody::new(parts(5, &read));
        body.frame().await.unwrap().unwrap();
        assert_eq!(read.load(Ordering::Relaxed), 1);
        drop(body);
        tokio::time::sleep(IDLE_TIMEOUT * 2).await;
        assert_eq!(read.load(Ordering::Relaxed), 5);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_not_waited_for_long() {
        let begun = Instant::now();
        discard(parts(1, &Arc::default())).await;
        assert_eq!(begun.elapsed(), IDLE_TIMEOUT);
    }
}
