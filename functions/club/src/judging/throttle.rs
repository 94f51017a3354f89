//! Throttles wrong password guesses: the response to each further wrong guess of a client is delayed longer. No guess is refused because of earlier
//! wrong guesses, and the response to the right password is never delayed.

use std::time::Duration;

use cloch_functions::FunctionError;
use cloch_functions::limits::{RateLimit, try_take};
use sqlx::PgPool;
use tokio::sync::Semaphore;

/// Sliding windows in which the wrong guesses of a client are counted, longest window first. Each entry contains the name, the maximum
/// number of wrong guesses, and the delay. If a wrong guess exceeds the maximum of a window, its response is delayed.
const DELAYS: [(&str, RateLimit, Duration); 3] = [
    ("hour", RateLimit { count: 60, per: Duration::from_hours(1) }, Duration::from_secs(5)),
    ("ten-minutes", RateLimit { count: 20, per: Duration::from_mins(10) }, Duration::from_secs(3)),
    ("minute", RateLimit { count: 5, per: Duration::from_mins(1) }, Duration::from_secs(1)),
];
/// Maximum number of responses that this node delays at the same time. A delayed response occupies only the connection of its client.
const MAX_DELAYED_ANSWERS: usize = 4096;

/// Semaphore that limits the number of responses that are being delayed.
#[derive(Debug)]
pub(super) struct DelayedAnswers(Semaphore);

impl Default for DelayedAnswers {
    fn default() -> Self {
        Self(Semaphore::new(MAX_DELAYED_ANSWERS))
    }
}

impl DelayedAnswers {
    /// Waits before the response to a wrong guess is sent. Returns an error with status 429 at once if too many responses are being delayed.
    pub(super) async fn wait(&self, delay: Duration) -> Result<(), FunctionError> {
        if delay.is_zero() {
            return Ok(());
        }
        let _permit = self.0.try_acquire().map_err(|_| too_many(delay))?;
        tokio::time::sleep(delay).await;
        Ok(())
    }
}

/// Counts a wrong password guess of `client` in PostgreSQL, for all nodes together, and returns the delay of the response.
pub(super) async fn count_wrong(pool: &PgPool, client: &str) -> Result<Duration, FunctionError> {
    for (window, limit, delay) in DELAYS {
        if !try_take(pool, &format!("judging/wrong/{window}/{client}"), limit).await? {
            return Ok(delay);
        }
    }
    Ok(Duration::ZERO)
}

/// Returns the error (status 429) for a password guess if too many guesses or delayed responses are waiting. `wait` is the value of
/// `Retry-After`.
pub(super) fn too_many(wait: Duration) -> FunctionError {
    FunctionError::too_often("Too many attempts at once. Please try again in a moment.", wait)
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn the_more_wrong_guesses_the_later_the_answer() {
        let database = TestDatabase::platform().await;
        let pool = database.database().admin();
        let mut delays = Vec::new();
        for _ in 0..20 {
            let mut longest = Duration::ZERO;
            for _ in 0..6 {
                longest = longest.max(count_wrong(pool, "network/192.0.2.1").await.unwrap());
            }
            delays.push(longest.as_secs());
            let later =
                "update cloch.rate_limits set slices = array(select s - interval '62 seconds' from unnest(slices) s)";
            sqlx::query(later).execute(pool).await.unwrap();
        }
        assert!(delays.is_sorted(), "{delays:?}");
        delays.dedup();
        assert_eq!(delays, [1, 3, 5]);
        assert!(count_wrong(pool, "network/192.0.2.2").await.unwrap().is_zero());
    }

    #[tokio::test]
    async fn delayed_answers_are_bounded() {
        let delayed = DelayedAnswers(Semaphore::new(0));
        assert!(delayed.wait(Duration::ZERO).await.is_ok());
        assert!(format!("{:?}", delayed.wait(Duration::from_secs(5)).await.unwrap_err()).contains("429"));
    }
}
