//! /oauth/authorizations/{id}: endpoints of an OAuth authorization request, which the app's consent page calls to load the details and to
//! send the user's decision. auth-js: `oauth.getAuthorizationDetails`, `approveAuthorization`, `denyAuthorization`.
//!
//! The app manages the user's session, so the consent page must sign users in again for `prompt=login` and `max_age`. Until the user has
//! signed in again, the details contain `sign_in_required`, and an approval fails with `login_required`.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::authorize::{self, CONSENT_REQUIRED, INTERACTION_REQUIRED, LOGIN_REQUIRED, Refused};
use crate::error::{AuthError, Context, Result};
use crate::flow::oauth_server::{codes, scopes};
use crate::flow::rate_limit::{self, Limit};
use crate::http::authn::SignedIn;
use crate::http::redirect;
use crate::http::request::Incoming;
use crate::model::oauth_authorization::{self, Authorization};
use crate::model::oauth_client::{self, Client};
use crate::model::oauth_consent;
use crate::model::user::User;
use crate::state::AuthState;

/// GET: binds the authorization request to the signed-in user, and returns the OAuth client, the scopes and the user. If the user has
/// granted the scopes before and no consent is required, returns only the URL of the redirect to the OAuth client.
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
    let is_recent = request.accepts_sign_in(signed_in.signed_in_at());
    match request.user_id {
        // The user must sign in again, possibly as another user, so the request is not bound to a user yet.
        None if !is_recent && !request.is_silent() => {}
        None => oauth_authorization::set_user(&mut tx, request.id, user.id).await?,
        Some(owner) if owner == user.id => {}
        Some(_) => return Err(not_found()),
    }
    let client = oauth_client::by_id(&mut tx, request.client_id).await?.ok_or_else(not_found)?;
    let granted = oauth_consent::scopes(&mut tx, user.id, client.id).await?;
    let is_covered = granted.is_some_and(|granted| scopes::covers(&granted, &request.scope));
    let is_proved = is_proved_by_redirect(&client, &request);
    let obstacle = match (is_recent, is_covered, is_proved) {
        (false, ..) => Some(LOGIN_REQUIRED),
        (_, false, _) => Some(CONSENT_REQUIRED),
        (.., false) => Some(INTERACTION_REQUIRED),
        _ => None,
    };
    let redirect_url = match obstacle {
        Some(error) if request.is_silent() => Some(refuse(&state, &mut tx, &request, error).await?),
        None if request.is_silent() || request.prompt.is_empty() => {
            Some(approve(&state, &mut tx, &request, &signed_in).await?)
        }
        _ => None,
    };
    tx.commit().await?;
    if let Some(redirect_url) = redirect_url {
        return Ok(Json(json!({ "redirect_url": redirect_url })));
    }
    let mut answer = json!({
        "authorization_id": id,
        "redirect_uri": request.redirect_uri,
        "client": client.summary(),
        "user": { "id": user.id, "email": user.email },
        "scope": request.scope,
    });
    if let (false, Value::Object(fields)) = (is_recent, &mut answer) {
        fields.insert("sign_in_required".into(), true.into());
    }
    Ok(Json(answer))
}

/// GET …/login_required: the app's consent page redirects the browser to this endpoint if a request has `prompt=none` and no user is signed
/// in. This endpoint redirects the browser to the OAuth client with the error `login_required`.
pub(crate) async fn login_required(
    State(state): State<AuthState>,
    Path(id): Path<String>,
    incoming: Incoming,
) -> Result<Response> {
    rate_limit::check(&state, Limit::OauthAuthorize, &incoming.client).await?;
    let mut tx = state.begin().await?;
    let request = pending(&mut tx, &id, "authorization request is no longer pending").await?;
    if !request.is_silent() {
        return Err(AuthError::validation("the authorization request lets its user be asked"));
    }
    let address = refuse(&state, &mut tx, &request, LOGIN_REQUIRED).await?;
    tx.commit().await?;
    redirect::redirect(StatusCode::FOUND, &address)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Decision {
    action: String,
}

/// POST …/consent: stores the user's decision. Returns the URL to which the consent page redirects the browser.
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
    let is_recent = request.accepts_sign_in(signed_in.signed_in_at());
    let is_theirs = request.user_id.map_or(!is_recent, |owner| owner == user.id);
    if !is_theirs || request.is_silent() {
        return Err(not_found());
    }
    let redirect_url = if decision.action == "deny" {
        refuse(&state, &mut tx, &request, ("access_denied", "User denied the request")).await?
    } else if !is_recent {
        refuse(&state, &mut tx, &request, LOGIN_REQUIRED).await?
    } else {
        grant(&mut tx, user, &request).await?;
        approve(&state, &mut tx, &request, &signed_in).await?
    };
    tx.commit().await?;
    Ok(Json(json!({ "redirect_url": redirect_url })))
}

/// Locks and returns an authorization request that is still undecided. For a decided request, returns an error with the message
/// `otherwise`.
async fn pending(tx: &mut PgConnection, id: &str, otherwise: &'static str) -> Result<Authorization> {
    let request = oauth_authorization::lock(tx, id)
        .await
        .context("error finding authorization")?
        .filter(|request| !request.is_expired())
        .ok_or_else(not_found)?;
    if request.status == "pending" { Ok(request) } else { Err(AuthError::validation(otherwise)) }
}

/// Stores the scopes of the authorization request as granted to the OAuth client, in addition to previously granted scopes.
async fn grant(tx: &mut PgConnection, user: &User, request: &Authorization) -> Result<()> {
    let before = oauth_consent::scopes(tx, user.id, request.client_id).await?.unwrap_or_default();
    let added = request.scope.split_ascii_whitespace().filter(|scope| !scopes::has(&before, scope));
    let all: Vec<&str> = before.split_ascii_whitespace().chain(added).collect();
    oauth_consent::grant(tx, user.id, request.client_id, &all.join(" ")).await.context("error storing consent")
}

/// Ends the authorization request with an error. Returns the URL that reports the error to the OAuth client.
async fn refuse(state: &AuthState, tx: &mut PgConnection, request: &Authorization, error: Refused) -> Result<String> {
    oauth_authorization::deny(tx, request.id).await?;
    Ok(authorize::refusal(state, &request.redirect_uri, request.state.as_deref().unwrap_or_default(), error))
}

/// Issues an authorization code for the authorization request. Returns the URL that delivers the code to the OAuth client.
async fn approve(
    state: &AuthState,
    tx: &mut PgConnection,
    request: &Authorization,
    signed_in: &SignedIn,
) -> Result<String> {
    let code = codes::random();
    oauth_authorization::approve(tx, request.id, &codes::hash_of_code(&code), signed_in.signed_in_at())
        .await
        .context("error approving authorization")?;
    let client_state = request.state.as_deref().unwrap_or_default();
    Ok(authorize::answer(state, &request.redirect_uri, client_state, &[("code", &code)]))
}

/// Whether only this OAuth client can receive the redirect. Any program can imitate a public client whose redirect URI has a private-use
/// scheme or a loopback address, so the user of such a client must consent each time (RFC 8252, section 8.6).
fn is_proved_by_redirect(client: &Client, request: &Authorization) -> bool {
    !client.is_public() || request.redirect_uri.starts_with("https://")
}

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
