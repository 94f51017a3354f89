//! Prometheus counters of functions for /metrics. The function's name is a label, so each function of the project adds time series.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serde::Serialize;

use crate::latency::LastCalls;
pub use crate::latency::Latency;

/// Upper bounds of the buckets of call durations in seconds. A call takes about 1 ms if a worker runs, and 100 ms if a worker must be
/// started. A call ends after at most 150 s.
const BUCKETS: [f64; 12] = [0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 150.0];
/// Classes of HTTP statuses by which calls are counted. The edge runtime's status 546 belongs to `5xx`.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Label `function`.
type ByFunction = [(&'static str, String); 1];
/// Histograms of call durations by function. The type parameter `fn()` is the function that creates a histogram.
type Durations = Family<ByFunction, Histogram, fn() -> Histogram>;

/// Number of calls by function and class of the response's HTTP status.
static CALLS: LazyLock<Family<[(&str, String); 2], Counter>> = LazyLock::new(Family::default);
/// Seconds from the arrival of a call to the head of its response, by function.
static SECONDS: LazyLock<Durations> = LazyLock::new(|| Family::new_with_constructor(histogram));
/// Durations of the last calls by function: seconds from the arrival of a call to the head of its response. Stored in addition to the
/// histogram, because single values cannot be read from a histogram.
static LAST_CALLS: LazyLock<Mutex<HashMap<String, LastCalls>>> = LazyLock::new(Mutex::default);
/// Number of starts of Deno workers by function.
static BOOTS: LazyLock<Family<ByFunction, Counter>> = LazyLock::new(Family::default);
/// Number of ended Deno workers by function and reason.
static ENDS: LazyLock<Family<[(&str, String); 2], Counter>> = LazyLock::new(Family::default);

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

fn last_calls() -> MutexGuard<'static, HashMap<String, LastCalls>> {
    LAST_CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls of one function on this node since the start of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CallFigures {
    /// Number of calls that have received a response.
    pub calls: u64,
    /// Number of calls whose response had a status of the class 4xx.
    pub refused: u64,
    /// Number of calls whose response had a status of the class 5xx.
    pub failed: u64,
    /// Percentiles of the durations of the last 1,000 calls, in seconds until the head of the response; `None` if there were no calls.
    pub latency: Option<Latency>,
}

/// Returns the numbers of calls and the latency of a function on this node.
#[must_use]
pub fn figures(function: &str) -> CallFigures {
    let of = |class: &str| {
        let labels = [("function", function.to_owned()), ("status", class.to_owned())];
        CALLS.get(&labels).map_or(0, |counter| counter.get())
    };
    let calls = CLASSES.iter().copied().map(of).sum();
    let latency = last_calls().get(function).and_then(LastCalls::latency);
    CallFigures { calls, refused: of("4xx"), failed: of("5xx"), latency }
}

/// Creates the time series of a function with the value 0. If a time series began with the value 1, Prometheus would not detect the first
/// increase.
pub(crate) fn begin(function: &str) {
    for class in ["2xx", "4xx", "5xx"] {
        drop(CALLS.get_or_create(&[("function", function.to_owned()), ("status", class.to_owned())]));
    }
    drop(SECONDS.get_or_create(&[("function", function.to_owned())]));
    drop(BOOTS.get_or_create(&[("function", function.to_owned())]));
}

pub(crate) fn count_call(function: &str, status: http::StatusCode, duration: Duration) {
    let class = format!("{}xx", status.as_u16() / 100);
    CALLS.get_or_create(&[("function", function.to_owned()), ("status", class)]).inc();
    SECONDS.get_or_create(&[("function", function.to_owned())]).observe(duration.as_secs_f64());
    last_calls().entry(function.to_owned()).or_default().add(duration.as_secs_f32());
}

pub(crate) fn count_boot(function: &str) {
    BOOTS.get_or_create(&[("function", function.to_owned())]).inc();
}

pub(crate) fn count_end(function: &str, reason: &str) {
    ENDS.get_or_create(&[("function", function.to_owned()), ("reason", reason.to_owned())]).inc();
}

/// Registers the counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register("cloch_function_calls", "Calls of functions", CALLS.clone());
    let help = "Seconds from the arrival of a call to the head of its response";
    registry.register("cloch_function_duration_seconds", help, SECONDS.clone());
    registry.register("cloch_function_boots", "Workers of functions that were started", BOOTS.clone());
    registry.register("cloch_function_worker_ends", "Workers of functions that have ended", ENDS.clone());
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn figures_are_those_of_one_function() {
        let name = "figures-of-one-function";
        assert_eq!(figures(name), CallFigures::default());
        let second = Duration::from_secs(1);
        for (status, duration) in [(200, second), (404, second), (500, second), (546, 5 * second)] {
            count_call(name, StatusCode::from_u16(status).unwrap(), duration);
        }
        count_call("another-function", StatusCode::OK, second);
        let latency = Some(Latency { p50: 1.0, p95: 5.0, p99: 5.0 });
        let expected = CallFigures { calls: 4, refused: 1, failed: 2, latency };
        assert_eq!(figures(name), expected);
    }
}
