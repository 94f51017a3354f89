//! Parses a connection URL (`postgres://…`, libpq section "Connection URIs") with the supported parameters.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::Secret;
use crate::login::{Address, Login, SslMode};

/// An invalid connection URL. The message never quotes the URL, which contains a password.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the database URL {0}")]
pub struct UrlError(String);

impl Login {
    /// Reads `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…&host=/socket/folder&pooler=transaction`.
    ///
    /// # Errors
    /// Which part is wrong, and what is allowed.
    pub fn from_url(text: &Secret) -> Result<Self, UrlError> {
        // libpq lets the host be empty after user and password, where a parameter names it; URLs in general do not.
        let text = text.expose().replacen("@/", "@localhost/", 1);
        let url = Url::parse(&text).map_err(|error| UrlError(format!("cannot be read: {error}")))?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(UrlError("must begin with postgres:// or postgresql://".into()));
        }
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let host = url.host_str().map(decoded).unwrap_or_default();
        let mut login = Self {
            address: address(if host.is_empty() { "127.0.0.1" } else { &host }),
            port: url.port().unwrap_or(5432),
            user: if url.username().is_empty() { "postgres".into() } else { decoded(url.username()) },
            password: Secret::new(url.password().map(decoded).unwrap_or_default()),
            database: decoded(url.path().trim_start_matches('/')),
            ssl_mode: SslMode::default(),
            ssl_root_cert: None,
            keep_statements: true,
        };
        if login.database.is_empty() {
            login.database = "postgres".into();
        }
        for (name, value) in url.query_pairs() {
            login.set(&name, &value)?;
        }
        Ok(login)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), UrlError> {
        match name {
            "sslmode" => self.ssl_mode = ssl_mode(value)?,
            "sslrootcert" => self.ssl_root_cert = Some(PathBuf::from(value)),
            "host" => self.address = address(value),
            "port" => {
                self.port =
                    value.parse().map_err(|_| UrlError("has a port that is no number from 1 to 65535".into()))?;
            }
            "user" => value.clone_into(&mut self.user),
            "password" => self.password = Secret::new(value),
            "dbname" => value.clone_into(&mut self.database),
            "pooler" if value == "transaction" => self.keep_statements = false,
            _ => tracing::warn!("the parameter {name} of the database URL is ignored"),
        }
        Ok(())
    }
}

fn address(host: &str) -> Address {
    if host.starts_with('/') { Address::Socket(PathBuf::from(host)) } else { Address::Host(host.to_owned()) }
}

fn ssl_mode(value: &str) -> Result<SslMode, UrlError> {
    Ok(match value {
        "disable" => SslMode::Disable,
        "allow" | "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        _ => return Err(UrlError("has an sslmode other than disable, prefer, require, verify-ca, verify-full".into())),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(text: &str) -> Result<Login, UrlError> {
        Login::from_url(&Secret::new(text))
    }

    #[test]
    fn refuses_without_repeating_the_password() {
        for text in ["mysql://u:hunter2@h/d", "nonsense hunter2", "postgres://u:hunter2@h/d?sslmode=hunter2"] {
            assert!(!read(text).unwrap_err().to_string().contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn reads_every_part() {
        let login =
            read("postgres://us%40er:p%2Fw@db.example:6543/app?sslmode=verify-full&pooler=transaction").unwrap();
        assert_eq!(login.address, Address::Host("db.example".into()));
        assert_eq!((login.port, login.user.as_str(), login.database.as_str()), (6543, "us@er", "app"));
        assert_eq!(login.password.expose(), "p/w");
        assert_eq!((login.ssl_mode, login.keep_statements), (SslMode::VerifyFull, false));
    }

    #[test]
    fn a_folder_is_a_socket() {
        for text in [
            "postgres:///app?host=/run/pg",
            "postgres://ann:secret@/app?host=/run/pg",
            "postgresql://ann@/app?host=%2Frun%2Fpg",
        ] {
            let login = read(text).unwrap();
            assert_eq!(login.address, Address::Socket("/run/pg".into()), "{text}");
            assert_eq!(login.database, "app", "{text}");
        }
    }
}
