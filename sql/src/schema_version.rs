//! Version of the database's schema as observed by this process: a counter of noticed schema changes.
//!
//! Cached catalog data (prepared statements with their parameter types and result columns) records the schema version under which the data
//! was created, and is discarded when the version changes. A process uses only one database, so the counter is global.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

static VERSION: AtomicU64 = AtomicU64::new(1);
static FOUND_CHANGED: Notify = Notify::const_new();

/// Returns the current schema version.
#[must_use]
pub fn current() -> u64 {
    VERSION.load(Ordering::Acquire)
}

/// Increments the schema version, because the schema has changed or may have changed unnoticed.
pub(crate) fn advance() {
    VERSION.fetch_add(1, Ordering::AcqRel);
}

/// Increments the schema version after a statement failed because of a schema change, and requests a reload of the schema cache, because
/// the schema change may have caused no notification.
pub fn found_changed() {
    advance();
    FOUND_CHANGED.notify_one();
}

/// Waits for the next call of [`found_changed`]. Returns at once if [`found_changed`] was called since the last wait.
pub(crate) async fn change_found() {
    FOUND_CHANGED.notified().await;
}
