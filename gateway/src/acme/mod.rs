//! Obtains and renews the server's certificate by ACME (RFC 8555). The tables `cloch.acme_*` store the certificate, so that all nodes serve
//! the same certificate. One node orders the certificate, and every node can answer the challenges of the ACME server ([`challenges`]). If
//! an order fails, the existing certificate stays in use, and the next order starts after a pause ([`pace`]).

mod authority;
mod challenges;
mod error;
mod order;
mod pace;
mod store;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use chrono::{DateTime, TimeDelta, Utc};
use cloch_core::Secret;
use cloch_http::certificate::{self, Details};
use cloch_http::{Health, Tls};
use instant_acme::{Error, RenewalInfo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::config::sections::tls::ChallengeKind;
use authority::Authority;
use challenges::TlsAnswers;
use pace::Pace;
use store::{Issued, Store, Stored};

pub use error::AcmeError;

/// Interval at which the certificate tables are read. The reads are repeated because another node may have stored a new certificate.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Timeout of one certificate order, from the first to the last request.
const ORDER_TIMEOUT: Duration = Duration::from_secs(300);
/// Minimum and maximum of the time until the next request for renewal information. The ACME server chooses a time between them (RFC 9773,
/// section 4.3.2).
const ASK_AFTER: std::ops::RangeInclusive<Duration> = Duration::from_secs(60)..=Duration::from_secs(86_400);
/// Time until the next request for renewal information if the last request failed.
const ASK_USUALLY_AFTER: Duration = Duration::from_secs(6 * 3600);

/// Parameters of the certificate that is obtained by ACME.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Domains of the certificate, at least one.
    pub domains: Vec<String>,
    /// Contact of the ACME account, as a `mailto:` URL.
    pub contact: Option<String>,
    /// URL of the ACME directory.
    pub directory_url: Url,
    /// PEM file of the root certificates that HTTPS connections to the ACME server trust; `None` for the root certificates of the system.
    pub root_certificate: Option<PathBuf>,
    /// Type of the challenge that proves control of the domains.
    pub challenge: ChallengeKind,
}

impl Settings {
    /// Whether the certificate contains all configured domains.
    fn are_all_in(&self, certificate: &Details) -> bool {
        self.domains.iter().all(|domain| certificate.domains.contains(domain))
    }
}

/// Checks that the file of root certificates for the ACME server is valid.
///
/// # Errors
/// When the file is unreadable or contains no valid certificate.
pub fn check_roots(file: Option<&Path>) -> Result<(), AcmeError> {
    Authority::new(file).map(drop)
}

/// Service that obtains and renews the certificate of the TLS listener ([`Tls`]).
pub struct Acme {
    settings: Settings,
    tls: Tls,
    store: Store,
    authority: Authority,
    pool: PgPool,
    health: Health,
}

#[derive(Default)]
struct Memory {
    pace: Pace,
    /// Certificate chain in use, in PEM form.
    used: Option<String>,
    /// Stored certificate chain that the TLS listener has rejected, in PEM form. It is kept in memory so that the warning about this chain
    /// is logged only once.
    unusable: Option<String>,
    is_told: bool,
    is_database_lost: bool,
}

impl Acme {
    /// Creates the service and starts to answer challenges. `key` encrypts private keys in the database. No certificate is ordered until
    /// `health` reports that the server serves requests.
    ///
    /// # Errors
    /// When the file of root certificates is invalid.
    pub fn new(settings: Settings, pool: PgPool, key: Secret, tls: Tls, health: Health) -> Result<Self, AcmeError> {
        let authority = Authority::new(settings.root_certificate.as_deref())?;
        let store = Store::new(pool.clone(), key, settings.directory_url.as_str(), &settings.domains);
        tls.answer_challenges(Arc::new(TlsAnswers::new(pool.clone(), settings.domains.clone())));
        Ok(Self { settings, tls, store, authority, pool, health })
    }

    /// Returns the routes that answer http-01 challenges.
    pub fn router(&self) -> Router {
        challenges::router(self.pool.clone())
    }

