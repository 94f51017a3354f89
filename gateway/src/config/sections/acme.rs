//! Validates `[server] tls = "acme"` and `[server.acme]`: domains of the certificate, contact, ACME directory and challenge.

use std::net::SocketAddr;
use std::path::PathBuf;

use cloch_sql::caller::is_this_machine;
use url::{Host, Url};

use super::tls::{AcmeSection, ChallengeKind, TlsSetting};
use crate::config::{ConfigError, ConfigToml, Server, TomlFile};

/// URL of Let's Encrypt's ACME directory.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// Maximum number of names in a certificate of Let's Encrypt.
const MAX_DOMAINS: usize = 100;
/// Maximum length in bytes of a DNS name, and of one label (RFC 1035).
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

/// The port that ACME servers connect to for the challenge tls-alpn-01 (RFC 8737, section 3).
pub const HTTPS_PORT: u16 = 443;

/// Validated settings for obtaining certificates by ACME.
#[derive(Clone, Debug)]
pub struct Acme {
    /// Domains of the certificate: at least one, in ASCII and lower case, in the order of the file.
    pub domains: Vec<String>,
    /// Contact of the ACME account, such as `mailto:club@example.org`.
    pub contact: Option<String>,
    /// URL of the ACME directory; its scheme is https.
    pub directory_url: Url,
    /// PEM file of the root certificates that HTTPS connections to the ACME server trust; `None` for the root certificates of the system.
    pub root_certificate: Option<PathBuf>,
    /// Address that the HTTPS server listens on; `None` for port 443 of all addresses.
    pub listen: Option<SocketAddr>,
    /// Type of the challenge that proves control of the domains.
    pub challenge: ChallengeKind,
}

impl Acme {
    /// Returns the port that the HTTPS server listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.listen.map_or(HTTPS_PORT, |address| address.port())
    }

    /// Returns the `https://` URL of the first domain.
    pub(in crate::config) fn url(&self) -> Option<Url> {
        Url::parse(&format!("https://{}", self.domains.first()?)).ok()
    }
}

/// Returns the validated settings of `[server.acme]`, or `None` if `[server] tls` is not `"acme"`.
pub(in crate::config) fn of(
    source: &TomlFile,
    server: &Server,
    file: &ConfigToml,
) -> Result<Option<Acme>, ConfigError> {
    let section = &server.acme;
    if !matches!(server.tls, Some(TlsSetting::Acme)) {
        return match source.table("server").contains_key("acme") {
            true => Err(source.refuse("server.acme", "has no effect without tls = \"acme\" in [server]")),
            false => Ok(None),
        };
    }
    let refuse = |key: &str, message: &str| source.refuse(&format!("server.acme.{key}"), message);
    let directory_url = match &section.directory_url {
        Some(url) if url.scheme() != "https" => return Err(refuse("directory_url", "must be an https:// URL")),
        Some(url) => url.clone(),
        None => Url::parse(LETS_ENCRYPT).map_err(|error| refuse("directory_url", &error.to_string()))?,
    };
    let contact = section.contact.as_deref().map(contact).transpose().map_err(|error| refuse("contact", &error))?;
    Ok(Some(Acme {
        domains: domains(section, file).map_err(|error| refuse("domains", &error))?,
        contact,
        directory_url,
        root_certificate: section.root_certificate.as_deref().map(PathBuf::from),
        listen: section.listen,
        challenge: section.challenge,
    }))
}

fn contact(text: &str) -> Result<String, String> {
    let address = text.strip_prefix("mailto:").unwrap_or(text);
    match address.split_once('@') {
        Some((name, host)) if !name.is_empty() && host.contains('.') && !address.contains(char::is_whitespace) => {
            Ok(format!("mailto:{address}"))
        }
        _ => Err(format!("{text:?} is no mail address")),
    }
}

fn domains(section: &AcmeSection, file: &ConfigToml) -> Result<Vec<String>, String> {
    if section.domains.is_empty() {
        let of_url = |text: &str| public_name(&Url::parse(text).ok()?);
        let derived = file.api.external_url.as_deref().and_then(of_url).or_else(|| of_url(&file.auth.site_url));
        return derived.map(|name| vec![name]).ok_or_else(|| {
            "name the domain that people type, such as [\"club.example\"]: neither api.external_url nor auth.site_url has a public one".into()
        });
    }
    if section.domains.len() > MAX_DOMAINS {
        return Err(format!("a certificate is for {MAX_DOMAINS} names at most"));
    }
    let mut names = Vec::with_capacity(section.domains.len());
    for text in &section.domains {
        let name = dns_name(text)?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Returns the host of `url` if it is a public DNS name: not an IP address and not a name of a local network.
fn public_name(url: &Url) -> Option<String> {
    let name = dns_name(url.host_str()?).ok()?;
    let is_local = ["localhost", "local", "internal", "lan", "home.arpa", "test", "invalid"]
        .iter()
        .any(|suffix| name == *suffix || name.ends_with(&format!(".{suffix}")));
    (name.contains('.') && !is_local && !is_this_machine(&name)).then_some(name)
}

/// Parses a domain into its ASCII form in lower case; refuses wildcards.
fn dns_name(text: &str) -> Result<String, String> {
    if text.starts_with("*.") {
        return Err(format!(
            "{text}: for all names of a domain an authority asks for a record in the DNS: list the names, or use files"
        ));
    }
    let Ok(Host::Domain(name)) = Host::parse(text) else {
        return Err(format!("{text:?} is no domain: write it without https://, port or path"));
    };
    let is_label = |label: &str| {
        (1..=MAX_LABEL_BYTES).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    match name.len() <= MAX_NAME_BYTES && name.split('.').all(is_label) {
        true => Ok(name),
        false => Err(format!("{text:?} is no domain")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_in_the_dns() {
        for (written, expected) in [("Club.Example", "club.example"), ("bücher.example", "xn--bcher-kva.example")] {
            assert_eq!(dns_name(written).unwrap(), expected);
        }
        let long = "a".repeat(64);
        for wrong in [
            "",
            "*.club.example",
            "192.0.2.7",
            "[::1]",
            "https://club.example",
            "club.example:443",
            "a_b.example",
            "-a.example",
            &long,
        ] {
            dns_name(wrong).unwrap_err();
        }
    }

    #[test]
    fn an_address_of_the_internet_names_the_domain() {
        for (url, expected) in [
            ("https://club.example/app", Some("club.example")),
            ("http://127.0.0.1:54321", None),
            ("http://localhost:3000", None),
            ("https://nas.local", None),
            ("https://192.0.2.7", None),
            ("https://intranet", None),
        ] {
            assert_eq!(public_name(&Url::parse(url).unwrap()).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn a_contact_is_a_mail_address() {
        assert_eq!(contact("club@example.org").unwrap(), "mailto:club@example.org");
        assert_eq!(contact("mailto:club@example.org").unwrap(), "mailto:club@example.org");
        for wrong in ["", "club", "@example.org", "a b@example.org", "club@here"] {
            contact(wrong).unwrap_err();
        }
    }
}
