//! Sampled WAL positions of the primary, with the times of the samples. The newest sample that a replica has replayed determines the age of
//! the replica's data. (The replica's clock is not suitable: `pg_last_xact_replay_timestamp` does not advance while the primary is idle.)

use std::collections::VecDeque;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::lsn::Lsn;

/// Maximum number of samples. There is one sample per [`super::watch::POLL_INTERVAL`], so this number limits the lag with which a replica
/// can be used.
const MAX_SAMPLES: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// Time before the query for the WAL position. All data committed before this time precedes `lsn` in the WAL.
    pub(super) at: Instant,
    /// The time `at` as Unix time in seconds.
    pub(super) unix_seconds: i64,
    pub(super) lsn: Lsn,
    pub(super) timeline: u32,
}

impl Sample {
    /// Starts a sample: records the current time before the query. The returned function takes the queried WAL position and timeline, and
    /// returns the sample.
    pub(super) fn begin() -> impl FnOnce(Lsn, u32) -> Self {
        let at = Instant::now();
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let unix_seconds = i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX);
        move |lsn, timeline| Self { at, unix_seconds, lsn, timeline }
    }
}

/// Newest samples of the primary's WAL position, in ascending order of time.
#[derive(Debug, Default)]
pub(super) struct Samples(VecDeque<Sample>);

impl Samples {
    /// Adds a sample. Clears the earlier samples if the timeline changed or the WAL position went backwards.
    pub(super) fn push(&mut self, sample: Sample) {
        if self.newest().is_some_and(|last| last.timeline != sample.timeline || last.lsn > sample.lsn) {
            self.0.clear();
        }
        if self.0.len() == MAX_SAMPLES {
            self.0.pop_front();
        }
        self.0.push_back(sample);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn newest(&self) -> Option<Sample> {
        self.0.back().copied()
    }

    pub(super) fn oldest(&self) -> Option<Sample> {
        self.0.front().copied()
    }

    /// Returns the newest sample whose WAL position is not after `replayed`: all data committed before the sample's time is visible on the
    /// replica. Removes older samples. Returns `None` if all samples are after `replayed`.
    pub(super) fn replayed(&mut self, replayed: Lsn) -> Option<Sample> {
        let count = self.0.partition_point(|sample| sample.lsn <= replayed);
        self.0.drain(..count.saturating_sub(1));
        self.0.front().copied().filter(|sample| sample.lsn <= replayed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn sample(second: u64, lsn: &str, timeline: u32, start: Instant) -> Sample {
        let unix_seconds = i64::try_from(second).unwrap();
        Sample { at: start + Duration::from_secs(second), unix_seconds, lsn: lsn.parse().unwrap(), timeline }
    }

    fn of(samples: &mut Samples, replayed: &str) -> Option<i64> {
        samples.replayed(replayed.parse().unwrap()).map(|sample| sample.unix_seconds)
    }

    #[test]
    fn a_replica_is_as_fresh_as_the_newest_position_that_it_has_replayed() {
        let (mut samples, start) = (Samples::default(), Instant::now());
        assert_eq!(of(&mut samples, "0/10"), None, "nothing is known");
        for (second, lsn) in [(1, "0/10"), (2, "0/20"), (3, "0/20"), (4, "0/30")] {
            samples.push(sample(second, lsn, 1, start));
        }
        assert_eq!(of(&mut samples, "0/F"), None);
        assert_eq!(of(&mut samples, "0/10"), Some(1));
        assert_eq!(of(&mut samples, "0/2F"), Some(3), "nothing was written from 2 to 3");
        assert_eq!(of(&mut samples, "0/10"), None, "it was restarted, and replays again");
        assert_eq!(of(&mut samples, "0/30"), Some(4));
        assert_eq!(samples.0.len(), 1);
    }

    #[test]
    fn positions_of_another_log_do_not_count() {
        let (mut samples, start) = (Samples::default(), Instant::now());
        samples.push(sample(1, "0/10", 1, start));
        samples.push(sample(2, "0/18", 2, start));
        assert_eq!(of(&mut samples, "0/10"), None, "another timeline");
        samples.push(sample(3, "0/8", 2, start));
        assert_eq!(of(&mut samples, "0/8"), Some(3), "a log that has gone back");
    }

    #[test]
    fn they_are_bounded() {
        let (mut samples, start) = (Samples::default(), Instant::now());
        for second in 0..5_000 {
            samples.push(sample(second, "0/10", 1, start));
        }
        assert_eq!(samples.0.len(), MAX_SAMPLES);
        assert_eq!(of(&mut samples, "0/10"), Some(4_999));
    }
}
