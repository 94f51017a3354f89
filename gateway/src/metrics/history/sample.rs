//! Computes a sample from two readings: rates of counters, quantiles of durations, levels of gauges.

use std::iter::zip;
use std::time::Duration;

use cloch_http::metrics::BUCKETS;

use super::reading::{COUNTERS, LEVELS, Levels, Reading};

/// Names of the latency series, each with its quantile.
const QUANTILES: [(&str, f64); 3] = [("latency_p50_ms", 0.5), ("latency_p95_ms", 0.95), ("latency_p99_ms", 0.99)];

const SERIES: usize = COUNTERS.len() + QUANTILES.len() + LEVELS.len();

/// One value for each series; NaN if the value is missing. `f32` is precise enough for a chart and needs half the memory of `f64`.
pub(super) type Values = [f32; SERIES];

/// Returns the names of the series, in the order of [`Values`].
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let counters = COUNTERS.iter().map(|source| source.series);
    let quantiles = QUANTILES.iter().map(|(name, _)| *name);
    counters.chain(quantiles).chain(LEVELS.iter().map(|source| source.series))
}

/// Returns the sample for the time between the readings `earlier` and `later`. `levels` contains the gauge values of this time, and
/// `elapsed` is its duration.
pub(super) fn between(earlier: &Reading, later: &Reading, levels: &Levels, elapsed: Duration) -> Values {
    let seconds = elapsed.as_secs_f64();
    let rates = zip(&earlier.counters, &later.counters).map(|(earlier, later)| increase(*earlier, *later) / seconds);
    let durations: Vec<f64> =
        zip(&earlier.durations, &later.durations).map(|(earlier, later)| increase(*earlier, *later)).collect();
    let quantiles = QUANTILES.iter().map(|(_, share)| quantile(&durations, *share) * 1e3);
    let all = rates.chain(quantiles).chain(levels.iter().copied());
    let mut values = [f32::NAN; SERIES];
    for (kept, value) in zip(&mut values, all) {
        #[expect(clippy::cast_possible_truncation, reason = "digits that nobody sees")]
        let value = value as f32;
        *kept = value;
    }
    values
}

/// Returns the increase of a counter between two readings. If the later value is smaller, the counter was reset to zero between the
/// readings. In this case, the later value is the increase.
fn increase(earlier: f64, later: f64) -> f64 {
    if later < earlier { later } else { later - earlier }
}

