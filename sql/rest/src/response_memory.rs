//! Memory budget of responses. Limits the memory of all responses that are being built or wait for clients that read slowly. Memory is
//! counted before it is allocated.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;
use super::response_limit;
use cloch_sql::client::MessageMeter;

/// Memory budget in bytes for the responses to all visitors (role `anon`) together.
const VISITOR_MEMORY_BYTES: usize = 256 << 20;
const OTHER_MEMORY_BYTES: usize = 2 << 30;
/// Size in bytes up to which a response does not count towards the memory budget.
const UNCOUNTED_BYTES: usize = 64 << 10;
/// Maximum size in bytes of a frame of a response that counts. The HTTP server takes a frame as a whole, and asks for the end of the body at once.
/// With one large frame, the budget would be free again while the frame waits for a slow client.
const FRAME_BYTES: usize = 64 << 10;
/// Number of bytes of the memory budget that one semaphore permit represents.
const PERMIT_BYTES: usize = 1024;

/// Memory budgets of responses. Visitors (role `anon`) have a separate budget, so that they cannot exhaust the budget of other callers.
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

    /// Creates a meter that counts the memory of a response from its construction until it is sent. `may_refuse` is false for a write,
    /// because the response to a write must not be rejected: memory beyond the budget is then not counted.
    pub(super) fn meter(&self, is_visitor: bool, may_refuse: bool) -> Arc<AnswerMeter> {
        let budget = Arc::clone(if is_visitor { &self.visitors } else { &self.others });
        Arc::new(AnswerMeter { is_visitor, may_refuse, budget, state: Mutex::default() })
    }
}

/// Counts the memory of one response.
#[derive(Debug)]
pub(super) struct AnswerMeter {
    is_visitor: bool,
    may_refuse: bool,
    budget: Arc<Semaphore>,
    state: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    /// Size in bytes of the response body that has been built.
    body: usize,
    row: usize,
    held: Option<OwnedSemaphorePermit>,
}

impl AnswerMeter {
    /// Counts a response body of `bytes` bytes before memory is allocated for the body. Returns false if the memory budget is exhausted.
    pub(super) fn body(&self, bytes: usize) -> bool {
        let mut counted = self.counted();
        counted.body = bytes;
        self.hold(&mut counted)
    }

    /// Ends the measurement of a response body of `bytes` bytes. The returned permit counts the body towards the memory budget until the
    /// permit is dropped. Returns `None` for a body that is too small to count.
    ///
    /// # Errors
    /// Fails if the body exceeds the maximum size or the memory budget is exhausted.
    pub(super) fn end(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        if bytes > response_limit::limit(self.is_visitor) && self.may_refuse {
            return Err(ApiError::answer_too_large(self.is_visitor));
        }
        let mut counted = self.counted();
        (counted.body, counted.row) = (bytes, 0);
        if !self.hold(&mut counted) {
            return Err(ApiError::no_room_for_answer());
        }
        let mut held = counted.held.take();
        if let Some(held) = &mut held {
            drop(held.split(held.num_permits().saturating_sub(permits(bytes))));
        }
        Ok(held)
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, counted: &mut Counted) -> bool {
        let wanted = permits(counted.body.saturating_add(counted.row));
        let has = counted.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let Some(more) = wanted.checked_sub(has).filter(|more| *more > 0) else { return true };
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        match Arc::clone(&self.budget).try_acquire_many_owned(more) {
            Ok(more) => match &mut counted.held {
                Some(held) => held.merge(more),
                None => counted.held = Some(more),
            },
            Err(_) => return !self.may_refuse,
        }
        true
    }
}

impl MessageMeter for AnswerMeter {
    fn admit(&self, bytes: usize) -> bool {
        let mut counted = self.counted();
        counted.row = counted.row.max(bytes);
        self.hold(&mut counted)
    }
}

fn permits(bytes: usize) -> usize {
    if bytes > UNCOUNTED_BYTES { bytes.div_ceil(PERMIT_BYTES) } else { 0 }
}

