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
    /// The mail server; without one the built-in inbox takes every message.
    pub smtp: Option<Smtp>,
    /// How many days a finished message is kept.
    pub keep_days: u16,
    /// Whether the inbox can be read on this machine without a key; if unset, only while no mail server is configured. A server with other
    /// users is often behind a proxy on the same machine, whose visitors appear to be local.
    pub local_inbox: Option<bool>,
    /// The key of the inbox; empty: no key gives access.
    pub inbox_key: Secret,
    /// The key that seals messages with links and codes in the database; empty: none is sealed.
    pub seal_key: Secret,
    /// Whether browsers reach the inbox by HTTPS.
    pub inbox_is_https: bool,
}

impl Default for Settings {
    /// The built-in inbox, kept for thirty days.
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
    /// Host name or address.
    pub host: String,
    /// 25, 465, 587, …
    pub port: u16,
    /// Login, where the server asks for one.
    pub user: Option<String>,
    /// Its password.
    pub pass: Secret,
    /// How the connection is encrypted.
    pub tls: TlsMode,
    /// A PEM file with a certificate to trust besides the public ones.
    pub ca_file: Option<PathBuf>,
    /// How long one delivery may take as a whole.
    pub timeout: Duration,
}

impl Smtp {
    /// A server with everything else at its default.
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

    /// The effective mode if [`TlsMode::Auto`] is set.
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

/// How a connection to the mail server is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    /// Implicit TLS on port 465; otherwise STARTTLS, which is required unless the server is on this machine.
    #[default]
    Auto,
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS; without it nothing is sent.
    Starttls,
    /// STARTTLS if the server offers it.
    Opportunistic,
    /// No encryption: for a server on the same machine.
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
