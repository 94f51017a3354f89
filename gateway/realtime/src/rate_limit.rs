//! Rate limits of one channel or socket, with a fixed-window counter.

use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct RateLimit {
    limit: u64,
    window: Duration,
    window_start: Instant,
    count: u64,
}

impl RateLimit {
    pub(super) fn new(limit: impl Into<u64>, window: Duration) -> Self {
        Self { limit: limit.into(), window, window_start: Instant::now(), count: 0 }
    }

    /// Counts one event, such as a join. Returns false if the rate limit is exceeded.
    pub(super) fn try_acquire(&mut self) -> bool {
        self.count(1) <= self.limit
    }

    /// Adds an amount, such as a number of bytes, to the current window. Returns the beginning of the next window if the limit of the
    /// current window is reached, otherwise `None`.
    pub(super) fn consume(&mut self, amount: u64) -> Option<Instant> {
        (self.count(amount) >= self.limit).then(|| self.window_start + self.window)
    }

    fn count(&mut self, amount: u64) -> u64 {
        let now = Instant::now();
        if now.duration_since(self.window_start) >= self.window {
            self.window_start = now;
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
        let mut limit = RateLimit::new(2_u32, Duration::from_secs(3600));
        assert_eq!([limit.try_acquire(), limit.try_acquire(), limit.try_acquire()], [true, true, false]);
        let mut limit = RateLimit::new(1_u32, Duration::ZERO);
        assert_eq!([limit.try_acquire(), limit.try_acquire()], [true, true]);
    }

    #[test]
    fn what_is_used_up_comes_back_with_the_next_window() {
        let window = Duration::from_secs(3600);
        let mut limit = RateLimit::new(10_u32, window);
        assert_eq!(limit.consume(9), None);
        assert_eq!(limit.consume(9), Some(limit.window_start + window));
    }
}
