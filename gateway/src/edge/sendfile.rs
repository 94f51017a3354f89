//! Files that go out without passing through the program: the system sends them from its memory (sendfile), which saves two copies
//! of every byte.
//!
//! The HTTP library writes bytes and knows no files. So it is given a body of stand-ins, as many as the file has bytes, and where it
//! writes them to the connection, the file's go out instead. What stands for which file is known by order and by where the stand-ins
//! lie in memory; where the two do not agree, the connection ends.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use cloch_storage::backend::file::FileBytes;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http::header::CONTENT_LENGTH;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// The bytes of a file that stand-ins are given for at once.
const PART: usize = 512 * 1024;
/// Parts that follow each other begin at different places.
const PLACES: usize = 1024;
/// The bytes that are copied at once, where that is the only way.
const COPIED: usize = 64 * 1024;
/// Never read and never sent.
static STAND_INS: LazyLock<Bytes> = LazyLock::new(|| vec![0; PART + PLACES].into());

/// The parts of files that are on their way through the HTTP library to a connection, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox(Arc<Mutex<Promised>>);

#[derive(Debug, Default)]
struct Promised {
    parts: VecDeque<Part>,
    /// Where the next part's stand-ins begin.
    place: usize,
}

/// A part of a file, and what stands for it.
#[derive(Debug)]
struct Part {
    file: Arc<File>,
    bytes: Range<u64>,
    place: usize,
}

impl Part {
    fn length(&self) -> usize {
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
    fn copy(&self, stream: &TcpStream) -> io::Result<usize> {
        let mut bytes = vec![0; self.length().min(COPIED)];
        let read = self.file.read_at(&mut bytes, self.bytes.start)?;
        if read == 0 { Ok(0) } else { stream.try_write(bytes.get(..read).unwrap_or_default()) }
    }
}

impl Outbox {
    /// The response; one that a file is the body of gets stand-ins in its place. The connection must be this outbox's, and speak
    /// HTTP/1.
    pub(super) fn carry(&self, mut response: Response) -> Response {
        let Some(bytes) = response.extensions_mut().remove::<FileBytes>() else { return response };
        let range = bytes.range();
        let length = HeaderValue::from(range.end - range.start);
        if response.headers().get(CONTENT_LENGTH) != Some(&length) {
            return response;
        }
        let body = FileBody { outbox: self.clone(), bytes, rest: range, reading: None };
        response.map(|_| Body::new(body))
    }

    /// Bytes that stand for a part of a file.
    fn promise(&self, file: &Arc<File>, bytes: Range<u64>) -> Bytes {
        let mut promised = self.promised();
        let place = promised.place;
        promised.place = (place + 1) % PLACES;
        let length = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX).min(PART);
        promised.parts.push_back(Part { file: Arc::clone(file), bytes, place });
        STAND_INS.slice(place..place + length)
    }

    fn promised(&self) -> MutexGuard<'_, Promised> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where bytes lie among the stand-ins; none if they are others.
fn place(bytes: &[u8]) -> Option<usize> {
    let place = bytes.as_ptr().addr().checked_sub(STAND_INS.as_ptr().addr())?;
    (place < STAND_INS.len()).then_some(place)
}

/// A file as a body.
struct FileBody {
    outbox: Outbox,
    bytes: FileBytes,
    rest: Range<u64>,
    /// Bytes that the system has to fetch from the disk first. They are read as usual, for sending them would keep others waiting.
    reading: Option<BoxFuture<'static, cloch_storage::Result<Bytes>>>,
}

impl FileBody {
    fn passed(&mut self, bytes: usize) {
        self.rest.start += bytes as u64;
    }
}

impl http_body::Body for FileBody {
    type Data = Bytes;
    type Error = cloch_storage::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if self.reading.is_none() {
            let part = self.rest.start..self.rest.end.min(self.rest.start + PART as u64);
            if self.bytes.is_present(part.clone()) {
                let stand_ins = self.outbox.promise(self.bytes.file(), part);
                self.passed(stand_ins.len());
                return Poll::Ready(Some(Ok(Frame::data(stand_ins))));
            }
            let (bytes, at) = (self.bytes.clone(), self.rest.start);
            self.reading = Some(Box::pin(async move { bytes.read(at).await }));
        }
        let Some(reading) = &mut self.reading else { return Poll::Pending };
        let read = ready!(reading.as_mut().poll(cx));
        self.reading = None;
        Poll::Ready(Some(read.map(|bytes| {
            self.passed(bytes.len());
            Frame::data(bytes)
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.end - self.rest.start)
    }
}

/// A connection that sends what its outbox has promised.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    outbox: Outbox,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, outbox: Outbox) -> Self {
        Self { stream, outbox }
    }

    /// Closes it at once when it is dropped: the system keeps nothing of what the client has not taken.
    pub(super) fn forget_rest(&self) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

