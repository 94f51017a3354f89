//! Checks the server's own HTTPS: whether the certificate authority can reach this server (port, DNS names), and the certificate that the
//! running server presents.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, SystemTime};

use cloch_http::certificate::{self, Details};
use rustls::pki_types::CertificateDer;
use tokio::net::{UdpSocket, lookup_host};

use super::Finding;
use crate::config::sections::acme::HTTPS_PORT;
use crate::config::sections::tls::ChallengeKind;
use crate::config::{Acme, Config};
use crate::setup;

/// Timeout for a request to the running server.
const TIMEOUT: Duration = Duration::from_secs(5);
const DNS_TIMEOUT: Duration = Duration::from_secs(5);
/// Port of the ACME challenge http-01.
const HTTP_PORT: u16 = 80;
/// Divisor of a certificate's lifetime: the renewal counts as late if less than 1/`LATE` of the lifetime is left.
const LATE: u32 = 5;

/// Checks `[server] tls`. Returns no findings if the server does not serve HTTPS itself.
pub(super) async fn examine(config: &Config, is_running: bool) -> Vec<Finding> {
    let Some(address) = setup::tls::address(config) else { return Vec::new() };
    let mut findings = Vec::new();
    if let Some(acme) = &config.acme {
        let redirect = config.cloch.server.redirect_http.map(|address| address.port());
        findings.push(port(acme, redirect.unwrap_or(config.port)));
        for domain in &acme.domains {
            findings.push(name(domain).await);
        }
    }
    if is_running {
        findings.push(shown(config, address).await);
    }
    findings
}

/// Checks whether this server listens on the port to which the certificate authority connects.
fn port(acme: &Acme, plain_port: u16) -> Finding {
    let (port, wanted, setting) = match acme.challenge {
        ChallengeKind::TlsAlpn01 => (acme.port(), HTTPS_PORT, "server.acme.listen"),
        ChallengeKind::Http01 => (plain_port, HTTP_PORT, "server.redirect_http"),
    };
    match port == wanted {
        true => Finding::ok("certificate", format!("the authority asks at port {wanted}")),
        false => {
            let seen = format!("the authority asks at port {wanted}, and this server answers at {port}");
            let remedy = format!("let port {wanted} lead here (a router, a load balancer), or change {setting}");
            Finding::warning("certificate", seen, remedy)
        }
    }
}

/// Checks whether a DNS name resolves to addresses of this machine.
async fn name(domain: &str) -> Finding {
    let asked = tokio::time::timeout(DNS_TIMEOUT, lookup_host((domain, HTTPS_PORT))).await;
    let remedy = format!("make a record A (and AAAA) for {domain} in the DNS that leads to this server");
    let addresses: Vec<IpAddr> = match asked {
        Ok(Ok(found)) => found.map(|address| address.ip()).collect(),
        Ok(Err(error)) => return Finding::problem("name", format!("{domain}: {error}"), remedy),
        Err(_) => return Finding::problem("name", format!("{domain}: the DNS does not answer"), remedy),
    };
    let mut others = Vec::new();
    for address in addresses {
        // Binding succeeds only for an IP address of this machine.
        if UdpSocket::bind((address, 0)).await.is_err() {
            others.push(address.to_string());
        }
    }
    match others.is_empty() {
        true => Finding::ok("name", format!("{domain} leads to this machine")),
        false => {
            let seen = format!("{domain} leads to {}, which is no address of this machine", others.join(", "));
            let remedy =
                "right where a router or a load balancer leads from there to here; else correct the record in the DNS";
            Finding::warning("name", seen, remedy)
        }
    }
}

/// Returns the domains that the server's certificate must contain: the domains of `[server.acme]`, or with certificate files the host names
/// of the public https URLs. With certificate files and a trusted proxy, returns no domains, because the proxy presents its own certificate
/// to clients.
fn domains(config: &Config) -> Vec<String> {
    match &config.acme {
        Some(acme) => acme.domains.clone(),
        None if config.cloch.server.trusted_proxies.is_empty() => {
            let urls = config.outside_urls();
            let https = urls.iter().filter(|url| url.scheme() == "https");
            https.filter_map(|url| url.domain().map(str::to_owned)).collect()
        }
        None => Vec::new(),
    }
}

