//! Metrics of HTTP requests for /metrics: number, API, status class and duration.

use std::sync::LazyLock;
use std::time::Duration;

use http::{Method, StatusCode};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the buckets of request durations in seconds. For comparison: a response from the schema cache takes 0.1 ms, a password
/// hash 50 ms.
pub const BUCKETS: [f64; 12] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Labels of a request's metrics: API, method and status class. Each label has few values, so that there are at most some hundred time
/// series.
type Labels = [(&'static str, &'static str); 3];

type Durations = Family<Labels, Histogram, fn() -> Histogram>;

/// Histogram of request durations in seconds, measured from the head of the request to the head of its response.
static SECONDS: LazyLock<Durations> = LazyLock::new(|| Family::new_with_constructor(histogram as fn() -> Histogram));

static IN_FLIGHT: LazyLock<Gauge> = LazyLock::new(Gauge::default);

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

/// Registers the metrics of HTTP requests.
pub fn register(registry: &mut Registry) {
    let help = "Requests by API, method and status class, and the seconds until the head of the response was ready";
    registry.register("http_request_duration_seconds", help, SECONDS.clone());
    registry.register("cloch_http_requests_in_flight", "Requests without a response yet", IN_FLIGHT.clone());
}

/// Counts a request as running until the value is dropped. It is also dropped if the client disconnects before the response, so the count
/// stays correct.
#[derive(Debug)]
pub struct RequestInFlight(());

impl RequestInFlight {
    /// Counts a new request.
    #[must_use]
    pub fn begin() -> Self {
        IN_FLIGHT.inc();
        Self(())
    }

    /// Records a finished request with the status and duration of its response.
    pub fn answered(self, api: &'static str, method: &Method, status: StatusCode, duration: Duration) {
        let labels = [("api", api), ("method", method_label(method)), ("status", class_label(status))];
        SECONDS.get_or_create(&labels).observe(duration.as_secs_f64());
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        IN_FLIGHT.dec();
    }
}

/// Returns the label of a method. Unknown methods share one label, because a client may send any word as a method, and each label value uses
/// memory.
fn method_label(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    known.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

fn class_label(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn labels_have_few_values() {
        assert_eq!(method_label(&Method::GET), "GET");
        assert_eq!(method_label(&Method::from_bytes(b"SOMETHING-LONG").unwrap()), "other");
        assert_eq!(class_label(StatusCode::NOT_FOUND), "4xx");
        assert_eq!(class_label(StatusCode::from_u16(999).unwrap()), "5xx");
    }

    /// A request to the table REST API takes at least 40 µs of processor time, so counting it may take one percent of that, 400 ns. The test
    /// build is not optimised and shares its machine, so the test allows much more than 400 ns. Only the time that a release build prints is
    /// meaningful.
    #[test]
    fn counting_costs_next_to_nothing() {
        let begun = Instant::now();
        let rounds: u32 = 100_000;
        for _ in 0..rounds {
            let request = RequestInFlight::begin();
            request.answered("/rest/v1", &Method::GET, StatusCode::OK, Duration::from_micros(300));
        }
        let each = begun.elapsed() / rounds;
        println!("counting a request: {each:?}");
        assert!(each < Duration::from_micros(10), "{each:?}");
    }
}
