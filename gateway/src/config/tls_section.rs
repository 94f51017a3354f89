//! `[server] tls`: HTTPS with the operator's files, or with a certificate that the server obtains by itself (`[server.acme]`).

use std::fmt;
use std::net::SocketAddr;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use url::Url;

/// `[server] tls`: a word, or a table.
#[derive(Clone, Debug)]
pub enum TlsSetting {
    /// `"acme"`
    Acme,
    /// `[server.tls]`
    Files(TlsSection),
}

/// `[server.tls]`: HTTPS with files of yours, at an address of its own, beside plain HTTP at `host` and port.
#[derive(Clone, Debug, Deserialize)]
pub struct TlsSection {
    /// The address, such as `0.0.0.0:443`.
    pub listen: SocketAddr,
    /// The file of the certificate and those of its issuers (PEM), relative to the project.
    pub certificate: String,
    /// The file of its private key (PEM).
    pub key: String,
}

/// `[server.acme]`: with `tls = "acme"`, HTTPS with a certificate that the server obtains and renews by itself (ACME), beside plain HTTP at
/// `host` and port.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct AcmeSection {
    /// The names that people type, such as `["club.example", "www.club.example"]`; by default that of `[api] external_url` or `[auth] site_url`.
    pub domains: Vec<String>,
    /// The mail address at which the authority may reach you.
    pub contact: Option<String>,
    /// The authority's directory; Let's Encrypt's by default. Who uses it accepts the authority's terms.
    pub directory_url: Option<Url>,
    /// The file of the root certificates (PEM) that the directory's own HTTPS is trusted by instead of the system's, relative to the project.
    pub root_certificate: Option<String>,
    /// The address of HTTPS; port 443 of every address by default. The authority connects to port 443, whatever leads from there to here.
    pub listen: Option<SocketAddr>,
    /// How the authority is shown that the names lead here: in TLS at the port of HTTPS (the default), or by plain HTTP at port 80.
    pub challenge: ChallengeKind,
}

/// `[server.acme] challenge`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub enum ChallengeKind {
    /// RFC 8737: in the handshake of TLS.
    #[default]
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
    /// RFC 8555, section 8.3: a file that plain HTTP serves.
    #[serde(rename = "http-01")]
    Http01,
}

impl<'de> Deserialize<'de> for TlsSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As a struct, so that unknown keys of the table are noted.
        deserializer.deserialize_struct("TlsSection", &["listen", "certificate", "key"], WordOrTable)
    }
}

struct WordOrTable;

impl<'de> Visitor<'de> for WordOrTable {
    type Value = TlsSetting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"acme\", or the section [server.tls] with listen, certificate and key")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
        match word {
            "acme" => Ok(TlsSetting::Acme),
            other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        TlsSection::deserialize(MapAccessDeserializer::new(map)).map(TlsSetting::Files)
    }
}
