//! Parses `multipart/form-data` bodies (RFC 7578), part by part, in limited memory. The parser library buffers all data until it finds a
//! boundary or the end of a part's headers, and searches the whole buffer again with each chunk. A malicious body without a boundary and
//! without an end of headers could fill the memory, so this module limits the buffered data.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use multer::{Field, Multipart};

use crate::backend::ByteStream;
use crate::error::{Error, Result};

/// Maximum number of bytes that the parser library may buffer: a boundary and the headers of a part.
const MAX_PENDING_BYTES: usize = 64 * 1024;
const TRUNCATED: &str = "Unexpected end of multipart data";

/// A `multipart/form-data` body.
pub(crate) struct Form {
    parser: Multipart<'static>,
    pending: Pending,
}

pub(crate) struct Part {
    field: Field<'static>,
    pending: Pending,
}

/// Number of body bytes that the parser library has read since it last returned a part or chunk.
#[derive(Clone, Default)]
struct Pending(Arc<AtomicUsize>);

impl Form {
    /// Creates a parser for a body with the given `Content-Type`.
    ///
    /// # Errors
    /// If `Content-Type` contains no boundary.
    pub(crate) fn new(content_type: &str, bytes: ByteStream) -> Result<Self> {
        let boundary = multer::parse_boundary(content_type)
            .map_err(|_| Error::InvalidRequest("Multipart: Boundary not found".to_owned()))?;
        let pending = Pending::default();
        Ok(Self { parser: Multipart::new(one_at_a_time(bytes, pending.clone()), boundary), pending })
    }

    /// Returns the next part of the form, or `None` at the end of the form. The previous part must have been dropped.
    ///
    /// # Errors
    /// If the form is malformed or reading the request body fails.
    pub(crate) async fn next_part(&mut self) -> Result<Option<Part>> {
        let field = self.parser.next_field().await.map_err(own_error)?;
        self.pending.0.store(0, Ordering::Relaxed);
        Ok(field.map(|field| Part { field, pending: self.pending.clone() }))
    }
}

impl Part {
    /// Returns the next chunk of the part, or `None` at the end of the part.
    ///
    /// # Errors
    /// The same errors as [`Form::next_part`].
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>> {
        let chunk = self.field.chunk().await.map_err(own_error)?;
        self.pending.0.store(0, Ordering::Relaxed);
        Ok(chunk)
    }
}

impl Deref for Part {
    type Target = Field<'static>;

    fn deref(&self) -> &Self::Target {
        &self.field
    }
}

/// Converts an error of the parser. If the request body could not be read (too slow, disconnected, too large), returns the error of the
/// body. Otherwise returns the error for a malformed form.
fn own_error(error: multer::Error) -> Error {
    let broken = || Error::InvalidRequest(TRUNCATED.to_owned());
    match error {
        multer::Error::StreamReadFailed(source) => source.downcast::<Error>().map_or_else(|_| broken(), |error| *error),
        _ => broken(),
    }
}

/// Passes at most one chunk per poll to the parser library, because the library would otherwise buffer everything that a fast client sends.
/// Ends with an error if the library requests more data although it has buffered [`MAX_PENDING_BYTES`].
fn one_at_a_time(mut bytes: ByteStream, pending: Pending) -> impl Stream<Item = Result<Bytes>> + Send {
    let mut rests = false;
    stream::poll_fn(move |context| {
        if std::mem::take(&mut rests) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if pending.0.load(Ordering::Relaxed) >= MAX_PENDING_BYTES {
            return Poll::Ready(Some(Err(Error::EntityTooLarge)));
        }
        let polled = bytes.poll_next_unpin(context);
        if let Poll::Ready(Some(Ok(chunk))) = &polled {
            pending.0.fetch_add(chunk.len(), Ordering::Relaxed);
        }
        rests = matches!(polled, Poll::Ready(Some(_)));
        polled
    })
}
