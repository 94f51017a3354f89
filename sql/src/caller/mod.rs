//! The caller of a request: a database role, and the claims that policies read.
//!
//! The gateway resolves each request once, from its API key and bearer token, to a [`CallerResult`] and puts it into the
//! request's extensions. An API reads it with [`of_request`] and turns a [`TokenError`] into its own error form.

pub mod api_key;
pub mod cli_keys;
pub mod client_address;
pub mod forwarding;
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
pub use keys::KeyRing;
pub use numeric_date::numeric_date;
pub use roles::CallerRoles;
pub use same_site::comes_from_another_site;
pub use token::TokenError;
pub use user_claims::user_claims;

/// The role a request without any credentials runs as.
pub const ANON: &str = "anon";
/// The role of the project's own servers, which bypasses row-level security.
pub const SERVICE_ROLE: &str = "service_role";
/// The role of a signed-in user.
pub const AUTHENTICATED: &str = "authenticated";

/// The caller of one request. Cheap to clone.
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

/// The caller of a request or why its credentials are refused; a request extension.
pub type CallerResult = Result<Caller, TokenError>;

impl Caller {
    /// A caller from verified claims. The role is the `role` claim, or `anon` without one. As in PostgREST, a role that is no string is its
    /// JSON text. `token` is the bearer token with the claims, if any.
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

    /// The caller of a request without credentials.
    #[must_use]
    pub fn anon() -> Self {
        static ANYONE: LazyLock<Caller> = LazyLock::new(|| Caller::from_claims(Map::new(), None));
        ANYONE.clone()
    }

    /// The project's own server: row-level security does not apply.
    #[must_use]
    pub fn service_role() -> Self {
        Self::from_claims(Map::from_iter([("role".to_owned(), SERVICE_ROLE.into())]), None)
    }

    /// The database role the request runs as.
    #[must_use]
    pub fn role(&self) -> &str {
        &self.inner.role
    }

    /// The verified claims, with `role` set to the effective role.
    #[must_use]
    pub fn claims(&self) -> &Map<String, Value> {
        &self.inner.claims
    }

    /// The claims as the JSON text that `request.jwt.claims` is set to.
    #[must_use]
    pub fn claims_json(&self) -> &str {
        &self.inner.claims_json
    }

    /// A text claim, such as `sub` or `session_id`.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&str> {
        self.inner.claims.get(name).and_then(Value::as_str)
    }

    /// The user's id (`sub`), where it is a UUID.
    #[must_use]
    pub fn user_id(&self) -> Option<uuid::Uuid> {
        self.claim("sub").and_then(|sub| sub.parse().ok())
    }

    /// The bearer token with the claims; `None` for a request with an opaque key or without credentials.
    #[must_use]
    pub fn token(&self) -> Option<&cloch_core::Secret> {
        self.inner.token.as_ref()
    }

    /// Whether the token is of another issuer ([`issuers`]): its `sub` is no user of this project.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.inner.is_foreign
    }

    /// Whether this is the project's own server.
    #[must_use]
    pub fn is_service_role(&self) -> bool {
        self.role() == SERVICE_ROLE
    }
}

/// The caller's token is an `apikey`, and there is no `Authorization`; a request extension. Before Supabase's auth server such a key is no
/// bearer token.
#[derive(Clone, Copy, Debug)]
pub struct ByApiKeyAlone;

/// The caller that the gateway resolved for this request; anonymous where no gateway stands in front (tests of one router).
///
/// # Errors
/// The reason why the request's token was refused.
pub fn of_request(parts: &Parts) -> CallerResult {
    parts.extensions.get::<CallerResult>().cloned().unwrap_or_else(|| Ok(Caller::anon()))
}

/// The time it took to resolve a request's caller; a request extension.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedIn(pub Duration);

/// The time it took to resolve this request's caller; zero without a gateway.
#[must_use]
pub fn resolved_in(parts: &Parts) -> Duration {
    parts.extensions.get::<ResolvedIn>().map_or(Duration::ZERO, |resolved| resolved.0)
}
