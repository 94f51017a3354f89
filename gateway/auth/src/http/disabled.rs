//! Endpoints of GoTrue that this server does not implement. Each endpoint responds as a GoTrue server does if the feature is disabled.

use axum::Json;
use axum::Router;
use axum::routing::{any, delete, get};
use serde_json::{Value, json};

use super::admin;
use super::authn::Admin;
use crate::error::AuthError;
use crate::state::AuthState;

/// Creates the routes of SAML and SCIM, which are disabled. Also creates the routes below /admin/users/{id}/passkeys, which administrators
/// can use even if passkeys are disabled.
pub(crate) fn routes() -> Router<AuthState> {
    Router::new()
        .route("/sso", any(saml))
        .route("/sso/saml/metadata", any(saml))
        .route("/sso/saml/acs", any(saml))
        .route("/admin/sso/providers", get(no_providers).post(admin_saml))
        .route("/admin/sso/providers/{id}", any(admin_saml))
        .route("/admin/users/{id}/passkeys", get(admin::passkeys::list))
        .route("/admin/users/{id}/passkeys/{passkey}", delete(admin::passkeys::delete))
        .route("/scim/v2/{*rest}", any(scim))
}

async fn saml() -> AuthError {
    AuthError::not_found("saml_provider_disabled", "SAML 2.0 is disabled")
}

async fn admin_saml(_: Admin) -> AuthError {
    saml().await
}

async fn no_providers(_: Admin) -> Json<Value> {
    Json(json!({ "items": [] }))
}

async fn scim() -> AuthError {
    AuthError::not_found("feature_disabled", "SCIM server is disabled")
}
