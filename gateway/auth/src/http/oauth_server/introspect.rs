//! POST /oauth/introspect (RFC 7662): reports to an OAuth client whether its access token is valid and its session has not ended.

use axum::Json;
use axum::extract::State;
use cloch_sql::caller::numeric_date;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::fields::Fields;
use crate::error::{AuthError, Result};
use crate::flow::oauth_server::client_auth::Credentials;
use crate::flow::rate_limit::{self, Limit};
use crate::flow::session_lifetime;
use crate::http::request::Incoming;
use crate::model::oauth_client::Client;
use crate::model::{session, user};
use crate::state::AuthState;

/// The token claims that the response for a valid token contains, named as in RFC 7662, section 2.2.
const TOLD: [&str; 6] = ["sub", "aud", "iss", "exp", "iat", "client_id"];

/// Introspects an access token for an OAuth client. Unknown, expired and revoked tokens and tokens of other clients get the same response.
/// Public OAuth clients are refused, because they cannot authenticate.
pub(crate) async fn introspect(State(state): State<AuthState>, incoming: Incoming) -> Result<Json<Value>> {
    rate_limit::check(&state, Limit::Token, &incoming.client).await?;
    let fields = Fields::read(&incoming)?;
    let credentials =
        Credentials::read(incoming.header("authorization"), fields.get("client_id"), fields.get("client_secret"))?;
    let client = credentials.authenticate(&state).await?;
    if client.is_public() {
        return Err(AuthError::oauth_unauthorized("invalid_client", "Only a client with a secret may ask"));
    }
    let token = fields.get("token");
    if token.is_empty() {
        return Err(AuthError::oauth("invalid_request", "token is required"));
    }
    let mut connection = state.connection().await?;
    let active = of_client(&state, &mut connection, &client, token).await?;
    Ok(Json(active.map_or_else(|| json!({ "active": false }), Value::Object)))
}

async fn of_client(
    state: &AuthState,
    connection: &mut PgConnection,
    client: &Client,
    token: &str,
) -> Result<Option<Map<String, Value>>> {
    let Ok(caller) = state.setup.verifier.verify(token) else {
        return Ok(None);
    };
    let claims = caller.claims();
    let in_time = claims.get("exp").and_then(numeric_date).is_some_and(|end| end > chrono::Utc::now().timestamp());
    let id = caller.claim("session_id").and_then(|id| id.parse().ok());
    let (false, true, Some(id)) = (caller.is_foreign(), in_time, id) else {
        return Ok(None);
    };
    let session = session::by_id(connection, id).await?;
    let Some(session) = session.filter(|session| session.oauth_client_id == Some(client.id)) else {
        return Ok(None);
    };
    let user = user::by_id(connection, session.user_id).await?;
    let is_good = user.is_some_and(|user| !user.is_banned() && session_lifetime::is_valid(state, &session, &user));
    Ok(is_good.then(|| {
        let mut told = Map::from_iter([("active".to_owned(), json!(true)), ("token_type".to_owned(), json!("Bearer"))]);
        told.insert("scope".to_owned(), session.scopes.as_deref().unwrap_or_default().into());
        for name in TOLD {
            if let Some(value) = claims.get(name) {
                told.insert(name.to_owned(), value.clone());
            }
        }
        told
    }))
}
