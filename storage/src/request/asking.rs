//! Who asks, and the transactions that run as them: PostgreSQL's policies see the caller's role and claims, the request's
//! headers, method and path, and what is being done.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use cloch_sql::caller::{self, ANON, ClientAddress};
use cloch_sql::{Caller, LocalSettings};
use serde_json::{Map, Value};
use sqlx::{Postgres, Transaction};

use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::state::StorageState;

/// A database transaction. Dropping it rolls back.
pub(crate) type Tx = Transaction<'static, Postgres>;

/// A request with a valid token, and the transactions made for it.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    caller: Caller,
    request: RequestLine,
    /// Whether the caller has no session, whatever role they act in.
    is_visitor: bool,
}

/// A request that needs no token: a missing or bad one is kept for the endpoints that fall back to public buckets.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    asking: Result<Caller, Refusal>,
    request: RequestLine,
}

/// Why a visitor is not known.
type Refusal = Option<caller::TokenError>;

#[derive(Clone, Debug)]
struct RequestLine {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    /// The client's network, where a gateway has found it.
    network: Option<String>,
}

impl RequestLine {
    fn of(parts: &Parts) -> Self {
        let network = ClientAddress::of_request(parts).map(ClientAddress::network);
        Self { method: parts.method.clone(), uri: parts.uri.clone(), headers: parts.headers.clone(), network }
    }

    fn headers_json(&self) -> String {
        let text = |value: &HeaderValue| Value::String(String::from_utf8_lossy(value.as_bytes()).into_owned());
        let map: Map<_, _> = self.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        Value::Object(map).to_string()
    }

    /// What the transactions made for the request set.
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
}

/// The caller that the gateway found, if the request had any credentials at all: this API has no anonymous access without a
/// key, but links and public buckets need none.
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

fn refused(refusal: Refusal) -> Error {
    Error::unauthorized(&refusal.unwrap_or(caller::TokenError::Empty))
}

impl<S: Sync> FromRequestParts<S> for Asking {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        Ok(Self::new(caller_of(parts).map_err(refused)?, RequestLine::of(parts)))
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self { asking: caller_of(parts), request: RequestLine::of(parts) })
    }
}

impl Visitor {
    /// The visitor as a caller, if the token is good.
    pub(crate) fn known(&self) -> Option<Asking> {
        let caller = self.asking.as_ref().ok()?.clone();
        Some(Asking::new(caller, self.request.clone()))
    }

    /// The visitor as a caller.
    ///
    /// # Errors
    /// Why the token is refused.
    pub(crate) fn identified(&self) -> Result<Asking> {
        let caller = self.asking.clone().map_err(refused)?;
        Ok(Asking::new(caller, self.request.clone()))
    }

    /// The visitor as somebody who holds a link: anonymous, whatever token came along. The link says what may be done.
    pub(crate) fn through_link(&self) -> Asking {
        let is_visitor = self.asking.as_ref().map_or(true, is_anon);
        Asking { is_visitor, ..Asking::new(Caller::anon(), self.request.clone()) }
    }

    /// The request's headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    /// A transaction as the service role, for what needs no permission: public objects, signed links.
    pub(crate) async fn begin_service(&self, state: &StorageState, operation: Operation) -> Result<Tx> {
        begin(state, &Caller::service_role(), &self.request, operation).await
    }
}

impl Asking {
    /// A request by a caller who was found in another way than by the gateway.
    pub(crate) fn of_caller(parts: &Parts, caller: Caller) -> Self {
        Self::new(caller, RequestLine::of(parts))
    }

    fn new(caller: Caller, request: RequestLine) -> Self {
        Self { is_visitor: is_anon(&caller), caller, request }
    }

    /// The network that a visitor's uploads are counted by; none for a caller with a session, and for the program's own functions.
    pub(crate) fn network(&self) -> Option<&str> {
        self.request.network.as_deref().filter(|_| self.is_visitor)
    }

    /// Who asks.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The request's headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.request.headers
    }

    /// A transaction as the caller: policies decide.
    pub(crate) async fn begin(&self, state: &StorageState, operation: Operation) -> Result<Tx> {
        begin(state, &self.caller, &self.request, operation).await
    }

    /// A transaction as the service role: for writing what the caller's policies have allowed.
    pub(crate) async fn begin_service(&self, state: &StorageState, operation: Operation) -> Result<Tx> {
        begin(state, &Caller::service_role(), &self.request, operation).await
    }

    /// What a call of one of our functions in the database tells the policies: the caller is the service role, or who asks.
    pub(crate) fn local_settings(&self, caller: &Caller, operation: Operation) -> LocalSettings {
        self.request.local_settings(caller, operation)
    }

    /// The owner that rows of this caller get.
    pub(crate) fn owner(&self) -> Owner {
        Owner::of(self.caller.claim("sub"))
    }
}

async fn begin(state: &StorageState, caller: &Caller, request: &RequestLine, operation: Operation) -> Result<Tx> {
    Ok(state.database().begin_with(caller.role(), &request.local_settings(caller, operation)).await?)
}

/// Switches a running transaction to the service role and back, for a statement inside one unit of work.
pub(crate) async fn set_role(tx: &mut Tx, role: &str) -> Result<()> {
    sqlx::query!("select set_config('role', $1, true)", role).fetch_one(&mut **tx).await?;
    Ok(())
}

/// The owner of a row: any `sub`, and the same as a UUID where it is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    /// `owner_id`.
    pub(crate) id: Option<String>,
    /// The deprecated `owner`.
    pub(crate) uuid: Option<uuid::Uuid>,
}

impl Owner {
    pub(crate) fn of(sub: Option<&str>) -> Self {
        Self { id: sub.map(str::to_owned), uuid: sub.and_then(rfc_uuid) }
    }
}

/// A UUID of versions 0 to 5 and the RFC's variant, in its usual form.
fn rfc_uuid(text: &str) -> Option<uuid::Uuid> {
    let uuid = uuid::Uuid::try_parse(text).ok().filter(|_| text.len() == 36)?;
    let byte = |index: usize| uuid.as_bytes().get(index).copied().unwrap_or_default();
    let variant = matches!(byte(8) >> 4, 0 | 8 | 9 | 0xa | 0xb);
    (byte(6) >> 4 <= 5 && variant).then_some(uuid)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn an_owner_is_any_text_and_a_uuid_only_sometimes() {
        assert_eq!(Owner::of(None), Owner { id: None, uuid: None });
        assert_eq!(Owner::of(Some("user-1")).uuid, None);
        assert_eq!(Owner::of(Some("6a7f9a7e-51a5-7b9b-9d7b-0d1f3f3f7a10")).uuid, None);
        assert!(Owner::of(Some("6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10")).uuid.is_some());
    }
}
