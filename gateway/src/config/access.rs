//! Default access to the Management API and to /metrics.

use super::{Config, ManagementAccess, MetricsAccess};

impl Config {
    /// Returns which clients may use the Management API. The default for public projects is no client: if a proxy on the same machine
    /// forwards the requests, all clients have a local address.
    #[must_use]
    pub fn management_access(&self) -> ManagementAccess {
        let usual = if self.is_public() { ManagementAccess::Off } else { ManagementAccess::Local };
        self.cloch.management.access.unwrap_or(usual)
    }

    /// Returns which clients may read /metrics at the public port. Public projects require the secret key by default: if a proxy on the same
    /// machine forwards the requests, all clients have a local address.
    #[must_use]
    pub fn metrics_access(&self) -> MetricsAccess {
        let usual = if self.is_public() { MetricsAccess::Key } else { MetricsAccess::Local };
        self.cloch.metrics.access.unwrap_or(usual)
    }
}
