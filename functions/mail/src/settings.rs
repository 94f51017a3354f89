//! How mail leaves: who it is from, and the mail server, if there is one.

use std::path::PathBuf;
use std::time::Duration;

use cloch_sql::Secret;

use crate::Address;

/// Everything the mailer needs to know.
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
    /// Whether the inbox may be read at this machine without a key; unset: only while there is no mail server. A server that
    /// others use often stands behind a proxy on the same machine, whose visitors look local.
    pub local_inbox: Option<bool>,
    /// What opens the inbox for people; empty: nothing does.
    pub inbox_key: Secret,
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
            inbox_is_https: false,
        }
    }
}

impl Settings {
    /// Whether loopback is enough to read the inbox.
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

    /// The mode that [`TlsMode::Auto`] stands for.
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
    /// Implicit on port 465; otherwise STARTTLS, which only a server on this machine may lack.
    #[default]
    Auto,
    /// TLS from the first byte.
    Implicit,
    /// STARTTLS, or nothing is sent.
    Starttls,
    /// STARTTLS if the server offers it.
    Opportunistic,
    /// Never: for a server on the same machine.
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