/// Returns the duration in seconds that the given share of the requests did not exceed; NaN if there are no requests. The estimate is
/// computed like `histogram_quantile` of Prometheus: the durations within a bucket are assumed to be evenly distributed. `counts` contains,
/// for each of [`BUCKETS`], the number of requests that took at most this long, and then the number of all requests.
fn quantile(counts: &[f64], share: f64) -> f64 {
    let rank = share * counts.last().copied().unwrap_or_default();
    if rank <= 0.0 {
        return f64::NAN;
    }
    let (mut lower, mut below) = (0.0, 0.0);
    for (bound, count) in zip(BUCKETS, counts) {
        if *count >= rank {
            return lower + (bound - lower) * (rank - below) / (count - below);
        }
        (lower, below) = (bound, *count);
    }
    // If the duration is above the bound of the last bucket, only this bound is known.
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(values: &Values, name: &str) -> f32 {
        values[names().position(|series| series == name).unwrap()]
    }

    fn sample(earlier: &str, later: &str) -> Values {
        let (earlier, later) = (Reading::of(earlier), Reading::of(later));
        between(&earlier, &later, &later.levels, Duration::from_secs(10))
    }

    fn requests(api: &str, status: &str, count: u32) -> String {
        format!("http_request_duration_seconds_count{{api=\"{api}\",method=\"GET\",status=\"{status}\"}} {count}\n")
    }

    #[test]
    fn rates_are_what_was_added() {
        let earlier = requests("/rest/v1", "2xx", 100);
        let later = [
            requests("/rest/v1", "2xx", 130),
            requests("/rest/v1", "5xx", 20),
            requests("/auth/v1", "4xx", 5),
            requests("/health", "5xx", 900),
            requests("/_", "4xx", 900),
        ];
        let values = sample(&earlier, &later.concat());
        let expected = [
            ("requests_rest", 5.0),
            ("requests_auth", 0.5),
            ("requests_web", 0.0),
            ("errors_4xx", 0.5),
            ("errors_5xx", 2.0),
        ];
        for (name, rate) in expected {
            assert_eq!(value(&values, name), rate, "{name}");
        }
    }

    #[test]
    fn a_counter_that_begins_anew_is_not_negative() {
        let values = sample(&requests("web", "2xx", 1_000_000), &requests("web", "2xx", 30));
        assert_eq!(value(&values, "requests_web"), 3.0);
    }

    #[test]
    fn calls_of_functions_and_those_that_failed() {
        let text = "cloch_function_calls_total{function=\"a\",status=\"2xx\"} 30\n\
                    cloch_function_calls_total{function=\"5xx\",status=\"4xx\"} 10\n\
                    cloch_function_calls_total{function=\"b\",status=\"5xx\"} 20\n# EOF\n";
        let values = sample("", text);
        assert_eq!((value(&values, "function_calls"), value(&values, "function_failures")), (6.0, 2.0));
    }

    #[test]
    fn levels_are_those_of_the_later_reading() {
        let text = "cloch_postgres_up 1\ncloch_postgres_connections{state=\"idle\"} 7\n\
                    cloch_postgres_connections{state=\"active\"} 2\ncloch_postgres_size_bytes 9000000.0\n\
                    cloch_backup_restorable_age_seconds 1790000000.5\n";
        let values = sample("", text);
        assert_eq!((value(&values, "database_connections"), value(&values, "database_bytes")), (9.0, 9e6));
        assert!(value(&values, "backup_age_seconds").is_nan(), "there never was one");
        assert!(value(&values, "memory_bytes").is_nan(), "the text does not have it");
        let lost = text.replace("cloch_postgres_up 1", "cloch_postgres_up 0");
        for text in [lost.clone(), lost.lines().rev().collect::<Vec<_>>().join("\n")] {
            let values = sample("", &text);
            assert!(value(&values, "database_bytes").is_nan(), "a lost database has no size");
        }
    }

    /// Returns histogram lines of `/metrics` for requests with the given duration in seconds.
    fn durations(api: &str, status: &str, seconds: f64, count: u32) -> String {
        let bounds = BUCKETS.iter().map(|bound| (bound.to_string(), *bound)).chain([("+Inf".into(), f64::INFINITY)]);
        let line = |(name, bound)| {
            let count = if seconds <= bound { count } else { 0 };
            let labels = format!("le=\"{name}\",api=\"{api}\",method=\"GET\",status=\"{status}\"");
            format!("http_request_duration_seconds_bucket{{{labels}}} {count}\n")
        };
        bounds.map(line).collect()
    }

    #[test]
    fn latency_is_interpolated_within_its_bucket() {
        let fast = durations("/rest/v1", "2xx", 0.004, 90);
        let slow = durations("/storage/v1", "5xx", 0.2, 10);
        let left_out = durations("/realtime/v1", "2xx", 25.0, 500) + &durations("/auth/v1", "4xx", 5.0, 500);
        let values = sample("", &(fast + &slow + &left_out));
        let near = |name: &str, expected: f32| {
            let value = value(&values, name);
            assert!((value - expected).abs() < 0.01, "{name}: {value}");
        };
        near("latency_p50_ms", 2.5 + 2.5 * 50.0 / 90.0);
        near("latency_p95_ms", 100.0 + 150.0 * 0.5);
        near("latency_p99_ms", 100.0 + 150.0 * 0.9);
    }

    #[test]
    fn latency_of_no_request_is_nothing_and_beyond_the_last_bucket_its_bound() {
        let earlier = durations("web", "2xx", 0.01, 7);
        assert!(value(&sample(&earlier, &earlier), "latency_p99_ms").is_nan());
        assert_eq!(value(&sample("", &durations("web", "2xx", 90.0, 1)), "latency_p50_ms"), 30_000.0);
    }
}
