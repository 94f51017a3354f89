//! Client connections below the HTTP layer: limits of the number of connections, and processing of the byte stream before hyper parses it.

pub(super) mod empty_continue;
mod file_descriptors;
mod head_timeout;
mod http1_required;
pub(super) mod inbound_meter;
mod lenient_uri;
pub(super) mod limiter;
pub(super) mod lingering_close;
pub(super) mod network_count;

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use cloch_core::min_rate::{MinRate, MinRateGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use empty_continue::{ContinueDue, EmptyContinue};
use head_timeout::HeadTimeout;
use http1_required::Http1Required;
use inbound_meter::InboundMeter;
use lenient_uri::LenientUri;
use lingering_close::{BodyUnread, LingeringClose};

/// Maximum size of a request head in bytes: enough for the longest URL that hyper accepts (64 KB) and a few long tokens. A connection that
/// has received such a large head keeps a buffer of this size.
pub(super) const MAX_HEAD_BYTES: usize = 80 * 1024;

/// Byte stream of a client, over TCP or TLS. Percent-encodes request targets for hyper, counts incoming bytes, sends `100 Continue` for
/// requests without a body, disconnects clients that send a request head or read a response too slowly, and reads from a client that is
/// still sending before the connection is closed (lingering close).
pub(super) struct ClientStream<S> {
    stream: S,
    uri: LenientUri,
    head_timeout: HeadTimeout,
    meter: InboundMeter,
    write_rate: MinRateGuard,
    close: LingeringClose,
    empty_continue: EmptyContinue,
    /// Modifies frames that are written over HTTP/2.
    http1_required: Option<Http1Required>,
}

/// State that a [`ClientStream`] shares with the service that answers its requests.
#[derive(Clone, Default)]
pub(super) struct SharedState {
    pub(super) meter: InboundMeter,
    pub(super) body_unread: BodyUnread,
    pub(super) continue_due: ContinueDue,
}

/// Underlying TCP or TLS stream of a [`ClientStream`].
pub(super) trait Transport: AsyncRead + AsyncWrite + Unpin {
    fn tcp(&self) -> &TcpStream;
}

impl Transport for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Transport for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

impl<S: Transport> ClientStream<S> {
    pub(super) fn new(stream: S, min_rate: MinRate, shared: SharedState) -> Self {
        let SharedState { meter, body_unread, continue_due } = shared;
        Self {
            stream,
            uri: LenientUri::default(),
            head_timeout: HeadTimeout::default(),
            meter,
            write_rate: MinRateGuard::new(min_rate),
            close: LingeringClose::new(body_unread),
            empty_continue: EmptyContinue::new(continue_due),
            http1_required: None,
        }
    }

    /// Wraps the stream of an HTTP/2 connection. Request targets are in compressed headers there, so they cannot be percent-encoded; a client
    /// whose request the server cannot parse is asked to use HTTP/1.1.
    pub(super) fn http2(stream: S, min_rate: MinRate) -> Self {
        Self {
            uri: LenientUri::pass_through(),
            http1_required: Some(Http1Required::default()),
            ..Self::new(stream, min_rate, SharedState::default())
        }
    }

    /// Measures how fast the client reads the response, and returns the result `written` of a write to the client. Returns an error instead
    /// if the client reads more slowly than the minimum rate.
    fn guarded(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => self.write_rate.transferred(bytes),
            Poll::Pending if self.write_rate.poll_too_slow(cx).is_ready() => {
                // With zero linger, the kernel discards the unsent bytes. Otherwise it would keep them in memory after the connection is
                // dropped.
                let _ = self.stream.tcp().set_zero_linger();
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client reads too slowly")));
            }
            Poll::Ready(Err(_)) | Poll::Pending => {}
        }
        written
    }
}

impl<S: Transport> AsyncRead for ClientStream<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let Poll::Ready(read) = this.uri.poll_read(&mut this.stream, cx, buf) else {
            return this.head_timeout.poll_expired(this.uri.is_head_due(), cx).map(Err);
        };
        this.head_timeout.stop();
        read?;
        Poll::Ready(this.meter.count(buf.filled().len() - before))
    }
}

impl<S: Transport> AsyncWrite for ClientStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let written = match this.empty_continue.poll_write(&mut this.stream, cx) {
            Poll::Ready(Ok(())) => {
                this.empty_continue.response_begun();
                match &mut this.http1_required {
                    Some(frames) => frames.poll_write(&mut this.stream, cx, bytes),
                    None => Pin::new(&mut this.stream).poll_write(cx, bytes),
                }
            }
            failed_or_pending => failed_or_pending.map_ok(|()| 0),
        };
        self.guarded(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.http1_required.is_some() {
            let first = slices.iter().find(|slice| !slice.is_empty());
            return self.poll_write(cx, first.map_or(&[], |slice| slice));
        }
        let this = &mut *self;
        let written = match this.empty_continue.poll_write(&mut this.stream, cx) {
            Poll::Ready(Ok(())) => {
                this.empty_continue.response_begun();
                Pin::new(&mut this.stream).poll_write_vectored(cx, slices)
            }
            failed_or_pending => failed_or_pending.map_ok(|()| 0),
        };
        self.guarded(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.http1_required.is_none() && self.stream.is_write_vectored()
    }

    /// Flushes the stream. hyper calls this function after all data was written, so the server no longer waits for the client to read.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.empty_continue.flushed();
        ready!(this.empty_continue.poll_write(&mut this.stream, cx))?;
        this.write_rate.reset();
        Pin::new(&mut this.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let is_still_sending = this.uri.is_still_sending();
        this.close.poll_close(&mut this.stream, is_still_sending, cx)
    }
}

#[cfg(test)]
mod tests;
