//! Mail settings: the sender, and the mail server if one is configured.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;

use crate::Address;

/// The settings of the mailer.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address of the sender (`admin_email`).
    pub admin_email: Address,
    /// Display name of the sender.
    pub sender_name: String,
    /// The mail server; `None` if every message is delivered to the built-in inbox.
    pub smtp: Option<Smtp>,
    /// Number of days for which a delivered or failed message is kept.
    pub keep_days: u16,
    /// Whether the mail inbox can be read on this machine without a key. `None` allows this only while no mail server is configured. A
    /// server with other users is often behind a proxy on the same machine, so all clients of the proxy appear to be local.
    pub local_inbox: Option<bool>,
    /// Key that gives access to the mail inbox. If the key is empty, no inbox key is accepted.
    pub inbox_key: Secret,
    /// Encryption key for messages with links and codes in the database. If the key is empty, messages are not encrypted.
    pub seal_key: Secret,
    /// Whether browsers reach the inbox over HTTPS.
    pub inbox_is_https: bool,
}

impl Default for Settings {
    /// Returns the settings for delivery to the built-in inbox. Messages are kept for thirty days.
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
    /// Whether a client on the same machine (loopback address) may read the mail inbox without a key.
    #[must_use]
    pub fn opens_inbox_locally(&self) -> bool {
        self.local_inbox.unwrap_or(self.smtp.is_none())
    }
}

/// Settings of the mail server (`[auth.email.smtp]`).
#[derive(Clone, Debug)]
pub struct Smtp {
    /// Host name or IP address of the mail server.
    pub host: String,
    /// Port of the mail server, for example 25, 465 or 587.
    pub port: u16,
    /// User name for the login to the mail server; `None` if the server requires no login.
    pub user: Option<String>,
    /// Password for the login to the mail server.
    pub pass: Secret,
    /// Encryption of the connection to the mail server.
    pub tls: TlsMode,
    /// PEM file with a certificate that is trusted in addition to the public certificates.
    pub ca_file: Option<PathBuf>,
    /// Timeout of one delivery, from the connection to the server's reply.
    pub timeout: Duration,
}

impl Smtp {
    /// Creates settings with the given host and port, and default values for all other fields.
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

    /// Returns the encryption mode. Replaces [`TlsMode::Auto`] by the mode that it selects for this host and port.
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
    /// TLS from the first byte of the connection.
    Implicit,
    /// STARTTLS. If the mail server does not offer STARTTLS, no mail is sent.
    Starttls,
    /// STARTTLS if the mail server offers it; otherwise no encryption.
    Opportunistic,
    /// No encryption, for a mail server on the same machine.
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
