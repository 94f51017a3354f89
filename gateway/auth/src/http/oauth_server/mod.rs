//! The endpoints of the OAuth server, with one file for each endpoint. The endpoints respond with `feature_disabled` unless
//! `[auth.oauth_server]` is enabled.

mod admin;
mod authorize;
mod consent;
mod discovery;
mod fields;
mod grants;
mod introspect;
mod register;
mod revoke;
mod token;
mod userinfo;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};

use super::authn::{Admin, SignedIn};
use super::{error_response, timeout};
use crate::error::AuthError;
use crate::state::AuthState;

pub(crate) fn routes(state: &AuthState) -> Router<AuthState> {
    Router::new()
        .route("/oauth/authorize", get(authorize::authorize).post(authorize::authorize))
        .route("/oauth/authorizations/{id}", get(consent::details))
        .route("/oauth/authorizations/{id}/consent", post(consent::decide))
        .route("/oauth/authorizations/{id}/login_required", get(consent::login_required))
        .route("/oauth/token", post(token::token))
        .route("/oauth/revoke", post(revoke::revoke))
        .route("/oauth/introspect", post(introspect::introspect))
        .route("/oauth/userinfo", get(userinfo::userinfo).post(userinfo::userinfo))
        .route("/oauth/clients/register", post(register::register))
        .route("/user/oauth/grants", get(grants::list).delete(grants::revoke))
        .route("/admin/oauth/clients", get(admin::list).post(admin::create))
        .route("/admin/oauth/clients/{id}", get(admin::get).put(admin::update).delete(admin::delete))
        .route("/admin/oauth/clients/{id}/regenerate_secret", post(admin::regenerate_secret))
        .route("/.well-known/oauth-authorization-server", get(discovery::document))
        .layer(from_fn_with_state(state.clone(), check_enabled))
        .route("/.well-known/openid-configuration", get(discovery::document))
}

/// Creates the router for discovery documents whose URL is not below /auth/v1. The issuer URL ends with /auth/v1; RFC 8414 (section 3.1)
/// puts the well-known path between the host and this path. Clients that do not support an issuer with a path request the document without
/// the path.
pub fn discovery_router(state: AuthState) -> Router {
    let path = "/auth/v1";
    Router::new()
        .route("/.well-known/oauth-authorization-server", get(discovery::document))
        .route(&format!("/.well-known/oauth-authorization-server{path}"), get(discovery::document))
        .layer(from_fn_with_state(state.clone(), check_enabled))
        .route(&format!("/.well-known/openid-configuration{path}"), get(discovery::document))
        .layer(middleware::from_fn(timeout::timeout))
        .layer(middleware::from_fn(error_response::write_errors))
        .with_state(state)
}

async fn check_enabled(State(state): State<AuthState>, request: Request, next: Next) -> Response {
    if state.settings().oauth_server.enabled {
        return next.run(request).await;
    }
    // As in GoTrue, a request that lacks the required token receives the authorization error, not `feature_disabled`.
    let (mut parts, _) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let refused = match path.as_str() {
        path if path.starts_with("/admin/") => Admin::from_request_parts(&mut parts, &state).await.err(),
        path if path.starts_with("/user/") => SignedIn::from_request_parts(&mut parts, &state).await.err(),
        _ => None,
    };
    let disabled = || AuthError::not_found("feature_disabled", "OAuth server is disabled");
    refused.unwrap_or_else(disabled).into_response()
}
