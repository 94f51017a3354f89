//! `tls = "acme"`: the names that the certificate is for, and the other settings of `[server.acme]`, checked.

use std::net::SocketAddr;
use std::path::PathBuf;

use cloch_sql::caller::is_this_machine;
use url::{Host, Url};

use super::tls_section::{AcmeSection, ChallengeKind, TlsSetting};
use super::{ConfigError, ConfigToml, Server, TomlFile};

/// Let's Encrypt's directory.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
/// The most names that Let's Encrypt puts into a certificate.
const MAX_DOMAINS: usize = 100;
/// Of a name in the DNS, and of one part of it.
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

/// The port that authorities connect to (RFC 8737, section 3).
pub const HTTPS_PORT: u16 = 443;

/// What is needed to obtain a certificate.
#[derive(Clone, Debug)]
pub struct Acme {
    /// The names: lower-case, in ASCII, at least one, the first as in the file.
    pub domains: Vec<String>,
    /// Such as `mailto:club@example.org`.
    pub contact: Option<String>,
    /// The authority's directory, an https URL.
    pub directory_url: Url,
    /// The file of the roots that the directory's HTTPS is trusted by; `None` for the system's.
    pub root_certificate: Option<PathBuf>,
    /// The address to listen on; `None` for port 443 of every address.
    pub listen: Option<SocketAddr>,
    /// How control of the names is shown.
    pub challenge: ChallengeKind,
}

impl Acme {
    /// The port of HTTPS on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.listen.map_or(HTTPS_PORT, |address| address.port())
    }

    /// The address that people use.
    pub(super) fn url(&self) -> Option<Url> {
        Url::parse(&format!("https://{}", self.domains.first()?)).ok()
    }
}

/// The settings of `tls = "acme"`; `None` for another `tls`.
pub(super) fn of(source: &TomlFile, server: &Server, file: &ConfigToml) -> Result<Option<Acme>, ConfigError> {
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

/// The host of an address that the internet may know.
fn public_name(url: &Url) -> Option<String> {
    let name = dns_name(url.host_str()?).ok()?;
    let is_local = ["localhost", "local", "internal", "lan", "home.arpa", "test", "invalid"]
        .iter()
        .any(|suffix| name == *suffix || name.ends_with(&format!(".{suffix}")));
    (name.contains('.') && !is_local && !is_this_machine(&name)).then_some(name)
}

/// A name as the DNS has it.
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
