//! What leaves the program about itself: traces for an OpenTelemetry collector, and log lines.

pub(crate) mod drain;
mod export;
mod otlp;
mod post;

use prometheus_client::registry::Registry;

pub(crate) use export::run as run_export;

/// Registers what is counted.
pub(crate) fn register(registry: &mut Registry) {
    drain::register(registry);
    export::register(registry);
}
