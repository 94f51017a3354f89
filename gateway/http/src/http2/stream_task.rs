//! Task of each request of an HTTP/2 connection. Resets the request if the client reads its response too slowly. Without this limit, a client
//! whose flow-control window stays closed could hold responses in the memory of the server forever. The limit of the connection
//! ([`ClientStream`](crate::connection::ClientStream)) does not apply then, because the server writes nothing to the connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use cloch_core::min_rate::{MinRate, MinRateGuard};
use hyper::rt::Executor;

use super::response_body::{PROGRESS, ReadProgress};

/// Starts the tasks that process requests, on the runtime of the connection.
#[derive(Clone, Debug)]
pub(super) struct StreamTasks {
    /// Minimum rate at which a client must read each response.
    pub min_rate: MinRate,
}

impl<S: Future<Output = ()> + Send + 'static> Executor<S> for StreamTasks {
    fn execute(&self, stream: S) {
        let progress = Arc::<ReadProgress>::default();
        let task = StreamTask {
            stream: Box::pin(stream),
            guard: MinRateGuard::new(self.min_rate),
            progress: Arc::clone(&progress),
        };
        tokio::spawn(PROGRESS.scope(progress, task));
    }
}

/// hyper's future of a request, which ends early if the client reads too slowly. hyper then sends `RST_STREAM`.
struct StreamTask<S> {
    stream: Pin<Box<S>>,
    guard: MinRateGuard,
    progress: Arc<ReadProgress>,
}

impl<S: Future<Output = ()>> Future for StreamTask<S> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if this.stream.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        match this.progress.take_read() {
            0 => {}
            bytes => this.guard.transferred(bytes),
        }
        if !this.progress.is_waiting() {
            // The server has nothing to send, so the client does not count as slow.
            this.guard.reset();
            return Poll::Pending;
        }
        ready!(this.guard.poll_too_slow(cx));
        tracing::debug!("http2: the client reads a response too slowly, its request was reset");
        Poll::Ready(())
    }
}
