//! The id of the current request as a task-local value, which every log line of the request contains.

use http::HeaderValue;
use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static REQUEST_ID: HeaderValue;
}

/// Runs a future with the id of a request.
pub fn in_scope<F: Future>(id: HeaderValue, work: F) -> TaskLocalFuture<HeaderValue, F> {
    REQUEST_ID.scope(id, work)
}

/// Runs a function with the id of a request.
pub fn in_scope_sync<T>(id: &HeaderValue, work: impl FnOnce() -> T) -> T {
    REQUEST_ID.sync_scope(id.clone(), work)
}

/// The id of the current request; `None` outside of requests.
pub(super) fn current() -> Option<HeaderValue> {
    REQUEST_ID.try_with(Clone::clone).ok()
}
