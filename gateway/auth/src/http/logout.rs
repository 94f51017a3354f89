//! POST /logout: ends sessions of the signed-in user.

use axum::extract::State;
use http::StatusCode;

use super::authn::AnySession;
use super::request::Incoming;
use crate::error::{AuthError, Result};
use crate::model::audit::{self, Action};
use crate::model::session;
use crate::state::AuthState;

/// Ends the session of the request, the user's other sessions, or all sessions, depending on the query parameter `scope`. A token without a
/// session ends all sessions.
pub(crate) async fn logout(
    State(state): State<AuthState>,
    AnySession(signed_in): AnySession,
    incoming: Incoming,
) -> Result<StatusCode> {
    let scope = incoming.query("scope");
    if !["", "global", "local", "others"].contains(&scope) {
        return Err(AuthError::validation(format!("Unsupported logout scope {scope:?}")));
    }
    let user = &signed_in.user;
    let mut tx = state.begin().await?;
    audit::by_user(&mut tx, user, Action::LOGOUT, "", None).await?;
    let of_client = signed_in.session.as_ref().is_some_and(|session| session.oauth_client_id.is_some());
    match (scope, signed_in.session_id()) {
        // An OAuth client can end only its own session, independently of the requested `scope`.
        (_, Some(own)) if of_client => session::delete(&mut tx, own).await?,
        ("local", Some(own)) => session::delete(&mut tx, own).await?,
        ("others", Some(own)) => session::delete_others(&mut tx, user.id, Some(own)).await?,
        _ => session::delete_all(&mut tx, user.id).await?,
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
