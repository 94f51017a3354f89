//! Refreshes a session: issues a new access token and refresh token, and ends a session whose refresh token was stolen and reused.

use std::time::Duration;

use chrono::Utc;
use sqlx::PgConnection;
use uuid::Uuid;

use super::issue_session::{self, Reuse, TokenResponse};
use super::refresh_token_v2::{self, RefreshTokenV2, Rotation};
use super::session_lifetime;
use crate::client::Client;
use crate::error::{AuthError, Context, Result};
use crate::model::audit::{self, Action};
use crate::model::refresh_token::{self, RefreshToken};
use crate::model::session::{self, Session};
use crate::model::user::{self, User};
use crate::model::user_update;
use crate::state::AuthState;

/// Maximum time that a refresh waits for concurrent refreshes of the same session.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Exchanges a refresh token for a new access token and refresh token. The user must have signed in to this project in the token's session;
/// tokens of OAuth clients' sessions are refused.
pub(crate) async fn refresh(state: &AuthState, client: &Client, refresh_token: &str) -> Result<TokenResponse> {
    exchange(state, client, refresh_token, None).await
}

/// Exchanges a refresh token of an OAuth client's session. The calling function must have authenticated the client `oauth_client`.
pub(crate) async fn refresh_of_client(
    state: &AuthState,
    client: &Client,
    refresh_token: &str,
    oauth_client: Uuid,
) -> Result<TokenResponse> {
    exchange(state, client, refresh_token, Some(oauth_client)).await
}

async fn exchange(
    state: &AuthState,
    client: &Client,
    refresh_token: &str,
    oauth_client: Option<Uuid>,
) -> Result<TokenResponse> {
    let token = Token::parse(refresh_token)?;
    let begun = tokio::time::Instant::now();
    // Polls instead of waiting for a lock in the database, so that the wait does not occupy a database connection.
    loop {
        if let Some(response) = attempt(state, client, &token, oauth_client).await? {
            return Ok(response);
        }
        if begun.elapsed() > LOCK_TIMEOUT {
            return Err(AuthError::conflict(
                "conflict",
                "Too many concurrent token refresh requests on the same session or refresh token",
            ));
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(10..30))).await;
    }
}

/// A refresh token of format 1 (random, stored in the database) or of format 2 ([`super::refresh_token_v2`]).
enum Token {
    V1(String),
    V2(RefreshTokenV2),
}

impl Token {
    fn parse(text: &str) -> Result<Self> {
        let is_v1_char = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        let parsed = match text.len() {
            0..12 => None,
            12 => text.bytes().all(is_v1_char).then(|| Self::V1(text.to_owned())),
            _ => RefreshTokenV2::parse(text).map(Self::V2),
        };
        parsed.ok_or_else(|| AuthError::validation("Refresh token is not valid"))
    }
}

/// Tries to refresh the session. Returns `None` if another request has locked the refresh token or the session.
async fn attempt(
    state: &AuthState,
    client: &Client,
    token: &Token,
    oauth_client: Option<Uuid>,
) -> Result<Option<TokenResponse>> {
    let mut tx = state.begin().await?;
    let row = match token {
        Token::V2(_) => None,
        Token::V1(text) => match refresh_token::lock(&mut tx, text).await? {
            Some(row) => Some(row),
            None if refresh_token::exists(&mut tx, text).await? => return Ok(None),
            None => return Err(unknown()),
        },
    };
    let session_id = match (token, &row) {
        (Token::V2(second), _) => Some(second.session),
        (Token::V1(_), row) => row.as_ref().and_then(|row| row.session_id),
    };
    let session = match session_id {
        None => None,
        Some(id) => session::by_id(&mut tx, id).await?,
    };
    if let Token::V2(second) = token
        && !session.as_ref().is_some_and(|session| second.is_of(session))
    {
        return Err(unknown());
    }
    let owner =
        session.as_ref().map(|session| session.user_id).or_else(|| row.as_ref()?.user_id).ok_or_else(unknown)?;
    let user = user::by_id(&mut tx, owner).await?.ok_or_else(unknown)?;
    if user.is_banned() {
        return Err(AuthError::bad_request("user_banned", "Invalid Refresh Token: User Banned"));
    }
    let Some(session) = session else {
        if let Some(row) = &row {
            refresh_token::delete(&mut tx, row.id).await?;
            tx.commit().await?;
        }
        return Err(AuthError::bad_request("session_not_found", "Invalid Refresh Token: No Valid Session Found"));
    };
    check_validity(state, &mut tx, &session, &user, row.as_ref()).await?;
    if !refresh_token::lock_session(&mut tx, session.id).await? {
        return Ok(None);
    }
    check_oauth_client(&session, oauth_client)?;
    let rotation = match (token, &row) {
        (Token::V1(text), Some(row)) => rotate_v1(state, &mut tx, text, row, &session, &user).await?,
        (Token::V2(second), _) => {
            // Reloads the session after the lock was acquired, because another request may have changed the session's refresh token
            // counter before this request had the lock.
            let session = session::by_id(&mut tx, session.id).await?.ok_or_else(unknown)?;
            let rotation = refresh_token_v2::next(state.settings(), &mut tx, second, &session).await?;
            if matches!(rotation, Rotation::Next(..)) {
                audit::by_user(&mut tx, &user, Action::TOKEN_REFRESHED, "", None).await?;
            }
            rotation
        }
        (Token::V1(_), None) => return Err(unknown()),
    };
    let (next, reuse) = match rotation {
        Rotation::Next(next, reuse) => (next, reuse),
        Rotation::Stolen => {
            tx.commit().await?;
            return Err(AuthError::bad_request("refresh_token_already_used", "Invalid Refresh Token: Already Used"));
        }
    };
    session::refreshed(&mut tx, session.id, client).await?;
    let user = user_update::touch(&mut tx, user.id).await.context("Database error loading user")?;
    let mut response =
        issue_session::issue_tokens(state, &mut tx, user, &session, "token_refresh", next, client).await?;
    tx.commit().await?;
    response.reuse = reuse;
    Ok(Some(response))
}

