//! GET and POST /oauth/userinfo: returns claims about the user (OpenID Connect Core, section 5.3).

use axum::Json;
use serde_json::{Value, json};

use crate::flow::oauth_server::{id_token, scopes};
use crate::http::authn::AnySession;

/// Returns the user's claims that the scopes of the access token include. For a token without scopes, returns only the claim `sub`.
pub(crate) async fn userinfo(AnySession(signed_in): AnySession) -> Json<Value> {
    let user = &signed_in.user;
    let granted = signed_in.session.as_ref().and_then(|session| session.scopes.as_deref()).unwrap_or_default();
    let mut claims = id_token::claims_of(user, granted);
    // Adds claims under GoTrue's names to the claims that the specification names.
    if scopes::has(granted, scopes::PROFILE) {
        claims.insert("user_metadata".into(), Value::Object(user.user_metadata.0.clone()));
    }
    for (name, of_gotrue) in [("phone_number", "phone"), ("phone_number_verified", "phone_verified")] {
        if let Some(value) = claims.get(name).cloned() {
            claims.insert(of_gotrue.into(), value);
        }
    }
    Json(json!(claims))
}
