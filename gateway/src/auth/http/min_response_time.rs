//! A minimum response time: answers for a known address take as long as those for an unknown one.

use std::time::Duration;

use tokio::time::Instant;

/// Longer than it takes to hash a password and write a user and a mail, and too short to be noticed.
const MIN_RESPONSE_TIME: Duration = Duration::from_millis(150);

/// Waits until the minimum response time since `begun` has passed.
pub(crate) async fn wait(begun: Instant) {
    tokio::time::sleep_until(begun + MIN_RESPONSE_TIME).await;
}
