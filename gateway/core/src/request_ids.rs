//! Ids of the current request as a task-local value. Every log line of the request contains them.

use http::HeaderValue;
use tokio::task::futures::TaskLocalFuture;

use crate::trace_context::TraceContext;

/// Ids of a request in the log.
#[derive(Clone, Debug)]
pub struct RequestIds {
    /// Request id, which the response contains.
    pub id: HeaderValue,
    /// Trace of the request, begun by the client or by the server's own spans. `None` without a trace.
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

/// Returns the trace of the current request, with the parent of its further spans.
pub(crate) fn current_trace() -> Option<TraceContext> {
    REQUEST_IDS.try_with(|ids| ids.trace).ok().flatten()
}

/// Returns the ids of the current request. `None` outside of requests.
#[must_use]
pub fn current() -> Option<RequestIds> {
    REQUEST_IDS.try_with(Clone::clone).ok()
}
