//! Creates the listeners for HTTPS and for the redirect from plain HTTP. HTTPS uses certificate files or a certificate that ACME issues.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use cloch_http::{HttpsRedirect, Listener, Protocol, ServeError, Tls, TlsFiles, bind};
use tokio_util::sync::CancellationToken;

use crate::config::sections::acme::HTTPS_PORT;
use crate::config::{Config, TlsSection, TlsSetting};
use crate::error::CommandError;

/// Returns the listeners that the settings `[server] tls` and `[server] redirect_http` request. If certificate files are configured, they
/// are reloaded when they change, until `shutdown` is cancelled.
///
/// # Errors
/// When certificate files are invalid, or an address cannot be bound.
pub async fn listeners(config: &Config, shutdown: &CancellationToken) -> Result<Vec<Listener>, CommandError> {
    let mut listeners: Vec<Listener> = https(config, shutdown).await?.into_iter().collect();
    if let Some(address) = config.cloch.server.redirect_http {
        let domains = config.acme.as_ref().map_or(&[][..], |acme| &acme.domains);
        let redirect = HttpsRedirect::new(&config.external_url, domains);
        let socket = bind(address.ip(), address.port()).await?;
        listeners.push(Listener { socket, protocol: Protocol::Redirect(redirect) });
    }
    Ok(listeners)
}

async fn https(config: &Config, shutdown: &CancellationToken) -> Result<Option<Listener>, CommandError> {
    if let Some(acme) = &config.acme {
        let socket = match acme.listen {
            Some(address) => bind(address.ip(), address.port()).await?,
            None => bind_everywhere(HTTPS_PORT).await?,
        };
        return Ok(Some(Listener { socket, protocol: Protocol::Https(Tls::without_certificate()?) }));
    }
    let Some((files, section)) = files(config) else { return Ok(None) };
    let tls = Tls::open(&files)?;
    let socket = bind(section.listen.ip(), section.listen.port()).await?;
    tokio::spawn(tls.clone().follow(files, shutdown.clone()));
    Ok(Some(Listener { socket, protocol: Protocol::Https(tls) }))
}

/// Checks the certificate files without listening on a port, for `cloch doctor`.
///
/// # Errors
/// When a file is missing or invalid.
pub fn check(config: &Config) -> Result<(), CommandError> {
    match files(config) {
        Some((files, _)) => Ok(Tls::open(&files).map(drop)?),
        None => Ok(()),
    }
}

/// Returns the certificate files of `[server.tls]` with absolute paths. A relative path in cloch.toml is relative to the project's folder.
fn files(config: &Config) -> Option<(TlsFiles, &TlsSection)> {
    let Some(TlsSetting::Files(section)) = &config.cloch.server.tls else { return None };
    let file = |name: &str| config.project.join(name);
    Some((TlsFiles { certificate: file(&section.certificate), key: file(&section.key) }, section))
}

/// Binds the port on all IPv6 and IPv4 addresses of this machine, or only on all IPv4 addresses if the machine has no IPv6.
async fn bind_everywhere(port: u16) -> Result<tokio::net::TcpListener, ServeError> {
    match bind(Ipv6Addr::UNSPECIFIED.into(), port).await {
        Err(ServeError::Refused { source, .. }) if lacks_ipv6(&source) => {
            bind(Ipv4Addr::UNSPECIFIED.into(), port).await
        }
        bound => bound,
    }
}

fn lacks_ipv6(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::AFNOSUPPORT, Errno::ADDRNOTAVAIL].iter().any(|known| error.raw_os_error() == Some(known.raw_os_error()))
}

/// Returns the address that the HTTPS server listens on, or `None` if the server has no HTTPS.
#[must_use]
pub fn address(config: &Config) -> Option<SocketAddr> {
    let everywhere = || SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), HTTPS_PORT);
    match (&config.acme, &config.cloch.server.tls) {
        (Some(acme), _) => Some(acme.listen.unwrap_or_else(everywhere)),
        (None, Some(TlsSetting::Files(section))) => Some(section.listen),
        (None, Some(TlsSetting::Acme) | None) => None,
    }
}
