//! Types of `[server] tls`: HTTPS with the operator's certificate files, or with a certificate that the server obtains by ACME
//! (`[server.acme]`).

use std::fmt;
use std::net::SocketAddr;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use url::Url;

/// `[server] tls`: the word `"acme"`, or a table with certificate files.
#[derive(Clone, Debug)]
pub enum TlsSetting {
    /// `"acme"`: the server obtains its certificate by ACME.
    Acme,
    /// `[server.tls]`: the operator's certificate files.
    Files(TlsSection),
}

/// `[server.tls]`: HTTPS with your own certificate files at an additional address. Plain HTTP is still served at `host` and port.
#[derive(Clone, Debug, Deserialize)]
pub struct TlsSection {
    /// Address of the HTTPS server, such as `0.0.0.0:443`.
    pub listen: SocketAddr,
    /// PEM file of the certificate and its intermediate certificates, relative to the project.
    pub certificate: String,
    /// PEM file of the certificate's private key, relative to the project.
    pub key: String,
}

/// `[server.acme]`: with `tls = "acme"`, HTTPS with a certificate that the server obtains and renews by itself (ACME). Plain HTTP is still
/// served at `host` and port.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct AcmeSection {
    /// Domains of the certificate, such as `["club.example", "www.club.example"]`. Default: the host of `[api] external_url` or `[auth]
    /// site_url`.
    pub domains: Vec<String>,
    /// Mail address at which the certificate authority can contact you.
    pub contact: Option<String>,
    /// URL of the ACME directory. Default: Let's Encrypt. By using an authority you accept its terms of service.
    pub directory_url: Option<Url>,
    /// PEM file of the root certificates that the connection to the ACME directory trusts instead of the system's, relative to the project.
    pub root_certificate: Option<String>,
    /// Address of the HTTPS server. Default: port 443 of all addresses. The authority always connects to port 443, so another port needs a
    /// port forwarding.
    pub listen: Option<SocketAddr>,
    /// Challenge that proves control of the domains: `tls-alpn-01` at the HTTPS port (the default), or `http-01` by plain HTTP at port 80.
    pub challenge: ChallengeKind,
}

/// `[server.acme] challenge`: type of the ACME challenge.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub enum ChallengeKind {
    /// tls-alpn-01 (RFC 8737): proof in the TLS handshake.
    #[default]
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
    /// http-01 (RFC 8555, section 8.3): proof by a file that plain HTTP serves.
    #[serde(rename = "http-01")]
    Http01,
}

impl<'de> Deserialize<'de> for TlsSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Deserialized as a struct, so that unknown keys of the table are reported.
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
