//! Lingering close (RFC 9112, section 9.6; nginx's `lingering_close`). If a socket is closed while the client is still sending, the kernel
//! sends RST, and the client may lose the response before reading it: a refused upload would look like a network failure. Therefore, if the
//! server has not read a request to its end, it first closes only its sending direction, then reads and discards data until the client stops
//! sending.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Maximum time in which the server reads from a client that continues to send (nginx's `lingering_time`).
pub(crate) const MAX_LINGER: Duration = Duration::from_secs(30);
/// Maximum time in which the server waits for further bytes of a client that sends nothing (nginx's `lingering_timeout`).
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

const DISCARD_BUFFER_BYTES: usize = 16 * 1024;

/// Flag: the server did not read a request body of the connection to its end. A connection and all its request bodies share one flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyUnread(Arc<AtomicBool>);

impl BodyUnread {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request body that sets [`BodyUnread`] if the body is dropped before its end was read.
#[derive(Debug)]
pub(crate) struct TrackedBody<B: Body> {
    body: B,
    ended: bool,
    unread: BodyUnread,
}

impl<B: Body> TrackedBody<B> {
    pub(crate) fn new(body: B, unread: BodyUnread) -> Self {
        Self { ended: false, body, unread }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for TrackedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.ended |= !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B: Body> Drop for TrackedBody<B> {
    fn drop(&mut self) {
        if !self.ended && !self.body.is_end_stream() {
            self.unread.set();
        }
    }
}

/// Closes a connection. Uses a lingering close if the server has left incoming data unread.
#[derive(Debug)]
pub(super) struct LingeringClose {
    body_unread: BodyUnread,
    /// State of the lingering close. `None` before the server has closed its sending direction of the connection.
    lingering: Option<Lingering>,
}

impl LingeringClose {
    pub(super) fn new(body_unread: BodyUnread) -> Self {
        Self { body_unread, lingering: None }
    }

    /// Closes the stream. Fulfils the contract of [`AsyncWrite::poll_shutdown`]. `is_still_sending` means that the client has sent only a
    /// part of a request; the lingering close is then used even if no request body is marked as unread.
    pub(super) fn poll_close<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        is_still_sending: bool,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let lingering = match &mut self.lingering {
            Some(lingering) => lingering,
            lingering @ None => {
                ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
                if !is_still_sending && !self.body_unread.is_set() {
                    return Poll::Ready(Ok(()));
                }
                lingering.insert(Lingering::begin())
            }
        };
        lingering.poll(stream, cx).map(Ok)
    }
}

#[derive(Debug)]
struct Lingering {
    deadline: Instant,
    silence: Pin<Box<Sleep>>,
}

impl Lingering {
    fn begin() -> Self {
        let now = Instant::now();
        Self { deadline: now + MAX_LINGER, silence: Box::pin(sleep_until(now + IDLE_TIMEOUT)) }
    }

    /// Reads and discards data until the client stops sending or a time limit is reached. After an error, the connection is closed
    /// immediately.
    fn poll<S: AsyncRead + Unpin>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<()> {
        let mut buffer = [MaybeUninit::uninit(); DISCARD_BUFFER_BYTES];
        loop {
            let mut discarded = ReadBuf::uninit(&mut buffer);
            if Pin::new(&mut *stream).poll_read(cx, &mut discarded).is_pending() {
                return self.silence.as_mut().poll(cx);
            }
            if discarded.filled().is_empty() || Instant::now() >= self.deadline {
                return Poll::Ready(());
            }
            self.silence.as_mut().reset((Instant::now() + IDLE_TIMEOUT).min(self.deadline));
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt, Full};

    use super::*;

    #[tokio::test]
    async fn a_body_that_is_not_read_to_its_end_is_noted() {
        let unread = BodyUnread::default();
        let body = || TrackedBody::new(Full::new(Bytes::from_static(b"scan")), unread.clone());
        body().collect().await.unwrap();
        assert!(!unread.is_set());
        drop(body());
        assert!(unread.is_set());
    }
}
