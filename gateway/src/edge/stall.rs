//! A client that takes next to nothing of what it asked for is cut off, so that it cannot hold a file, a connection and the
//! memory behind them for as long as it likes. What a client sends is watched where bodies are read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use cloch_sql::pace::Pace;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::sendfile::Wire;

/// A connection whose client is watched while it keeps the program waiting.
#[derive(Debug)]
pub(super) struct Watched {
    stream: Wire,
    pace: Pace,
    /// When this window ends: none while the client keeps nobody waiting.
    until: Option<Pin<Box<Sleep>>>,
    taken: usize,
}

impl Watched {
    pub(super) fn new(stream: Wire, pace: Pace) -> Self {
        Self { stream, pace, until: None, taken: 0 }
    }

    /// Notes what a write came to; a wait beyond the window's end is an error.
    fn watch(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.taken >= self.pace.min_bytes {
                    self.rest();
                }
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => {
                let window = self.pace.window;
                let until = self.until.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + window)));
                if until.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                // Without this the system would go on keeping what the client does not take.
                self.stream.forget_rest();
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing")))
            }
        }
    }

    /// The client keeps nobody waiting: the next wait begins a window of its own.
    fn rest(&mut self) {
        self.until = None;
        self.taken = 0;
    }
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watch(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called when all there was has been written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.rest();
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::super::sendfile::Outbox;
    use super::*;

    async fn connected(pace: Pace) -> (Watched, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Watched::new(Wire::new(listener.accept().await.unwrap().0, Outbox::default()), pace), client)
    }

    const PACE: Pace = Pace { window: Duration::from_millis(300), min_bytes: 16 * 1024 };

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_cut_off() {
        let (mut server, client) = connected(PACE).await;
        let chunk = vec![0; 1 << 20];
        // The system takes some megabytes on the client's behalf.
        let error = loop {
            if let Err(error) = server.write_all(&chunk).await {
                break error;
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(client);
    }

    #[tokio::test]
    async fn a_client_that_reads_a_byte_now_and_then_is_cut_off() {
        let (mut server, mut client) = connected(PACE).await;
        let reading = tokio::spawn(async move {
            while client.read_u8().await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let chunk = vec![0; 1 << 20];
        let error = loop {
            if let Err(error) = server.write_all(&chunk).await {
                break error;
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        reading.abort();
    }

    #[tokio::test]
    async fn time_in_which_there_is_nothing_to_send_does_not_count() {
        let (mut server, mut client) = connected(PACE).await;
        let reading = tokio::spawn(async move {
            let mut all = Vec::new();
            client.read_to_end(&mut all).await.unwrap();
            all.len()
        });
        for _ in 0..3 {
            server.write_all(&vec![0; 4 << 20]).await.unwrap();
            server.flush().await.unwrap();
            tokio::time::sleep(PACE.window * 2).await;
        }
        drop(server);
        assert_eq!(reading.await.unwrap(), 12 << 20);
    }
}
