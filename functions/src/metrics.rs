//! Prometheus counters of functions for /metrics. The function's name is a label, so each function of the project adds time series.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Number of calls by function and class of the response's HTTP status.
static CALLS: LazyLock<Family<[(&str, String); 2], Counter>> = LazyLock::new(Family::default);
/// Number of starts of Deno workers by function.
static BOOTS: LazyLock<Family<[(&str, String); 1], Counter>> = LazyLock::new(Family::default);
/// Number of ended Deno workers by function and reason.
static ENDS: LazyLock<Family<[(&str, String); 2], Counter>> = LazyLock::new(Family::default);

/// Creates the time series of a function with the value 0, because Prometheus detects no increase in a time series that begins with the
/// value 1.
pub(crate) fn begin(function: &str) {
    for class in ["2xx", "4xx", "5xx"] {
        drop(CALLS.get_or_create(&[("function", function.to_owned()), ("status", class.to_owned())]));
    }
    drop(BOOTS.get_or_create(&[("function", function.to_owned())]));
}

pub(crate) fn count_call(function: &str, status: http::StatusCode) {
    let class = format!("{}xx", status.as_u16() / 100);
    CALLS.get_or_create(&[("function", function.to_owned()), ("status", class)]).inc();
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
    registry.register("cloch_function_boots", "Workers of functions that were started", BOOTS.clone());
    registry.register("cloch_function_worker_ends", "Workers of functions that have ended", ENDS.clone());
}
