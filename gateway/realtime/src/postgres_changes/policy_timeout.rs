//! How long PostgreSQL may take to answer what callers may see. While others wait for the same answer, a caller gets little time, and the
//! less the more slow callers were found among them; a caller in a lane of its own is asked again with more.

use std::time::Duration;

/// A caller whose policies take longer is slow.
pub(super) const SLOW_CHECK_TIME: Duration = Duration::from_millis(50);
/// `statement_timeout` of the conversion of a batch's rows.
pub(super) const CONVERSION_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that slow callers may take of the others in one batch.
const MAX_SLOW_TIME: Duration = Duration::from_millis(160);
/// `statement_timeout` of a call for many callers, of whom none was slow yet.
const SHARED_TIMEOUT: Duration = Duration::from_millis(80);
/// As [`SHARED_TIMEOUT`], once a caller was slow: there may be more of its kind.
const HURRIED_TIMEOUT: Duration = Duration::from_millis(20);
/// `statement_timeout` of the first check in a lane.
const TRIAL_TIMEOUT: Duration = Duration::from_millis(80);
/// `statement_timeout` of a caller that is known to be slow.
const LONG_TIMEOUT: Duration = Duration::from_secs(2);

/// How long one caller's policies may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// As long as others can wait for it.
    Shared,
    /// A little longer: a caller that was not asked, or was slow once, is not known to be slow.
    Trial,
    /// As long as any caller's policies may take.
    Long,
}

/// The time that is left for the callers of one question.
#[derive(Debug)]
pub(super) struct TimeLeft {
    patience: Patience,
    slow_time: Duration,
}

impl TimeLeft {
    pub(super) fn new(patience: Patience) -> Self {
        Self { patience, slow_time: Duration::ZERO }
    }

    /// The timeout of the next call; `None` if slow callers used the time up.
    pub(super) fn timeout(&self) -> Option<Duration> {
        match self.patience {
            Patience::Shared if self.slow_time >= MAX_SLOW_TIME => None,
            Patience::Shared if self.slow_time > Duration::ZERO => Some(HURRIED_TIMEOUT),
            Patience::Shared => Some(SHARED_TIMEOUT),
            Patience::Trial => Some(TRIAL_TIMEOUT),
            Patience::Long => Some(LONG_TIMEOUT),
        }
    }

    /// Takes note of a slow caller's time.
    pub(super) fn spend(&mut self, took: Duration) {
        self.slow_time += took;
    }
}

/// The part of a call's timeout after which it begins no further caller, so that the last one has time left as well.
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
