//! Sends spans to an OpenTelemetry collector by OTLP over HTTP, in batches in the background. Spans that do not fit into the queue are
//! dropped and counted; requests do not wait for the export.

use std::sync::LazyLock;
use std::time::Duration;

use cloch_core::spans::{Finished, Queue};
use http::HeaderValue;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::otlp;
use super::post::Target;

/// Maximum time for which spans wait in the queue until they fill a batch.
const FLUSH_INTERVAL: Duration = Duration::from_secs(2);

static EXPORTED: LazyLock<Counter> = LazyLock::new(Counter::default);
static REFUSED: LazyLock<Counter> = LazyLock::new(Counter::default);

pub(super) fn register(registry: &mut Registry) {
    registry.register("cloch_spans_exported", "Spans that the collector has taken", EXPORTED.clone());
    registry.register("cloch_spans_refused", "Spans that the collector has refused", REFUSED.clone());
}

/// Exports spans until `shutdown`, then exports the spans that remain in the queue. `endpoint` is the collector's URL without `/v1/traces`.
pub(crate) async fn run(
    queue: &'static Queue,
    endpoint: Url,
    authorization: Option<HeaderValue>,
    project: String,
    shutdown: CancellationToken,
) {
    let mut target = match Target::new(traces_url(&endpoint), "application/x-protobuf", authorization) {
        Ok(target) => target,
        Err(error) => {
            tracing::error!(
                %error,
                "telemetry: exporting traces failed: creating the HTTP client failed, no traces are sent until the server is restarted"
            );
            return;
        }
    };
    while !shutdown.is_cancelled() {
        if let Some(spans) = shutdown.run_until_cancelled(queue.next(FLUSH_INTERVAL)).await {
            send(&mut target, spans, &project, &shutdown).await;
        }
    }
    loop {
        let left = queue.take();
        if left.is_empty() || !send(&mut target, left, &project, &shutdown).await {
            return;
        }
    }
}

async fn send(target: &mut Target, spans: Vec<Finished>, project: &str, shutdown: &CancellationToken) -> bool {
    if spans.is_empty() {
        return true;
    }
    let count = u64::try_from(spans.len()).unwrap_or_default();
    let body = otlp::request(&spans, project);
    let taken = target.deliver(body.into(), shutdown).await;
    let counter = if taken { &EXPORTED } else { &REFUSED };
    counter.inc_by(count);
    taken
}

/// Appends `/v1/traces` to the path of the collector's URL, as OpenTelemetry specifies for `OTEL_EXPORTER_OTLP_ENDPOINT`.
fn traces_url(endpoint: &Url) -> Url {
    let mut url = endpoint.clone();
    url.set_path(&format!("{}/v1/traces", endpoint.path().trim_end_matches('/')));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_appended() {
        let of = |text: &str| traces_url(&text.parse().unwrap()).to_string();
        assert_eq!(of("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/traces");
        assert_eq!(of("https://otlp.example/a/b/"), "https://otlp.example/a/b/v1/traces");
    }
}
