//! A connection of which what comes in passes a filter; what goes out goes as it is. The filter has the last word when it is closed.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What is done with bytes that are read, and at the end.
pub(super) trait Filter: Unpin {
    /// Reads from the stream, as [`AsyncRead::poll_read`].
    fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>>;

    /// Closes the stream, as [`AsyncWrite::poll_shutdown`].
    fn poll_shutdown<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(stream).poll_shutdown(cx)
    }
}

/// A stream behind a filter.
#[derive(Debug)]
pub(super) struct Filtered<S, F> {
    stream: S,
    filter: F,
}

impl<S, F> Filtered<S, F> {
    pub(super) fn new(stream: S, filter: F) -> Self {
        Self { stream, filter }
    }
}

impl<S: AsyncRead + Unpin, F: Filter> AsyncRead for Filtered<S, F> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.filter.poll_read(&mut this.stream, cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin, F: Filter> AsyncWrite for Filtered<S, F> {
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

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.filter.poll_shutdown(&mut this.stream, cx)
    }
}
