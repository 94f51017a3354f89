//! TLS with the operator's certificate ([`files`]), or with a certificate that the server obtains itself (`gateway/src/acme`). The
//! certificate can be replaced while connections are open; open connections keep the certificate with which they began.

mod files;

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::future::BoxFuture;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{Acceptor, ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use crate::certificate::{self, Details};

pub use files::{TlsError, TlsFiles};

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// ALPN protocol with which a certificate authority verifies that this server controls a domain name (TLS-ALPN-01, RFC 8737).
const ACME_PROTOCOL: &[u8] = b"acme-tls/1";
/// ALPN protocol of HTTP/2.
pub(crate) const HTTP2_PROTOCOL: &[u8] = b"h2";
const HTTP1_PROTOCOL: &[u8] = b"http/1.1";

/// Handler of the TLS-ALPN-01 challenges of a certificate authority.
pub trait Challenges: Send + Sync {
    /// Returns the TLS configuration that answers the challenge for a domain name. `None` if no challenge for this name is pending.
    fn answer<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<Arc<ServerConfig>>>;
}

/// TLS certificate for new connections, which can be replaced. Cheap to clone.
#[derive(Clone)]
pub struct Tls(Arc<Inner>);

struct Inner {
    current: ArcSwap<Current>,
    challenges: OnceLock<Arc<dyn Challenges>>,
}

struct Current {
    config: Arc<ServerConfig>,
    details: Option<Details>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tls").field(&self.0.current.load().details).finish()
    }
}

impl Tls {
    /// Creates a value without a certificate: TLS handshakes fail until a certificate is set. A temporary self-signed certificate is not
    /// used, because it would teach users to ignore browser warnings.
    ///
    /// # Errors
    /// When the crypto provider supports no version of TLS.
    pub fn without_certificate() -> Result<Self, rustls::Error> {
        let config = builder()?.with_cert_resolver(Arc::new(NoCertificate));
        Ok(Self::with(Current { config: Arc::new(config), details: None }))
    }

    fn with(current: Current) -> Self {
        Self(Arc::new(Inner { current: ArcSwap::from_pointee(current), challenges: OnceLock::new() }))
    }

    /// Sets the certificate for new connections.
    ///
    /// # Errors
    /// When the private key does not match the certificate.
    pub fn exchange(
        &self,
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<(), rustls::Error> {
        self.0.current.store(Arc::new(Current::new(chain, key)?));
        Ok(())
    }

    /// Sets the handler of a certificate authority's challenges. Later calls have no effect.
    pub fn answer_challenges(&self, challenges: Arc<dyn Challenges>) {
        let _ = self.0.challenges.set(challenges);
    }

    /// Returns the fields of the certificate in use. `None` if no certificate is set.
    #[must_use]
    pub fn details(&self) -> Option<Details> {
        self.0.current.load().details.clone()
    }

    /// Completes the TLS handshake and returns the decrypted stream. Returns `None` if the client was a certificate authority that only
    /// verified a TLS-ALPN-01 challenge.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<Option<TlsStream<TcpStream>>> {
        tokio::time::timeout(HANDSHAKE_TIMEOUT, self.handshake(stream)).await.map_err(|_| io::ErrorKind::TimedOut)?
    }

    async fn handshake(&self, stream: TcpStream) -> io::Result<Option<TlsStream<TcpStream>>> {
        let start = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let challenges = self.0.challenges.get().filter(|_| asks_for_challenge(&start.client_hello()));
        let name = start.client_hello().server_name().map(str::to_owned);
        if let (Some(challenges), Some(name)) = (challenges, name)
            && let Some(config) = challenges.answer(&name).await
        {
            let mut shown = start.into_stream(config).await?;
            let _ = shown.shutdown().await;
            return Ok(None);
        }
        let config = Arc::clone(&self.0.current.load().config);
        start.into_stream(config).await.map(Some)
    }
}

impl Current {
    fn new(chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Result<Self, rustls::Error> {
        let details = chain.first().and_then(certificate::details);
        let mut config = builder()?.with_single_cert(chain, key)?;
        config.alpn_protocols = [HTTP2_PROTOCOL, HTTP1_PROTOCOL].map(<[u8]>::to_vec).to_vec();
        Ok(Self { config: Arc::new(config), details })
    }
}

/// Returns the TLS configuration for a handshake that answers a certificate authority's TLS-ALPN-01 challenge.
///
/// # Errors
/// When TLS does not support the type of the private key.
pub fn challenge_config(
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, rustls::Error> {
    let key = rustls::crypto::aws_lc_rs::default_provider().key_provider.load_private_key(key)?;
    // rustls's check that the key matches the certificate is skipped. It would refuse the certificate, which contains a critical extension
    // that RFC 8737 requires.
    let shown = SingleCertAndKey::from(CertifiedKey::new(vec![certificate], key));
    let mut config = builder()?.with_cert_resolver(Arc::new(shown));
    config.alpn_protocols = vec![ACME_PROTOCOL.to_vec()];
    Ok(config)
}

fn builder() -> Result<rustls::ConfigBuilder<ServerConfig, rustls::server::WantsServerCert>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?.with_no_client_auth())
}

fn asks_for_challenge(hello: &ClientHello<'_>) -> bool {
    hello.alpn().is_some_and(|mut protocols| protocols.any(|protocol| protocol == ACME_PROTOCOL))
}

/// Certificate resolver that has no certificate. Every TLS handshake ends with an alert.
#[derive(Debug)]
struct NoCertificate;

impl ResolvesServerCert for NoCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        None
    }
}
