//! Mail settings: the sender, and the mail server if there is one.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;

use crate::Address;

/// The settings of the mailer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The sender's address (`admin_email`).
    pub admin_email: Address,
    /// The sender's name.
    pub sender_name: String,
    /// The mail server. `None` to deliver every message to the built-in inbox.
    pub smtp: Option<Smtp>,
    /// Number of days for which a finished message is kept.
    pub keep_days: u16,
    /// Whether the inbox can be read on this machine without a key. `None` means only while no mail server is configured. A server with other
    /// users is often behind a proxy on the same machine, whose visitors appear to be local.
    pub local_inbox: Option<bool>,
    /// Key of the inbox. If empty, no key gives access.
    pub inbox_key: Secret,
    /// Key that encrypts messages with links and codes in the database. If empty, messages are not encrypted.
    pub seal_key: Secret,
    /// Whether browsers reach the inbox over HTTPS.
    pub inbox_is_https: bool,
}

impl Default for Settings {
    /// The built-in inbox, with messages kept for thirty days.
    fn default() -> Self {
        Self {
            admin_email: Address::no_reply(),
            sender_name: "Cloch".to_owned(),
            smtp: None,
            keep_days: 30,
            local_inbox: None,
            inbox_key: Secret::default(),
            seal_key: Secret::default(),
            inbox_is_https: false,
        }
    }
}

impl Settings {
    /// Whether a loopback client may read the inbox without a key.
    #[must_use]
    pub fn opens_inbox_locally(&self) -> bool {
        self.local_inbox.unwrap_or(self.smtp.is_none())
    }
}

/// A mail server (`[auth.email.smtp]`).
#[derive(Clone, Debug)]
pub struct Smtp {
    /// Host name or IP address.
    pub host: String,
    /// Port, for example 25, 465 or 587.
    pub port: u16,
    /// User name; `None` if the server requires no login.
    pub user: Option<String>,
    /// Password of the user.
    pub pass: Secret,
    /// Encryption of the connection.
    pub tls: TlsMode,
    /// PEM file with a certificate to trust in addition to the public certificates.
    pub ca_file: Option<PathBuf>,
    /// Timeout of one delivery as a whole.
    pub timeout: Duration,
}

impl Smtp {
    /// Creates settings with default values except host and port.
    #[must_use]
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            user: None,
            pass: Secret::default(),
            tls: TlsMode::Auto,
            ca_file: None,
            timeout: Duration::from_secs(30),
        }
    }

    /// Returns the encryption mode with [`TlsMode::Auto`] resolved.
    #[must_use]
    pub fn effective_tls(&self) -> TlsMode {
        let local = self.host == "localhost"
            || self.host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        match self.tls {
            TlsMode::Auto if self.port == 465 => TlsMode::Implicit,
            TlsMode::Auto if local => TlsMode::Opportunistic,
            TlsMode::Auto => TlsMode::Starttls,
            mode => mode,
        }
    }
}

/// Encryption of the connection to the mail server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    /// Implicit TLS on port 465; otherwise STARTTLS, which is required unless the server is on this machine.
    #[default]
    Auto,
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS, required: without it no mail is sent.
    Starttls,
    /// STARTTLS if the server offers it.
    Opportunistic,
    /// No encryption, for a server on the same machine.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_local_server_may_lack_tls() {
        let mode = |host: &str, port| Smtp::new(host, port).effective_tls();
        assert_eq!(mode("mail.example.org", 587), TlsMode::Starttls);
        assert_eq!(mode("mail.example.org", 25), TlsMode::Starttls);
        assert_eq!(mode("mail.example.org", 465), TlsMode::Implicit);
        assert_eq!(mode("127.0.0.1", 1025), TlsMode::Opportunistic);
        assert_eq!(mode("localhost", 465), TlsMode::Implicit);
    }
}
