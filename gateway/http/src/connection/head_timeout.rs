//! Limits the time in which a client sends the head of a request over HTTP/1. hyper has one timeout for this and for the time between two
//! requests, but a connection may stay idle for longer than a head may take.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// Timeout for receiving a request head. The time starts when the connection is opened, and with the first bytes of each further head.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Timer that runs while the server waits for the rest of a request head.
#[derive(Debug, Default)]
pub(super) struct HeadTimeout(Option<Pin<Box<Sleep>>>);

impl HeadTimeout {
    /// Returns the error that ends the connection when a head took too long. Called whenever the client has sent nothing more;
    /// `is_head_due` starts or continues the timer, and stops it if `false`.
    pub(super) fn poll_expired(&mut self, is_head_due: bool, cx: &mut Context<'_>) -> Poll<io::Error> {
        if !is_head_due {
            self.stop();
            return Poll::Pending;
        }
        ready!(self.0.get_or_insert_with(|| Box::pin(sleep(HEAD_TIMEOUT))).as_mut().poll(cx));
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "the client sends the head of a request too slowly"))
    }

    pub(super) fn stop(&mut self) {
        self.0 = None;
    }
}
