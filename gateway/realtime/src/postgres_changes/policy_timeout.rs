//! Time limits of policy checks for table changes in PostgreSQL. In a check of many callers, each caller gets little time, and less time
//! after a slow caller was found. A slow caller is checked again with more time, from its slow-caller queue.

use std::time::Duration;

/// Duration of a policy check above which its caller counts as slow.
pub(super) const SLOW_CHECK_TIME: Duration = Duration::from_millis(50);
/// `statement_timeout` for the conversion of a batch's changed rows to JSON.
pub(super) const CONVERSION_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum total time for the checks of slow callers in one batch, because the other callers of the batch wait for these
/// checks.
const MAX_SLOW_TIME: Duration = Duration::from_millis(160);
/// `statement_timeout` of a policy check of many callers, as long as no slow caller was found.
const SHARED_TIMEOUT: Duration = Duration::from_millis(80);
/// `statement_timeout` of a policy check of many callers after a slow caller was found, because more slow callers may follow.
const HURRIED_TIMEOUT: Duration = Duration::from_millis(20);
/// `statement_timeout` of the first policy check of a caller in its slow-caller queue.
const TRIAL_TIMEOUT: Duration = Duration::from_millis(80);
/// `statement_timeout` of a policy check of a caller that is known to be slow.
const LONG_TIMEOUT: Duration = Duration::from_secs(2);

/// Selects the time limit (`statement_timeout`) for checking the policies of a table for one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Short time limit, because other callers wait for the same check.
    Shared,
    /// Time limit in a slow-caller queue for a caller that is not known to be slow: the caller was not checked, or its check was slow only
    /// once.
    Trial,
    /// Maximum time limit, for a caller that is known to be slow.
    Long,
}

/// Time that is left for the remaining callers of one policy check.
#[derive(Debug)]
pub(super) struct TimeLeft {
    patience: Patience,
    slow_time: Duration,
}

impl TimeLeft {
    pub(super) fn new(patience: Patience) -> Self {
        Self { patience, slow_time: Duration::ZERO }
    }

    /// Returns the timeout of the next database call of a policy check. `None` if slow callers have used up the time of the check.
    pub(super) fn timeout(&self) -> Option<Duration> {
        match self.patience {
            Patience::Shared if self.slow_time >= MAX_SLOW_TIME => None,
            Patience::Shared if self.slow_time > Duration::ZERO => Some(HURRIED_TIMEOUT),
            Patience::Shared => Some(SHARED_TIMEOUT),
            Patience::Trial => Some(TRIAL_TIMEOUT),
            Patience::Long => Some(LONG_TIMEOUT),
        }
    }

    pub(super) fn spend(&mut self, took: Duration) {
        self.slow_time += took;
    }
}

/// Returns the time after which a call of `cloch.visible_rows` begins no further check: half of the call's timeout. The second half remains
/// for the last check that has begun.
pub(super) fn budget(timeout: Duration) -> Duration {
    timeout / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_callers_are_slow_the_less_time_each_gets() {
        let mut left = TimeLeft::new(Patience::Shared);
        let mut timeouts = Vec::new();
        while let Some(timeout) = left.timeout() {
            timeouts.push(timeout);
            left.spend(timeout);
        }
        assert_eq!(timeouts, [SHARED_TIMEOUT, HURRIED_TIMEOUT, HURRIED_TIMEOUT, HURRIED_TIMEOUT, HURRIED_TIMEOUT]);
        assert!(timeouts.iter().sum::<Duration>() <= MAX_SLOW_TIME);
    }

    #[test]
    fn a_caller_that_is_asked_alone_does_not_use_up_its_time() {
        let mut left = TimeLeft::new(Patience::Trial);
        left.spend(LONG_TIMEOUT);
        assert_eq!(left.timeout(), Some(TRIAL_TIMEOUT));
    }
}
