//! The caller of a request: a database role, and the claims that row-level security policies read.
//!
//! The gateway resolves the API key and bearer token of each request once to a [`CallerResult`] and inserts it into the request's
//! extensions. An API obtains it with [`of_request`] and converts a [`TokenError`] to its own error format.

pub mod api_key;
pub mod cli_keys;
pub mod client_address;
pub mod forwarding;
pub mod issued_keys;
pub mod issuers;
pub mod keys;
mod numeric_date;
pub mod roles;
mod same_site;
pub mod token;
mod user_claims;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http::request::Parts;
use serde_json::{Map, Value};

pub use api_key::ApiKeys;
pub use client_address::{ClientAddress, is_local, is_this_machine};
pub use issued_keys::{IssuedKey, IssuedKeys, KeyKind};
pub use keys::KeyRing;
pub use numeric_date::numeric_date;
pub use roles::CallerRoles;
pub use same_site::comes_from_another_site;
pub use token::TokenError;
pub use user_claims::user_claims;

/// Role of requests without credentials.
pub const ANON: &str = "anon";
/// Role of the project's own servers. It bypasses row-level security.
pub const SERVICE_ROLE: &str = "service_role";
/// Role of a signed-in user.
pub const AUTHENTICATED: &str = "authenticated";

/// Role and claims of a request. Clones share the data.
#[derive(Clone, Debug)]
pub struct Caller {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    role: String,
    claims: Map<String, Value>,
    claims_json: String,
    token: Option<cloch_core::Secret>,
    is_foreign: bool,
}

/// Request extension: the caller of a request, or the reason why its token is refused.
pub type CallerResult = Result<Caller, TokenError>;

impl Caller {
    /// Creates a caller from verified claims. The role is the `role` claim, or `anon` without the claim. As in PostgREST, a `role` that is
    /// not a string becomes its JSON text. `token` is the bearer token that contains the claims, if any.
    #[must_use]
    pub fn from_claims(claims: Map<String, Value>, token: Option<cloch_core::Secret>) -> Self {
        Self::new(claims, token, false)
    }

    fn new(mut claims: Map<String, Value>, token: Option<cloch_core::Secret>, is_foreign: bool) -> Self {
        let role = match claims.get("role") {
            Some(Value::String(role)) => role.clone(),
            Some(other) => other.to_string(),
            None => ANON.to_owned(),
        };
        claims.insert("role".to_owned(), Value::String(role.clone()));
        let claims_json = Value::Object(claims.clone()).to_string();
        Self { inner: Arc::new(Inner { role, claims, claims_json, token, is_foreign }) }
    }

    /// Returns the caller of requests without credentials.
    #[must_use]
    pub fn anon() -> Self {
        static ANYONE: LazyLock<Caller> = LazyLock::new(|| Caller::from_claims(Map::new(), None));
        ANYONE.clone()
    }

    /// Returns a caller with role `service_role`, to which row-level security does not apply.
    #[must_use]
    pub fn service_role() -> Self {
        Self::from_claims(Map::from_iter([("role".to_owned(), SERVICE_ROLE.into())]), None)
    }

    /// Returns the database role in which the request runs.
    #[must_use]
    pub fn role(&self) -> &str {
        &self.inner.role
    }

    /// Returns the verified claims, with `role` set to the effective role.
    #[must_use]
    pub fn claims(&self) -> &Map<String, Value> {
        &self.inner.claims
    }

    /// Returns the claims as JSON text, the value of the setting `request.jwt.claims`.
    #[must_use]
    pub fn claims_json(&self) -> &str {
        &self.inner.claims_json
    }

    /// Returns a string claim, such as `sub` or `session_id`. `None` if the claim is missing or not a string.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&str> {
        self.inner.claims.get(name).and_then(Value::as_str)
    }

    /// Returns the user ID (`sub`); `None` if it is not a UUID.
    #[must_use]
    pub fn user_id(&self) -> Option<uuid::Uuid> {
        self.claim("sub").and_then(|sub| sub.parse().ok())
    }

    /// Returns the bearer token that contains the claims; `None` for a request without a token.
    #[must_use]
    pub fn token(&self) -> Option<&cloch_core::Secret> {
        self.inner.token.as_ref()
    }

    /// Whether a third-party issuer ([`issuers`]) issued the token. The `sub` of such a token is not a user of this project.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.inner.is_foreign
    }

    /// Whether the role is `service_role`.
    #[must_use]
    pub fn is_service_role(&self) -> bool {
        self.role() == SERVICE_ROLE
    }
}

/// Request extension that marks a caller whose token was sent only in the header `apikey`, without `Authorization`. Supabase's auth server
/// does not accept a token from `apikey` as a bearer token.
#[derive(Clone, Copy, Debug)]
pub struct ByApiKeyAlone;

/// Returns the caller that the gateway has determined for a request. Returns `anon` if the request did not pass through a gateway, as in
/// tests of a single router.
///
/// # Errors
/// Returns the reason why the request's token is refused.
pub fn of_request(parts: &Parts) -> CallerResult {
    parts.extensions.get::<CallerResult>().cloned().unwrap_or_else(|| Ok(Caller::anon()))
}

/// Request extension with the time that was needed to determine the caller.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedIn(pub Duration);

/// Returns the time that was needed to determine the request's caller; zero if the request did not pass through a gateway.
#[must_use]
pub fn resolved_in(parts: &Parts) -> Duration {
    parts.extensions.get::<ResolvedIn>().map_or(Duration::ZERO, |resolved| resolved.0)
}
