//! POST /oauth/token: exchanges authorization codes and refresh tokens of OAuth clients (RFC 6749, sections 4.1.3 and 6).

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, PRAGMA};
use serde_json::{Value, json};

use super::fields::Fields;
use crate::error::{AuthError, Context, Result};
use crate::flow::issue_session::{self, TokenResponse};
use crate::flow::oauth_server::client_auth::Credentials;
use crate::flow::oauth_server::{codes, id_token, scopes};
use crate::flow::rate_limit::{self, Limit};
use crate::flow::refresh;
use crate::http::request::Incoming;
use crate::model::audit::{self, Action};
use crate::model::oauth_authorization::{self, Authorization};
use crate::model::oauth_client::Client;
use crate::model::user;
use crate::pkce;
use crate::state::AuthState;

pub(crate) async fn token(State(state): State<AuthState>, incoming: Incoming) -> Result<Response> {
    rate_limit::check(&state, Limit::Token, &incoming.client).await?;
    let fields = Fields::read(&incoming)?;
    let credentials =
        Credentials::read(incoming.header("authorization"), fields.get("client_id"), fields.get("client_secret"))?;
    let client = credentials.authenticate(&state).await?;
    let kind = fields.get("grant_type");
    let body = match kind {
        "" => Err(AuthError::oauth("invalid_request", "grant_type is required")),
        "authorization_code" | "refresh_token" if !client.may(kind) => {
            Err(AuthError::oauth("unauthorized_client", format!("Client is not allowed to use grant type: {kind}")))
        }
        "authorization_code" => exchange_code(&state, &client, &fields, &incoming).await,
        "refresh_token" => exchange_refresh_token(&state, &client, &fields, &incoming).await,
        _ => Err(AuthError::oauth("unsupported_grant_type", format!("Unsupported grant type: {kind}"))),
    }?;
    let mut response = Json(body).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().insert(PRAGMA, HeaderValue::from_static("no-cache"));
    Ok(response)
}

async fn exchange_code(state: &AuthState, client: &Client, fields: &Fields, incoming: &Incoming) -> Result<Value> {
    let code = fields.get("code");
    if code.is_empty() {
        return Err(AuthError::oauth("invalid_request", "code is required for authorization_code grant"));
    }
    let hash = codes::hash_of_code(code);
    let mut tx = state.begin().await?;
    let Some(request) =
        oauth_authorization::lock_by_code(&mut tx, &hash).await.context("Error finding authorization code")?
    else {
        // An authorization code that is sent twice may have been stolen, so the session that was created with the code ends (RFC 6749,
        // section 4.1.2).
        if oauth_authorization::end_session_of_spent_code(&mut tx, &hash, client.id).await? {
            tx.commit().await?;
            tracing::warn!(oauth.client = %client.id, "auth: OAuth authorization code refused because it was used before (possibly stolen), the session created with this code was revoked");
        }
        return Err(invalid("Invalid authorization code"));
    };
    check_exchange(client, &request, fields)?;
    let owner = request.user_id.ok_or_else(|| invalid("Authorization code has no associated user"))?;
    let user = user::by_id(&mut tx, owner).await?.ok_or_else(|| invalid("User not found for authorization code"))?;
    if user.is_banned() {
        return Err(invalid("User is banned"));
    }
    let traits = json!({ "provider_type": "oauth_provider_authorization_code", "client_id": client.id });
    audit::by_user(&mut tx, &user, Action::LOGIN, "", Some(traits)).await?;
    let auth_time = request.auth_time.or(user.last_sign_in_at);
    let granted =
        issue_session::open_client_session(state, &mut tx, user.id, client.id, &request.scope, &incoming.client)
            .await?;
    oauth_authorization::spend(&mut tx, &request, &hash, granted.session_id).await?;
    let id_token = if scopes::has(&request.scope, scopes::OPENID) {
        let subject = id_token::Subject {
            user: &granted.user,
            client: client.id,
            scopes: &request.scope,
            nonce: request.nonce.as_deref().unwrap_or_default(),
            auth_time,
            access_token: &granted.access_token,
        };
        Some(id_token::issue(state, &subject)?)
    } else {
        None
    };
    tx.commit().await?;
    Ok(body(client, &granted, &request.scope, id_token))
}

fn check_exchange(client: &Client, request: &Authorization, fields: &Fields) -> Result<()> {
    if request.client_id != client.id {
        return Err(invalid("Authorization code was not issued for this client"));
    }
    if request.is_expired() {
        return Err(invalid("Authorization code has expired"));
    }
    let differs = |name: &str, expected: &str| !fields.get(name).is_empty() && fields.get(name) != expected;
    if differs("redirect_uri", &request.redirect_uri) {
        return Err(invalid("Invalid redirect_uri"));
    }
    if differs("resource", request.resource.as_deref().unwrap_or_default()) {
        return Err(AuthError::oauth(
            "invalid_target",
            "Authorization code resource does not match the resource parameter",
        ));
    }
    let challenge = request.code_challenge.as_deref().unwrap_or_default();
    pkce::verify(challenge, "s256", fields.get("code_verifier")).map_err(|_| invalid("PKCE verification failed"))
}

async fn exchange_refresh_token(
    state: &AuthState,
    client: &Client,
    fields: &Fields,
    incoming: &Incoming,
) -> Result<Value> {
    let token = fields.get("refresh_token");
    if token.is_empty() {
        return Err(AuthError::oauth("invalid_request", "refresh_token is required for refresh_token grant"));
    }
    let refreshed = refresh::refresh_of_client(state, &incoming.client, token, client.id).await;
    let granted = refreshed.map_err(|error| match error {
        AuthError::Refused { status, message, .. } if status == http::StatusCode::BAD_REQUEST => {
            AuthError::oauth("invalid_grant", message)
        }
        other => other,
    })?;
    let scope = granted.scopes.clone().unwrap_or_default();
    Ok(body(client, &granted, &scope, None))
}

/// Returns the token response (RFC 6749, section 5.1). Does not contain the user, unlike the response of POST /token.
fn body(client: &Client, granted: &TokenResponse, scope: &str, id_token: Option<String>) -> Value {
    let mut body = json!({
        "access_token": granted.access_token,
        "token_type": granted.token_type,
        "expires_in": granted.expires_in,
        "scope": scope,
    });
    if let Value::Object(fields) = &mut body {
        if client.may("refresh_token") {
            fields.insert("refresh_token".into(), granted.refresh_token.as_str().into());
        }
        if let Some(id_token) = id_token {
            fields.insert("id_token".into(), id_token.into());
        }
    }
    body
}

fn invalid(why: &'static str) -> AuthError {
    AuthError::oauth("invalid_grant", why)
}
