//! Determines the caller of a request, and begins database transactions in the caller's name: RLS policies can read the caller's role and
//! claims, the request's headers, method and path, and the operation.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use cloch_sql::caller::{self, ANON, ClientAddress, SERVICE_ROLE};
use cloch_sql::{Caller, Database, LocalSettings};
use serde_json::{Map, Value};

use crate::db::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::owner::Owner;
use crate::operation::Operation;

/// A request with a valid token, and the caller of the request.
#[derive(Clone, Debug)]
pub(crate) struct Authenticated {
    caller: Caller,
    request: RequestHead,
    /// Whether the client is a visitor (a caller without a session), whatever role the request uses.
    is_visitor: bool,
}

/// A request that may lack a valid token, for endpoints that also serve public buckets and signed URLs.
#[derive(Clone, Debug)]
pub(crate) struct MaybeAuthenticated {
    caller: Result<Caller, Refusal>,
    request: RequestHead,
}

/// Reason why a request is not authenticated: the error of its token, or `None` if the request has no credentials.
type Refusal = Option<caller::TokenError>;

/// Properties of a request that RLS policies can read.
#[derive(Clone, Debug)]
struct RequestHead {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    /// Network of the client (an IPv4 address or an IPv6 /64). `None` if the gateway has not determined the client's address.
    network: Option<String>,
}

impl RequestHead {
    fn of(parts: &Parts) -> Self {
        let network = ClientAddress::of_request(parts).map(ClientAddress::network);
        Self { method: parts.method.clone(), uri: parts.uri.clone(), headers: parts.headers.clone(), network }
    }

    fn headers_json(&self) -> String {
        let text = |value: &HeaderValue| Value::String(String::from_utf8_lossy(value.as_bytes()).into_owned());
        let map: Map<_, _> = self.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        Value::Object(map).to_string()
    }

    /// Returns the PostgreSQL settings for transactions of the request.
    fn local_settings(&self, caller: &Caller, operation: Operation) -> LocalSettings {
        let mut settings = LocalSettings::of(caller);
        settings.set("request.jwt", caller.token().map_or("", |token| token.expose()));
        settings.set("request.headers", self.headers_json());
        settings.set("request.method", self.method.as_str());
        settings.set("request.path", self.path_and_query());
        settings.set("storage.operation", operation.name());
        settings.set("storage.allow_delete_query", "true");
        settings.set("search_path", "storage,public,extensions");
        settings
    }

    fn path_and_query(&self) -> &str {
        self.uri.path_and_query().map_or_else(|| self.uri.path(), |path| path.as_str())
    }

    async fn begin(&self, database: &Database, caller: &Caller, operation: Operation) -> Result<Tx> {
        Ok(database.begin_with(caller.role(), &self.local_settings(caller, operation)).await?)
    }
}

/// Returns the caller that the gateway resolved, if the request has credentials. Without an API key or token, only signed URLs and public
/// buckets are accessible.
fn caller_of(parts: &Parts) -> Result<Caller, Refusal> {
    let has_credentials = |name: &str| parts.headers.get(name).is_some_and(|value| !value.is_empty());
    match caller::of_request(parts) {
        Ok(caller) if has_credentials(AUTHORIZATION.as_str()) || has_credentials("apikey") => Ok(caller),
        Ok(_) => Err(None),
        Err(error) => Err(Some(error)),
    }
}

fn is_anon(caller: &Caller) -> bool {
    caller.role() == ANON
}

fn unauthorized(refusal: Refusal) -> Error {
    Error::unauthorized(&refusal.unwrap_or(caller::TokenError::Empty))
}

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        Ok(Self::new(caller_of(parts).map_err(unauthorized)?, RequestHead::of(parts)))
    }
}

impl<S: Sync> FromRequestParts<S> for MaybeAuthenticated {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self { caller: caller_of(parts), request: RequestHead::of(parts) })
    }
}

impl MaybeAuthenticated {
    /// Returns the authenticated request, or `None` if its token is missing or invalid.
    pub(crate) fn authenticated(&self) -> Option<Authenticated> {
        let caller = self.caller.as_ref().ok()?.clone();
        Some(Authenticated::new(caller, self.request.clone()))
    }

    /// Returns the authenticated request.
    ///
    /// # Errors
    /// If the token is missing or invalid.
    pub(crate) fn require(&self) -> Result<Authenticated> {
        let caller = self.caller.clone().map_err(unauthorized)?;
        Ok(Authenticated::new(caller, self.request.clone()))
    }

    /// Returns the request with the role `anon`. Any token of the request is ignored, because the signed URL determines the permissions.
    pub(crate) fn by_signed_url(&self) -> Authenticated {
        let is_visitor = self.caller.as_ref().map_or(true, is_anon);
        Authenticated { is_visitor, ..Authenticated::new(Caller::anon(), self.request.clone()) }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    /// Begins a transaction with the service role, for reads that require no permission: public objects and signed URLs.
    pub(crate) async fn begin_service(&self, database: &Database, operation: Operation) -> Result<Tx> {
        self.request.begin(database, &Caller::service_role(), operation).await
    }
}

impl Authenticated {
    /// Creates the authenticated request of a caller that was not resolved by the gateway.
    pub(crate) fn of_caller(parts: &Parts, caller: Caller) -> Self {
        Self::new(caller, RequestHead::of(parts))
    }

    fn new(caller: Caller, request: RequestHead) -> Self {
        Self { is_visitor: is_anon(&caller), caller, request }
    }

    /// Returns the client's network (an IPv4 address or an IPv6 /64), for the upload limits of visitors (callers without a session). `None` for
    /// callers with a session and for calls from other crates of Cloch.
    pub(crate) fn network(&self) -> Option<&str> {
        self.request.network.as_deref().filter(|_| self.is_visitor)
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    /// Begins a transaction with the role of the caller, so that RLS policies decide.
    pub(crate) async fn begin(&self, database: &Database, operation: Operation) -> Result<Tx> {
        self.request.begin(database, &self.caller, operation).await
    }

    /// Begins a transaction with the service role, for writes that the caller's RLS policies have allowed.
    pub(crate) async fn begin_service(&self, database: &Database, operation: Operation) -> Result<Tx> {
        self.request.begin(database, &Caller::service_role(), operation).await
    }

    /// Begins a transaction in the service role, with the caller's settings. SQL functions need both: they switch to the caller's role
    /// where RLS policies control access.
    pub(crate) async fn begin_as_service(&self, database: &Database, operation: Operation) -> Result<Tx> {
        Ok(database.begin_with(SERVICE_ROLE, &self.local_settings(&self.caller, operation)).await?)
    }

    /// Returns the PostgreSQL settings for a transaction of the request. `caller` is the caller of the request or the service role.
    pub(crate) fn local_settings(&self, caller: &Caller, operation: Operation) -> LocalSettings {
        self.request.local_settings(caller, operation)
    }

    /// Returns the owner of rows that this caller creates.
    pub(crate) fn owner(&self) -> Owner {
        Owner::of(self.caller.claim("sub"))
    }
}
