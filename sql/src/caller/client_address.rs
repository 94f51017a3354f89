//! Where a request comes from.

use std::net::IpAddr;

use http::request::Parts;

/// The address of the client, as a request extension: the peer's, or what a configured proxy says in front of it. The gateway puts
/// it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The client's address that the gateway resolved for this request; none where no gateway stands in front.
    #[must_use]
    pub fn of_request(parts: &Parts) -> Option<Self> {
        parts.extensions.get::<Self>().copied()
    }

    /// Whether the client is on this machine.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        self.0.to_canonical().is_loopback()
    }

    /// The network a single client commands: the address itself, or for IPv6 its /64. What calls are counted by.
    #[must_use]
    pub fn network(self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn one_client_is_one_network() {
        let network = |text: &str| ClientAddress(text.parse().unwrap()).network();
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    }

    #[test]
    fn a_mapped_loopback_address_is_loopback() {
        assert!(ClientAddress("::ffff:127.0.0.1".parse().unwrap()).is_loopback());
        assert!(ClientAddress("::1".parse().unwrap()).is_loopback());
        assert!(!ClientAddress("192.0.2.7".parse().unwrap()).is_loopback());
    }
}
