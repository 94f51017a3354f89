//! What a connection brings, for those that keep it: a WebSocket's message is in memory from its first fragment to its last, before
//! anybody can refuse it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::filtered::Filter;

/// Told how many bytes have come; says whether there is room for them.
type Counter = Box<dyn Fn(usize) -> bool + Send + Sync>;

/// The way to count what a connection brings, as an extension of requests that upgrade it.
#[derive(Clone, Default)]
pub struct InboundMeter(Arc<OnceLock<Counter>>);

impl InboundMeter {
    /// From now on what comes is counted. A connection is upgraded once.
    pub fn count_with(&self, counter: impl Fn(usize) -> bool + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(counter));
    }
}

/// Counts what is read of a connection.
pub(super) struct Inbound(InboundMeter);

impl Inbound {
    pub(super) fn new(meter: InboundMeter) -> Self {
        Self(meter)
    }
}

impl Filter for Inbound {
    fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(stream).poll_read(cx, buf))?;
        match self.0.0.get() {
            Some(counter) if !counter(buf.filled().len() - before) => Poll::Ready(Err(io::Error::new(
                io::ErrorKind::OutOfMemory,
                "the client makes the server hold too much",
            ))),
            _ => Poll::Ready(Ok(())),
        }
    }
}
