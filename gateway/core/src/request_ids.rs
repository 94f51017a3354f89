//! The ids of the current request as a task-local value, which every log line of the request contains.

use http::HeaderValue;
use tokio::task::futures::TaskLocalFuture;

use crate::trace_context::TraceContext;

/// What identifies a request in the log.
#[derive(Clone, Debug)]
pub struct RequestIds {
    /// The request id, which the response names.
    pub id: HeaderValue,
    /// The trace that the client has begun, or that is recorded of it.
    pub trace: Option<TraceContext>,
}

tokio::task_local! {
    static REQUEST_IDS: RequestIds;
}

/// Runs a future with the ids of a request.
pub fn in_scope<F: Future>(ids: RequestIds, work: F) -> TaskLocalFuture<RequestIds, F> {
    REQUEST_IDS.scope(ids, work)
}

/// Runs a function with the ids of a request.
pub fn in_scope_sync<T>(ids: &RequestIds, work: impl FnOnce() -> T) -> T {
    REQUEST_IDS.sync_scope(ids.clone(), work)
}

/// The trace of the current request, with the span that its parts are children of.
pub(crate) fn current_trace() -> Option<TraceContext> {
    REQUEST_IDS.try_with(|ids| ids.trace).ok().flatten()
}

/// The ids of the current request; `None` outside of requests.
#[must_use]
pub fn current() -> Option<RequestIds> {
    REQUEST_IDS.try_with(Clone::clone).ok()
}
