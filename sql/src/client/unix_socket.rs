//! Unix socket that is polled only for readability.
//!
//! The kernel signals a Unix socket as writable whenever the peer has read data. If a task polls for both directions, as with tokio's
//! `UnixStream`, this signal wakes the task needlessly during every request. (For TCP, the kernel signals writability only after the send
//! buffer was full.)

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::UnixStream;

const MIN_READ_BYTES: usize = 2 * 1024;
const MAX_READ_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct UnixSocket {
    stream: AsyncFd<StdUnixStream>,
    /// Second registration of the socket, for writability; `None` unless the send buffer is full.
    full: Option<AsyncFd<StdUnixStream>>,
    /// Size of the buffer for the next read in bytes. The buffer starts small and grows, because the buffer is zeroed before each read, and
    /// zeroing a large buffer would take longer than reading most responses.
    room: usize,
}

impl UnixSocket {
    pub(super) async fn connect(path: &Path) -> io::Result<Self> {
        Self::new(UnixStream::connect(path).await?)
    }

    fn new(stream: UnixStream) -> io::Result<Self> {
        let stream = watch(stream.into_std()?, Interest::READABLE)?;
        Ok(Self { stream, full: None, room: MIN_READ_BYTES })
    }

    /// Returns `Ready` if the socket's send buffer may have free space.
    fn poll_room(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(full) = &self.full {
            ready!(full.poll_write_ready(cx))?.clear_ready();
        }
        Poll::Ready(Ok(()))
    }
}

#[expect(
    deprecated,
    reason = "what stands in its place is unsafe, for types that might close or change their descriptor: this one does not"
)]
fn watch(stream: StdUnixStream, interest: Interest) -> io::Result<AsyncFd<StdUnixStream>> {
    AsyncFd::with_interest(stream, interest)
}

impl AsyncRead for UnixSocket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut guard = ready!(self.stream.poll_read_ready(cx))?;
            let room = buf.initialize_unfilled_to(self.room.min(buf.remaining()));
            match guard.get_inner().read(room) {
                Ok(read) => {
                    // A read that does not fill the buffer has emptied the socket's receive buffer. New data causes a new readiness event.
                    let is_all = read < room.len();
                    if 0 < read && is_all {
                        guard.clear_ready();
                    }
                    self.room = match is_all {
                        false => (2 * self.room).min(MAX_READ_BYTES),
                        true if read < self.room / 4 => (self.room / 2).max(MIN_READ_BYTES),
                        true => self.room,
                    };
                    buf.advance(read);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => guard.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for UnixSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.poll_room(cx))?;
            match self.stream.get_ref().write(buf) {
                Ok(written) => {
                    self.full = None;
                    return Poll::Ready(Ok(written));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.full.is_none() {
                        let again = self.stream.get_ref().try_clone()?;
                        self.full = Some(watch(again, Interest::WRITABLE)?);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.stream.get_ref().shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::{Duration, timeout};

    use super::*;

    fn pair() -> (UnixSocket, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (UnixSocket::new(ours).unwrap(), theirs)
    }

    #[tokio::test]
    async fn waits_for_room_and_loses_nothing() {
        let (mut ours, mut theirs) = pair();
        let sent: Vec<u8> = (0..=250).cycle().take(4_000_000).collect();
        let expected = sent.clone();
        let sending = tokio::spawn(async move {
            ours.write_all(&sent).await.unwrap();
            // The data is written twice. The send buffer is therefore full, then has free space, then is full again.
            ours.write_all(&sent).await.unwrap();
            assert!(ours.full.is_none());
        });
        for _ in 0..2 {
            let mut received = vec![0; expected.len()];
            theirs.read_exact(&mut received).await.unwrap();
            assert!(received == expected);
        }
        sending.await.unwrap();
        assert_eq!(theirs.read(&mut [0; 1]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn hears_of_everything_that_arrives() {
        let (mut ours, mut theirs) = pair();
        let writing = tokio::spawn(async move {
            for number in 0..2_000_u32 {
                theirs.write_all(&number.to_be_bytes()).await.unwrap();
                if number % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        });
        for number in 0..2_000 {
            let read = timeout(Duration::from_secs(10), ours.read_u32()).await;
            assert_eq!(read.unwrap().unwrap(), number);
        }
        writing.await.unwrap();
        assert!(ours.read_u32().await.is_err());
        assert!(ours.write_all(b"x").await.is_err());
    }

    #[tokio::test]
    async fn gives_room_for_what_is_large() {
        let (mut ours, mut theirs) = pair();
        let sent: Vec<u8> = (0..=250).cycle().take(4_000_000).collect();
        let expected = sent.clone();
        let sending = tokio::spawn(async move { theirs.write_all(&sent).await.unwrap() });
        let mut received = Vec::new();
        ours.read_to_end(&mut received).await.unwrap();
        assert!(received == expected);
        sending.await.unwrap();
    }

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn what_the_other_end_reads_wakes_nobody() {
        let (mut ours, mut theirs) = pair();
        let woken = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut room = [0; 16];
        let mut poll = || Pin::new(&mut ours).poll_read(&mut Context::from_waker(&waker), &mut ReadBuf::new(&mut room));
        assert!(poll().is_pending());
        ours.write_all(b"question").await.unwrap();
        theirs.read_exact(&mut [0; 8]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(woken.0.load(Ordering::SeqCst), 0);
        theirs.write_all(b"answer").await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(woken.0.load(Ordering::SeqCst), 1);
    }
}
