//! Metrics of the crate cloch-core for /metrics.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// Counter of spans that were discarded because too many spans were waiting for the exporter.
pub(crate) static SPANS_DROPPED: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Counter of writes that failed because the disk is full.
pub(crate) static DISK_FULL_ERRORS: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Registers the metrics of the crate cloch-core.
pub fn register(registry: &mut Registry) {
    let help = "Spans that were lost because too many waited for the collector";
    registry.register("cloch_spans_dropped", help, SPANS_DROPPED.clone());
    let help = "Writes that failed because the database's disk is full";
    registry.register("cloch_disk_full_errors", help, DISK_FULL_ERRORS.clone());
}
