//! Loads the operator's TLS certificate and key from files (`[server.tls]` of cloch.toml). Changed files are loaded again, so that the server
//! need not be restarted after the certificate was renewed (certbot, lego).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use cloch_core::certificate_error::in_words;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_util::sync::CancellationToken;

use super::{Current, Tls};
use crate::certificate;

const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Interval at which unchanged certificate files are read again, to log a warning if the certificate expires soon.
const READ_AGAIN: Duration = Duration::from_hours(24);
/// Remaining validity below which a certificate counts as expiring soon, and a warning is logged.
const SOON: Duration = Duration::from_hours(7 * 24);

/// Paths of the TLS certificate file and the private key file, in PEM form.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// PEM file with the server's certificate, followed by the certificates of its issuers.
    pub certificate: PathBuf,
    /// PEM file with the private key of the certificate.
    pub key: PathBuf,
}

/// Error: the TLS certificate file or the private key file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cloch.toml: server.tls: {}: {reason}", .file.display())]
pub struct TlsError {
    file: PathBuf,
    reason: String,
}

impl Tls {
    /// Loads the certificate and its private key from files.
    ///
    /// # Errors
    /// When a file is missing or invalid, or the private key does not match the certificate.
    pub fn open(files: &TlsFiles) -> Result<Self, TlsError> {
        load(files).map(Self::with)
    }

    /// Watches the certificate and key files until `shutdown`, and loads changed files. If a changed file is invalid, logs the error and
    /// keeps the previous certificate.
    pub async fn follow(self, files: TlsFiles, shutdown: CancellationToken) {
        let mut seen = modified(&files);
        let mut read = Instant::now();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
            }
            let now = modified(&files);
            if now == seen && read.elapsed() < READ_AGAIN {
                continue;
            }
            read = Instant::now();
            match load(&files) {
                // The files are unchanged. They were read only to log a warning if the certificate expires soon.
                _ if now == seen => {}
                Ok(current) => {
                    self.0.current.store(current.into());
                    tracing::info!(
                        file = %files.certificate.display(),
                        "http: TLS certificate of [server.tls] changed, new connections use the new certificate"
                    );
                }
                // This error is possible during a renewal, which writes the certificate file and the key file one after the other: between
                // the two writes, the key does not match the certificate.
                Err(error) => {
                    tracing::warn!(%error, file = %files.certificate.display(), "http: changed TLS certificate of [server.tls] is invalid, keeping the previous certificate")
                }
            }
            seen = now;
        }
    }
}

/// Logs a warning if the certificate has expired or expires soon. The server continues to use an expired certificate.
fn warn_of_expiry(file: &Path, until: SystemTime, now: SystemTime) {
    let day = chrono::DateTime::<chrono::Utc>::from(until).format("%Y-%m-%d");
    match until.duration_since(now) {
        Err(_) => tracing::error!(
            file = %file.display(),
            "http: TLS certificate of [server.tls] expired on {day}, clients refuse the certificate, renew it now"
        ),
        Ok(left) if left < SOON => {
            tracing::warn!(file = %file.display(), "http: TLS certificate of [server.tls] expires on {day}, clients refuse the certificate after this day, renew the certificate")
        }
        Ok(_) => {}
    }
}

fn modified(files: &TlsFiles) -> [Option<SystemTime>; 2] {
    [&files.certificate, &files.key].map(|file| fs::metadata(file).and_then(|found| found.modified()).ok())
}

fn load(files: &TlsFiles) -> Result<Current, TlsError> {
    let failed =
        |file: &PathBuf, reason: &dyn std::fmt::Display| TlsError { file: file.clone(), reason: reason.to_string() };
    let (file, key) = (&files.certificate, &files.key);
    if let Some(missing) = [file, key].into_iter().find(|file| matches!(file.try_exists(), Ok(false))) {
        return Err(failed(missing, &"the file does not exist"));
    }
    let chain = CertificateDer::pem_file_iter(file).and_then(|found| found.collect::<Result<Vec<_>, _>>());
    let chain = chain.map_err(|error| failed(file, &error))?;
    if chain.is_empty() {
        return Err(failed(file, &"it holds no certificate in PEM form"));
    }
    if let Some(details) = chain.first().and_then(certificate::details) {
        warn_of_expiry(file, details.not_after, SystemTime::now());
    }
    // The error message of the PEM parser is discarded, because the message could contain the private key.
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|_| failed(key, &"it cannot be read, or holds no key in PEM form"))?;
    Current::new(chain, private).map_err(|error| match in_words(&error) {
        Some(words) => failed(file, &words),
        None => failed(file, &error),
    })
}
