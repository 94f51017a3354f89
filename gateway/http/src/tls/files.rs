//! The operator's certificate: `[server.tls]` of cloch.toml. The files are read again when they change, so that whatever renews them
//! (certbot, lego) needs no restart.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_util::sync::CancellationToken;

use super::{Current, Tls};
use crate::certificate;

/// Between two looks at the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Unchanged files are read again after this time: their certificate may be about to expire.
const READ_AGAIN: Duration = Duration::from_hours(24);
/// Time before its end at which a certificate should have been renewed.
const SOON: Duration = Duration::from_hours(7 * 24);

/// The files in PEM form.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by those of its issuers.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Why the files cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cloch.toml: server.tls: {}: {reason}", .file.display())]
pub struct TlsError {
    file: PathBuf,
    reason: String,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// When they are missing, or key and certificate do not belong together.
    pub fn open(files: &TlsFiles) -> Result<Self, TlsError> {
        load(files).map(Self::with)
    }

    /// Takes the files again whenever they have changed, until `shutdown`. Files that cannot be used change nothing.
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
                // Only to say when it expires.
                _ if now == seen => {}
                Ok(current) => {
                    self.0.current.store(current.into());
                    tracing::info!("the renewed certificate is in use");
                }
                // A renewal writes two files: the second makes it whole.
                Err(error) => tracing::warn!(%error, "changed TLS certificate is invalid, keeping the previous one"),
            }
            seen = now;
        }
    }
}

/// Says when clients are about to refuse a certificate, or do; it is served all the same.
fn warn_of_expiry(until: SystemTime, now: SystemTime) {
    let day = chrono::DateTime::<chrono::Utc>::from(until).format("%Y-%m-%d");
    match until.duration_since(now) {
        Err(_) => tracing::error!("TLS certificate of [server.tls] expired on {day}, clients refuse it"),
        Ok(left) if left < SOON => tracing::warn!("TLS certificate of [server.tls] expires on {day}, renew it"),
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
    let chain = CertificateDer::pem_file_iter(file).and_then(|found| found.collect::<Result<Vec<_>, _>>());
    let chain = chain.map_err(|error| failed(file, &error))?;
    if chain.is_empty() {
        return Err(failed(file, &"it holds no certificate in PEM form"));
    }
    if let Some(details) = chain.first().and_then(certificate::details) {
        warn_of_expiry(details.not_after, SystemTime::now());
    }
    // The parser's message may not quote the key.
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|_| failed(key, &"it cannot be read, or holds no key in PEM form"))?;
    Current::new(chain, private).map_err(|error| failed(file, &error))
}
