//! Default access to the Management API and to /metrics.

use super::{Config, ManagementAccess, MetricsAccess};

impl Config {
    /// Returns which clients may use the Management API. In a public project, no client may use it by default. Its requests may come from a
    /// proxy on the same machine, and then all clients have a local address.
    #[must_use]
    pub fn management_access(&self) -> ManagementAccess {
        let usual = if self.is_public() { ManagementAccess::Off } else { ManagementAccess::Local };
        self.cloch.management.access.unwrap_or(usual)
    }

    /// Returns which clients may read /metrics at the public port. In a public project, they need the secret key by default. Its requests
    /// may come from a proxy on the same machine, and then all clients have a local address.
    #[must_use]
    pub fn metrics_access(&self) -> MetricsAccess {
        let usual = if self.is_public() { MetricsAccess::Key } else { MetricsAccess::Local };
        self.cloch.metrics.access.unwrap_or(usual)
    }
}
