//! A client that opens a connection and does not say which HTTP it speaks is cut off. From there on the parser has a clock of its
//! own; before, it waits for as long as it takes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::filtered::Filter;

/// What a client of HTTP/2 begins with. Everything else is HTTP/1, from the first byte that differs.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Watches the beginning of a connection.
#[derive(Debug)]
pub(super) struct Greeting {
    /// When the patience ends: none once it is known what the client speaks.
    until: Option<Pin<Box<Sleep>>>,
    /// How many bytes have come as HTTP/2 would have it.
    matched: usize,
}

impl Greeting {
    pub(super) fn new(patience: Duration) -> Self {
        Self { until: Some(Box::pin(sleep(patience))), matched: 0 }
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

impl Filter for Greeting {
    fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(stream).poll_read(cx, buf);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::{Instant, timeout};

    use super::super::filtered::Filtered;
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_say_what_it_speaks_is_cut_off() {
        for said in ["", "P", "PRI * HTTP/2.0\r\n"] {
            let (mut client, server) = duplex(1024);
            let mut server = Filtered::new(server, Greeting::new(PATIENCE));
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
            let mut server = Filtered::new(server, Greeting::new(PATIENCE));
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
