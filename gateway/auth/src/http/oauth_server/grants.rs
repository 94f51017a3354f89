//! /user/oauth/grants: lists and revokes the user's grants to OAuth clients. auth-js: `oauth.listGrants`, `revokeGrant`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::error::{AuthError, Context, Result};
use crate::http::authn::SignedIn;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::oauth_client::Summary;
use crate::model::oauth_consent;
use crate::state::AuthState;

pub(crate) async fn list(State(state): State<AuthState>, signed_in: SignedIn) -> Result<Json<Vec<Value>>> {
    let mut connection = state.connection().await?;
    let grants =
        oauth_consent::of_user(&mut connection, signed_in.user.id).await.context("Error fetching OAuth grants")?;
    let shown = grants.into_iter().map(|grant| {
        let scopes: Vec<&str> = grant.scopes.split_ascii_whitespace().collect();
        let client = Summary {
            id: grant.client_id,
            name: grant.client_name,
            uri: grant.client_uri,
            logo_uri: grant.client_logo_uri,
        };
        json!({ "client": client, "scopes": scopes, "granted_at": grant.granted_at })
    });
    Ok(Json(shown.collect()))
}

/// DELETE ?client_id=: revokes the user's grant to an OAuth client. The client's sessions with the user end, so the tokens of these
/// sessions become invalid.
pub(crate) async fn revoke(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    incoming: Incoming,
) -> Result<StatusCode> {
    let client: Uuid = match incoming.query("client_id") {
        "" => return Err(AuthError::validation("client_id query parameter is required")),
        text => text.parse().map_err(|_| AuthError::validation("invalid client_id format"))?,
    };
    let mut tx = state.begin().await?;
    if !oauth_consent::revoke(&mut tx, signed_in.user.id, client).await.context("Error revoking grant")? {
        return Err(AuthError::not_found("oauth_consent_not_found", "No active grant found for this client"));
    }
    let traits = json!({ "oauth_client_id": client, "action": "revoke_oauth_grant" });
    audit::by_user(&mut tx, &signed_in.user, Action::TOKEN_REVOKED, "", Some(traits)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
