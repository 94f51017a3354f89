//! /oauth/authorizations/{id}: what the app's page asks the user, and the user's decision. auth-js: `oauth.getAuthorizationDetails`,
//! `approveAuthorization`, `denyAuthorization`.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::authorize;
use crate::auth::error::{AuthError, Context, Result};
use crate::auth::flow::oauth_server::{codes, scopes};
use crate::auth::http::authn::SignedIn;
use crate::auth::http::request::Incoming;
use crate::auth::model::oauth_authorization::{self, Authorization};
use crate::auth::model::oauth_client::{self, Client};
use crate::auth::model::oauth_consent;
use crate::auth::model::user::User;
use crate::auth::state::AuthState;

/// GET: ties the request to the user, and says who asks for what; or where to go on, if the user has granted as much before.
pub(crate) async fn details(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Value>> {
    check_origin(&state, &incoming)?;
    let user = &signed_in.user;
    let mut tx = state.begin().await?;
    let request = pending(&mut tx, &id, "authorization request cannot be processed").await?;
    match request.user_id {
        None => oauth_authorization::set_user(&mut tx, request.id, user.id).await?,
        Some(owner) if owner == user.id => {}
        Some(_) => return Err(not_found()),
    }
    let client = oauth_client::by_id(&mut tx, request.client_id).await?.ok_or_else(not_found)?;
    let granted = oauth_consent::scopes(&mut tx, user.id, client.id).await?;
    let is_covered = granted.is_some_and(|granted| scopes::covers(&granted, &request.scope));
    if is_covered && !request.has_prompt && is_proved_by_redirect(&client, &request) {
        let redirect_url = approve(&state, &mut tx, &request).await?;
        tx.commit().await?;
        return Ok(Json(json!({ "redirect_url": redirect_url })));
    }
    tx.commit().await?;
    Ok(Json(json!({
        "authorization_id": id,
        "redirect_uri": request.redirect_uri,
        "client": client.summary(),
        "user": { "id": user.id, "email": user.email },
        "scope": request.scope,
    })))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Decision {
    action: String,
}

/// POST …/consent: where the browser goes with the user's decision.
pub(crate) async fn decide(
    State(state): State<AuthState>,
    signed_in: SignedIn,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Json<Value>> {
    check_origin(&state, &incoming)?;
    let decision: Decision = incoming.json()?;
    if !["approve", "deny"].contains(&decision.action.as_str()) {
        return Err(AuthError::validation("action must be 'approve' or 'deny'"));
    }
    let user = &signed_in.user;
    let mut tx = state.begin().await?;
    let request = pending(&mut tx, &id, "authorization request is no longer pending").await?;
    if request.user_id != Some(user.id) {
        return Err(not_found());
    }
    let redirect_url = if decision.action == "approve" {
        grant(&mut tx, user, &request).await?;
        approve(&state, &mut tx, &request).await?
    } else {
        oauth_authorization::deny(&mut tx, request.id).await?;
        let pairs = [("error", "access_denied"), ("error_description", "User denied the request")];
        authorize::answer(&state, &request.redirect_uri, request.state.as_deref().unwrap_or_default(), &pairs)
    };
    tx.commit().await?;
    Ok(Json(json!({ "redirect_url": redirect_url })))
}

/// The request, locked, if it still waits for a decision.
async fn pending(tx: &mut PgConnection, id: &str, otherwise: &'static str) -> Result<Authorization> {
    let request = oauth_authorization::lock(tx, id)
        .await
        .context("error finding authorization")?
        .filter(|request| !request.is_expired())
        .ok_or_else(not_found)?;
    if request.status == "pending" { Ok(request) } else { Err(AuthError::validation(otherwise)) }
}

/// Records the grant, which keeps what was granted before.
async fn grant(tx: &mut PgConnection, user: &User, request: &Authorization) -> Result<()> {
    let before = oauth_consent::scopes(tx, user.id, request.client_id).await?.unwrap_or_default();
    let added = request.scope.split_ascii_whitespace().filter(|scope| !scopes::has(&before, scope));
    let all: Vec<&str> = before.split_ascii_whitespace().chain(added).collect();
    oauth_consent::grant(tx, user.id, request.client_id, &all.join(" ")).await.context("error storing consent")
}

/// Issues the code; where it goes.
async fn approve(state: &AuthState, tx: &mut PgConnection, request: &Authorization) -> Result<String> {
    let code = codes::random();
    oauth_authorization::approve(tx, request.id, &codes::hash_of_code(&code))
        .await
        .context("error approving authorization")?;
    let client_state = request.state.as_deref().unwrap_or_default();
    Ok(authorize::answer(state, &request.redirect_uri, client_state, &[("code", &code)]))
}

/// Whether the redirect URI reaches the client alone: a public client at a private scheme or at this machine may be any program that
/// imitates it, so its user is asked each time (RFC 8252, section 8.6).
fn is_proved_by_redirect(client: &Client, request: &Authorization) -> bool {
    !client.is_public() || request.redirect_uri.starts_with("https://")
}

/// Pages of other origins must not decide for the user.
fn check_origin(state: &AuthState, incoming: &Incoming) -> Result<()> {
    let origin = incoming.header("origin");
    if origin.is_empty() || state.redirect_urls().allows(origin) {
        Ok(())
    } else {
        Err(AuthError::validation("unauthorized request origin"))
    }
}

fn not_found() -> AuthError {
    AuthError::not_found("oauth_authorization_not_found", "authorization not found")
}
