//! POST /oauth/revoke (RFC 7009): an OAuth client revokes one of its tokens. The session of the token ends, so all tokens of the session
//! become invalid.

use axum::extract::State;
use http::StatusCode;
use sqlx::PgConnection;
use uuid::Uuid;

use super::fields::Fields;
use crate::error::{AuthError, Result};
use crate::flow::oauth_server::client_auth::Credentials;
use crate::flow::rate_limit::{self, Limit};
use crate::flow::refresh;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::{session, user};
use crate::state::AuthState;

/// Revokes a token of the OAuth client. The response for an unknown token and for a token of another client is the same as for a revoked
/// token.
pub(crate) async fn revoke(State(state): State<AuthState>, incoming: Incoming) -> Result<StatusCode> {
    rate_limit::check(&state, Limit::Token, &incoming.client).await?;
    let fields = Fields::read(&incoming)?;
    let credentials =
        Credentials::read(incoming.header("authorization"), fields.get("client_id"), fields.get("client_secret"))?;
    let client = credentials.authenticate(&state).await?;
    let token = fields.get("token");
    if token.is_empty() {
        return Err(AuthError::oauth("invalid_request", "token is required"));
    }
    let mut tx = state.begin().await?;
    let Some(id) = session_of(&state, &mut tx, token).await? else {
        return Ok(StatusCode::OK);
    };
    let session = session::by_id(&mut tx, id).await?;
    if let Some(session) = session.filter(|session| session.oauth_client_id == Some(client.id)) {
        session::delete(&mut tx, session.id).await?;
        if let Some(user) = user::by_id(&mut tx, session.user_id).await? {
            let traits = serde_json::json!({ "oauth_client_id": client.id });
            audit::by_user(&mut tx, &user, Action::TOKEN_REVOKED, "", Some(traits)).await?;
        }
        tx.commit().await?;
    }
    Ok(StatusCode::OK)
}

/// Returns the session id of a token: an access token with a valid signature, or a refresh token. `None` if the token is unknown or names
/// no session.
async fn session_of(state: &AuthState, tx: &mut PgConnection, token: &str) -> Result<Option<Uuid>> {
    if token.matches('.').count() == 2 {
        let claims = state.setup.verifier.claims(token).unwrap_or_default();
        let id = claims.get("session_id").and_then(serde_json::Value::as_str);
        return Ok(id.and_then(|id| id.parse().ok()));
    }
    refresh::session_of(tx, token).await
}
