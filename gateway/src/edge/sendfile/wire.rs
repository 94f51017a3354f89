//! The connection's end of it: what is written is sent, and of stand-ins the file.

use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use super::{Outbox, Part, place};

/// The bytes that are copied at once, where that is the only way.
pub(super) const COPIED: usize = 64 * 1024;

/// A connection that sends what its outbox has promised.
#[derive(Debug)]
pub(in crate::edge) struct Wire {
    pub(super) stream: TcpStream,
    pub(super) outbox: Outbox,
}

impl Wire {
    pub(in crate::edge) fn new(stream: TcpStream, outbox: Outbox) -> Self {
        Self { stream, outbox }
    }

    /// Closes it at once when it is dropped: the system keeps nothing of what the client has not taken.
    pub(in crate::edge) fn forget_rest(&self) {
        let _ = self.stream.set_zero_linger();
    }

    /// Sends bytes of the first promised part, which stand-ins from a place on stand for.
    fn poll_send(&self, cx: &mut Context<'_>, place: usize) -> Poll<io::Result<usize>> {
        let mut promised = self.outbox.promised();
        let Some(part) = promised.parts.front_mut().filter(|part| part.place == place) else {
            return Poll::Ready(Err(io::Error::other("a file is not the one that was promised")));
        };
        let sent = loop {
            ready!(self.stream.poll_write_ready(cx))?;
            match part.send(&self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                sent => break sent?,
            }
        };
        if sent == 0 {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        part.bytes.start += sent as u64;
        part.place += sent;
        if part.bytes.is_empty() {
            promised.parts.pop_front();
        }
        Poll::Ready(Ok(sent))
    }
}

impl Part {
    pub(super) fn length(&self) -> usize {
        usize::try_from(self.bytes.end - self.bytes.start).unwrap_or(usize::MAX)
    }

    /// Sends what the connection takes now; 0 where the file has ended.
    #[cfg(target_os = "linux")]
    fn send(&self, stream: &TcpStream) -> io::Result<usize> {
        use rustix::fs::sendfile;
        use rustix::io::Errno;

        let mut at = self.bytes.start;
        let send = || Ok(sendfile(stream, &self.file, Some(&mut at), self.length())?);
        match stream.try_io(Interest::WRITABLE, send) {
            // A file system that can only be read from.
            Err(error)
                if [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP]
                    .map(|errno| Some(errno.raw_os_error()))
                    .contains(&error.raw_os_error()) =>
            {
                self.copy(stream)
            }
            sent => sent,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send(&self, stream: &TcpStream) -> io::Result<usize> {
        self.copy(stream)
    }

    /// The same by reading and writing.
    pub(super) fn copy(&self, stream: &TcpStream) -> io::Result<usize> {
        let mut bytes = vec![0; self.length().min(COPIED)];
        let read = self.file.read_at(&mut bytes, self.bytes.start)?;
        if read == 0 { Ok(0) } else { stream.try_write(bytes.get(..read).unwrap_or_default()) }
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match place(bytes) {
            Some(place) => self.poll_send(cx, place),
            None => Pin::new(&mut self.stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let is_other = |slice: &&IoSlice<'_>| slice.is_empty() || place(slice).is_none();
        let others = slices.split_at(slices.iter().take_while(is_other).count());
        match others {
            (others, [stand_ins, ..]) if others.iter().all(|slice| slice.is_empty()) => self.poll_write(cx, stand_ins),
            (others, _) => Pin::new(&mut self.stream).poll_write_vectored(cx, others),
        }
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
