//! Creates the ACME service, which obtains HTTPS certificates, from the configuration.

use std::path::PathBuf;
use std::sync::Arc;

use cloch_core::supervise;
use cloch_http::{Health, with_limits};

use super::SharedServices;
use crate::acme::{self, Acme, Settings};
use crate::config::{self, Config};
use crate::error::CommandError;
use crate::service::Service;

/// Creates the service that obtains certificates by ACME. Its routes answer http-01 challenges. The service has no routes and no tasks if
/// `[server] tls` is not `"acme"`.
///
/// # Errors
/// When the file of root certificates is invalid.
pub fn service(shared: &SharedServices, health: &Health) -> Result<Service, CommandError> {
    let (Some(acme), Some(tls)) = (&shared.config.acme, &shared.tls) else { return Ok(Service::default()) };
    let key = shared.secrets.certificate_key()?;
    let settings = settings(&shared.config, acme);
    let acme = Arc::new(Acme::new(settings, shared.database.admin().clone(), key, tls.clone(), health.clone())?);
    let router = acme.router();
    let stop = shared.shutdown.clone();
    let run = supervise("the certificate", shared.shutdown.clone(), move || Arc::clone(&acme).run(stop.clone()));
    Ok(Service::default().routes(with_limits(router, shared.request_limits())).task(run))
}

/// Checks the file with the root certificates for the ACME server. This function is called before the database is opened, so that the
/// server does not start with an invalid file.
///
/// # Errors
/// When the file is invalid.
pub fn check(config: &Config) -> Result<(), CommandError> {
    match &config.acme {
        Some(acme) => Ok(acme::check_roots(roots(config, acme).as_deref())?),
        None => Ok(()),
    }
}

/// Returns the absolute path of the file with root certificates. A relative path in cloch.toml is relative to the project's folder.
fn roots(config: &Config, acme: &config::Acme) -> Option<PathBuf> {
    acme.root_certificate.as_ref().map(|file| config.project.join(file))
}

fn settings(config: &Config, acme: &config::Acme) -> Settings {
    Settings {
        domains: acme.domains.clone(),
        contact: acme.contact.clone(),
        directory_url: acme.directory_url.clone(),
        root_certificate: roots(config, acme),
        challenge: acme.challenge,
    }
}
