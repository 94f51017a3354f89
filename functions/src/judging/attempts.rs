//! Counting wrong guesses: the more of them from one client, the later they are answered. None is refused for its number, and a right
//! password waits for nothing.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::Semaphore;

use crate::Refusal;
use crate::limits::{Allowance, is_taken};

/// How many wrong guesses of one client are answered no later than the row before says, longest window first.
const DELAYS: [(&str, Allowance, Duration); 3] = [
    ("hour", Allowance { count: 60, per: Duration::from_hours(1) }, Duration::from_secs(5)),
    ("ten-minutes", Allowance { count: 20, per: Duration::from_mins(10) }, Duration::from_secs(3)),
    ("minute", Allowance { count: 5, per: Duration::from_mins(1) }, Duration::from_secs(1)),
];
/// Answers held back at once on this node. They hold a connection of the client and nothing else.
const HELD: usize = 4096;

/// Answers that are held back.
#[derive(Clone, Debug)]
pub(crate) struct Held(Arc<Semaphore>);

impl Default for Held {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(HELD)))
    }
}

impl Held {
    /// Waits before a wrong guess is answered.
    ///
    /// # Errors
    /// 429 at once when too many answers are held back already.
    pub(super) async fn wait(&self, delay: Duration) -> Result<(), Refusal> {
        if delay.is_zero() {
            return Ok(());
        }
        let _held = self.0.try_acquire().map_err(|_| too_many(delay))?;
        tokio::time::sleep(delay).await;
        Ok(())
    }
}

/// Counts a wrong guess on all nodes together, and says how late it is answered.
pub(super) async fn count_wrong(pool: &PgPool, client: &str) -> Result<Duration, Refusal> {
    for (window, allowance, delay) in DELAYS {
        if !is_taken(pool, &format!("judging/wrong/{window}/{client}"), allowance).await? {
            return Ok(delay);
        }
    }
    Ok(Duration::ZERO)
}

/// More guesses at once than are looked at.
pub(super) fn too_many(wait: Duration) -> Refusal {
    Refusal::too_often("Too many attempts at once. Please try again in a moment.", wait)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

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
    async fn answers_held_back_are_bounded() {
        let held = Held(Arc::new(Semaphore::new(0)));
        assert!(held.wait(Duration::ZERO).await.is_ok());
        assert!(format!("{:?}", held.wait(Duration::from_secs(5)).await.unwrap_err()).contains("429"));
    }
}
