//! Response body of a Deno worker, streamed to the client.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::worker::Lease;

const TIME_IS_OVER: &str = "the time of the call is over";

/// Response body of a worker, streamed to the client. The `lease` counts the request as in progress in the worker until this body is
/// dropped. Reading the body fails after the deadline of the call.
#[derive(Debug)]
pub(in crate::deno) struct AnswerBody {
    body: Incoming,
    lease: Lease,
    deadline: Instant,
    /// Timer for the deadline. It is created when the body is not available at once; most bodies arrive together with the response head.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl AnswerBody {
    pub(in crate::deno) fn new(body: Incoming, lease: Lease, deadline: Instant) -> Self {
        Self { body, lease, deadline, sleep: None }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            this.lease.progress();
            // The deadline is checked here, because a body that is always ready never polls the timer.
            if matches!(frame, Some(Ok(_))) && Instant::now() >= this.deadline {
                return Poll::Ready(Some(Err(TIME_IS_OVER.into())));
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let deadline = this.deadline;
        ready!(this.sleep.get_or_insert_with(|| Box::pin(sleep_until(deadline))).as_mut().poll(context));
        Poll::Ready(Some(Err(TIME_IS_OVER.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
