//! A client that opens a connection and does not say which HTTP it speaks is cut off. From there on the parser has a clock of its
//! own; before, it waits for as long as it takes.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// What a client of HTTP/2 begins with. Everything else is HTTP/1, from the first byte that differs.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection of which the beginning is watched.
#[derive(Debug)]
pub(super) struct Greeting<S> {
    stream: S,
    /// When the patience ends: none once it is known what the client speaks.
    until: Option<Pin<Box<Sleep>>>,
    /// How many bytes have come as HTTP/2 would have it.
    matched: usize,
}

impl<S> Greeting<S> {
    pub(super) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, until: Some(Box::pin(sleep(patience))), matched: 0 }
    }

    /// Takes note of what has come.
    fn hear(&mut self, bytes: &[u8]) {
        let expected = PREFACE.get(self.matched..).unwrap_or_default();
        let is_preface = expected.iter().zip(bytes).all(|(expected, byte)| expected == byte);
        self.matched += bytes.len();
        if !is_preface || self.matched >= PREFACE.len() {
            self.until = None;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Greeting<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let Some(until) = &mut self.until else { return read };
        match read {
            Poll::Pending if until.as_mut().poll(cx).is_ready() => {
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client asks nothing")))
            }
            Poll::Ready(Ok(())) => {
                self.hear(buf.filled().get(before..).unwrap_or_default());
                read
            }
            _ => read,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Greeting<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::{Instant, timeout};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_say_what_it_speaks_is_cut_off() {
        for said in ["", "P", "PRI * HTTP/2.0\r\n"] {
            let (mut client, server) = duplex(1024);
            let mut server = Greeting::new(server, PATIENCE);
            client.write_all(said.as_bytes()).await.unwrap();
            let begun = Instant::now();
            let error = server.read_to_end(&mut Vec::new()).await.unwrap_err();
            assert_eq!((error.kind(), begun.elapsed()), (io::ErrorKind::TimedOut, PATIENCE));
            drop(client);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_said_it_may_take_its_time() {
        for said in [&b"GET / HTTP/1.1\r\n"[..], b"POST", b"PRI * HTTP/1", PREFACE] {
            let (mut client, server) = duplex(1024);
            let mut server = Greeting::new(server, PATIENCE);
            // A byte at a time, as it may come.
            let writing = async {
                for byte in said {
                    client.write_u8(*byte).await.unwrap();
                }
            };
            let mut heard = vec![0; said.len()];
            let (read, ()) = tokio::join!(server.read_exact(&mut heard), writing);
            read.unwrap();
            assert!(timeout(PATIENCE * 2, server.read_u8()).await.is_err(), "still waiting");
            client.write_all(b"x").await.unwrap();
            assert_eq!(server.read_u8().await.unwrap(), b'x');
        }
    }
}
