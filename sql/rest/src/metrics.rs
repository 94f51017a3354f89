//! Prometheus metrics of the table REST API for /metrics.

use std::sync::LazyLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

pub(crate) static SLOW_STATEMENTS: LazyLock<Counter> = LazyLock::new(Counter::default);

/// Registers the metrics of this crate.
pub fn register(registry: &mut Registry) {
    registry.register(
        "cloch_slow_statements",
        "Statements of the table REST that took longer than slow_statement",
        SLOW_STATEMENTS.clone(),
    );
}
