//! Endpoints that this server does not implement: each responds as a GoTrue with the feature disabled.

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, delete, get};
use http::header::CACHE_CONTROL;
use serde_json::{Value, json};

use super::admin;
use super::authn::{Admin, SignedIn};
use crate::auth::error::AuthError;
use crate::auth::state::AuthState;

/// SAML, passkeys, the OAuth server, custom providers, SCIM.
pub(crate) fn routes() -> Router<AuthState> {
    Router::new()
        .route("/sso", any(saml))
        .route("/sso/saml/metadata", any(saml))
        .route("/sso/saml/acs", any(saml))
        .route("/admin/sso/providers", get(no_providers).post(admin_saml))
        .route("/admin/sso/providers/{id}", any(admin_saml))
        .route("/passkeys", any(passkeys))
        .route("/passkeys/{*rest}", any(passkeys))
        .route("/admin/users/{id}/passkeys", get(admin::passkeys::list))
        .route("/admin/users/{id}/passkeys/{passkey}", delete(admin::passkeys::delete))
        .route("/admin/oauth/{*rest}", any(admin_oauth_server))
        .route("/user/oauth/grants", any(user_oauth_server))
        .route("/oauth/{*rest}", any(oauth_server))
        .route("/.well-known/oauth-authorization-server", get(oauth_server))
        .route("/.well-known/openid-configuration", get(openid))
        .route("/admin/custom-providers", any(custom_providers))
        .route("/admin/custom-providers/{*rest}", any(custom_providers))
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

async fn passkeys() -> AuthError {
    AuthError::not_found("passkey_disabled", "Passkeys are disabled")
}

async fn oauth_server() -> AuthError {
    AuthError::not_found("feature_disabled", "OAuth server is disabled")
}

async fn admin_oauth_server(_: Admin) -> AuthError {
    oauth_server().await
}

async fn user_oauth_server(_: SignedIn) -> AuthError {
    oauth_server().await
}

async fn custom_providers(_: Admin) -> AuthError {
    AuthError::not_found("feature_disabled", "Custom OAuth providers are disabled")
}

async fn scim() -> AuthError {
    AuthError::not_found("feature_disabled", "SCIM server is disabled")
}

/// The URL of the keys, for verifiers that use the discovery document.
async fn openid(State(state): State<AuthState>) -> Response {
    let issuer = state.issuer().trim_end_matches('/');
    let at = |path: &str| format!("{issuer}{path}");
    let document = json!({
        "issuer": state.issuer(),
        "authorization_endpoint": at("/oauth/authorize"),
        "token_endpoint": at("/oauth/token"),
        "jwks_uri": at("/.well-known/jwks.json"),
        "userinfo_endpoint": at("/oauth/userinfo"),
        "scopes_supported": ["openid", "profile", "email", "phone", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "HS256", "ES256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "claims_supported": [
            "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number",
            "phone_number_verified", "name", "picture", "preferred_username", "updated_at",
        ],
        "code_challenge_methods_supported": ["S256", "plain"],
    });
    ([(CACHE_CONTROL, "public, max-age=600")], Json(document)).into_response()
}