    /// Checks and renews the certificate until `shutdown`.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let mut memory = Memory::default();
        loop {
            // An ACME order that is interrupted by the shutdown continues after the next start.
            let Some(looked) = shutdown.run_until_cancelled(self.look(&mut memory)).await else { return };
            match looked {
                Ok(()) => memory.is_database_lost = false,
                Err(error) => {
                    if !std::mem::replace(&mut memory.is_database_lost, true) {
                        tracing::warn!(%error, domains = ?self.settings.domains, "acme: reading the certificate tables failed, the certificate is not renewed until a retry succeeds, retrying every 2 s");
                    }
                }
            }
            if shutdown.run_until_cancelled(tokio::time::sleep(CHECK_INTERVAL)).await.is_none() {
                return;
            }
        }
    }

    /// Loads the stored certificate into the TLS listener. Orders a certificate if no usable certificate is stored or if the renewal time
    /// has come, unless another node is ordering one. If the ACME server refuses a request or does not respond, this function logs the
    /// failure and returns no error.
    async fn look(&self, memory: &mut Memory) -> Result<(), AcmeError> {
        let stored = self.store.load().await?;
        let details = self.take_into_use(&stored, memory);
        if !is_due(&stored, details.as_ref()) {
            return match details {
                Some(details) if stored.ask_renewal_at.is_none_or(|at| at <= stored.now) => {
                    self.ask_renewal(&details).await
                }
                _ => Ok(()),
            };
        }
        if details.is_none() && !std::mem::replace(&mut memory.is_told, true) {
            let authority = self.settings.directory_url.host_str();
            tracing::info!(domains = ?self.settings.domains, authority, "acme: no certificate yet, HTTPS is unavailable until the first certificate is issued");
        }
        // Do not order a certificate before the server serves requests: until then, the server would answer the ACME server's validation
        // request with 503.
        if !self.health.is_serving() || !memory.pace.admits(&stored.tries, stored.wait_until, stored.now) {
            return Ok(());
        }
        let Some(lock) = self.store.lock().await? else { return Ok(()) };
        // Load the certificate again while holding the lock, because another node may have stored a new certificate since the last read.
        let stored = self.store.load().await?;
        let details = self.take_into_use(&stored, memory);
        if is_due(&stored, details.as_ref()) {
            self.order(stored, details.as_ref(), memory).await?;
        }
        lock.rollback().await?;
        Ok(())
    }

    /// Uses the stored certificate for new connections if it differs from the certificate in use. Returns the details of the stored
    /// certificate, or `None` if no valid certificate is stored.
    fn take_into_use(&self, stored: &Stored, memory: &mut Memory) -> Option<Details> {
        let issued = stored.issued.as_ref()?;
        let details = certificate::details_of_pem(&issued.chain)?;
        if memory.used.as_ref() == Some(&issued.chain) {
            return Some(details);
        }
        if let Err(error) = exchange(&self.tls, issued) {
            if memory.unusable.replace(issued.chain.clone()).as_ref() != Some(&issued.chain) {
                tracing::warn!(%error, domains = ?details.domains, "acme: stored certificate is invalid and not used, ordering a new certificate");
            }
            return None;
        }
        memory.used = Some(issued.chain.clone());
        memory.is_told = true;
        let valid_until = DateTime::<Utc>::from(details.not_after);
        let next_renewal_at = stored.renew_at.map(tracing::field::display);
        tracing::info!(domains = ?details.domains, %valid_until, next_renewal_at, "acme: new connections use this certificate from now on");
        Some(details)
    }

    async fn order(&self, stored: Stored, previous: Option<&Details>, memory: &mut Memory) -> Result<(), AcmeError> {
        tracing::info!(domains = ?self.settings.domains, "acme: ordering a certificate");
        let now = stored.now;
        // Clears the pause that an earlier request to the ACME server required, because it does not apply to this order.
        self.authority.take_pause();
        let ordered = order::obtain(&self.settings, &self.store, &self.authority, stored.pending, previous);
        let ordered = tokio::time::timeout(ORDER_TIMEOUT, ordered).await.unwrap_or(Err(AcmeError::TimedOut));
        let error = match ordered {
            Ok(issued) => {
                let details =
                    certificate::details_of_pem(&issued.chain).ok_or(AcmeError::Certificate("it cannot be read"))?;
                self.store.keep(&issued, pace::renewal(&details)).await?;
                memory.pace.succeeded();
                return Ok(());
            }
            Err(error @ AcmeError::Database(_)) => return Err(error),
            Err(error) => error,
        };
        let now = now.max(Utc::now());
        let pause = match error.is_unanswered() {
            true => memory.pace.unanswered(now),
            false => memory.pace.refused(now),
        };
        let asked = self.authority.take_pause();
        let wait = asked.and_then(|asked| TimeDelta::from_std(asked).ok()).map(|asked| now + asked);
        self.store.keep_failure(&error.to_string(), wait).await?;
        let next_try_in_seconds = pause.max(asked.unwrap_or_default()).as_secs();
        match previous {
            None => {
                tracing::error!(
                    %error,
                    next_try_in_seconds,
                    domains = ?self.settings.domains,
                    "acme: ordering the first certificate failed, HTTPS is unavailable until an order succeeds"
                )
            }
            Some(_) => {
                tracing::warn!(
                    %error,
                    next_try_in_seconds,
                    domains = ?self.settings.domains,
                    "acme: renewal of the certificate failed, the previous certificate stays in use until it expires"
                )
            }
        }
        Ok(())
    }

    /// Requests the suggested renewal time of the certificate from the ACME server (RFC 9773), and stores it. If the ACME server is going
    /// to revoke the certificate, it suggests an early renewal time.
    async fn ask_renewal(&self, details: &Details) -> Result<(), AcmeError> {
        let Some(lock) = self.store.lock().await? else { return Ok(()) };
        let stored = self.store.load().await?;
        if let (Some(renew_at), true) = (stored.renew_at, stored.ask_renewal_at.is_none_or(|at| at <= stored.now)) {
            let (renew_at, ask_after) = match self.renewal_info(details).await {
                Ok(Some((info, after))) => (
                    suggested(&self.settings.domains, &info, renew_at),
                    after.clamp(*ASK_AFTER.start(), *ASK_AFTER.end()),
                ),
                Ok(None) => (renew_at, *ASK_AFTER.end()),
                Err(error @ AcmeError::Database(_)) => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "acme: request for renewal information failed");
                    (renew_at, ASK_USUALLY_AFTER)
                }
            };
            self.store.keep_renewal(renew_at, stored.now + ask_after).await?;
        }
        lock.rollback().await?;
        Ok(())
    }

    async fn renewal_info(&self, details: &Details) -> Result<Option<(RenewalInfo, Duration)>, AcmeError> {
        let Some(identifier) = order::identifier(details) else { return Ok(None) };
        let account = order::account(&self.settings, &self.store, &self.authority).await?;
        match account.renewal_info(&identifier).await {
            Ok(told) => Ok(Some(told)),
            Err(Error::Unsupported(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether a certificate has to be ordered: no usable certificate is stored, or its renewal time has come.
fn is_due(stored: &Stored, usable: Option<&Details>) -> bool {
    usable.is_none() || stored.renew_at.is_none_or(|at| at <= stored.now)
}

fn suggested(domains: &[String], info: &RenewalInfo, renew_at: DateTime<Utc>) -> DateTime<Utc> {
    let at = |time: i64| DateTime::from_timestamp(time, 0).unwrap_or(renew_at);
    let window = &info.suggested_window;
    let window = (at(window.start.unix_timestamp()), at(window.end.unix_timestamp()));
    let suggested = pace::within(window, renew_at, rand::random_range(0.0..1.0));
    if suggested != renew_at {
        let reason = info.explanation_url.as_deref();
        tracing::info!(?domains, next_renewal_at = %suggested, reason, "acme: renewal time of the certificate changed, as the certificate authority suggests");
    }
    suggested
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn exchange(tls: &Tls, issued: &Issued) -> Result<(), Failure> {
    let chain = CertificateDer::pem_slice_iter(issued.chain.as_bytes()).collect::<Result<Vec<_>, _>>()?;
    // The parser's message is replaced, because it could quote the private key.
    let key = PrivateKeyDer::from_pem_slice(issued.key.expose().as_bytes()).map_err(|_| "its key cannot be read")?;
    Ok(tls.exchange(chain, key)?)
}
