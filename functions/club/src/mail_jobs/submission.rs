//! Sends the queued mail of one record immediately, for the call of `send-email` that follows the record's insert.
//!
//! The database queues the mail in the record's transaction, so the mail is sent even if the form never calls `send-email`. The call and
//! the worker claim the same mail job, and the job is closed in the transaction that writes the mail. Therefore only one mail is sent, even
//! if the function is called several times.

use std::sync::Arc;
use std::time::Duration;

use cloch_functions::{FunctionError, Services};
use http::StatusCode;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::queue::{self, Found};
use super::{LEASE, Writer};
use crate::settings::Recipients;

/// Maximum time that a call waits for a worker that writes the same mail.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// Time between two checks whether the worker has finished.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Sends the mail that announces the record with the submission key `key`, unless this mail was already sent. Returns the id of the mail in the
/// outbox. Returns `None` if the mail has been deleted from the outbox since then, or if the record was deleted before the mail was written.
///
/// # Errors
/// Status 404 if no record was ever stored with this key. If writing the mail fails, the error of this attempt; the worker retries later.
/// Status 503 if a worker is still writing the mail after [`MAX_WAIT`].
pub(crate) async fn announce(
    services: Arc<Services>,
    recipients: Arc<Recipients>,
    key: Uuid,
) -> Result<Option<Uuid>, FunctionError> {
    let writer = Writer { services, recipients };
    let pool = writer.services.database.admin();
    let deadline = Instant::now() + MAX_WAIT;
    while Instant::now() < deadline {
        match queue::claim_submission(pool, key, LEASE).await? {
            Found::Nothing => {
                let message = "There is no record with this submission key";
                return Err(FunctionError::new(StatusCode::NOT_FOUND, "not_found", message));
            }
            Found::Written(message) => return Ok(message),
            Found::Claimed(job) => writer.process(&job).await??,
            Found::Busy => sleep(CHECK_INTERVAL).await,
        }
    }
    Err(FunctionError::unavailable())
}
