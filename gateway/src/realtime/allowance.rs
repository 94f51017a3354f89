//! How often something may happen: a count in a window of time.

use std::time::{Duration, Instant};

/// Counts what one channel or socket does.
#[derive(Debug)]
pub(super) struct Allowance {
    allowed: u64,
    window: Duration,
    began: Instant,
    count: u64,
}

impl Allowance {
    pub(super) fn new(allowed: impl Into<u64>, window: Duration) -> Self {
        Self { allowed: allowed.into(), window, began: Instant::now(), count: 0 }
    }

    /// Counts one more; false when it is one too many.
    pub(super) fn take(&mut self) -> bool {
        self.count(1) <= self.allowed
    }

    /// Counts an amount; when the window is used up, the time at which the next one begins.
    pub(super) fn spend(&mut self, amount: u64) -> Option<Instant> {
        (self.count(amount) >= self.allowed).then(|| self.began + self.window)
    }

    fn count(&mut self, amount: u64) -> u64 {
        let now = Instant::now();
        if now.duration_since(self.began) >= self.window {
            self.began = now;
            self.count = 0;
        }
        self.count = self.count.saturating_add(amount);
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_is_refused_until_the_window_ends() {
        let mut allowance = Allowance::new(2_u32, Duration::from_secs(3600));
        assert_eq!([allowance.take(), allowance.take(), allowance.take()], [true, true, false]);
        let mut allowance = Allowance::new(1_u32, Duration::ZERO);
        assert_eq!([allowance.take(), allowance.take()], [true, true]);
    }

    #[test]
    fn what_is_used_up_comes_back_with_the_next_window() {
        let window = Duration::from_secs(3600);
        let mut allowance = Allowance::new(10_u32, window);
        assert_eq!(allowance.spend(9), None);
        assert_eq!(allowance.spend(9), Some(allowance.began + window));
    }
}
