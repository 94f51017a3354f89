//! TLS with the operator's certificate, at an address of its own: `[server.tls]` of cloch.toml. The files are read again when they change, so
//! that whatever renews them (certbot, lego) needs no restart. Connections that are open keep the certificate they began with.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

/// Between two looks at the files.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// For a client to finish its handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The address, and the files in PEM form.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The address to listen on.
    pub listen: SocketAddr,
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

/// The certificate in use. Cheap to clone.
#[derive(Clone)]
pub struct Tls {
    files: Arc<TlsFiles>,
    current: Arc<ArcSwap<ServerConfig>>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// When they are missing, or key and certificate do not belong together.
    pub fn open(files: TlsFiles) -> Result<Self, TlsError> {
        let current = Arc::new(ArcSwap::from_pointee(load(&files)?));
        Ok(Self { files: Arc::new(files), current })
    }

    /// The address to listen on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.files.listen
    }

    /// Takes the files again whenever they have changed, until `shutdown`. Files that cannot be used change nothing.
    pub async fn follow(self, shutdown: CancellationToken) {
        let mut seen = self.modified();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
            }
            let now = self.modified();
            if now == seen {
                continue;
            }
            match load(&self.files) {
                Ok(config) => {
                    self.current.store(Arc::new(config));
                    tracing::info!("the renewed certificate is in use");
                }
                // A renewal writes two files: the second makes it whole.
                Err(error) => tracing::warn!(%error, "the changed certificate cannot be used; the previous one stays"),
            }
            seen = now;
        }
    }

    /// The stream inside TLS.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let accepting = TlsAcceptor::from(self.current.load_full()).accept(stream);
        tokio::time::timeout(HANDSHAKE_TIMEOUT, accepting).await.map_err(|_| io::ErrorKind::TimedOut)?
    }

    fn modified(&self) -> [Option<SystemTime>; 2] {
        [&self.files.certificate, &self.files.key]
            .map(|file| fs::metadata(file).and_then(|found| found.modified()).ok())
    }
}

fn load(files: &TlsFiles) -> Result<ServerConfig, TlsError> {
    let failed =
        |file: &PathBuf, reason: &dyn std::fmt::Display| TlsError { file: file.clone(), reason: reason.to_string() };
    let (certificate, key) = (&files.certificate, &files.key);
    let chain = CertificateDer::pem_file_iter(certificate).and_then(|found| found.collect::<Result<Vec<_>, _>>());
    let chain = chain.map_err(|error| failed(certificate, &error))?;
    if chain.is_empty() {
        return Err(failed(certificate, &"it holds no certificate in PEM form"));
    }
    // The parser's message may not quote the key.
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|_| failed(key, &"it cannot be read, or holds no key in PEM form"))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| failed(certificate, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
