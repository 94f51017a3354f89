//! `grant_type=web3`: sign-in with a message that a wallet signed. auth-js: `signInWithWeb3`.

use serde::Deserialize;
use serde_json::json;

use crate::error::{AuthError, Result};
use crate::flow::external::account::{self, ExternalLogin, Settled};
use crate::flow::external::profile;
use crate::flow::issue_session::{self, TokenResponse};
use crate::flow::web3::{self, Chain, Message};
use crate::flow::{accounts, rate_limit};
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::identity;
use crate::state::AuthState;

/// The provider name of wallet identities, and the authentication method (`amr`) of sessions that a wallet opened.
const PROVIDER: &str = "web3";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    message: String,
    signature: String,
    chain: String,
}

pub(crate) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<TokenResponse> {
    let is_enabled = |chain: Chain| state.settings().web3.get(chain.name()).is_some_and(|switch| switch.enabled);
    let disabled = |message: String| Err(AuthError::unprocessable("web3_provider_disabled", message));
    if ![Chain::Ethereum, Chain::Solana].into_iter().any(is_enabled) {
        return disabled("Web3 provider is disabled".into());
    }
    let params: Params = incoming.json()?;
    let Some(chain) = Chain::named(&params.chain) else {
        return Err(AuthError::bad_request("web3_unsupported_chain", "Unsupported chain"));
    };
    if !is_enabled(chain) {
        return disabled(format!("{} Web3 provider is disabled", chain.title()));
    }
    let signature = chain.signature(&params.signature)?;
    let message = Message::parse(chain, &params.message)?;
    web3::check(chain, &message, &signature, state.redirect_urls(), chrono::Utc::now())?;
    sign_in(state, incoming, chain, &message).await
}

async fn sign_in(state: &AuthState, incoming: &Incoming, chain: Chain, message: &Message<'_>) -> Result<TokenResponse> {
    let address = chain.account(message.address);
    let details = json!({
        "address": address,
        "chain": chain.name(),
        "network": message.chain_id,
        "domain": message.domain,
        "statement": message.statement,
    });
    let subject = subject(state, chain, message.address).await?;
    let login = ExternalLogin {
        provider: PROVIDER,
        profile: &profile::without_address(subject, details),
        aud: &incoming.audience(),
        target: &incoming.target(state),
        email_optional: true,
        client: &incoming.client,
    };
    account::call_hook(state, &login).await?;
    let mut tx = state.begin().await?;
    // Unlike in GoTrue, a signed message is accepted only once, so that a stranger who has seen the message cannot sign in with it.
    let used = format!("auth/web3/{}", web3::digest(message));
    if rate_limit::take_turn(&mut tx, &used, web3::MEMORY).await?.is_some() {
        let why = format!("Signed {} message was used before", chain.title());
        return Err(AuthError::oauth("invalid_grant", why));
    }
    let (id, created) = match account::sign_in(state, &mut tx, &login).await?.settle(&mut tx).await? {
        Settled::User { id, created } => (id, created),
        Settled::Refused(error) => {
            tx.commit().await?;
            return Err(error);
        }
    };
    let response = issue_session::open_session(state, &mut tx, id, PROVIDER, &incoming.client).await?;
    let traits = json!({
        "provider": PROVIDER, "chain": chain.name(), "network": message.chain_id, "address": address,
        "domain": message.domain, "uri": message.uri_text,
    });
    audit::by_user(&mut tx, &response.user, Action::LOGIN, "", Some(traits)).await?;
    tx.commit().await?;
    if created {
        accounts::after_created(state, &incoming.client, &response.user).await?;
    }
    Ok(response)
}

/// Returns the subject (`provider_id`) of the wallet's identity. Earlier versions of GoTrue stored the address with upper-case letters, as
/// in the message. If an identity with this spelling exists, it is used.
async fn subject(state: &AuthState, chain: Chain, address: &str) -> Result<String> {
    let stored = |address: &str| format!("{PROVIDER}:{}:{address}", chain.name());
    let (as_written, canonical) = (stored(address), stored(&chain.account(address)));
    if as_written == canonical {
        return Ok(canonical);
    }
    let mut connection = state.connection().await?;
    let is_stored = identity::owner(&mut connection, PROVIDER, &as_written).await?.is_some();
    Ok(if is_stored { as_written } else { canonical })
}
