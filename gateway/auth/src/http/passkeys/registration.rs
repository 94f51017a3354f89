//! POST /passkeys/registration/options and …/verify: adds a passkey to a signed-in user's account. auth-js: `registerPasskey`.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::Params;
use crate::error::{AuthError, Context, Result};
use crate::flow::mail::send;
use crate::flow::passkeys::{self, MAX_PASSKEYS, Purpose};
use crate::flow::webauthn_options;
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::mail_templates::MailKind;
use crate::model::audit::{self, Action};
use crate::model::passkey;
use crate::model::user;
use crate::state::AuthState;
use crate::webauthn;

/// The name of this sign-in method in notification mails.
const NAME_IN_MAILS: &str = "a passkey";

pub(crate) async fn options(State(state): State<AuthState>, signed_in: SignedIn) -> Result<Json<Value>> {
    check(&signed_in)?;
    let user = &signed_in.user;
    let party = super::party(&state);
    let mut tx = state.begin().await?;
    let existing = passkey::stored_of_user(&mut tx, user.id).await.context("Database error loading passkeys")?;
    if existing.len() >= MAX_PASSKEYS {
        return Err(too_many());
    }
    let challenge = passkeys::challenge(&mut tx, Some(user.id), Purpose::Registration).await?;
    tx.commit().await?;
    let exclude: Vec<Value> = existing
        .iter()
        .map(|known| webauthn_options::descriptor(&webauthn::encode(&known.credential_id), &known.transports))
        .collect();
    let selection = json!({
        "residentKey": "required",
        "requireResidentKey": true,
        "userVerification": webauthn_options::verification(&party),
    });
    Ok(Json(json!({
        "challenge_id": challenge.id,
        "expires_at": challenge.expires_at.timestamp(),
        "options": webauthn_options::creation(&party, user, &challenge.challenge, &exclude, selection),
    })))
}

pub(crate) async fn verify(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    incoming: Incoming,
) -> Result<Json<Value>> {
    check(&signed_in)?;
    let params: Params = incoming.json()?;
    let response = params.credential()?;
    let user = &signed_in.user;
    let mut connection = state.connection().await?;
    let challenge =
        passkeys::take_challenge(&mut connection, &params.challenge_id, Some(user.id), Purpose::Registration).await?;
    drop(connection);
    let credential = response.register(&super::party(&state), &challenge).map_err(passkeys::failed)?;
    let stored = passkeys::to_stored(&credential)?;
    let mut tx = state.begin().await?;
    // The user's row is locked, so that concurrent registrations cannot exceed the maximum number of passkeys per user.
    let user = user::by_id_locked(&mut tx, user.id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if passkey::of_user(&mut tx, user.id).await?.len() >= MAX_PASSKEYS {
        return Err(too_many());
    }
    let made = passkey::insert(&mut tx, user.id, &stored, passkeys::name_of(&credential))
        .await
        .map_err(AuthError::from)
        .map_err(|error| match error.is_unique_violation() {
            true => AuthError::unprocessable("webauthn_credential_exists", "This credential is already registered"),
            false => error,
        })?;
    let address = incoming.client.address.0.to_string();
    let traits = json!({ "passkey_id": made.id });
    audit::by_user(&mut tx, &user, Action::PASSKEY_CREATED, &address, Some(traits)).await?;
    let more = [("Provider", NAME_IN_MAILS)];
    send::notification(&state, &mut tx, MailKind::IdentityLinked, &user, &user.email, &more, &incoming.client).await;
    tx.commit().await?;
    Ok(Json(json!({ "id": made.id, "friendly_name": made.friendly_name, "created_at": made.created_at })))
}

fn check(signed_in: &SignedIn) -> Result<()> {
    if signed_in.user.is_sso_user {
        return Err(AuthError::unprocessable("validation_failed", "SSO users cannot register passkeys"));
    }
    super::check_may_manage(signed_in)
}

fn too_many() -> AuthError {
    AuthError::unprocessable("too_many_passkeys", "Maximum number of passkeys reached")
}
