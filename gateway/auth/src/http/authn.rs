//! Authenticates requests of signed-in users with a valid session, and of administrators.

use axum::extract::FromRequestParts;
use cloch_sql::caller::{ANON, ByApiKeyAlone, CallerResult, TokenError, numeric_date};
use cloch_sql::{Caller, caller};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use uuid::Uuid;

use super::request::Incoming;
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::flow::session_lifetime;
use crate::model::Time;
use crate::model::session::{self, Session};
use crate::model::user::{self, User};
use crate::roles::is_admin_role;
use crate::state::AuthState;

/// A signed-in user: the access token is valid, the account exists, and the session does not belong to an OAuth client.
pub(crate) struct SignedIn {
    pub(crate) user: User,
    pub(crate) session: Option<Session>,
    pub(crate) caller: Caller,
    pub(crate) client: Client,
}

impl SignedIn {
    /// Returns the time when the user signed in to the session of the request. `None` if the token names no session.
    pub(crate) fn signed_in_at(&self) -> Option<Time> {
        self.session.as_ref().map(Session::signed_in_at)
    }

    pub(crate) fn session_id(&self) -> Option<Uuid> {
        self.session.as_ref().map(|session| session.id)
    }
}

impl FromRequestParts<AuthState> for SignedIn {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &AuthState) -> Result<Self> {
        let caller = bearer_of(parts)?;
        Self::load(state, caller, Client::of(parts)).await?.in_person()
    }
}

/// A signed-in user. Unlike with [`SignedIn`], the user's session may also belong to an OAuth client.
pub(crate) struct AnySession(pub(crate) SignedIn);

impl FromRequestParts<AuthState> for AnySession {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &AuthState) -> Result<Self> {
        let caller = bearer_of(parts)?;
        SignedIn::load(state, caller, Client::of(parts)).await.map(Self)
    }
}

impl SignedIn {
    /// Authenticates a request with the same checks as the extractor [`SignedIn`], for a handler that has already read the request's body.
    pub(crate) async fn of(state: &AuthState, incoming: &Incoming) -> Result<Self> {
        let caller = bearer(&incoming.headers, incoming.caller_result())?;
        Self::load(state, caller, incoming.client.clone()).await?.in_person()
    }

    /// Refuses the access token of an OAuth client. An OAuth client can act on the user's data, but cannot change how the user signs in,
    /// and cannot grant permissions.
    fn in_person(self) -> Result<Self> {
        match self.session.as_ref().and_then(|session| session.oauth_client_id) {
            None => Ok(self),
            Some(_) => Err(AuthError::forbidden("no_authorization", "An OAuth client may not do this for its user")),
        }
    }

    async fn load(state: &AuthState, caller: Caller, client: Client) -> Result<Self> {
        let sub = caller.claim("sub").unwrap_or_default();
        if sub.is_empty() {
            return Err(AuthError::forbidden("bad_jwt", "invalid claim: missing sub claim"));
        }
        let id: Uuid =
            sub.parse().map_err(|_| AuthError::bad_request("bad_jwt", "invalid claim: sub claim must be a UUID"))?;
        let mut connection = state.connection().await?;
        let user = user::by_id(&mut connection, id)
            .await
            .context("Database error finding user")?
            .ok_or_else(|| AuthError::forbidden("user_not_found", "User from sub claim in JWT does not exist"))?;
        let session = match named_session(&caller)? {
            None => None,
            Some(id) => Some(
                session::by_id(&mut connection, id).await?.filter(|session| session.user_id == user.id).ok_or_else(
                    || AuthError::forbidden("session_not_found", "Session from session_id claim in JWT does not exist"),
                )?,
            ),
        };
        if user.is_banned() {
            return Err(AuthError::forbidden("user_banned", "User is banned"));
        }
        Ok(Self { user, session, caller, client })
    }
}

/// An administrator: a caller with one of the project's service keys, or a signed-in user with an administrator's role.
pub(crate) struct Admin {
    pub(crate) role: String,
}