/// Checks the certificate that the running server presents.
async fn shown(config: &Config, address: SocketAddr) -> Finding {
    let domains = domains(config);
    let name = domains.first().map_or("localhost", String::as_str);
    let asked = async {
        // The request accepts any certificate, because this function checks the certificate afterwards, and the request contains no secret.
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(TIMEOUT)
            .tls_info(true)
            .tls_danger_accept_invalid_certs(true)
            .resolve(name, on_this_machine(address))
            .build()?;
        client.get(format!("https://{name}:{}/health/live", address.port())).send().await
    };
    let remedy = match config.acme {
        Some(_) => "the server's log says what the authority answered (`acme:`)",
        None => "renew the file of [server.tls]; it is used within two seconds",
    };
    let response = match asked.await {
        Ok(response) => response,
        Err(error) => {
            let error = error.without_url();
            return Finding::problem("certificate", format!("{address} shows none: {error}"), remedy);
        }
    };
    let info = response.extensions().get::<reqwest::tls::TlsInfo>();
    let details = info.and_then(|info| certificate::details(&CertificateDer::from(info.peer_certificate()?)));
    match details {
        Some(details) => judge(&details, &domains, SystemTime::now(), remedy),
        None => Finding::problem("certificate", "the server shows one that cannot be read", remedy),
    }
}

/// Replaces an unspecified address (0.0.0.0 or ::) by the loopback address.
fn on_this_machine(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        // The IPv4 loopback address is right for `::` too: an IPv6 socket also accepts IPv4 connections, and on a machine without IPv6 the
        // server listens on IPv4 only.
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

fn judge(details: &Details, domains: &[String], now: SystemTime, remedy: &str) -> Finding {
    let until = chrono::DateTime::<chrono::Utc>::from(details.not_after).format("%Y-%m-%d %H:%M UTC");
    if let Some(missing) = domains.iter().find(|domain| !covers(&details.domains, domain)) {
        return Finding::problem("certificate", format!("it is not for {missing}"), remedy);
    }
    let lifetime = details.not_after.duration_since(details.not_before).unwrap_or_default();
    match details.not_after.duration_since(now) {
        Err(_) => Finding::problem("certificate", format!("it expired on {until}"), remedy),
        Ok(left) if left < lifetime / LATE => {
            Finding::warning("certificate", format!("it expires on {until}, and was not renewed"), remedy)
        }
        Ok(_) => Finding::ok("certificate", format!("valid until {until}")),
    }
}

/// Whether a certificate with these names is valid for a domain. `*.club.example` covers one label.
fn covers(names: &[String], domain: &str) -> bool {
    let above = domain.split_once('.').map(|(_, above)| above);
    names.iter().any(|name| name == domain || name.strip_prefix("*.").is_some_and(|name| Some(name) == above))
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn an_expired_certificate_or_one_for_other_names_is_a_problem_and_a_late_one_a_warning() {
        let begin = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let day = |number: u32| begin + Duration::from_secs(86_400) * number;
        let domains = ["club.example".to_owned()];
        let details = Details {
            not_before: begin,
            not_after: day(90),
            domains: domains.to_vec(),
            issuer_key: None,
            serial: Vec::new(),
        };
        let level = |now: u32| judge(&details, &domains, day(now), "look").level;
        assert_eq!(
            [level(60), level(71), level(73), level(91)],
            [Level::Ok, Level::Ok, Level::Warning, Level::Problem]
        );
        assert_eq!(judge(&details, &["www.club.example".to_owned()], begin, "look").level, Level::Problem);
    }

    #[test]
    fn a_wildcard_covers_one_label() {
        let names = ["*.club.example".to_owned(), "club.example".to_owned()];
        for domain in ["club.example", "www.club.example"] {
            assert!(covers(&names, domain), "{domain}");
        }
        for domain in ["a.www.club.example", "other.example", "example"] {
            assert!(!covers(&names, domain), "{domain}");
        }
    }
}
