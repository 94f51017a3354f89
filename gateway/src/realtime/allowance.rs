//! How often something may happen: a count in a window of time.

use std::time::{Duration, Instant};

/// Counts what one channel or socket does.
#[derive(Debug)]
pub(super) struct Allowance {
    allowed: u32,
    window: Duration,
    began: Instant,
    count: u32,
}

impl Allowance {
    pub(super) fn new(allowed: u32, window: Duration) -> Self {
        Self { allowed, window, began: Instant::now(), count: 0 }
    }

    /// Counts one more; false when it is one too many.
    pub(super) fn take(&mut self) -> bool {
        let now = Instant::now();
        if now.duration_since(self.began) >= self.window {
            self.began = now;
            self.count = 0;
        }
        self.count = self.count.saturating_add(1);
        self.count <= self.allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_is_refused_until_the_window_ends() {
        let mut allowance = Allowance::new(2, Duration::from_secs(3600));
        assert_eq!([allowance.take(), allowance.take(), allowance.take()], [true, true, false]);
        let mut allowance = Allowance::new(1, Duration::ZERO);
        assert_eq!([allowance.take(), allowance.take()], [true, true]);
    }
}
