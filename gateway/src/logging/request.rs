//! The request that lines belong to: all that is logged while one is answered names its id.

use http::HeaderValue;
use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static ID: HeaderValue;
}

/// What is done for a request.
pub fn within<F: Future>(id: HeaderValue, work: F) -> TaskLocalFuture<HeaderValue, F> {
    ID.scope(id, work)
}

/// As [`within`], for what does not wait.
pub fn within_now<T>(id: &HeaderValue, work: impl FnOnce() -> T) -> T {
    ID.sync_scope(id.clone(), work)
}

/// The id of the request that is being answered here; none beside requests.
pub(super) fn id() -> Option<HeaderValue> {
    ID.try_with(Clone::clone).ok()
}
