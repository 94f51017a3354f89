//! Sends telemetry to other servers: traces to an OpenTelemetry collector, and log lines to an HTTP server (log drain).

pub(crate) mod drain;
mod export;
mod otlp;
mod post;

use prometheus_client::registry::Registry;

pub(crate) use export::run as run_export;

pub(crate) fn register(registry: &mut Registry) {
    drain::register(registry);
    export::register(registry);
}
