//! Checks the destinations of requests by `net.http_post`, as a protection against server-side request forgery (SSRF).

use cloch_core::outbound::{ChosenBy, Outbound, REFUSED};
use reqwest::Client;
use url::{Host, Url};

/// Paths of this server that `net.http_post` may request if a caller of an API chose the URL. `/_/` is not one of them, because clients on
/// this machine may read mails in the inbox without a key.
const OWN_PATHS: [&str; 4] = ["/auth/v1/", "/functions/v1/", "/rest/v1/", "/storage/v1/"];

/// Default port of the Supabase CLI's API gateway.
const CLI_PORT: u16 = 54321;

/// Policy for outbound requests, and this server's own addresses.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    outbound: Outbound,
    own_port: Option<u16>,
    own_url: Option<Url>,
}

impl Destinations {
    /// Creates the policy for the server that listens on the port `own_port` of this machine and has the public URL `own_url`.
    #[must_use]
    pub fn new(outbound: Outbound, own_port: u16, own_url: Url) -> Self {
        Self { outbound, own_port: Some(own_port), own_url: Some(own_url) }
    }

    /// Creates two HTTP clients: one for URLs that the project has chosen, and one for URLs that a caller of an API may have chosen.
    pub(super) fn clients(&self) -> reqwest::Result<Clients> {
        let make = |chosen_by| self.outbound.client(chosen_by).build();
        Ok(Clients {
            destinations: self.clone(),
            of_project: make(ChosenBy::Project)?,
            of_caller: make(ChosenBy::Caller)?,
        })
    }

    /// Replaces host names of the Supabase CLI's containers, which projects write into migrations. The host and port of the CLI's API
    /// gateway are replaced by the host and port of this server. The host `host.docker.internal` is replaced by the loopback address.
    pub(super) fn here(&self, mut url: Url) -> Url {
        let (Some(name), Some(own_port)) = (url.host_str(), self.own_port) else { return url };
        let is_gateway = name == "kong" || name.starts_with("supabase_kong_") || name == "api.supabase.internal";
        let is_machine = matches!(name, "host.docker.internal" | "gateway.docker.internal");
        let port = match url.port_or_known_default() {
            _ if is_gateway => own_port,
            Some(port) if is_machine && port != CLI_PORT => port,
            _ if is_machine => own_port,
            _ => return url,
        };
        let changed = url.set_scheme("http").and_then(|()| url.set_port(Some(port)));
        if changed.is_ok() && url.set_host(Some("127.0.0.1")).is_ok() {
            return url;
        }
        url
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

#[derive(Debug)]
pub(super) struct Clients {
    destinations: Destinations,
    of_project: Client,
    of_caller: Client,
}

impl Clients {
    pub(super) fn here(&self, url: Url) -> Url {
        self.destinations.here(url)
    }

    /// Returns the HTTP client for requests to `url`, or the reason why the URL is refused. `by_caller` is true if a caller of an API may
    /// have chosen the URL.
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
    use super::*;

    #[test]
    fn host_names_of_the_container_network_lead_here() {
        let own = "https://club.example".parse().unwrap();
        let destinations = Destinations::new(Outbound::default(), 6000, own);
        for (written, expected) in [
            ("http://kong:8000/functions/v1/f?a=1", "http://127.0.0.1:6000/functions/v1/f?a=1"),
            ("http://supabase_kong_my-app:8000/rest/v1/t", "http://127.0.0.1:6000/rest/v1/t"),
            ("http://api.supabase.internal:8000/auth/v1/x", "http://127.0.0.1:6000/auth/v1/x"),
            ("http://host.docker.internal:54321/functions/v1/f", "http://127.0.0.1:6000/functions/v1/f"),
            ("http://host.docker.internal:3000/hook", "http://127.0.0.1:3000/hook"),
            ("https://kong.example/functions/v1/f", "https://kong.example/functions/v1/f"),
            ("https://example.org/", "https://example.org/"),
        ] {
            assert_eq!(destinations.here(written.parse().unwrap()).as_str(), expected);
        }
        // Tests that the host names of the CLI's containers have the same restrictions as the addresses that replace these names.
        let clients = destinations.clients().unwrap();
        let is_reached = |url: &str| clients.of(&destinations.here(url.parse().unwrap()), true).is_ok();
        assert!(!is_reached("http://host.docker.internal:3000/hook"));
        assert!(!is_reached("http://kong:8000/_/inbox/api/messages"));
        assert!(is_reached("http://kong:8000/functions/v1/f"));
    }

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
