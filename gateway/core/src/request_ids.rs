//! Ids of the request that is being handled, as a task-local value. Every log line that is written during the request contains the ids.

use http::HeaderValue;
use tokio::task::futures::TaskLocalFuture;

use crate::trace_context::TraceContext;

/// Ids of a request for log lines and for spans of its trace.
#[derive(Clone, Debug)]
pub struct RequestIds {
    /// Request id. The header of the response contains the same id.
    pub id: HeaderValue,
    /// Trace of the request, begun by the client or by this server. `None` if the request has no trace.
    pub trace: Option<TraceContext>,
}

tokio::task_local! {
    static REQUEST_IDS: RequestIds;
}

/// Runs the future `work`. While it runs, [`current`] returns `ids`.
pub fn in_scope<F: Future>(ids: RequestIds, work: F) -> TaskLocalFuture<RequestIds, F> {
    REQUEST_IDS.scope(ids, work)
}

/// Calls the function `work`. While it runs, [`current`] returns `ids`.
pub fn in_scope_sync<T>(ids: &RequestIds, work: impl FnOnce() -> T) -> T {
    REQUEST_IDS.sync_scope(ids.clone(), work)
}

/// Returns the trace of the current request. Its span id is the parent of the next span of the request.
pub(crate) fn current_trace() -> Option<TraceContext> {
    REQUEST_IDS.try_with(|ids| ids.trace).ok().flatten()
}

/// Returns the ids of the current request. `None` outside of requests.
#[must_use]
pub fn current() -> Option<RequestIds> {
    REQUEST_IDS.try_with(Clone::clone).ok()
}
