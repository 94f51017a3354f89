//! The version of the database's schema, as far as this process knows: a number that grows with each change it has noticed.
//!
//! What is remembered of the catalog (prepared statements, their parameters' types and result columns) carries the version under which it
//! was made, and is not used after it. A program has one database, so there is one number.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

static VERSION: AtomicU64 = AtomicU64::new(1);
static FOUND_CHANGED: Notify = Notify::const_new();

/// The current version.
#[must_use]
pub fn current() -> u64 {
    VERSION.load(Ordering::Acquire)
}

/// The schema has changed, or may have changed unnoticed.
pub(crate) fn advance() {
    VERSION.fetch_add(1, Ordering::AcqRel);
}

/// A statement was refused because the schema has changed: nobody may have notified the server of it.
pub fn found_changed() {
    advance();
    FOUND_CHANGED.notify_one();
}

/// Returns after the next [`found_changed`], or at once if there was one.
pub(crate) async fn change_found() {
    FOUND_CHANGED.notified().await;
}
