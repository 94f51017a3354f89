//! Counters of functions, for /metrics. A function's name is a label: they are as many as the project has.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Calls by function and status class.
static CALLS: LazyLock<Family<[(&str, String); 2], Counter>> = LazyLock::new(Family::default);
/// Starts of workers by function.
static BOOTS: LazyLock<Family<[(&str, String); 1], Counter>> = LazyLock::new(Family::default);
/// Workers that have ended by function and reason.
static ENDS: LazyLock<Family<[(&str, String); 2], Counter>> = LazyLock::new(Family::default);

/// Lets the series of a function begin at zero: to Prometheus, one that begins at one has not increased.
pub(crate) fn begin(function: &str) {
    for class in ["2xx", "4xx", "5xx"] {
        drop(CALLS.get_or_create(&[("function", function.to_owned()), ("status", class.to_owned())]));
    }
    drop(BOOTS.get_or_create(&[("function", function.to_owned())]));
}

/// Counts a call that was passed to a function.
pub(crate) fn count_call(function: &str, status: http::StatusCode) {
    let class = format!("{}xx", status.as_u16() / 100);
    CALLS.get_or_create(&[("function", function.to_owned()), ("status", class)]).inc();
}

/// Counts the start of a worker.
pub(crate) fn count_boot(function: &str) {
    BOOTS.get_or_create(&[("function", function.to_owned())]).inc();
}

/// Counts the end of a worker.
pub(crate) fn count_end(function: &str, reason: &str) {
    ENDS.get_or_create(&[("function", function.to_owned()), ("reason", reason.to_owned())]).inc();
}

/// Registers the counters of this crate.
pub fn register(registry: &mut Registry) {
    registry.register("cloch_function_calls", "Calls of functions", CALLS.clone());
    registry.register("cloch_function_boots", "Workers of functions that were started", BOOTS.clone());
    registry.register("cloch_function_worker_ends", "Workers of functions that have ended", ENDS.clone());
}
