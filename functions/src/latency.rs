//! Latency of a function's last calls, as percentiles.

use serde::Serialize;

/// Number of calls whose durations are kept for each function: enough for the 99th percentile, in 4 KB.
pub(crate) const KEPT: usize = 1_000;

/// Percentiles of call durations in seconds (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Median in seconds.
    pub p50: f32,
    /// 95th percentile in seconds.
    pub p95: f32,
    /// 99th percentile in seconds.
    pub p99: f32,
}

/// Durations of a function's last [`KEPT`] calls.
#[derive(Debug, Default)]
pub(crate) struct LastCalls {
    seconds: Vec<f32>,
    /// Index in `seconds` of the oldest duration, which the next call replaces. Used when `seconds` contains [`KEPT`] durations.
    oldest: usize,
}

impl LastCalls {
    pub(crate) fn add(&mut self, seconds: f32) {
        if self.seconds.len() < KEPT {
            self.seconds.push(seconds);
        } else if let Some(place) = self.seconds.get_mut(self.oldest) {
            *place = seconds;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }

    /// Returns the percentiles; `None` if there were no calls.
    pub(crate) fn latency(&self) -> Option<Latency> {
        let mut sorted = self.seconds.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let percentile = |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied();
        Some(Latency { p50: percentile(50)?, p95: percentile(95)?, p99: percentile(99)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency_of(seconds: impl IntoIterator<Item = u16>) -> Option<[f32; 3]> {
        let mut calls = LastCalls::default();
        seconds.into_iter().for_each(|seconds| calls.add(seconds.into()));
        calls.latency().map(|Latency { p50, p95, p99 }| [p50, p95, p99])
    }

    // The expected values were computed with PostgreSQL's percentile_disc, which also uses the nearest rank.
    #[test]
    fn percentiles_are_durations_of_calls() {
        assert_eq!(latency_of([]), None);
        assert_eq!(latency_of([7]), Some([7.0; 3]));
        assert_eq!(latency_of([4, 1, 3, 2]), Some([2.0, 4.0, 4.0]));
        assert_eq!(latency_of((1..=200).rev()), Some([100.0, 190.0, 198.0]));
    }

    #[test]
    fn older_calls_are_forgotten() {
        assert_eq!(latency_of((0..500).chain(1..=1000)), Some([500.0, 950.0, 990.0]));
    }
}
