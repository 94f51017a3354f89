//! Issues ID tokens to OAuth clients (OpenID Connect Core, section 2), and selects the user's claims by scope (section 5.4).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::scopes;
use crate::error::{Context, Result};
use crate::model::Time;
use crate::model::user::User;
use crate::state::AuthState;

/// Lifetime of an ID token in seconds, the same as GoTrue's.
const LIFETIME_SECONDS: i64 = 3600;

pub(crate) struct Subject<'a> {
    pub(crate) user: &'a User,
    pub(crate) client: Uuid,
    pub(crate) scopes: &'a str,
    pub(crate) nonce: &'a str,
    /// Time at which the user signed in to this project.
    pub(crate) auth_time: Option<Time>,
    pub(crate) access_token: &'a str,
}

/// Signs an ID token with the project's asymmetric signing key.
pub(crate) fn issue(state: &AuthState, subject: &Subject<'_>) -> Result<String> {
    let now = chrono::Utc::now().timestamp();
    let mut claims = claims_of(subject.user, subject.scopes);
    let mut set = |name: &str, value: Value| claims.insert(name.to_owned(), value);
    set("iss", state.issuer().into());
    set("aud", json!([subject.client]));
    set("client_id", json!(subject.client));
    set("iat", now.into());
    set("exp", (now + LIFETIME_SECONDS).into());
    set("auth_time", subject.auth_time.map_or(now, |time| time.timestamp()).into());
    set("at_hash", half_hash(subject.access_token).into());
    if !subject.nonce.is_empty() {
        set("nonce", subject.nonce.into());
    }
    state.setup.verifier.keys().sign_id_token(claims).context("Error generating ID token")
}

/// Computes the `at_hash` claim of an ID token, the first half of the access token's hash (OpenID Connect Core, section 3.1.3.6). Uses
/// SHA-256, as both supported signing algorithms do.
fn half_hash(token: &str) -> String {
    let digest = Sha256::digest(token.as_bytes());
    URL_SAFE_NO_PAD.encode(digest.get(..digest.len() / 2).unwrap_or_default())
}

pub(crate) fn claims_of(user: &User, granted: &str) -> Map<String, Value> {
    let mut claims = Map::new();
    let mut set = |name: &str, value: Value| claims.insert(name.to_owned(), value);
    set("sub", json!(user.id));
    if scopes::has(granted, scopes::EMAIL) && !user.email.is_empty() {
        set("email", user.email.as_str().into());
        set("email_verified", user.is_confirmed().into());
    }
    if scopes::has(granted, scopes::PHONE) && !user.phone.is_empty() {
        set("phone_number", user.phone.as_str().into());
        set("phone_number_verified", user.is_phone_confirmed().into());
    }
    if scopes::has(granted, scopes::PROFILE) {
        let said = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| user.user_metadata.get(*name)?.as_str());
            texts.map(str::to_owned).find(|text| !text.is_empty())
        };
        let address = (!user.email.is_empty()).then(|| user.email.clone());
        let pairs = [
            ("name", said(&["name", "full_name"]).or(address)),
            ("picture", said(&["picture", "avatar_url"])),
            ("preferred_username", said(&["preferred_username", "username"])),
        ];
        for (name, value) in pairs {
            if let Some(value) = value {
                set(name, value.into());
            }
        }
        set("updated_at", user.updated_at.timestamp().into());
    }
    claims
}
