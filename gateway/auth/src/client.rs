//! The HTTP client that sent a request: its address and user agent. Sessions store both values. Rate limits use the address.

use std::net::{IpAddr, Ipv4Addr};

use cloch_sql::caller::ClientAddress;
use http::header;
use http::request::Parts;

/// The address and user agent of an HTTP client, which a session stores.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) address: ClientAddress,
    pub(crate) user_agent: String,
    /// Whether the HTTP client runs on the same machine as the server ([`cloch_sql::caller::is_local`]).
    pub(crate) is_local: bool,
}

impl Client {
    pub(crate) fn of(parts: &Parts) -> Self {
        let address = ClientAddress::of_request(parts).unwrap_or(ClientAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        let user_agent =
            parts.headers.get(header::USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Self {
            address,
            user_agent: user_agent.unwrap_or_default().replace('\0', ""),
            is_local: cloch_sql::caller::is_local(parts),
        }
    }
}
