//! Public endpoints that return metadata: health, settings, and the public keys that verify access tokens.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CACHE_CONTROL;
use serde_json::{Map, Value, json};

use crate::sms_provider;
use crate::state::AuthState;

/// The names of the providers in the response of GET /settings.
const LISTED_PROVIDERS: [&str; 23] = [
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "workos",
    "zoom",
];

pub(crate) async fn health() -> Json<Value> {
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "name": "GoTrue",
        "description": "GoTrue is a user registration and authentication API",
    }))
}

pub(crate) async fn settings(State(state): State<AuthState>) -> Json<Value> {
    let settings = state.settings();
    let mut external: Map<String, Value> =
        LISTED_PROVIDERS.iter().map(|&name| (name.to_owned(), settings.provider(name).is_some().into())).collect();
    external.insert("anonymous_users".into(), settings.enable_anonymous_sign_ins.into());
    external.insert("email".into(), settings.email.enable_signup.into());
    external.insert("phone".into(), settings.sms.enable_signup.into());
    Json(json!({
        "external": external,
        "disable_signup": !settings.enable_signup,
        "mailer_autoconfirm": settings.email_autoconfirm(),
        "phone_autoconfirm": settings.phone_autoconfirm(),
        "sms_provider": sms_provider::name(&settings.sms),
        "saml_enabled": false,
        "saml_private_key_next_configured": false,
        "passkeys_enabled": settings.passkey.enabled,
    }))
}

/// GET /.well-known/jwks.json: returns the public keys that verify the project's access tokens.
pub(crate) async fn jwks(State(state): State<AuthState>) -> Response {
    let keys = state.setup.verifier.keys().jwks().clone();
    ([(CACHE_CONTROL, "public, max-age=600")], Json(keys)).into_response()
}
