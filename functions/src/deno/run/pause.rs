//! Back-off of a pool: the delay before the next worker is started, after workers that did not start or that crashed.

use std::time::{Duration, Instant};

/// The first delay. It doubles with each further failure: up to [`MAX_PAUSE`] after failed starts, during which requests are refused, and up to
/// [`MAX_CRASH_PAUSE`] after crashes, during which requests wait. A caller who can crash a worker with a request must not be able to keep the
/// function from the other callers.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(30);
const MAX_CRASH_PAUSE: Duration = Duration::from_secs(1);

/// Number of workers that failed to start or crashed, and the time until which no worker is started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pause {
    failures: u32,
    until: Option<Instant>,
    /// Whether the last worker failed to start.
    refuses: bool,
}

impl Pause {
    /// Extends the delay after a worker that failed to start.
    pub(super) fn after_failed_start(&mut self) {
        self.lengthen(MAX_PAUSE);
        self.refuses = true;
    }

    /// Extends the delay after a worker that started and then crashed. Returns the delay. The first crash causes no delay, so the next
    /// request is served at once.
    pub(super) fn after_crash(&mut self) -> Duration {
        self.refuses = false;
        if self.failures == 0 {
            self.failures = 1;
            return Duration::ZERO;
        }
        self.lengthen(MAX_CRASH_PAUSE)
    }

    fn lengthen(&mut self, max: Duration) -> Duration {
        let pause = FIRST_PAUSE.saturating_mul(1 << self.failures.min(16)).min(max);
        self.failures = self.failures.saturating_add(1);
        self.until = Some(Instant::now() + pause);
        pause
    }

    pub(super) fn is_over(self) -> bool {
        self.until.is_none_or(|until| until <= Instant::now())
    }

    /// Whether requests are refused during the delay. If not, they wait.
    pub(super) fn refuses(self) -> bool {
        self.refuses
    }

    pub(super) fn has_failures(self) -> bool {
        self.failures > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_delay_for_a_second_at_most_and_refuse_nobody() {
        let mut pause = Pause::default();
        let delays: Vec<u128> = (0..6).map(|_| pause.after_crash().as_millis()).collect();
        assert_eq!(delays, [0, 500, 1000, 1000, 1000, 1000]);
        assert!(!pause.is_over() && !pause.refuses() && pause.has_failures());
    }

    #[test]
    fn failed_starts_refuse_for_longer_and_longer() {
        let mut pause = Pause::default();
        for _ in 0..10 {
            pause.after_failed_start();
        }
        assert!(!pause.is_over() && pause.refuses());
        assert_eq!(pause.lengthen(MAX_PAUSE), MAX_PAUSE);
        pause.after_crash();
        assert!(!pause.refuses());
    }
}
