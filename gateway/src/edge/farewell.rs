//! Parting from a client that is still sending. Were the connection closed at once, the system would answer what arrives afterwards
//! with a reset, which takes the answer away from a client that has not read it yet (RFC 9112, section 9.6): a refused upload would
//! look like a broken network. So the program stops sending first, and listens until the client has stopped, too.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::filtered::Filter;

/// For how long a client that goes on sending is listened to, as nginx does (`lingering_time`).
const LONGEST: Duration = Duration::from_secs(30);
/// For how long one that sends nothing is waited for (`lingering_timeout`).
const SILENCE: Duration = Duration::from_secs(5);

/// Whether something that a client sends has not been read. Shared by a connection and the bodies on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<AtomicBool>);

impl Unread {
    pub(super) fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request's body. It notes when it is dropped before its end.
#[derive(Debug)]
pub(super) struct Heard<B: Body> {
    body: B,
    ended: bool,
    unread: Unread,
}

impl<B: Body> Heard<B> {
    pub(super) fn new(body: B, unread: Unread) -> Self {
        Self { ended: false, body, unread }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Heard<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.ended |= !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B: Body> Drop for Heard<B> {
    fn drop(&mut self) {
        if !self.ended && !self.body.is_end_stream() {
            self.unread.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Listens on before a connection is closed, where something was left unread.
#[derive(Debug)]
pub(super) struct Farewell {
    unread: Unread,
    /// Once nothing more is sent.
    parting: Option<Parting>,
}

#[derive(Debug)]
struct Parting {
    end: Instant,
    silence: Pin<Box<Sleep>>,
}

impl Farewell {
    pub(super) fn new(unread: Unread) -> Self {
        Self { unread, parting: None }
    }
}

impl Parting {
    fn begin() -> Self {
        let now = Instant::now();
        Self { end: now + LONGEST, silence: Box::pin(sleep_until(now + SILENCE)) }
    }

    /// Listens until the client has stopped, or long enough. Whatever goes wrong now, the connection is closed.
    fn poll<S: AsyncRead + Unpin>(&mut self, stream: &mut S, cx: &mut Context<'_>) -> Poll<()> {
        let mut room = [MaybeUninit::uninit(); 16 * 1024];
        loop {
            let mut heard = ReadBuf::uninit(&mut room);
            if Pin::new(&mut *stream).poll_read(cx, &mut heard).is_pending() {
                return self.silence.as_mut().poll(cx);
            }
            if heard.filled().is_empty() || Instant::now() >= self.end {
                return Poll::Ready(());
            }
            self.silence.as_mut().reset((Instant::now() + SILENCE).min(self.end));
        }
    }
}

impl Filter for Farewell {
    fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(stream).poll_read(cx, buf)
    }

    fn poll_shutdown<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let parting = match &mut self.parting {
            Some(parting) => parting,
            parting @ None => {
                ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
                if !self.unread.is_noted() {
                    return Poll::Ready(Ok(()));
                }
                parting.insert(Parting::begin())
            }
        };
        parting.poll(stream, cx).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use http_body_util::{BodyExt, Full};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::edge::filtered::Filtered;

    async fn connected(unread: bool) -> (Filtered<TcpStream, Farewell>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let unread = Unread(Arc::new(AtomicBool::new(unread)));
        (Filtered::new(listener.accept().await.unwrap().0, Farewell::new(unread)), client)
    }

    #[tokio::test]
    async fn a_client_that_is_still_sending_gets_its_answer() {
        let (mut server, mut client) = connected(true).await;
        server.write_all(b"no").await.unwrap();
        let parting = tokio::spawn(async move { server.shutdown().await });
        // More than the system takes on the program's behalf.
        for _ in 0..32 {
            client.write_all(&vec![0; 1 << 20]).await.unwrap();
        }
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.unwrap();
        assert_eq!(answer, b"no");
        assert!(!parting.is_finished(), "it may send more");
        drop(client);
        parting.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_not_waited_for_long() {
        let (mut server, client) = connected(true).await;
        let begun = Instant::now();
        server.shutdown().await.unwrap();
        assert!((SILENCE..LONGEST).contains(&begun.elapsed()));
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_on_which_all_was_read_is_closed_at_once() {
        let (mut server, _client) = connected(false).await;
        let begun = Instant::now();
        server.shutdown().await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test]
    async fn a_body_that_is_not_read_to_its_end_is_noted() {
        let unread = Unread::default();
        let body = || Heard::new(Full::new(Bytes::from_static(b"scan")), unread.clone());
        body().collect().await.unwrap();
        assert!(!unread.is_noted());
        drop(body());
        assert!(unread.is_noted());
    }
}
