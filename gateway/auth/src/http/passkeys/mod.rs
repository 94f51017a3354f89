//! /passkeys: sign-in with passkeys instead of a password. The endpoints respond with `passkey_disabled` unless `[auth.passkey]` is
//! enabled.

mod authentication;
mod manage;
mod registration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use serde::Deserialize;

use super::authn::SignedIn;
use crate::error::{AuthError, Result};
use crate::flow::passkeys;
use crate::state::AuthState;
use crate::webauthn::{CredentialResponse, RelyingParty};

pub(crate) fn routes(state: &AuthState) -> Router<AuthState> {
    Router::new()
        .route("/passkeys", get(manage::list))
        .route("/passkeys/{id}", patch(manage::rename).delete(manage::delete))
        .route("/passkeys/registration/options", post(registration::options))
        .route("/passkeys/registration/verify", post(registration::verify))
        .route("/passkeys/authentication/options", post(authentication::options))
        .route("/passkeys/authentication/verify", post(authentication::verify))
        .layer(from_fn_with_state(state.clone(), check_enabled))
}

async fn check_enabled(State(state): State<AuthState>, request: Request, next: Next) -> Response {
    if state.settings().passkey.enabled {
        next.run(request).await
    } else {
        AuthError::not_found("passkey_disabled", "Passkeys are disabled").into_response()
    }
}

/// The body of a verification request: the challenge id of a WebAuthn ceremony, and the authenticator's response.
#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    challenge_id: String,
    credential: Option<serde_json::Value>,
}

impl Params {
    fn credential(&self) -> Result<CredentialResponse> {
        let value = self.credential.clone().ok_or_else(|| AuthError::validation("credential is required"))?;
        serde_json::from_value(value)
            .map_err(|_| AuthError::bad_request("webauthn_verification_failed", "Invalid credential response"))
    }
}

fn party(state: &AuthState) -> RelyingParty {
    passkeys::relying_party(state.settings(), state.setup.passkeys_require_verification)
}

/// Refuses anonymous users. Also refuses a session at aal1 if the user has a verified second factor, because a passkey allows the user to
/// sign in without the second factor.
fn check_may_manage(signed_in: &SignedIn) -> Result<()> {
    if signed_in.user.is_anonymous {
        return Err(AuthError::forbidden("no_authorization", "Anonymous user not allowed to perform these actions"));
    }
    let has_aal2 = signed_in.session.as_ref().is_some_and(|session| session.has_aal2());
    if signed_in.user.has_verified_factor() && !has_aal2 {
        return Err(AuthError::forbidden(
            "insufficient_aal",
            "AAL2 session is required to manage passkeys when MFA is enabled",
        ));
    }
    Ok(())
}
