//! Metrics of the HTTPS certificate, if the server serves HTTPS itself.

use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use cloch_http::Tls;

#[derive(Debug)]
pub(super) struct Certificate {
    tls: Tls,
    expiry: Gauge<f64, AtomicU64>,
    lifetime: Gauge<f64, AtomicU64>,
}

impl Certificate {
    pub(super) fn new(tls: Tls, registry: &mut Registry) -> Self {
        let certificate = Self { tls, expiry: Gauge::default(), lifetime: Gauge::default() };
        registry.register(
            "cloch_tls_certificate_expiry_seconds",
            "Seconds until the certificate expires, below zero afterwards; 0 where there is none yet",
            certificate.expiry.clone(),
        );
        registry.register(
            "cloch_tls_certificate_lifetime_seconds",
            "Seconds for which the certificate is valid in all",
            certificate.lifetime.clone(),
        );
        certificate
    }

    pub(super) fn measure(&self) {
        let Some(details) = self.tls.details() else { return };
        self.expiry.set(seconds_from(SystemTime::now(), details.not_after));
        self.lifetime.set(seconds_from(details.not_before, details.not_after));
    }
}

fn seconds_from(start: SystemTime, end: SystemTime) -> f64 {
    match end.duration_since(start) {
        Ok(later) => later.as_secs_f64(),
        Err(earlier) => -earlier.duration().as_secs_f64(),
    }
}
