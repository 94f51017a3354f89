//! Files that go out without passing through the program: the system sends them from its memory (sendfile), which saves two copies
//! of every byte.
//!
//! The HTTP library writes bytes and knows no files. So it is given a body of stand-ins, as many as the file has bytes, and where it
//! writes them to the connection, the file's go out instead. What stands for which file is known by order and by where the stand-ins
//! lie in memory; where the two do not agree, the connection ends.

mod wire;

use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use cloch_storage::backend::file::FileBytes;
use futures_util::stream;
use http::HeaderValue;
use http::header::CONTENT_LENGTH;

pub(super) use wire::Wire;

/// The bytes of a file that stand-ins are given for at once.
const PART: usize = 512 * 1024;
/// Parts that follow each other begin at different places.
const PLACES: usize = 1024;
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
        response.map(|_| self.body(bytes))
    }

    /// The bytes of a file, or what stands for them. Those that the system has to fetch from the disk first are read as usual, for
    /// sending them would keep others waiting.
    fn body(&self, bytes: FileBytes) -> Body {
        let (outbox, end) = (self.clone(), bytes.range().end);
        Body::from_stream(stream::try_unfold((bytes.range().start, bytes), move |(at, bytes)| {
            let outbox = outbox.clone();
            async move {
                if at >= end {
                    return Ok::<_, cloch_storage::Error>(None);
                }
                let part = at..end.min(at + PART as u64);
                let piece = match bytes.is_present(part.clone()) {
                    true => outbox.promise(bytes.file(), part),
                    false => bytes.read(at).await?,
                };
                let next = at + piece.len() as u64;
                Ok(Some((piece, (next, bytes))))
            }
        }))
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

#[cfg(test)]
mod tests;