/// Counts a response towards the memory budget until the response is sent.
pub(super) fn hold_in(response: Response, held: Option<OwnedSemaphorePermit>) -> Response {
    match held {
        Some(held) => response.map(|body| Body::new(HeldAnswer { body, rest: Bytes::new(), _held: held })),
        None => response,
    }
}

struct HeldAnswer {
    body: Body,
    /// The part of a frame of `body` that was not sent yet.
    rest: Bytes,
    _held: OwnedSemaphorePermit,
}

impl http_body::Body for HeldAnswer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)).transpose()?.map(Frame::into_data) {
                Some(Ok(data)) => self.rest = data,
                Some(Err(other)) => return Poll::Ready(Some(Ok(other))),
                None => return Poll::Ready(None),
            }
        }
        let bytes = self.rest.len().min(FRAME_BYTES);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response_limit::VISITOR_ANSWER_BYTES;

    fn held(memory: &AnswerMemory, is_visitor: bool, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        memory.meter(is_visitor, true).end(bytes)
    }

    #[test]
    fn answers_that_wait_have_a_budget() {
        let memory = AnswerMemory::new();
        assert!(held(&memory, true, VISITOR_ANSWER_BYTES + 1).is_err());
        assert!(held(&memory, true, UNCOUNTED_BYTES).unwrap().is_none());
        let all: Vec<_> = (0..4).map(|_| held(&memory, true, VISITOR_ANSWER_BYTES).unwrap()).collect();
        assert!(held(&memory, true, VISITOR_ANSWER_BYTES).is_err());
        assert!(held(&memory, true, UNCOUNTED_BYTES).is_ok() && held(&memory, false, VISITOR_ANSWER_BYTES).is_ok());
        let response = hold_in(Response::new(Body::from("x")), all.into_iter().next().unwrap());
        assert!(held(&memory, true, VISITOR_ANSWER_BYTES).is_ok(), "the others were dropped");
        assert_eq!(http_body::Body::size_hint(response.body()).exact(), Some(1));
    }

    #[test]
    fn answers_are_counted_while_they_are_collected() {
        let memory = AnswerMemory::new();
        let meters: Vec<_> = (0..5).map(|_| memory.meter(true, true)).collect();
        assert!(meters.iter().take(4).all(|meter| meter.admit(VISITOR_ANSWER_BYTES)));
        assert!(!meters[4].body(1 << 20), "nothing is left");
        assert!(meters[4].body(UNCOUNTED_BYTES));
        assert!(memory.meter(true, false).body(1 << 20), "a write is not refused");
        // Before `end`, the current row and the body count together. After `end`, only the body counts.
        assert!(!meters[0].body(1 << 20));
        let meters: Vec<_> = meters.into_iter().skip(1).collect();
        assert!(meters[0].body(1 << 20));
        let _held = meters[0].end(1 << 20).unwrap();
        assert!(meters[3].body((128 << 20) - (1 << 20) - PERMIT_BYTES));
    }

    #[test]
    fn a_response_with_one_large_frame_counts_until_its_last_part_is_taken() {
        let memory = AnswerMemory::new();
        let free = || memory.visitors.available_permits();
        let all = free();
        let held = held(&memory, true, 2 * FRAME_BYTES + 1).unwrap();
        let mut body = hold_in(Response::new(Body::from(vec![b'x'; 2 * FRAME_BYTES + 1])), held).into_body();
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut sizes = Vec::new();
        while let Poll::Ready(Some(frame)) = http_body::Body::poll_frame(Pin::new(&mut body), &mut context) {
            sizes.push(frame.unwrap().into_data().unwrap().len());
            let is_end = sizes.len() == 3;
            assert_eq!(http_body::Body::is_end_stream(&body), is_end);
            assert_eq!(
                http_body::Body::size_hint(&body).exact(),
                Some([FRAME_BYTES as u64 + 1, 1, 0][sizes.len() - 1])
            );
            assert!(free() < all);
        }
        assert_eq!(sizes, [FRAME_BYTES, FRAME_BYTES, 1]);
        drop(body);
        assert_eq!(free(), all);
    }
}
