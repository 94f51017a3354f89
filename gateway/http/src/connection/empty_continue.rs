//! Sends `100 Continue` for requests without a body, such as `Content-Length: 0` with `Expect: 100-continue`. hyper sends this response only when
//! a body is read, and RFC 9110, section 10.1.1, allows a server to omit it. But botocore, the library of boto3 and the AWS CLI, sends such
//! requests for empty files. Without `100 Continue`, it uses the status of the response again for a later response on the same connection, does
//! not find the end of that response, and waits until the connection is closed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use http::header::EXPECT;
use http::{HeaderValue, Request, Version};
use http_body::Body;
use tokio::io::AsyncWrite;

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Flag that is set while the client waits for `100 Continue` and hyper will not send it. A connection and its service share one flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContinueDue(Arc<AtomicBool>);

impl ContinueDue {
    /// Sets the flag if the request has no body, and expects `100 Continue`. Must be called before the response exists.
    pub(crate) fn set_for<B: Body>(&self, request: &Request<B>) {
        let expects = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"100-continue");
        // RFC 9110, section 10.1.1: a server ignores the expectation of an HTTP/1.0 client.
        let is_1_1 = request.version() == Version::HTTP_11;
        if is_1_1 && request.body().is_end_stream() && request.headers().get(EXPECT).is_some_and(expects) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

/// Writes `100 Continue` between two responses of a connection.
#[derive(Debug)]
pub(super) struct EmptyContinue {
    due: ContinueDue,
    /// Whether all data that hyper has written to the connection was flushed. If the service was called after the last response, the next
    /// byte is then the first byte of a response.
    is_flushed: bool,
    unwritten: &'static [u8],
}

impl EmptyContinue {
    pub(super) fn new(due: ContinueDue) -> Self {
        Self { due, is_flushed: true, unwritten: &[] }
    }

    /// Writes `100 Continue` if it is due. Called before hyper writes or flushes data. A client that sent its request before it had received
    /// the whole last response (pipelining) may get no `100 Continue`.
    pub(super) fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if self.due.take() && self.is_flushed {
            self.unwritten = CONTINUE;
        }
        while !self.unwritten.is_empty() {
            let written = ready!(Pin::new(&mut *stream).poll_write(cx, self.unwritten))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unwritten = self.unwritten.get(written..).unwrap_or_default();
        }
        Poll::Ready(Ok(()))
    }

    /// Called when hyper is about to write a part of a response, although the socket may accept no byte yet.
    pub(super) fn response_begun(&mut self) {
        self.is_flushed = false;
    }

    /// Called when hyper flushes the connection. It does so after it has written all its data.
    pub(super) fn flushed(&mut self) {
        self.is_flushed = true;
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{Empty, Full};
    use hyper::body::Bytes;

    use super::*;

    fn request(expectation: &str) -> Request<Empty<Bytes>> {
        Request::put("/").header(EXPECT, expectation).body(Empty::new()).unwrap()
    }

    /// Returns the bytes that a connection writes for a request, if the data `earlier` was written before and not flushed.
    async fn written(due: ContinueDue, earlier: &[u8]) -> String {
        let mut stream = Vec::new();
        let mut interim = EmptyContinue::new(due);
        if !earlier.is_empty() {
            interim.response_begun();
            stream.extend_from_slice(earlier);
        }
        for _ in 0..2 {
            std::future::poll_fn(|cx| interim.poll_write(&mut stream, cx)).await.unwrap();
            interim.flushed();
        }
        String::from_utf8(stream).unwrap()
    }

    #[tokio::test]
    async fn only_a_request_without_a_body_that_expects_it_gets_it_once() {
        for (expectation, expected) in [("100-continue", CONTINUE), ("100-Continue", CONTINUE), ("something", b"")] {
            let due = ContinueDue::default();
            due.set_for(&request(expectation));
            assert_eq!(written(due, b"").await.as_bytes(), expected, "{expectation}");
        }
        let due = ContinueDue::default();
        due.set_for(&request("100-continue").map(|_| Full::new(Bytes::from_static(b"hyper sends it for a body"))));
        assert_eq!(written(due, b"").await, "");
    }

    #[tokio::test]
    async fn it_is_not_written_into_another_response() {
        let due = ContinueDue::default();
        due.set_for(&request("100-continue"));
        assert_eq!(written(due, b"HTTP/1.1 200 OK\r\n").await, "HTTP/1.1 200 OK\r\n");
    }
}
