//! Security keys as second factors. auth-js: `mfa.webauthn`. The response to the first challenge of a factor creates the WebAuthn
//! credential; responses to later challenges are signed with this credential. The first response to a challenge, valid or not, makes the
//! challenge unusable.

use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::raise;
use super::verify::{check_open, unknown_challenge};
use crate::error::{AuthError, Context, Result};
use crate::flow::issue_session::TokenResponse;
use crate::flow::{passkeys, webauthn_options};
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::model::factor::Factor;
use crate::model::user::{self, User};
use crate::model::webauthn_factor::{self, StoredCredential};
use crate::state::AuthState;
use crate::webauthn::{Credential, CredentialResponse, Refusal, RelyingParty};

/// The field `webauthn` in the body of POST /factors/{id}/verify.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    #[serde(rename = "type")]
    kind: String,
    credential_response: Value,
}

impl Params {
    /// Parses the authenticator's response. `type` must be `create` for an unverified factor, which has no credential yet, and `request`
    /// for a verified factor.
    fn response(&self, factor: &Factor) -> Result<CredentialResponse> {
        match self.kind.as_str() {
            "create" if factor.is_verified() => {
                return Err(AuthError::validation("The factor has a credential: WebAuthn type must be request"));
            }
            "request" if !factor.is_verified() => {
                return Err(AuthError::validation("The factor has no credential yet: WebAuthn type must be create"));
            }
            "create" | "request" => {}
            _ => return Err(AuthError::validation("WebAuthn type must be create or request")),
        }
        if self.credential_response.is_null() {
            return Err(AuthError::validation("credential_response required"));
        }
        serde_json::from_value(self.credential_response.clone())
            .map_err(|_| AuthError::validation("Invalid credential_response"))
    }
}

/// Returns the relying party for security keys. It requires no user verification (PIN or fingerprint). The user has already signed in with
/// another factor, so the security key only has to prove that the user is present.
fn party(state: &AuthState) -> RelyingParty {
    passkeys::relying_party(state.settings(), false)
}

/// Returns the field `webauthn` of the response to POST /factors/{id}/challenge: the WebAuthn options for the browser, as `{type,
/// credential_options: {publicKey}}`.
pub(super) async fn options(
    state: &AuthState,
    tx: &mut PgConnection,
    user: &User,
    factor: &Factor,
    challenge: &str,
) -> Result<Value> {
    let party = party(state);
    let credentials = credentials(tx, user.id).await?;
    let descriptor = |known: &Credential| webauthn_options::descriptor(&known.id, &known.transports);
    if !factor.is_verified() {
        let exclude: Vec<Value> = credentials.iter().map(|(_, known)| descriptor(known)).collect();
        let selection = json!({ "userVerification": webauthn_options::verification(&party) });
        let options = webauthn_options::creation(&party, user, challenge, &exclude, selection);
        return Ok(json!({ "type": "create", "credential_options": { "publicKey": options } }));
    }
    let own: Vec<Value> =
        credentials.iter().filter(|(id, _)| *id == factor.id).map(|(_, known)| descriptor(known)).collect();
    let mut options = webauthn_options::request(&party, challenge);
    if let Value::Object(options) = &mut options {
        options.insert("allowCredentials".into(), own.into());
    }
    Ok(json!({ "type": "request", "credential_options": { "publicKey": options } }))
}

async fn credentials(connection: &mut PgConnection, user: Uuid) -> Result<Vec<(Uuid, Credential)>> {
    let stored = webauthn_factor::of_user(connection, user).await.context("Database error loading factors")?;
    stored.iter().map(|(id, stored)| Ok((*id, stored.read().map_err(|refusal| failed(*id, refusal))?))).collect()
}

pub(super) async fn verify(
    state: &AuthState,
    signed_in: &SignedIn,
    factor: &Factor,
    params: &super::verify::Params,
    incoming: &Incoming,
) -> Result<TokenResponse> {
    let answer = params.webauthn.as_ref().ok_or_else(|| AuthError::validation("WebAuthn config required"))?;
    let response = answer.response(factor)?;
    let mut connection = state.connection().await?;
    let taken = webauthn_factor::take_challenge(&mut connection, params.challenge_id, factor.id)
        .await
        .context("Database error finding Challenge")?;
    drop(connection);
    let (challenge, text) = taken.ok_or_else(unknown_challenge)?;
    check_open(&challenge, signed_in)?;

    let mut tx = state.begin().await?;
    // Locks the user's row, so that concurrent verifications do not overwrite each other's credential or signature counter.
    let user = user::by_id_locked(&mut tx, signed_in.user.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    let factor = super::find(user.factors(), &factor.id.to_string())?;
    let response = if answer.response(factor).is_ok() { response } else { return Err(wrong()) };
    let known = credentials(&mut tx, user.id).await?;
    let credential = judge(&party(state), &user, factor, &known, &response, &text)?;
    let stored = StoredCredential::new(&credential).map_err(|refusal| failed(factor.id, refusal))?;
    webauthn_factor::save(&mut tx, factor.id, stored, credential.aaguid).await?;
    let granted = raise::complete(state, &mut tx, signed_in, factor, params.challenge_id, &incoming.client).await?;
    tx.commit().await?;
    Ok(granted)
}

/// Verifies the security key's response. Returns the credential to store, with the new signature counter.
fn judge(
    party: &RelyingParty,
    user: &User,
    factor: &Factor,
    known: &[(Uuid, Credential)],
    response: &CredentialResponse,
    challenge: &str,
) -> Result<Credential> {
    if !factor.is_verified() {
        let made = response.register(party, challenge).map_err(|refusal| failed(factor.id, refusal))?;
        if known.iter().any(|(_, other)| other.id == made.id) {
            return Err(AuthError::unprocessable(
                "webauthn_credential_exists",
                "This credential is already registered",
            ));
        }
        return Ok(made);
    }
    let own = known.iter().find(|(id, _)| *id == factor.id).map(|(_, own)| own).ok_or_else(wrong)?;
    if response.user_handle().is_some_and(|handle| !handle.is_empty() && handle != user.id.to_string().as_bytes()) {
        return Err(wrong());
    }
    let used = response.authenticate(party, challenge, own).map_err(|refusal| failed(factor.id, refusal))?;
    Ok(Credential { sign_count: used.sign_count, backed_up: used.backed_up, ..own.clone() })
}

fn failed(factor: Uuid, refusal: Refusal) -> AuthError {
    tracing::info!(%factor, reason = %refusal, "auth: sign-in with a security key (WebAuthn factor) refused, responding with status 422");
    wrong()
}

fn wrong() -> AuthError {
    AuthError::unprocessable("mfa_verification_failed", "Failed to validate WebAuthn MFA response")
}
