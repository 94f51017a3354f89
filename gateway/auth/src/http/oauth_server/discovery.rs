//! GET /.well-known/oauth-authorization-server (RFC 8414) and /.well-known/openid-configuration (OpenID Connect Discovery): returns the
//! discovery document.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CACHE_CONTROL;
use serde_json::{Value, json};

use crate::flow::oauth_server::scopes;
use crate::state::AuthState;

/// Returns the discovery document, which has the same content for both specifications. If the OAuth server is disabled, the document still
/// contains the URL of the public keys, for programs that verify tokens.
pub(crate) async fn document(State(state): State<AuthState>) -> Response {
    let at = |path: &str| format!("{}{path}", state.external_url());
    let algorithm = state.setup.verifier.keys().id_token_algorithm();
    let mut prompts = vec!["login", "consent", "select_account"];
    if state.setup.prompt_none {
        prompts.insert(0, "none");
    }
    let mut document = json!({
        "issuer": state.issuer(),
        "authorization_endpoint": at("/oauth/authorize"),
        "token_endpoint": at("/oauth/token"),
        "jwks_uri": at("/.well-known/jwks.json"),
        "userinfo_endpoint": at("/oauth/userinfo"),
        "revocation_endpoint": at("/oauth/revoke"),
        "introspection_endpoint": at("/oauth/introspect"),
        "scopes_supported": scopes::SUPPORTED,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": Vec::from_iter(algorithm),
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "claims_supported": [
            "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "at_hash", "email", "email_verified", "phone_number",
            "phone_number_verified", "name", "picture", "preferred_username", "updated_at",
        ],
        "code_challenge_methods_supported": ["S256"],
        "prompt_values_supported": prompts,
        "authorization_response_iss_parameter_supported": true,
        "claims_parameter_supported": false,
        "request_parameter_supported": false,
        "request_uri_parameter_supported": false,
    });
    let server = &state.settings().oauth_server;
    if let (true, true, Value::Object(fields)) = (server.enabled, server.allow_dynamic_registration, &mut document) {
        fields.insert("registration_endpoint".into(), at("/oauth/clients/register").into());
    }
    ([(CACHE_CONTROL, "public, max-age=600")], Json(document)).into_response()
}