/// Refuses a refresh token that was not issued to `oauth_client`. The refresh token of an OAuth client's session is valid only for this
/// OAuth client; the refresh token of any other session is valid only in a request without an OAuth client.
fn check_oauth_client(session: &Session, oauth_client: Option<Uuid>) -> Result<()> {
    match (session.oauth_client_id, oauth_client) {
        (Some(_), None) => Err(AuthError::oauth("invalid_client", "Client authentication required for OAuth session")),
        (own, asking) if own == asking => Ok(()),
        _ => Err(AuthError::oauth("invalid_grant", "Invalid Refresh Token: Not Issued To This Client")),
    }
}

/// Returns the session of a refresh token, even if the refresh token was already used. `None` if this server did not issue the refresh
/// token.
pub(crate) async fn session_of(tx: &mut PgConnection, refresh_token: &str) -> Result<Option<Uuid>> {
    match Token::parse(refresh_token) {
        Ok(Token::V1(text)) => Ok(refresh_token::session_of(tx, &text).await?),
        Ok(Token::V2(second)) => {
            let session = session::by_id(tx, second.session).await?;
            Ok(session.filter(|session| second.is_of(session)).map(|session| session.id))
        }
        Err(_) => Ok(None),
    }
}

/// Rotates a refresh token of format 1: revokes the token and issues the next one. A client may not have received the previous response, so
/// a used token is accepted in two cases. If the token's successor is not used yet, returns this successor. Within
/// `refresh_token_reuse_interval` after the first use, issues a new token. All other used tokens count as stolen.
async fn rotate_v1(
    state: &AuthState,
    tx: &mut PgConnection,
    text: &str,
    row: &RefreshToken,
    session: &Session,
    user: &User,
) -> Result<Rotation> {
    let settings = state.settings();
    if row.revoked {
        let active = refresh_token::active(tx, session.id).await?;
        if let Some((active, _)) = active.filter(|(_, parent)| parent.as_deref() == Some(text)) {
            audit::by_user(tx, user, Action::TOKEN_REFRESHED, "", None).await?;
            return Ok(Rotation::Next(active, None));
        }
        let interval = i64::try_from(settings.refresh_token_reuse_interval).unwrap_or(0);
        if Utc::now() > row.updated_at + chrono::TimeDelta::seconds(interval) {
            if settings.enable_refresh_token_rotation {
                refresh_token::revoke_family(tx, session.id, interval).await?;
            }
            return Ok(Rotation::Stolen);
        }
    }
    audit::by_user(tx, user, Action::TOKEN_REFRESHED, "", None).await?;
    audit::by_user(tx, user, Action::TOKEN_REVOKED, "", None).await?;
    let next = issue_session::new_refresh_token();
    refresh_token::rotate(tx, text, &next, user.id, session.id).await?;
    Ok(Rotation::Next(next, Some(Reuse::None)))
}

async fn check_validity(
    state: &AuthState,
    tx: &mut PgConnection,
    session: &Session,
    user: &User,
    token: Option<&RefreshToken>,
) -> Result<()> {
    let expired = |why: &str| {
        Err(AuthError::bad_request("session_expired", format!("Invalid Refresh Token: Session Expired{why}")))
    };
    let settings = &state.settings().sessions;
    let token_time = token.map(|token| token.updated_at);
    match session_lifetime::invalidity(settings, session, user, token_time) {
        Some(why) => return expired(why),
        None if !settings.single_per_user => return Ok(()),
        None => {}
    }
    let own = session_lifetime::last_refreshed(session, token_time);
    let newer = session::of_user(tx, user.id).await?.into_iter().any(|other| {
        other.id != session.id
            && other.tag == session.tag
            && other.oauth_client_id == session.oauth_client_id
            && session_lifetime::invalidity(settings, &other, user, None).is_none()
            && session_lifetime::last_refreshed(&other, None) > own
    });
    if newer { expired(" (Revoked by Newer Login)") } else { Ok(()) }
}

fn unknown() -> AuthError {
    AuthError::bad_request("refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
}

/// Replaces the newest refresh token of a session after a second factor was verified. Returns the new token.
pub(crate) async fn rotate_active(tx: &mut PgConnection, session: &Session, user: Uuid) -> Result<String> {
    if let Some(next) = refresh_token_v2::skip(tx, session).await? {
        return Ok(next);
    }
    let next = issue_session::new_refresh_token();
    let (active, _) = refresh_token::active(tx, session.id).await?.ok_or_else(unknown)?;
    refresh_token::rotate(tx, &active, &next, user, session.id).await?;
    Ok(next)
}