    use cloch_storage::backend::file::FileBackend;
    use cloch_storage::backend::{Backend, BlobKey, Content};
    use futures_util::{StreamExt, stream};
    use http_body::Body as _;
    use http_body_util::BodyExt;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// Bytes of which no two neighbourhoods are the same, longer than two parts.
    fn sample(seed: u8) -> Vec<u8> {
        (0..2 * PART + 12_345).map(|at| (at / 251 + at) as u8 ^ seed).collect()
    }

    async fn stored(backend: &FileBackend, bytes: &[u8], range: Range<u64>) -> FileBytes {
        let (key, bytes) = (BlobKey::fresh(), Bytes::copy_from_slice(bytes));
        backend.put(key, stream::iter([Ok(bytes)]).boxed()).await.unwrap();
        let Content::File(bytes) = backend.get(key, range).await.unwrap() else { unreachable!("it is large") };
        bytes
    }

    fn response(bytes: &FileBytes) -> Response {
        let mut response = Response::new(Body::empty());
        let range = bytes.range();
        response.headers_mut().insert(CONTENT_LENGTH, (range.end - range.start).into());
        response.extensions_mut().insert(bytes.clone());
        response
    }

    async fn pair() -> (Wire, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Wire::new(listener.accept().await.unwrap().0, Outbox::default()), client)
    }

    #[tokio::test]
    async fn answers_on_one_connection_keep_their_bytes_and_order() {
        let folder = tempfile::tempdir().unwrap();
        let backend = FileBackend::open(folder.path()).unwrap();
        let (one, other) = (sample(0), sample(99));
        let files = [stored(&backend, &one, 0..one.len() as u64).await, stored(&backend, &other, 7..700_000).await];
        let (wire, mut client) = pair().await;
        let outbox = wire.outbox.clone();
        let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
            let response = match request.uri().path() {
                "/0" => response(&files[0]),
                "/1" => response(&files[1]),
                text => Response::new(Body::from(text.to_owned())),
            };
            let response = outbox.carry(response);
            async move { Ok::<_, std::convert::Infallible>(response) }
        });
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(wire), service);
        let serving = tokio::spawn(connection);

        let paths = ["/0", "/text", "/1", "/0", "/1", "/end"];
        for path in paths {
            client.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
        }
        let mut reader = tokio::io::BufReader::new(client);
        for path in paths {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(reader.read_u8().await.unwrap());
            }
            let expected = match path {
                "/0" => &one[..],
                "/1" => &other[7..700_000],
                text => text.as_bytes(),
            };
            let mut body = vec![0; expected.len()];
            reader.read_exact(&mut body).await.unwrap();
            assert!(body == expected, "{path}");
        }
        drop(reader);
        serving.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn what_is_not_in_order_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        let backend = FileBackend::open(folder.path()).unwrap();
        let bytes = stored(&backend, &sample(0), 0..200_000).await;
        let (mut wire, _client) = pair().await;
        let first = wire.outbox.promise(bytes.file(), 0..100_000);
        let second = wire.outbox.promise(bytes.file(), 100_000..200_000);
        assert!(wire.write(&second).await.is_err());
        assert!(wire.write(&first.slice(1..)).await.is_err());
        assert!(wire.write(&first).await.is_ok());

        let (mut stranger, _client) = pair().await;
        assert!(stranger.write_vectored(&[IoSlice::new(&[]), IoSlice::new(&second)]).await.is_err());
    }

    #[tokio::test]
    async fn a_file_that_can_only_be_read_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes = &sample(0)[..COPIED + 100];
        std::fs::write(&path, bytes).unwrap();
        let (wire, mut client) = pair().await;
        let mut part = Part { file: Arc::new(File::open(&path).unwrap()), bytes: 10..bytes.len() as u64, place: 0 };
        wire.stream.writable().await.unwrap();
        while part.length() > 0 {
            part.bytes.start += part.copy(&wire.stream).unwrap() as u64;
        }
        drop(wire);
        let mut all = Vec::new();
        client.read_to_end(&mut all).await.unwrap();
        assert!(all == bytes[10..]);
    }

    #[tokio::test]
    async fn a_file_that_became_shorter_ends_the_connection() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [1; 10]).unwrap();
        let (mut wire, _client) = pair().await;
        let stand_ins = wire.outbox.promise(&Arc::new(File::open(&path).unwrap()), 0..20);
        assert_eq!(wire.write(&stand_ins).await.unwrap(), 10);
        let error = wire.write(&stand_ins[10..]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[tokio::test]
    async fn only_the_response_whose_body_the_file_is_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let backend = FileBackend::open(folder.path()).unwrap();
        let bytes = stored(&backend, &sample(0), 0..200_000).await;
        let outbox = Outbox::default();
        let mut other = response(&bytes);
        other.headers_mut().insert(CONTENT_LENGTH, 5.into());
        let other = outbox.carry(other.map(|_| Body::from("other")));
        assert_eq!(other.into_body().collect().await.unwrap().to_bytes(), "other");

        let file = outbox.carry(response(&bytes)).into_body();
        assert_eq!(file.size_hint().exact(), Some(200_000));
    }
}
