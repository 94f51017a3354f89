//! Types of `[telemetry]` in cloch.toml: traces and log drain.

use cloch_core::Secret;
use serde::Deserialize;
use url::Url;

/// `[telemetry]`: export of traces to an OpenTelemetry collector, and of log lines to another server.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct TelemetrySection {
    /// URL of the OpenTelemetry collector for OTLP over HTTP, such as `http://127.0.0.1:4318`. If it is not set, no traces are recorded.
    pub otlp_endpoint: Option<Url>,
    /// Value of the header `Authorization` in requests to the collector, preferably `env(CLOCH_OTLP_AUTHORIZATION)`.
    pub otlp_authorization: Option<Secret>,
    /// Share of recorded traces, 0 to 1, among requests without a client's trace context. For other requests, the client's sampling
    /// decision applies.
    pub sample: f64,
    /// URL that receives log lines by POST as JSON lines, such as `https://logs.example/ingest`. If it is not set, no log lines are sent.
    pub log_drain: Option<Url>,
    /// Value of the header `Authorization` in requests to the log drain, preferably `env(CLOCH_LOG_DRAIN_AUTHORIZATION)`.
    pub log_drain_authorization: Option<Secret>,
}

impl Default for TelemetrySection {
    fn default() -> Self {
        Self {
            otlp_endpoint: None,
            otlp_authorization: None,
            sample: 1.0,
            log_drain: None,
            log_drain_authorization: None,
        }
    }
}

impl TelemetrySection {
    /// Returns the first invalid key and a message about it, for checks that types cannot express.
    pub(in crate::config) fn error(&self) -> Option<(&'static str, &'static str)> {
        if self.log_drain.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
            return Some(("telemetry.log_drain", "write a URL with http or https"));
        }
        if self.otlp_endpoint.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
            return Some(("telemetry.otlp_endpoint", "write a URL with http or https"));
        }
        (!(0.0..=1.0).contains(&self.sample)).then_some(("telemetry.sample", "write a number from 0 to 1"))
    }
}
