//! Obtains one certificate from an ACME server (RFC 8555, section 7.4). The steps are account, order, challenges, certificate signing
//! request and certificate. If a node was killed during an order, this order is continued.

use std::time::Duration;

use cloch_core::Secret;
use cloch_http::certificate::{self, Details};
use instant_acme::{
    Account, AuthorizationStatus, CertificateIdentifier, ChallengeStatus, ChallengeType, Error, Identifier, NewAccount,
    NewOrder, Order, OrderStatus, Problem, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};
use rustls::pki_types::Der;

use super::authority::Authority;
use super::error::sentence;
use super::store::{Issued, Pending, Store};
use super::{AcmeError, Settings};
use crate::config::sections::tls::ChallengeKind;

/// Intervals at which an order is polled until the ACME server has verified all domains, and later until it has issued the certificate.
const POLL: RetryPolicy =
    RetryPolicy::new().initial_delay(Duration::from_millis(500)).backoff(1.5).timeout(Duration::from_secs(120));

/// Obtains a certificate by ACME. Continues the order `pending`, or creates an order if `pending` is `None` or cannot be continued.
/// `previous` is the certificate that the new certificate replaces; `None` for the first certificate.
pub(super) async fn obtain(
    settings: &Settings,
    store: &Store,
    authority: &Authority,
    pending: Option<Pending>,
    previous: Option<&Details>,
) -> Result<Issued, AcmeError> {
    let account = account(settings, store, authority).await?;
    let resumed = match pending {
        Some(pending) => resume(&settings.domains, &account, pending).await?,
        None => None,
    };
    let (mut order, key) = match resumed {
        Some(resumed) => resumed,
        None => match begin(settings, store, &account, previous).await {
            Err(error) if error.is_about_the_account() => {
                tracing::warn!(
                    authority = settings.directory_url.host_str(),
                    "acme: account unknown to the certificate authority, creating a new account"
                );
                store.forget_account().await?;
                let account = self::account(settings, store, authority).await?;
                begin(settings, store, &account, previous).await?
            }
            begun => begun?,
        },
    };
    let finished = finish(settings, store, &mut order, &key).await;
    store.close_challenges().await?;
    match finished {
        Ok(chain) => Ok(Issued { chain, key }),
        Err(error) => {
            // If the ACME server did not respond or the database failed, the order stays stored, so that it can be continued later. After
            // any other error the order is discarded.
            if !error.is_unanswered() && !matches!(error, AcmeError::Database(_)) {
                store.keep_order(None).await?;
            }
            Err(error)
        }
    }
}

/// Returns the account at the ACME server. The credentials of the account are stored in the database. Registers an account if no
/// credentials are stored.
pub(super) async fn account(settings: &Settings, store: &Store, authority: &Authority) -> Result<Account, AcmeError> {
    let builder = || Account::builder_with_http(Box::new(authority.clone()));
    let stored = store.account().await?;
    if let Some(credentials) = stored.and_then(|stored| serde_json::from_str(stored.expose()).ok()) {
        return Ok(builder().from_credentials(credentials).await?);
    }
    let contact: Vec<&str> = settings.contact.as_deref().into_iter().collect();
    let new = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
    let (account, credentials) = builder().create(&new, settings.directory_url.to_string(), None).await?;
    let credentials = serde_json::to_string(&credentials).map_err(Error::from)?;
    store.keep_account(&Secret::new(credentials)).await?;
    tracing::info!(
        authority = settings.directory_url.host_str(),
        "acme: account registered at the certificate authority"
    );
    Ok(account)
}

