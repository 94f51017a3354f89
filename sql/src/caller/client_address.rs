//! Address of the client that sent a request.

use std::net::{IpAddr, Ipv6Addr};

use http::header::{HOST, VIA};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use super::forwarding::is_forwarding;

/// Request extension with the client's IP address, set by the gateway: the address of the TCP peer, or the address in a trusted proxy's
/// header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Returns the client's address, which the gateway stores in the request. `None` if the request did not pass through a gateway, as in
    /// tests of a single router.
    #[must_use]
    pub fn of_request(parts: &Parts) -> Option<Self> {
        parts.extensions.get::<Self>().copied()
    }

    /// Whether the address is a loopback address, IPv4-mapped addresses included.
    #[must_use]
    pub fn is_loopback(self) -> bool {
        self.0.to_canonical().is_loopback()
    }

    /// Returns the first address of the client's network: the IPv4 address itself, or the first address of the client's IPv6 /64.
    #[must_use]
    pub fn network_address(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
            address @ IpAddr::V4(_) => address,
        }
    }

    /// Returns the client's network, the unit of rate limits: the IPv4 address, or the IPv6 /64, which one client usually controls.
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

/// Whether a request comes from this machine: the TCP peer has a loopback address, no header was added by a proxy, and every `Host` is a
/// name of this machine (which prevents DNS rebinding). A local proxy that adds no header and sends `Host: 127.0.0.1` cannot be detected.
#[must_use]
pub fn is_local(parts: &Parts) -> bool {
    ClientAddress::of_request(parts).is_some_and(ClientAddress::is_loopback)
        && !speaks_for_another(&parts.headers)
        && names_this_machine(parts)
}

/// Whether the request has a header that only proxies send: a forwarding header or `Via`.
fn speaks_for_another(headers: &HeaderMap) -> bool {
    headers.keys().map(http::HeaderName::as_str).any(|name| is_forwarding(name) || name == VIA.as_str())
}

/// Whether every host name of the request is a name of this machine. HTTP/2 has the host in the URI instead of the header `Host`.
fn names_this_machine(parts: &Parts) -> bool {
    let named = |host: &HeaderValue| host.to_str().is_ok_and(is_this_machine);
    let mut hosts = parts.headers.get_all(HOST).iter().peekable();
    if hosts.peek().is_some() {
        return hosts.all(named);
    }
    parts.uri.authority().is_some_and(|authority| is_this_machine(authority.as_str()))
}

/// Whether `host`, with or without a port, is `localhost` or a loopback address.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let Ok(authority) = host.parse::<http::uri::Authority>() else { return false };
    let name = authority.host();
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
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

    fn local(client: &str, headers: &[(&str, &str)]) -> bool {
        let mut builder = http::Request::builder().uri("/");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (mut parts, ()) = builder.body(()).unwrap().into_parts();
        parts.extensions.insert(ClientAddress(client.parse().unwrap()));
        is_local(&parts)
    }

    #[test]
    fn a_request_for_somebody_else_is_not_local() {
        let host = ("host", "127.0.0.1:54321");
        assert!(!local("192.0.2.7", &[host]), "another machine");
        assert!(!local("0.0.0.0", &[host]), "a proxy that nobody configured");
        assert!(!local("127.0.0.1", &[]), "no host");
        for other in ["evil.example:54321", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0:54321", ""] {
            assert!(!local("127.0.0.1", &[("host", other)]), "{other}");
            assert!(!local("127.0.0.1", &[host, ("host", other)]), "{other} as a second host");
        }
        for header in [
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
            "x-forwarded-port",
            "x-forwarded-prefix",
            "x-forwarded-server",
            "x-forwarded",
            "forwarded",
            "via",
            "x-real-ip",
            "cf-connecting-ip",
            "true-client-ip",
        ] {
            assert!(!local("127.0.0.1", &[host, (header, "127.0.0.1")]), "{header}");
        }
    }

    #[test]
    fn a_developer_at_the_machine_is() {
        for host in ["127.0.0.1:54321", "localhost", "LOCALHOST:3000", "[::1]:54321", "127.1.2.3"] {
            assert!(local("127.0.0.1", &[("host", host)]), "{host}");
            assert!(local("::1", &[("host", host)]), "{host}");
        }
    }
}
