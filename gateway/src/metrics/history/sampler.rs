//! Adds a reading of the metrics to the history every ten seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;

use super::super::Metrics;

/// Interval between two readings of the metrics.
pub(in crate::metrics) const SAMPLE_INTERVAL: Duration = Duration::from_secs(10);

/// Adds readings to the history until `shutdown`. The readings are taken at multiples of the interval, so that the samples of all nodes have
/// the same times.
pub async fn keep_history(metrics: Metrics, shutdown: CancellationToken) {
    while shutdown.run_until_cancelled(tokio::time::sleep(until_next(SystemTime::now()))).await.is_some() {
        metrics.sample().await;
    }
}

fn until_next(now: SystemTime) -> Duration {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let interval = SAMPLE_INTERVAL.as_nanos();
    let rest = u64::try_from(interval - since.as_nanos() % interval).unwrap_or_default();
    Duration::from_nanos(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_taken_at_multiples_of_the_interval() {
        for (at, wait) in [(0, 10_000), (1, 9999), (1234, 8766), (9999, 1), (20_000, 10_000)] {
            let now = UNIX_EPOCH + Duration::from_millis(at);
            assert_eq!(until_next(now), Duration::from_millis(wait));
        }
    }
}
