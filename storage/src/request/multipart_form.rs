//! A `multipart/form-data` body (RFC 7578), part by part, in bounded memory. The parser buffers whatever comes until it finds a boundary
//! or the end of a part's headers, which a hostile body never has, and searches all of it again with each chunk.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use multer::{Field, Multipart};

use crate::backend::ByteStream;
use crate::error::{Error, Result};

/// The bytes that the parser may hold when it asks for more: a boundary and the headers of a part.
const MAX_PENDING_BYTES: usize = 64 * 1024;
const TRUNCATED: &str = "Unexpected end of multipart data";

/// A form.
pub(crate) struct Form {
    parser: Multipart<'static>,
    pending: Pending,
}

/// A part of a form.
pub(crate) struct Part {
    field: Field<'static>,
    pending: Pending,
}

/// The bytes that the parser has read since it last yielded something.
#[derive(Clone, Default)]
struct Pending(Arc<AtomicUsize>);

impl Form {
    /// Reads a body of the given `Content-Type`.
    ///
    /// # Errors
    /// When that names no boundary.
    pub(crate) fn new(content_type: &str, bytes: ByteStream) -> Result<Self> {
        let boundary = multer::parse_boundary(content_type)
            .map_err(|_| Error::InvalidRequest("Multipart: Boundary not found".to_owned()))?;
        let pending = Pending::default();
        Ok(Self { parser: Multipart::new(one_at_a_time(bytes, pending.clone()), boundary), pending })
    }

    /// The next part; `None` when the form has ended. The one before it must have been dropped.
    ///
    /// # Errors
    /// When the form is broken, or the body is.
    pub(crate) async fn next_part(&mut self) -> Result<Option<Part>> {
        let field = self.parser.next_field().await.map_err(own_error)?;
        self.pending.0.store(0, Ordering::Relaxed);
        Ok(field.map(|field| Part { field, pending: self.pending.clone() }))
    }
}

impl Part {
    /// The part's next bytes; `None` when it has ended.
    ///
    /// # Errors
    /// As [`Form::next_part`].
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

/// The body's own failure (too slow, gone, too large) if that is what stopped the parser.
fn own_error(error: multer::Error) -> Error {
    let broken = || Error::InvalidRequest(TRUNCATED.to_owned());
    match error {
        multer::Error::StreamReadFailed(source) => source.downcast::<Error>().map_or_else(|_| broken(), |error| *error),
        _ => broken(),
    }
}

/// Yields one chunk for each poll: the parser would otherwise buffer all that a fast client sends. Ends with an error when the
/// parser asks for more although it holds enough.
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
