//! /user: returns and changes the signed-in user.

mod change;
mod identities;
mod password;

use axum::Json;
use axum::extract::State;

use super::authn::{AnySession, SignedIn};
use super::request::{self, Incoming};
use crate::error::{AuthError, Result};
use crate::model::user::{self, User};
use crate::state::AuthState;

pub(crate) use change::change;
pub(crate) use identities::unlink;

pub(crate) async fn get(AnySession(signed_in): AnySession, incoming: Incoming) -> Result<Json<User>> {
    let token = signed_in.caller.claims().get("aud").and_then(request::first_audience);
    if token.as_deref() != Some(incoming.audience().as_str()) {
        return Err(AuthError::validation("Token audience doesn't match request audience"));
    }
    Ok(Json(signed_in.user))
}

/// GET /reauthenticate: sends a code to the signed-in user, who needs it to change the password.
pub(crate) async fn reauthenticate(
    State(state): State<AuthState>,
    signed_in: SignedIn,
) -> Result<Json<serde_json::Value>> {
    use crate::flow::mail::send;
    use crate::flow::sms::{CodeMessage, Purpose};
    use crate::model::audit::{self, Action};
    let mut tx = state.begin_sending().await?;
    // Locks the user's row, so that concurrent requests are executed one after the other, and each request reads when the last code
    // was sent.
    let user = &user::by_id_locked(&mut tx, signed_in.user.id)
        .await?
        .ok_or_else(|| AuthError::forbidden("user_not_found", "User from sub claim in JWT does not exist"))?;
    if user.email.is_empty() && user.phone.is_empty() {
        return Err(AuthError::validation("Reauthentication requires the user to have an email or a phone number"));
    }
    if !user.email.is_empty() && !user.is_confirmed() {
        return Err(AuthError::unprocessable("email_not_confirmed", "Please verify your email first."));
    }
    if user.email.is_empty() && !user.is_phone_confirmed() {
        return Err(AuthError::unprocessable("phone_not_confirmed", "Please verify your phone first."));
    }
    audit::by_user(&mut tx, user, Action::REAUTHENTICATE_REQUESTED, "", None).await?;
    let message_id = if user.email.is_empty() {
        let code = CodeMessage {
            state: &state,
            user,
            phone: &user.phone,
            purpose: Purpose::Reauthentication,
            client: &signed_in.client,
        };
        code.send(&mut tx).await?
    } else {
        send::reauthentication(&state, &mut tx, user, &signed_in.client).await?;
        None
    };
    tx.commit().await?;
    Ok(super::message_id::message_id(message_id))
}
