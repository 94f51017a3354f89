//! A client that sends next to nothing of a body it announced is cut off, so that it cannot hold a connection and the memory behind it
//! for as long as it likes.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// What a client must at least send, or take, while it keeps the program waiting.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The time over which progress is measured.
    pub window: Duration,
    /// The bytes that must pass within each window.
    pub min_bytes: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { window: Duration::from_secs(60), min_bytes: 16 * 1024 }
    }
}

/// Why a body ended early: its client sent too slowly.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the client sends too slowly")]
pub struct TooSlow;

impl TooSlow {
    /// Whether this is what a body's error says.
    #[must_use]
    pub fn is_reason(error: &axum::Error) -> bool {
        let mut reason = error.source();
        while let Some(error) = reason {
            if error.is::<Self>() {
                return true;
            }
            reason = error.source();
        }
        false
    }
}

/// The body as it is, until its client is slower than the pace: then it ends with [`TooSlow`].
pub fn paced(body: Body, pace: Pace) -> Body {
    if http_body::Body::is_end_stream(&body) {
        return body;
    }
    Body::new(Paced { body, pace, arrived: 0, until: None })
}

struct Paced {
    body: Body,
    pace: Pace,
    /// Bytes within this window.
    arrived: usize,
    /// When this window ends: none while the client keeps nobody waiting.
    until: Option<Pin<Box<Sleep>>>,
}

impl http_body::Body for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(item) => {
                if let Some(Ok(frame)) = &item {
                    self.arrived += frame.data_ref().map_or(0, Bytes::len);
                }
                if self.arrived >= self.pace.min_bytes {
                    (self.arrived, self.until) = (0, None);
                }
                Poll::Ready(item)
            }
            Poll::Pending => {
                let window = self.pace.window;
                let until = self.until.get_or_insert_with(|| Box::pin(sleep(window)));
                until.as_mut().poll(cx).map(|()| Some(Err(axum::Error::new(TooSlow))))
            }
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
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use futures_util::{StreamExt, stream};
    use http_body_util::BodyExt;

    use super::*;

    const PACE: Pace = Pace { window: Duration::from_secs(10), min_bytes: 100 };

    /// A body of so many pieces, one each second.
    fn steady(count: usize, piece: usize) -> Body {
        let pieces = stream::iter(0..count).then(move |_| async move {
            sleep(Duration::from_secs(1)).await;
            Ok::<_, std::convert::Infallible>(Bytes::from(vec![0; piece]))
        });
        Body::from_stream(pieces)
    }

    #[tokio::test(start_paused = true)]
    async fn one_byte_a_second_is_cut_off() {
        let mut body = paced(steady(1_000, 1), PACE);
        let mut got = 0;
        let error = loop {
            match body.frame().await.unwrap() {
                Ok(_) => got += 1,
                Err(error) => break error,
            }
        };
        assert!(TooSlow::is_reason(&error) && got <= 10, "{got}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_but_steady_client_is_heard_to_its_end() {
        let body = paced(steady(50, 20), PACE).collect().await;
        assert_eq!(body.unwrap().to_bytes().len(), 1_000);
    }
}
