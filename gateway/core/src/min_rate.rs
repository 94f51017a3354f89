//! Minimum transfer rate of clients. A client that sends a request body or reads a response more slowly than the minimum rate is
//! disconnected. Otherwise the client could hold a connection, with its memory and files, forever (Slowloris).

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// Minimum rate at which a client must send or read while the server waits for the client.
#[derive(Clone, Copy, Debug)]
pub struct MinRate {
    /// Duration over which the rate is measured.
    pub window: Duration,
    /// Minimum number of bytes that a client must transfer within each window.
    pub min_bytes: usize,
}

impl Default for MinRate {
    fn default() -> Self {
        Self { window: Duration::from_secs(60), min_bytes: 16 * 1024 }
    }
}

/// Measures the transfer rate in one direction (send or receive). Only the time in which the server waits for the client counts, so that a
/// slow disk of the server does not affect the result.
#[derive(Debug)]
pub struct MinRateGuard {
    rate: MinRate,
    bytes: usize,
    /// Time for which the server may still wait for the client in the current window.
    time_left: Duration,
    /// Time at which the server began to wait for the client. `None` if the server does not wait for the client.
    waiting_since: Option<Instant>,
    /// Timer for the end of the window. The timer is reset as rarely as possible, because each reset wakes the runtime. Therefore it may fire
    /// before the end of the window.
    timer: Option<Pin<Box<Sleep>>>,
}

impl MinRateGuard {
    /// Starts to measure a transfer. The first window begins when the server first waits for the client.
    #[must_use]
    pub fn new(rate: MinRate) -> Self {
        Self { rate, bytes: 0, time_left: rate.window, waiting_since: None, timer: None }
    }

    /// Counts transferred bytes. Starts a new window once the current window contains the minimum number of bytes.
    pub fn transferred(&mut self, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.time_left = self.time_left.saturating_sub(since.elapsed());
        }
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes >= self.rate.min_bytes {
            (self.bytes, self.time_left) = (0, self.rate.window);
        }
    }

    /// Starts a new window. The server must call this function when it has no data to transfer, so that the pause does not count as
    /// slowness of the client.
    pub fn reset(&mut self) {
        *self = Self::new(self.rate);
    }

    /// Checks the rate while the server waits for the client. Returns `Ready` when a window ends and fewer bytes than the minimum were
    /// transferred in it.
    pub fn poll_too_slow(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = *self.waiting_since.get_or_insert_with(Instant::now) + self.time_left;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        loop {
            ready!(timer.as_mut().poll(cx));
            if timer.deadline() >= deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
    }
}

/// Error: the client sends its request body more slowly than the minimum rate.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the client sends too slowly")]
pub struct TooSlow;

impl TooSlow {
    /// Whether [`TooSlow`] is the cause of `error`, an error from reading a request body.
    #[must_use]
    pub fn is_cause(error: &axum::Error) -> bool {
        let mut cause = error.source();
        while let Some(error) = cause {
            if error.is::<Self>() {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

/// Wraps a request body. The returned body ends with [`TooSlow`] if the client sends the body more slowly than `rate`.
pub fn enforce_min_rate(body: Body, rate: MinRate) -> Body {
    if http_body::Body::is_end_stream(&body) {
        return body;
    }
    Body::new(GuardedBody { body, guard: MinRateGuard::new(rate) })
}

struct GuardedBody {
    body: Body,
    guard: MinRateGuard,
}

impl http_body::Body for GuardedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                if let Some(Ok(frame)) = &frame {
                    self.guard.transferred(frame.data_ref().map_or(0, Bytes::len));
                }
                Poll::Ready(frame)
            }
            Poll::Pending => self.guard.poll_too_slow(cx).map(|()| Some(Err(axum::Error::new(TooSlow)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use http_body_util::BodyExt;
    use tokio::time::sleep;

    use super::*;

    const RATE: MinRate = MinRate { window: Duration::from_secs(10), min_bytes: 100 };

    fn steady(chunks: usize, chunk_bytes: usize) -> Body {
        let chunks = stream::iter(0..chunks).then(move |_| async move {
            sleep(Duration::from_secs(1)).await;
            Ok::<_, std::convert::Infallible>(Bytes::from(vec![0; chunk_bytes]))
        });
        Body::from_stream(chunks)
    }

    #[tokio::test(start_paused = true)]
    async fn one_byte_a_second_is_cut_off() {
        let mut body = enforce_min_rate(steady(1_000, 1), RATE);
        let mut received = 0;
        let error = loop {
            match body.frame().await.unwrap() {
                Ok(_) => received += 1,
                Err(error) => break error,
            }
        };
        assert!(TooSlow::is_cause(&error) && received <= 10, "{received}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_but_steady_client_is_heard_to_its_end() {
        let body = enforce_min_rate(steady(50, 20), RATE).collect().await;
        assert_eq!(body.unwrap().to_bytes().len(), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn time_in_which_the_server_reads_nothing_does_not_count() {
        let mut body = enforce_min_rate(steady(5, 1), RATE);
        for _ in 0..5 {
            body.frame().await.unwrap().unwrap();
            sleep(RATE.window * 2).await;
        }
        assert!(body.frame().await.is_none());
    }
}