impl FromRequestParts<AuthState> for Admin {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &AuthState) -> Result<Self> {
        let caller = bearer_of(parts)?;
        let role = caller.role().to_owned();
        // A token with a session id belongs to an administrator who signed in as a user. Such a token is valid only while the session
        // exists.
        if named_session(&caller)?.is_some() {
            let SignedIn { user, session, .. } = SignedIn::load(state, caller, Client::of(parts)).await?;
            if session.is_some_and(|session| !session_lifetime::is_valid(state, &session, &user)) {
                return Err(AuthError::forbidden("session_expired", "Session is no longer valid"));
            }
        }
        if !is_admin_role(&role) {
            return Err(AuthError::forbidden("not_admin", "User not allowed"));
        }
        Ok(Self { role })
    }
}

/// Returns the caller of a request. If the request contains only the API key of role `anon`, returns an error with status 401. Clients
/// expect this status, because GoTrue behind Supabase's gateway returns it.
fn bearer_of(parts: &Parts) -> Result<Caller> {
    let caller = bearer(&parts.headers, caller::of_request(parts))?;
    match parts.extensions.get::<ByApiKeyAlone>() {
        Some(ByApiKeyAlone) if caller.role() == ANON && caller.claim("sub").is_none() => Err(missing()),
        _ => Ok(caller),
    }
}

fn missing() -> AuthError {
    AuthError::unauthorized("no_authorization", "This endpoint requires a valid Bearer token")
}

/// Returns the caller that the request's bearer token identifies. `caller` is the result of the gateway's check of the request's
/// credentials.
///
/// # Errors
/// Status 401 if the request has no bearer token, and the API's error if the token was refused.
fn bearer(headers: &HeaderMap, caller: CallerResult) -> Result<Caller> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let scheme = value.as_bytes().get(..7).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(b"bearer ") {
            return Err(missing());
        }
    }
    match caller {
        // The `sub` claim of another issuer's token is any text, so it may equal the id of a user of this project.
        Ok(caller) if caller.is_foreign() => Err(AuthError::forbidden(
            "bad_jwt",
            "invalid JWT: tokens of other issuers belong to no user of this project",
        )),
        Ok(caller) if caller.token().is_some() => {
            if has_expired(&caller) {
                Err(bad_token(&TokenError::Expired))
            } else {
                Ok(caller)
            }
        }
        Ok(_) | Err(TokenError::Empty) => Err(missing()),
        Err(error) => Err(bad_token(&error)),
    }
}

/// Whether the token has expired. Allows no clock skew, as in GoTrue; the REST API allows clock skew, as in PostgREST.
fn has_expired(caller: &Caller) -> bool {
    let exp = caller.claims().get("exp").and_then(numeric_date);
    exp.is_some_and(|exp| chrono::Utc::now().timestamp() >= exp)
}

fn bad_token(error: &TokenError) -> AuthError {
    let why = reason(error);
    AuthError::forbidden("bad_jwt", format!("invalid JWT: unable to parse or verify signature, {why}"))
}

/// Returns the error text of Go's JWT library for a verification error, because clients display this text.
fn reason(error: &TokenError) -> String {
    match error {
        TokenError::Empty | TokenError::Parts(_) => {
            "token is malformed: token contains an invalid number of segments".into()
        }
        TokenError::Algorithm => {
            "token is unverifiable: error while executing keyfunc: unrecognized JWT algorithm".into()
        }
        TokenError::NoKey => "token is unverifiable: error while executing keyfunc: unrecognized JWT kid".into(),
        TokenError::Signature => "token signature is invalid: signature is invalid".into(),
        TokenError::Expired => "token has invalid claims: token is expired".into(),
        TokenError::NotYetValid => "token has invalid claims: token is not valid yet".into(),
        TokenError::IssuedInFuture => "token has invalid claims: token used before issued".into(),
        other => format!("token has invalid claims: {other}"),
    }
}

/// Returns the session id of an access token. `None` if the claim `session_id` is missing or is the nil UUID.
fn named_session(caller: &Caller) -> Result<Option<Uuid>> {
    match caller.claim("session_id").unwrap_or_default() {
        "" => Ok(None),
        text => text
            .parse()
            .map(|id: Uuid| (!id.is_nil()).then_some(id))
            .map_err(|_| AuthError::forbidden("bad_jwt", "invalid claim: session_id claim must be a UUID")),
    }
}
