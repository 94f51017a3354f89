//! Delays responses to a minimum response time, so that the response time does not reveal whether an address has an account.

use std::time::Duration;

use tokio::time::Instant;

/// Minimum response time. It is longer than the time to hash a password and to write a user and a mail, but too short for users to notice.
const MIN_RESPONSE_TIME: Duration = Duration::from_millis(150);

pub(crate) async fn wait(begun: Instant) {
    tokio::time::sleep_until(begun + MIN_RESPONSE_TIME).await;
}
