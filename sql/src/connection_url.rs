//! Parser of database connection strings in libpq's formats: a URL (`postgres://…`, section "Connection URIs") or `keyword=value` pairs,
//! with service files and password files.

mod files;

use std::path::PathBuf;

use cloch_core::Secret;
use percent_encoding::percent_decode_str;

use crate::Availability;
use crate::login::{Address, Login, SessionAttributes, SslMode};

const MAX_HOSTS: usize = 16;

/// Error of an invalid connection string. The error message never contains the connection string, which includes a password.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the database URL {0}")]
pub struct UrlError(String);

type Pairs = Vec<(String, String)>;

impl Login {
    /// Parses `postgres://user:password@host:port,host:port/database?sslmode=…&target_session_attrs=…&pooler=transaction`, without
    /// environment variables.
    ///
    /// # Errors
    /// Returns which part is invalid, and the allowed values.
    pub fn from_url(text: &Secret) -> Result<Self, UrlError> {
        Self::from_libpq(text, &|_| None)
    }

    /// Parses a connection string as libpq does. A parameter that the string lacks is taken from the service (`pg_service.conf`) that the
    /// string or `PGSERVICE` names, then from libpq's other environment variables, such as `PGPASSFILE`.
    ///
    /// # Errors
    /// Returns which part is invalid, and the allowed values.
    pub fn from_libpq(text: &Secret, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, UrlError> {
        let login = Self::of_any_server(text, environment)?;
        if login.session_attributes == SessionAttributes::Standby {
            return Err(UrlError(
                "has target_session_attrs other than any, read-write, primary: Cloch writes to its database".into(),
            ));
        }
        Ok(login)
    }

    /// Parses the connection string of a standby as libpq does; this includes the connection service file and the environment variables. If the
    /// string lists several hosts, a connection uses the first host that is a standby, regardless of `target_session_attrs`.
    ///
    /// # Errors
    /// Returns which part is invalid, and the allowed values.
    pub fn of_standby(text: &Secret, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, UrlError> {
        let login = Self::of_any_server(text, environment)?;
        Ok(Self { session_attributes: SessionAttributes::Standby, ..login })
    }

    fn of_any_server(text: &Secret, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, UrlError> {
        let text = text.expose();
        let given = if text.contains("://") { of_url(text)? } else { of_keywords(text)? };
        let named = |name: &str| last(&given, name).map(str::to_owned);
        let service = named("service").or_else(|| environment("PGSERVICE"));
        let of_service = match service {
            Some(name) => files::service(&name, environment)?,
            None => Vec::new(),
        };
        let variables = ["PGSSLMODE", "PGSSLROOTCERT", "PGPASSWORD", "PGPASSFILE", "PGTARGETSESSIONATTRS"];
        let keywords = ["sslmode", "sslrootcert", "password", "passfile", "target_session_attrs"];
        let of_environment =
            keywords.into_iter().zip(variables).filter_map(|(key, name)| Some((key.to_owned(), environment(name)?)));
        // Later pairs override earlier pairs, so the connection string overrides the service and the environment.
        let all: Pairs = of_environment.chain(of_service).chain(given).collect();
        let mut login = read(&all)?;
        if login.password.is_empty() {
            login.password = files::password(&login, last(&all, "passfile"), environment);
        }
        Ok(login)
    }
}

fn last<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a str> {
    pairs.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

/// Splits a connection URL into keyword pairs. Unlike other URLs, a connection URL may have several hosts or none.
fn of_url(text: &str) -> Result<Pairs, UrlError> {
    let scheme_error = || UrlError("must begin with postgres:// or postgresql://".into());
    let (scheme, rest) = text.split_once("://").ok_or_else(scheme_error)?;
    if !matches!(scheme, "postgres" | "postgresql") {
        return Err(scheme_error());
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (account, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = account.split_once(':').unwrap_or((account, ""));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut pairs = Pairs::new();
    let mut push = |name: &str, value: String| {
        if !value.is_empty() {
            pairs.push((name.to_owned(), value));
        }
    };
    push("user", decoded(user));
    push("password", decoded(password));
    push("dbname", decoded(database));
    let split: Vec<(&str, &str)> = hosts.split(',').map(host_and_port).collect();
    push(
        "host",
        split.iter().map(|(host, _)| decoded(host)).collect::<Vec<_>>().join(",").trim_matches(',').to_owned(),
    );
    let ports = split.iter().map(|(_, port)| *port).collect::<Vec<_>>().join(",");
    push("port", if ports.trim_matches(',').is_empty() { String::new() } else { ports });
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        push(&name, value.into_owned());
    }
    Ok(pairs)
}

fn host_and_port(text: &str) -> (&str, &str) {
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.trim_start_matches(':')),
        None => text.split_once(':').unwrap_or((text, "")),
    }
}

/// Parses keyword pairs such as `host=db.example dbname=app password='a b'`. Values may be quoted; a backslash escapes the next character.
fn of_keywords(text: &str) -> Result<Pairs, UrlError> {
    let mut pairs = Pairs::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (name, after) = rest
            .split_once('=')
            .filter(|(name, _)| name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
            .ok_or_else(|| UrlError("must begin with postgres://, or be keyword=value pairs".into()))?;
        let mut value = String::new();
        let mut characters = after.trim_start().chars();
        let quoted = characters.clone().next() == Some('\'');
        if quoted {
            characters.next();
        }
        let mut is_open = quoted;
        while let Some(character) = characters.next() {
            match character {
                '\\' => value.extend(characters.next()),
                '\'' if quoted => {
                    is_open = false;
                    break;
                }
                character if !quoted && character.is_whitespace() => break,
                character => value.push(character),
            }
        }
        if is_open {
            return Err(UrlError(format!("has a quote at the value of {} that is never closed", name.trim())));
        }
        pairs.push((name.trim().to_owned(), value));
        rest = characters.as_str().trim_start();
    }
    Ok(pairs)
}

fn read(pairs: &Pairs) -> Result<Login, UrlError> {
    let hosts: Vec<&str> =
        last(pairs, "host").or_else(|| last(pairs, "hostaddr")).unwrap_or("127.0.0.1").split(',').collect();
    if hosts.len() > MAX_HOSTS {
        return Err(UrlError(format!("names more than {MAX_HOSTS} hosts")));
    }
    let ports: Vec<&str> = last(pairs, "port").unwrap_or_default().split(',').collect();
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err(UrlError("must name one port for each host, or one port for all hosts".into()));
    }
    let mut places = Vec::new();
    for (index, host) in hosts.iter().enumerate() {
        let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or_default();
        let bad = || UrlError("has a port that is no number from 1 to 65535".into());
        let port = if port.is_empty() { 5432 } else { port.parse().ok().filter(|port| *port > 0).ok_or_else(bad)? };
        places.push((address(host), port));
    }
    let (address, port) = places.first().cloned().ok_or_else(|| UrlError("names no host".into()))?;
    let text = |name: &str, usual: &str| last(pairs, name).unwrap_or(usual).to_owned();
    let user = text("user", "postgres");
    let mut login = Login {
        address,
        port,
        database: text("dbname", &user),
        user,
        password: Secret::new(text("password", "")),
        ssl_mode: SslMode::default(),
        ssl_root_cert: None,
        keep_statements: true,
        hosts: places,
        session_attributes: SessionAttributes::default(),
        catalog_only: false,
        availability: Availability::default(),
    };
    if last(pairs, "dbname").is_none() {
        login.database = "postgres".into();
    }
    for (name, value) in pairs {
        match name.as_str() {
            "sslmode" => login.ssl_mode = ssl_mode(value)?,
            "sslrootcert" => login.ssl_root_cert = Some(PathBuf::from(value)),
            "target_session_attrs" => login.session_attributes = session_attributes(value)?,
            "pooler" if value == "transaction" => login.keep_statements = false,
            "host" | "hostaddr" | "port" | "user" | "password" | "dbname" | "service" | "passfile" => {}
            "gssencmode" if value == "require" => return Err(not_carried_out(name)),
            "ssl_min_protocol_version" if value == "TLSv1.3" => return Err(not_carried_out(name)),
            // Parameters that restrict the server's identity or authentication are refused, because they are not supported and must not be
            // ignored.
            "require_auth" | "requirepeer" | "sslcrl" | "sslcrldir" if !value.is_empty() => {
                return Err(not_carried_out(name));
            }
            // URLs of some providers contain `channel_binding=require`; `sslmode=verify-full` gives the same protection.
            "channel_binding" if value == "require" => {
                tracing::warn!(
                    "database: channel_binding=require of the database URL ignored (not supported), connections are made without channel binding: sslmode=verify-full protects them"
                );
            }
            // Parameters that affect only connections opened by libpq are ignored.
            "connect_timeout" | "application_name" | "gssencmode" | "channel_binding" => {}
            _ => tracing::warn!("database: unknown parameter {name} of the database URL ignored"),
        }
    }
    Ok(login)
}

fn not_carried_out(name: &str) -> UrlError {
    UrlError(format!("has the parameter {name}, which would protect the connection and is not supported: remove it"))
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

fn session_attributes(value: &str) -> Result<SessionAttributes, UrlError> {
    Ok(match value {
        "any" => SessionAttributes::Any,
        "read-write" | "primary" => SessionAttributes::ReadWrite,
        "standby" | "read-only" | "prefer-standby" => SessionAttributes::Standby,
        _ => return Err(UrlError("has a target_session_attrs that libpq does not know".into())),
    })
}

#[cfg(test)]
mod tests;
