//! Determines the client address of each request, and removes forwarding headers that no trusted proxy has sent.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use cloch_sql::caller::ClientAddress;
use cloch_sql::caller::forwarding::is_forwarding;

use super::forwarding_headers;
use crate::TrustedProxies;

/// Stores the client's address as a request extension. Removes forwarding headers unless a trusted proxy sent the request.
pub(crate) fn resolve(proxies: &TrustedProxies, request: &mut Request) {
    let peer = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
    let mut client = peer.to_canonical();
    // Most requests have no forwarding headers, so the check for trusted proxies is skipped for them.
    if request.headers().keys().any(|name| is_forwarding(name.as_str())) {
        if proxies.trusts(peer) {
            client = proxies.client(peer, request.headers());
        } else {
            forwarding_headers::remove(request.headers_mut());
            // The request comes from a local proxy that is not configured as trusted. Its clients may be on other machines, so a loopback
            // address is replaced: the client must not count as local.
            client = if client.is_loopback() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { client };
        }
    }
    request.extensions_mut().insert(ClientAddress(client));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_what_a_stranger_forwards() {
        let resolved = |peer: &str, headers: &[&'static str]| {
            let mut request = Request::new(axum::body::Body::empty());
            request.extensions_mut().insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
            for &name in headers {
                request.headers_mut().insert(name, "198.51.100.1".parse().unwrap());
            }
            resolve(&TrustedProxies::new(&["10.0.0.0/8".parse().unwrap()]), &mut request);
            let address = request.extensions().get::<ClientAddress>().unwrap().0.to_string();
            (address, request.headers().len())
        };
        let forged =
            ["x-forwarded-for", "x-forwarded-host", "x-forwarded-prefix", "x-real-ip", "forwarded", "cf-connecting-ip"];
        for name in forged {
            assert_eq!(resolved("203.0.113.9", &[name, "accept"]), ("203.0.113.9".to_owned(), 1), "{name}");
            assert_eq!(resolved("127.0.0.1", &[name]), ("0.0.0.0".to_owned(), 0), "{name}");
        }
        assert_eq!(resolved("127.0.0.1", &["accept"]), ("127.0.0.1".to_owned(), 1));
        assert_eq!(resolved("10.0.0.2", &forged), ("198.51.100.1".to_owned(), forged.len()));
        assert_eq!(resolved("10.0.0.2", &[]), ("10.0.0.2".to_owned(), 0));
    }
}
