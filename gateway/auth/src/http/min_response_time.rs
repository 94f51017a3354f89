//! A minimum response time, so that the time of a response does not reveal whether an address has an account.

use std::time::Duration;

use tokio::time::Instant;

/// Minimum response time: longer than hashing a password and writing a user and a mail take, and too short to be noticed by users.
const MIN_RESPONSE_TIME: Duration = Duration::from_millis(150);

pub(crate) async fn wait(begun: Instant) {
    tokio::time::sleep_until(begun + MIN_RESPONSE_TIME).await;
}
