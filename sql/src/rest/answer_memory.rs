//! The memory of answers: how large one may be, and how much of them waits for clients that read slowly.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// Bytes of one answer to a visitor. A few columns that are asked for a thousand times have more than any page shows.
pub(super) const VISITOR_ANSWER_BYTES: usize = 64 << 20;
/// Bytes of one answer to other callers: as many as a value of PostgreSQL may have.
pub(super) const OTHER_ANSWER_BYTES: usize = 1 << 30;
/// Bytes of all answers together that wait to be sent, to visitors and to others.
const VISITOR_MEMORY_BYTES: usize = 256 << 20;
const OTHER_MEMORY_BYTES: usize = 2 << 30;
/// Size up to which an answer is not counted.
const UNCOUNTED_BYTES: usize = 256 << 10;
/// Bytes that one permit stands for.
const PERMIT_BYTES: usize = 1024;

/// Bytes of one answer to a caller.
pub(super) const fn limit(is_visitor: bool) -> usize {
    if is_visitor { VISITOR_ANSWER_BYTES } else { OTHER_ANSWER_BYTES }
}

/// The memory budgets of answers. Separate, so that visitors do not use up the others'.
#[derive(Debug)]
pub(super) struct AnswerMemory {
    visitors: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

impl AnswerMemory {
    pub(super) fn new() -> Self {
        let budget = |bytes: usize| Arc::new(Semaphore::new(bytes / PERMIT_BYTES));
        Self { visitors: budget(VISITOR_MEMORY_BYTES), others: budget(OTHER_MEMORY_BYTES) }
    }

    /// Counts an answer of this size until what is returned is dropped; none for a small one.
    ///
    /// # Errors
    /// When too much waits already.
    pub(super) fn hold(&self, is_visitor: bool, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        if bytes <= UNCOUNTED_BYTES {
            return Ok(None);
        }
        if bytes > limit(is_visitor) {
            return Err(ApiError::answer_too_large(is_visitor));
        }
        let budget = if is_visitor { &self.visitors } else { &self.others };
        let permits = u32::try_from(bytes.div_ceil(PERMIT_BYTES)).unwrap_or(u32::MAX);
        Arc::clone(budget).try_acquire_many_owned(permits).map(Some).map_err(|_| ApiError::no_room_for_answer())
    }
}

/// Counts a response until it is sent.
pub(super) fn hold_in(response: Response, held: Option<OwnedSemaphorePermit>) -> Response {
    match held {
        Some(held) => response.map(|body| Body::new(HeldAnswer { body, _held: held })),
        None => response,
    }
}

struct HeldAnswer {
    body: Body,
    _held: OwnedSemaphorePermit,
}

impl http_body::Body for HeldAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn answers_that_wait_have_a_budget() {
        let memory = AnswerMemory::new();
        assert!(memory.hold(true, VISITOR_ANSWER_BYTES + 1).is_err());
        assert!(memory.hold(true, UNCOUNTED_BYTES).unwrap().is_none());
        let held: Vec<_> = (0..4).map(|_| memory.hold(true, VISITOR_ANSWER_BYTES).unwrap()).collect();
        assert!(memory.hold(true, VISITOR_ANSWER_BYTES).is_err());
        assert!(memory.hold(true, UNCOUNTED_BYTES).is_ok() && memory.hold(false, VISITOR_ANSWER_BYTES).is_ok());
        let response = hold_in(Response::new(Body::from("x")), held.into_iter().next().unwrap());
        assert!(memory.hold(true, VISITOR_ANSWER_BYTES).is_ok(), "the others were dropped");
        assert_eq!(http_body::Body::size_hint(response.body()).exact(), Some(1));
    }
}
