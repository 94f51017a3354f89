//! Determines the address of a client: the TCP peer, or the address in `X-Forwarded-For` if the TCP peer is a trusted proxy.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::HeaderMap;
use ipnet::IpNet;

/// Networks of proxies whose forwarding headers are trusted.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Creates the list of trusted proxies from the networks in the configuration.
    #[must_use]
    pub fn new(networks: &[IpNet]) -> Self {
        Self(networks.into())
    }

    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns the client's address. Searches the addresses in `X-Forwarded-For`, followed by `peer`, from right to left, and returns the
    /// first address that does not belong to a trusted proxy. Addresses further to the left are ignored, because the client may have forged
    /// them.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        // The header's value is parsed as bytes and not as text: a proxy appends the client's address to the value that the client sent,
        // which may not be valid text.
        let forwarded = headers.get_all("x-forwarded-for").iter().map(http::HeaderValue::as_bytes);
        let hops: Vec<&[u8]> = forwarded.flat_map(|value| value.split(|byte| *byte == b',')).collect();
        for hop in hops.into_iter().rev() {
            if !self.trusts(client) {
                break;
            }
            match std::str::from_utf8(hop).ok().and_then(|hop| address(hop.trim())) {
                Some(address) => client = address.to_canonical(),
                None => break,
            }
        }
        client
    }
}

/// Parses one entry of `X-Forwarded-For`. Some proxies add the client's port, or write an IPv6 address in brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let bracketed = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    hop.parse().ok().or_else(|| hop.parse().ok().map(|with_port: SocketAddr| with_port.ip())).or_else(bracketed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &str, peer: &str, forwarded: &[&'static str]) -> String {
        let networks: Vec<IpNet> = trusted.split_whitespace().map(|text| text.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        TrustedProxies::new(&networks).client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn a_hop_may_have_a_port() {
        for (hop, expected) in [
            ("198.51.100.1:4711", "198.51.100.1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("198.51.100.1:", "10.0.0.2"),
            ("198.51.100.1:x", "10.0.0.2"),
            ("[198.51.100.1]", "10.0.0.2"),
        ] {
            assert_eq!(client("10.0.0.0/8", "10.0.0.2", &[hop]), expected, "{hop}");
        }
        assert_eq!(client("10.0.0.0/8", "10.0.0.2", &["203.0.113.9:1, 10.0.0.3:2"]), "203.0.113.9");
    }

    #[test]
    fn a_stranger_is_not_believed() {
        assert_eq!(client("", "203.0.113.9", &["10.0.0.1"]), "203.0.113.9");
        assert_eq!(client("10.0.0.0/8", "203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
    }

    #[test]
    fn what_a_client_claims_before_the_proxy_is_not_believed() {
        assert_eq!(client("10.0.0.0/8", "10.0.0.2", &["127.0.0.1, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.0/8", "10.0.0.2", &["127.0.0.1", "198.51.100.1, 10.0.0.3"]), "198.51.100.1");
        // The client sent bytes that are not valid text, and the proxy appended the client's address.
        assert_eq!(client("127.0.0.0/8", "127.0.0.1", &["\u{e9}, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("127.0.0.0/8", "127.0.0.1", &["\u{e9}", "198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn a_proxy_that_says_nonsense_is_the_client() {
        assert_eq!(client("10.0.0.0/8", "10.0.0.2", &["unknown"]), "10.0.0.2");
    }

    #[test]
    fn mapped_addresses_are_plain_ones() {
        assert_eq!(client("10.0.0.0/8", "::ffff:10.0.0.2", &["198.51.100.1"]), "198.51.100.1");
    }
}
