//! Authentication: determines the caller of a request (role and claims) from its API key and bearer token, once for all APIs.

use std::time::Instant;

use axum::extract::Request;
use cloch_sql::Caller;
use cloch_sql::caller::api_key::Credentials;
use cloch_sql::caller::roles::{GrantedBy, RoleError};
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{
    ANON, AUTHENTICATED, ApiKeys, ByApiKeyAlone, CallerResult, CallerRoles, ResolvedIn, TokenError,
};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

/// Determines the caller of a request (database role and claims) from its API key or token. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Authenticator {
    keys: std::sync::Arc<ApiKeys>,
    verifier: Verifier,
    roles: CallerRoles,
}

impl Authenticator {
    /// Creates an authenticator from the project's API keys, the token verifier, and the roles of the database.
    #[must_use]
    pub fn new(keys: ApiKeys, verifier: Verifier, roles: CallerRoles) -> Self {
        Self { keys: std::sync::Arc::new(keys), verifier, roles }
    }

    pub(crate) fn keys(&self) -> &ApiKeys {
        &self.keys
    }

    /// If a request contains a token of a third-party issuer, loads the issuer's signing keys, unless they are already loaded.
    pub(crate) async fn prepare(&self, headers: &HeaderMap) {
        if self.verifier.has_other_issuers()
            && let Credentials::Authorization(text) = self.keys.credentials(headers)
        {
            self.verifier.prepare(bearer(&text).unwrap_or_else(|| text.trim())).await;
        }
    }

    /// Checks whether requests may use the database role of this request's caller. If not, replaces the caller by an error. The roles of
    /// the project's own API keys are not checked here: they are checked when an SQL statement runs with them. Therefore requests that need
    /// no database do not wait for the database.
    pub(crate) async fn admit(&self, request: &mut Request) {
        let Some(Ok(caller)) = request.extensions().get::<CallerResult>() else { return };
        let is_usual = matches!(caller.role(), ANON | AUTHENTICATED)
            || (caller.is_service_role() && GrantedBy::of(caller) == GrantedBy::OwnKey);
        if is_usual {
            return;
        }
        // Other errors of the check are ignored: they mean that the database is unavailable, and then no SQL statement can run with the role.
        if let Err(RoleError::Refused(refusal)) = self.roles.check_caller(caller).await {
            request.extensions_mut().insert::<CallerResult>(Err(TokenError::Role(refusal)));
        }
    }

    /// Returns the caller of a request, and the `Authorization` value for the APIs that read the token from this header. If the request
    /// contains an opaque API key (`sb_…`), the value contains the JWT that the server uses in place of this key.
    fn resolve(&self, headers: &HeaderMap, without_scheme: WithoutScheme) -> (CallerResult, Option<String>) {
        match self.keys.credentials(headers) {
            Credentials::None => (Ok(Caller::anon()), None),
            Credentials::Authorization(text) => {
                let caller = match (bearer(&text), without_scheme) {
                    (Some(token), _) => self.verifier.verify(token),
                    (None, WithoutScheme::IsToken) if !text.is_empty() => self.verifier.verify(text.trim()),
                    (None, _) => Ok(Caller::anon()),
                };
                (caller, Some(text))
            }
        }
    }
}

/// Treatment of an `Authorization` header value that does not begin with `Bearer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WithoutScheme {
    /// The value is ignored, as PostgREST ignores schemes other than `Bearer`.
    IsIgnored,
    /// The whole value is the token, as in Supabase's storage server. An invalid token is refused.
    IsToken,
}

impl WithoutScheme {
    fn of_path(path: &str) -> Self {
        if path.starts_with("/storage/v1/") { Self::IsToken } else { Self::IsIgnored }
    }
}

/// Returns the token after `Bearer` (in upper or lower case) in an `Authorization` value, without surrounding spaces. Empty if no token
/// follows. `None` for schemes other than `Bearer`.
pub(super) fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, rest) = authorization.split_at_checked(6)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    match rest.chars().next() {
        None => Some(""),
        Some(' ') => Some(rest.trim()),
        Some(_) => None,
    }
}

/// Whether a request carries the project's service_role key or secret key.
#[must_use]
pub fn is_operator(keys: &ApiKeys, headers: &HeaderMap) -> bool {
    match keys.credentials(headers) {
        Credentials::Authorization(text) => bearer(&text).is_some_and(|token| keys.service_role.matches(token)),
        Credentials::None => false,
    }
}

/// Determines the caller of a request and stores it as a request extension. If the request contains an opaque API key (`sb_…`), sets the
/// `Authorization` header to the JWT that the server uses in place of this key, because some APIs read the token from the header.
pub(crate) fn authenticate(authenticator: &Authenticator, request: &mut Request) {
    // S3 clients put a signature into the `Authorization` header. The header stays unchanged, because the storage API verifies the signature.
    let is_signed = request.headers().get(AUTHORIZATION).is_some_and(|value| value.as_bytes().starts_with(b"AWS4-"));
    if !is_signed {
        let begun = Instant::now();
        let (caller, authorization) =
            authenticator.resolve(request.headers(), WithoutScheme::of_path(request.uri().path()));
        if !request.headers().contains_key(AUTHORIZATION) && is_token(request.headers().get("apikey")) {
            request.extensions_mut().insert(ByApiKeyAlone);
        }
        set_authorization(request.headers_mut(), authorization);
        request.extensions_mut().insert::<CallerResult>(caller);
        request.extensions_mut().insert(ResolvedIn(begun.elapsed()));
    }
}

/// Whether the API key in a header is a JWT, and not an opaque key (`sb_…`).
fn is_token(key: Option<&HeaderValue>) -> bool {
    key.is_some_and(|key| !key.as_bytes().starts_with(b"sb_"))
}

/// Sets the `Authorization` header, or removes the header if `authorization` is `None`.
fn set_authorization(headers: &mut HeaderMap, authorization: Option<String>) {
    let is_single = headers.get_all(AUTHORIZATION).iter().nth(1).is_none();
    if let (true, Some(received), Some(text)) = (is_single, headers.get_mut(AUTHORIZATION), &authorization)
        && received == text
    {
        received.set_sensitive(true);
        return;
    }
    headers.remove(AUTHORIZATION);
    if let Some(mut value) = authorization.and_then(|text| HeaderValue::try_from(text).ok()) {
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
}

#[cfg(test)]
mod tests {
    use super::{WithoutScheme, bearer};

    #[test]
    fn only_storage_takes_a_bare_token() {
        assert_eq!(WithoutScheme::of_path("/storage/v1/bucket"), WithoutScheme::IsToken);
        for path in ["/rest/v1/t", "/auth/v1/user", "/storage/v1", "/storage/v1x", "/"] {
            assert_eq!(WithoutScheme::of_path(path), WithoutScheme::IsIgnored, "{path}");
        }
    }

    #[test]
    fn the_bearer_scheme() {
        assert_eq!(bearer("Bearer a.b.c"), Some("a.b.c"));
        assert_eq!(bearer("bEaReR  a.b.c "), Some("a.b.c"));
        assert_eq!(bearer("Bearer"), Some(""));
        assert_eq!(bearer("Bearer "), Some(""));
        for other in ["Basic abc", "Bearerabc", "", "B"] {
            assert_eq!(bearer(other), None, "{other}");
        }
    }
}
