//! The streams of HTTP/2 connections. A client can keep its connection alive, and so look well to `stall`, while it opens no window
//! for an answer that it asked for. So each stream is watched by itself, and reset by itself: the others of its connection, which
//! behind a proxy are other people's, go on.

use std::cell::Cell;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use cloch_sql::pace::Pace;
use http_body::{Frame, SizeHint};
use hyper::rt::Executor;
use tokio::time::{Instant, sleep_until};

/// What stays with the connection of a stream that is done, until the client takes it.
const REST: usize = 1024;

tokio::task_local! {
    /// Since when this stream waits for its client to take what it has been given: none while it has nothing to give.
    static GIVEN: Cell<Option<Instant>>;
}

/// Runs the streams of connections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams(pub(super) Pace);

impl<S> Executor<S> for Streams
where
    S: Future + Send + 'static,
{
    fn execute(&self, stream: S) {
        tokio::spawn(GIVEN.scope(Cell::new(None), watched(stream, self.0)));
    }
}

/// Runs a stream to its end, or until its client has taken nothing for too long: then it is dropped, and so reset.
async fn watched(stream: impl Future, pace: Pace) {
    let mut stream = pin!(stream);
    let mut alarm = pin!(sleep_until(Instant::now()));
    std::future::poll_fn(|context| {
        if stream.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        let Some(since) = GIVEN.with(Cell::get) else { return Poll::Pending };
        let until = since + pace.window;
        if alarm.deadline() != until {
            alarm.as_mut().reset(until);
        }
        alarm.as_mut().poll(context)
    })
    .await;
}

/// An answer's body in pieces of what a client must take in time. The next one is asked for when there is room for it, and so the
/// last one has been taken.
#[derive(Debug)]
pub(super) struct Pieces {
    body: Body,
    rest: Bytes,
    size: usize,
}

impl Pieces {
    pub(super) fn new(body: Body, pace: Pace) -> Self {
        Self { body, rest: Bytes::new(), size: pace.min_bytes.max(1) }
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            given(None);
            match ready!(Pin::new(&mut self.body).poll_frame(cx)).map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => self.rest = data,
                Some(Ok(Err(trailers))) => return Poll::Ready(Some(Ok(trailers))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        // The last piece is a small one: nobody waits for it to be taken.
        let size = match self.rest.len() {
            length if length > self.size => self.size,
            length if length > REST => length - REST,
            length => length,
        };
        given(Some(Instant::now()));
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let body = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

/// Notes since when the client has something to take.
fn given(since: Option<Instant>) {
    // Outside a stream nobody watches.
    let _ = GIVEN.try_with(|given| given.set(since));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use http_body::Body as _;
    use http_body_util::BodyExt;

    use super::*;

    const PACE: Pace = Pace { window: Duration::from_secs(10), min_bytes: 16 * 1024 };

    #[tokio::test(start_paused = true)]
    async fn a_stream_whose_client_takes_nothing_ends() {
        let mut body = Pieces::new(Body::from(vec![0; 1 << 20]), PACE);
        let begun = Instant::now();
        let stalled = async move {
            body.frame().await.unwrap().unwrap();
            std::future::pending::<()>().await;
            drop(body);
        };
        GIVEN.scope(Cell::new(None), watched(stalled, PACE)).await;
        assert!(begun.elapsed() >= PACE.window && begun.elapsed() < PACE.window * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_has_nothing_to_give_goes_on() {
        let slow = futures_util::stream::unfold(0, |n| async move {
            tokio::time::sleep(PACE.window * 3).await;
            (n < 3).then_some((Ok::<_, std::io::Error>(Bytes::from_static(b"x")), n + 1))
        });
        let (said, heard) = tokio::sync::oneshot::channel();
        let reading = async move {
            let _ = said.send(Pieces::new(Body::from_stream(slow), PACE).collect().await.unwrap().to_bytes());
        };
        GIVEN.scope(Cell::new(None), watched(reading, PACE)).await;
        assert_eq!(heard.await.unwrap(), "xxx");
    }

    #[tokio::test]
    async fn a_body_is_the_same_in_pieces() {
        for size in [0, 1, REST, REST + 1, PACE.min_bytes, PACE.min_bytes + 1, 100_000] {
            let bytes: Vec<u8> = (0..size).map(|n| (n % 251) as u8).collect();
            let mut body = Pieces::new(Body::from(bytes.clone()), PACE);
            let mut all = Vec::new();
            let mut last = 0;
            while let Some(frame) = body.frame().await {
                let piece = frame.unwrap().into_data().unwrap();
                assert!(piece.len() <= PACE.min_bytes);
                last = piece.len();
                all.extend_from_slice(&piece);
                assert_eq!(body.size_hint().exact(), Some((size - all.len()) as u64));
            }
            assert!(body.is_end_stream() && last <= REST);
            assert!(all == bytes, "{size}");
        }
    }
}
