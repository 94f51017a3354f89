//! The allowed destinations of requests by `net.http_post` (protection against SSRF).

use cloch_functions::outbound::{ChosenBy, Outbound, REFUSED};
use reqwest::Client;
use url::{Host, Url};

/// The paths of this server that a caller may address. Not /_/: the inbox trusts local clients.
const OWN_PATHS: [&str; 4] = ["/auth/v1/", "/functions/v1/", "/rest/v1/", "/storage/v1/"];

/// The policy for outbound requests, and this server's own addresses.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    outbound: Outbound,
    own_port: Option<u16>,
    own_url: Option<Url>,
}

impl Destinations {
    /// With this server's port, and the URL under which clients reach it.
    #[must_use]
    pub fn new(outbound: Outbound, own_port: u16, own_url: Url) -> Self {
        Self { outbound, own_port: Some(own_port), own_url: Some(own_url) }
    }

    /// The HTTP clients, one for each origin of a URL.
    pub(super) fn clients(&self) -> reqwest::Result<Clients> {
        let make = |chosen_by| self.outbound.client(chosen_by).build();
        Ok(Clients {
            destinations: self.clone(),
            of_project: make(ChosenBy::Project)?,
            of_caller: make(ChosenBy::Caller)?,
        })
    }

    fn is_own_api(&self, url: &Url) -> bool {
        let is_local = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        let is_own = is_local && url.port_or_known_default() == self.own_port
            || self.own_url.as_ref().is_some_and(|own| own.origin() == url.origin());
        is_own && OWN_PATHS.iter().any(|path| url.path().starts_with(path))
    }
}

/// The HTTP clients for requests.
#[derive(Debug)]
pub(super) struct Clients {
    destinations: Destinations,
    of_project: Client,
    of_caller: Client,
}

impl Clients {
    /// The client for a URL, or why the URL is refused.
    pub(super) fn of(&self, url: &Url, by_caller: bool) -> Result<&Client, &'static str> {
        let chosen_by = match by_caller && !self.destinations.is_own_api(url) {
            true => ChosenBy::Caller,
            false => ChosenBy::Project,
        };
        if !self.destinations.outbound.permits(url, chosen_by) {
            return Err(REFUSED);
        }
        Ok(if chosen_by == ChosenBy::Caller { &self.of_caller } else { &self.of_project })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_caller_reaches_the_apis_of_this_server_and_nothing_else_of_it() {
        let own = "https://club.example".parse().unwrap();
        let clients = Destinations::new(Outbound::default(), 54321, own).clients().unwrap();
        let is_reached = |url: &str| clients.of(&url.parse().unwrap(), true).is_ok();
        for url in [
            "http://127.0.0.1:54321/_/inbox/api/messages",
            "http://127.0.0.1:54321/functions/v1/../../_/inbox",
            "http://127.0.0.1:54321/functions/v1/%2e%2e/%2e%2e/_/inbox",
            "http://127.0.0.1:5432/functions/v1/f",
            "http://[::1]/functions/v1/f",
            "http://10.0.0.1:54321/functions/v1/f",
        ] {
            assert!(!is_reached(url), "{url}");
        }
        for url in [
            "http://127.0.0.1:54321/functions/v1/f",
            "http://localhost:54321/rest/v1/rpc/f",
            "https://club.example/functions/v1/f",
            "https://example.org/",
        ] {
            assert!(is_reached(url), "{url}");
        }
    }
}
