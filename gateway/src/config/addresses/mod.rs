//! Derives host, ports and public URL of the server from config.toml, cloch.toml and flags.

pub(in crate::config) mod database_port;
pub(in crate::config) mod database_url;
pub(in crate::config) mod moved_port;
pub(in crate::config) mod site_url;

use std::net::IpAddr;

use url::Url;

use crate::config::Acme;
use crate::config::checks::url_problem;
use crate::config::{ConfigError, ConfigToml, Server, TomlFile};

/// Returns the address to listen on: `--host`, or `[server] host` of cloch.toml.
pub(in crate::config) fn host(source: &TomlFile, flag: Option<&str>, server: &Server) -> Result<IpAddr, ConfigError> {
    let refused =
        |text: &str| format!("{text:?} is no address: 127.0.0.1 serves this machine, 0.0.0.0 or :: every network");
    match flag {
        Some(text) => {
            parse_host(text).ok_or_else(|| ConfigError::Variable { name: "--host".to_owned(), message: refused(text) })
        }
        None => parse_host(&server.host).ok_or_else(|| source.refuse("server.host", &refused(&server.host))),
    }
}

fn parse_host(text: &str) -> Option<IpAddr> {
    match text {
        "localhost" => Some(IpAddr::from([127, 0, 0, 1])),
        _ => text.parse().ok(),
    }
}

/// Returns the public URL of the server: `[api] external_url`. Default: the URL of the first ACME domain, or the address that the server
/// listens on.
pub(in crate::config) fn external_url(
    source: &TomlFile,
    file: &ConfigToml,
    acme: Option<&Acme>,
    host: IpAddr,
    port: u16,
) -> Result<Url, ConfigError> {
    if let Some(text) = &file.api.external_url {
        return Url::parse(text).map_err(|error| {
            let message = format!("{text:?}: {}: write a whole URL, such as https://club.example", url_problem(error));
            source.refuse("api.external_url", &message)
        });
    }
    if let Some(url) = acme.and_then(Acme::url) {
        return Ok(url);
    }
    let shown = if host.is_unspecified() { IpAddr::from([127, 0, 0, 1]) } else { host };
    let text = format!("http://{}", std::net::SocketAddr::new(shown, port));
    Url::parse(&text).map_err(|error| source.refuse("api.external_url", &error.to_string()))
}

/// Refuses `redirect_http` unless the external URL, which is the target of the HTTP redirect, is https.
pub(in crate::config) fn check_redirect(
    source: &TomlFile,
    server: &Server,
    external_url: &Url,
) -> Result<(), ConfigError> {
    match server.redirect_http.is_some() && external_url.scheme() != "https" {
        true => Err(source.refuse(
            "server.redirect_http",
            "leads to the address that people use: name it in config.toml, such as external_url = \"https://club.example\" in [api]",
        )),
        false => Ok(()),
    }
}

/// Returns the port of plain HTTP: `--port`, or `[api] port`. If ACME is enabled, `--port 443` is the port of HTTPS and is not used for plain
/// HTTP.
pub(in crate::config) fn port(
    source: &TomlFile,
    flag: Option<u16>,
    file: &ConfigToml,
    acme: Option<&Acme>,
) -> Result<u16, ConfigError> {
    let of_https = acme.map(Acme::port);
    let port = flag.filter(|port| Some(*port) != of_https).unwrap_or(file.api.port);
    match Some(port) == of_https {
        true => Err(source.refuse(
            "api.port",
            "is the port of HTTPS ([server] tls = \"acme\"): plain HTTP needs another one, such as 54321",
        )),
        false => Ok(port),
    }
}
