//! `[telemetry]` of cloch.toml.

use cloch_core::Secret;
use serde::Deserialize;
use url::Url;

/// `[telemetry]`: traces for a collector of OpenTelemetry, and log lines for another server.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct TelemetrySection {
    /// The collector's address for OTLP over HTTP, such as `http://127.0.0.1:4318`; no traces are recorded if it is not set.
    pub otlp_endpoint: Option<Url>,
    /// The header `Authorization` for it, best `env(CLOCH_OTLP_AUTHORIZATION)`.
    pub otlp_authorization: Option<Secret>,
    /// The share of traces recorded of those that no client has begun, 0 to 1. Of the others, those that the client records.
    pub sample: f64,
    /// Where log lines are sent by POST, as lines of JSON, such as `https://logs.example/ingest`; no lines are sent if it is not set.
    pub log_drain: Option<Url>,
    /// The header `Authorization` for it, best `env(CLOCH_LOG_DRAIN_AUTHORIZATION)`.
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
    /// What no type can express: a key and what is wrong with it.
    pub(super) fn error(&self) -> Option<(&'static str, &'static str)> {
        if self.log_drain.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
            return Some(("telemetry.log_drain", "write a URL with http or https"));
        }
        if self.otlp_endpoint.as_ref().is_some_and(|url| !matches!(url.scheme(), "http" | "https")) {
            return Some(("telemetry.otlp_endpoint", "write a URL with http or https"));
        }
        (!(0.0..=1.0).contains(&self.sample)).then_some(("telemetry.sample", "write a number from 0 to 1"))
    }
}