/// Loads the state of the pending order from the ACME server. `None` if the ACME server refuses this request or has cancelled the order.
async fn resume(domains: &[String], account: &Account, pending: Pending) -> Result<Option<(Order, Secret)>, AcmeError> {
    let mut order = match account.order(pending.url).await {
        Ok(order) => order,
        Err(Error::Api(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if order.state().status == OrderStatus::Invalid {
        return Ok(None);
    }
    tracing::info!(?domains, "acme: continuing a pending order of a certificate");
    Ok(Some((order, pending.key)))
}

async fn begin(
    settings: &Settings,
    store: &Store,
    account: &Account,
    previous: Option<&Details>,
) -> Result<(Order, Secret), AcmeError> {
    let key = Secret::new(KeyPair::generate()?.serialize_pem());
    let names: Vec<Identifier> = settings.domains.iter().cloned().map(Identifier::Dns).collect();
    store.count_try().await?;
    let replaced = previous.and_then(identifier);
    let order = match replaced {
        Some(replaced) => match account.new_order(&NewOrder::new(&names).replaces(replaced)).await {
            // The ACME server does not support orders that replace a certificate, or refuses to replace the previous certificate. In both
            // cases, an order without a reference to the previous certificate is created.
            Err(Error::Unsupported(_)) => account.new_order(&NewOrder::new(&names)).await?,
            Err(Error::Api(problem)) if is_about_the_replaced(&problem) => {
                account.new_order(&NewOrder::new(&names)).await?
            }
            ordered => ordered?,
        },
        None => account.new_order(&NewOrder::new(&names)).await?,
    };
    store.keep_order(Some(&Pending { url: order.url().to_owned(), key: Secret::new(key.expose()) })).await?;
    Ok((order, key))
}

/// Returns the identifier by which the ACME server finds a certificate's renewal information (RFC 9773, section 4.1). `None` if the
/// certificate does not contain the identifier of its issuer's key.
pub(super) fn identifier(certificate: &Details) -> Option<CertificateIdentifier<'static>> {
    let issuer_key = certificate.issuer_key.as_deref()?;
    Some(CertificateIdentifier::new(Der::from_slice(issuer_key), Der::from_slice(&certificate.serial)))
}

fn is_about_the_replaced(problem: &Problem) -> bool {
    let kind = problem.r#type.as_deref().unwrap_or_default();
    ["alreadyReplaced", "malformed", "conflict"].iter().any(|known| kind.ends_with(known))
}

/// Completes an ACME order, from the step that the order has reached, and returns the certificate chain.
async fn finish(settings: &Settings, store: &Store, order: &mut Order, key: &Secret) -> Result<String, AcmeError> {
    if order.state().status == OrderStatus::Pending {
        show(settings, store, order).await?;
        match order.poll_ready(&POLL).await {
            Ok(OrderStatus::Ready | OrderStatus::Processing | OrderStatus::Valid) => {}
            Ok(OrderStatus::Pending | OrderStatus::Invalid) => return Err(refusal(order, None).await),
            Err(Error::Api(problem)) => return Err(refusal(order, Some(problem)).await),
            Err(error) => return Err(error.into()),
        }
    }
    if order.state().status == OrderStatus::Ready {
        order.finalize_csr(&request(settings, key)?).await?;
    }
    let chain = order.poll_certificate(&POLL).await?;
    match certificate::details_of_pem(&chain) {
        Some(details) if settings.are_all_in(&details) => Ok(chain),
        Some(_) => Err(AcmeError::Certificate("it is for other names")),
        None => Err(AcmeError::Certificate("it cannot be read")),
    }
}

/// Stores the answers to the challenges of all domains, and requests their verification from the ACME server.
async fn show(settings: &Settings, store: &Store, order: &mut Order) -> Result<(), AcmeError> {
    let kind = match settings.challenge {
        ChallengeKind::TlsAlpn01 => ChallengeType::TlsAlpn01,
        ChallengeKind::Http01 => ChallengeType::Http01,
    };
    let mut authorizations = order.authorizations();
    while let Some(next) = authorizations.next().await {
        let mut authorization = next?;
        // The ACME server has reused an earlier authorization of the domain, so no challenge is needed.
        if authorization.status != AuthorizationStatus::Pending {
            continue;
        }
        let domain = authorization.identifier().to_string();
        let mut challenge = authorization.challenge(kind.clone()).ok_or(AcmeError::NotOffered)?;
        let answer = challenge.key_authorization();
        store.open_challenge(&domain, &challenge.token, answer.as_str()).await?;
        if challenge.status == ChallengeStatus::Pending {
            challenge.set_ready().await?;
        }
    }
    Ok(())
}

/// Returns the ACME server's message about the first domain that it could not verify.
async fn refusal(order: &mut Order, problem: Option<Problem>) -> AcmeError {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let domain = authorization.identifier().to_string();
        let Ok(state) = authorization.refresh().await else { continue };
        if let Some(problem) = state.challenges.iter().find_map(|challenge| challenge.error.clone()) {
            return AcmeError::Name { domain, sentence: sentence(&problem) };
        }
    }
    problem.map_or(AcmeError::Certificate("the authority gave the order up"), |problem| Error::Api(problem).into())
}

/// Creates the certificate signing request of an ACME order in DER form, signed with the certificate's key.
fn request(settings: &Settings, key: &Secret) -> Result<Vec<u8>, AcmeError> {
    let mut params = CertificateParams::new(settings.domains.clone())?;
    params.distinguished_name = DistinguishedName::new();
    Ok(params.serialize_request(&KeyPair::from_pem(key.expose())?)?.der().to_vec())
}
