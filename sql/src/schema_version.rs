//! Version of the database's schema as observed by this process: a counter of noticed changes.
//!
//! Cached catalog data (prepared statements with their parameter types and result columns) records the version under which it was created,
//! and is discarded when the version changes. A process uses one database, so the counter is global.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

static VERSION: AtomicU64 = AtomicU64::new(1);
static FOUND_CHANGED: Notify = Notify::const_new();

/// Returns the current version.
#[must_use]
pub fn current() -> u64 {
    VERSION.load(Ordering::Acquire)
}

/// Increments the version: the schema has changed, or may have changed unnoticed.
pub(crate) fn advance() {
    VERSION.fetch_add(1, Ordering::AcqRel);
}

/// Increments the version after a statement failed because of a schema change, and requests a reload, because the change may have caused no
/// notification.
pub fn found_changed() {
    advance();
    FOUND_CHANGED.notify_one();
}

/// Waits for the next call of [`found_changed`]. Returns at once if a call was not consumed yet.
pub(crate) async fn change_found() {
    FOUND_CHANGED.notified().await;
}
