//! `grant_type=refresh_token`: the next pair of tokens, and the end of a session whose token was stolen.

use std::time::Duration;

use chrono::Utc;
use serde::Deserialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::second_form::{self, SecondForm};
use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::grant::{self, Granted, Reuse};
use crate::auth::models::audit::{self, Action};
use crate::auth::models::refresh_token::{self, RefreshToken};
use crate::auth::models::session::{self, Session};
use crate::auth::models::user::{self, User};
use crate::auth::models::{Time, user_change};
use crate::auth::request::Incoming;
use crate::auth::state::AuthState;

/// How long concurrent uses of one session wait for each other.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    refresh_token: String,
}

/// A refusal whose side effect (the end of a stolen session) is kept, or a token.
pub(super) enum Turn {
    Next(String, Option<Reuse>),
    Stolen,
}

pub(super) async fn grant(state: &AuthState, incoming: &Incoming) -> Result<Granted> {
    let params: Params = incoming.json()?;
    let token = Token::parse(&params.refresh_token)?;
    let begun = tokio::time::Instant::now();
    // Waiting here instead of in the database leaves its connections to others.
    loop {
        if let Some(granted) = attempt(state, incoming, &token).await? {
            return Ok(granted);
        }
        if begun.elapsed() > PATIENCE {
            return Err(AuthError::conflict(
                "conflict",
                "Too many concurrent token refresh requests on the same session or refresh token",
            ));
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(10..30))).await;
    }
}

/// A refresh token in one of its two forms.
enum Token {
    First(String),
    Second(SecondForm),
}

impl Token {
    fn parse(text: &str) -> Result<Self> {
        let first_form = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        let parsed = match text.len() {
            0..12 => None,
            12 => text.bytes().all(first_form).then(|| Self::First(text.to_owned())),
            _ => SecondForm::parse(text).map(Self::Second),
        };
        parsed.ok_or_else(|| AuthError::validation("Refresh token is not valid"))
    }
}

/// None while another request holds the token or its session.
async fn attempt(state: &AuthState, incoming: &Incoming, token: &Token) -> Result<Option<Granted>> {
    let mut tx = state.begin().await?;
    let row = match token {
        Token::Second(_) => None,
        Token::First(text) => match refresh_token::lock(&mut tx, text).await? {
            Some(row) => Some(row),
            None if refresh_token::exists(&mut tx, text).await? => return Ok(None),
            None => return Err(unknown()),
        },
    };
    let session_id = match (token, &row) {
        (Token::Second(second), _) => Some(second.session),
        (Token::First(_), row) => row.as_ref().and_then(|row| row.session_id),
    };
    let session = match session_id {
        None => None,
        Some(id) => session::by_id(&mut tx, id).await?,
    };
    if let Token::Second(second) = token
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
    if session.oauth_client_id.is_some() {
        return Err(AuthError::oauth("invalid_client", "Client authentication required for OAuth session"));
    }
    let turn = match (token, &row) {
        (Token::First(text), Some(row)) => next_of_first(state, &mut tx, text, row, &session, &user).await?,
        (Token::Second(second), _) => {
            // Read again: the counter may have moved before the lock was had.
            let session = session::by_id(&mut tx, session.id).await?.ok_or_else(unknown)?;
            let turn = second_form::next(state.settings(), &mut tx, second, &session).await?;
            if matches!(turn, Turn::Next(..)) {
                audit::by_user(&mut tx, &user, Action::TOKEN_REFRESHED, "", None).await?;
            }
            turn
        }
        (Token::First(_), None) => return Err(unknown()),
    };
    let (next, reuse) = match turn {
        Turn::Next(next, reuse) => (next, reuse),
        Turn::Stolen => {
            tx.commit().await?;
            return Err(AuthError::bad_request("refresh_token_already_used", "Invalid Refresh Token: Already Used"));
        }
    };
    session::refreshed(&mut tx, session.id, &incoming.client).await?;
    let user = user_change::touch(&mut tx, user.id).await.doing("Database error loading user")?;
    let mut granted = grant::grant(state, &mut tx, user, &session, "token_refresh", next, &incoming.client).await?;
    tx.commit().await?;
    granted.reuse = reuse;
    Ok(Some(granted))
}

/// The next token after one of the first form. A spent token is answered where the client most likely never got the answer.
async fn next_of_first(
    state: &AuthState,
    tx: &mut PgConnection,
    text: &str,
    row: &RefreshToken,
    session: &Session,
    user: &User,
) -> Result<Turn> {
    let settings = state.settings();
    if row.revoked {
        let active = refresh_token::active(tx, session.id).await?;
        if let Some((active, _)) = active.filter(|(_, parent)| parent.as_deref() == Some(text)) {
            audit::by_user(tx, user, Action::TOKEN_REFRESHED, "", None).await?;
            return Ok(Turn::Next(active, None));
        }
        let interval = i64::try_from(settings.refresh_token_reuse_interval).unwrap_or(0);
        if Utc::now() > row.updated_at + chrono::TimeDelta::seconds(interval) {
            if settings.enable_refresh_token_rotation {
                refresh_token::revoke_family(tx, session.id, interval).await?;
            }
            return Ok(Turn::Stolen);
        }
    }
    audit::by_user(tx, user, Action::TOKEN_REFRESHED, "", None).await?;
    audit::by_user(tx, user, Action::TOKEN_REVOKED, "", None).await?;
    let next = grant::new_refresh_token();
    refresh_token::rotate(tx, text, &next, user.id, session.id).await?;
    Ok(Turn::Next(next, Some(Reuse::None)))
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
    match invalidity(settings, session, user, token_time) {
        Some(why) => return expired(why),
        None if !settings.single_per_user => return Ok(()),
        None => {}
    }
    let own = last_refreshed(session, token_time);
    let newer = session::of_user(tx, user.id).await?.into_iter().any(|other| {
        other.id != session.id
            && other.tag == session.tag
            && invalidity(settings, &other, user, None).is_none()
            && last_refreshed(&other, None) > own
    });
    if newer { expired(" (Revoked by Newer Login)") } else { Ok(()) }
}

fn last_refreshed(session: &Session, token: Option<Time>) -> Time {
    session.last_refreshed().or(token).unwrap_or(session.created_at).max(session.created_at)
}

/// Whether a session of this user is within every limit of the project.
pub(crate) fn is_valid(state: &AuthState, session: &Session, user: &User) -> bool {
    invalidity(&state.settings().sessions, session, user, None).is_none()
}

/// Why a session may not be refreshed any more: what follows "Session Expired" in the answer.
fn invalidity(
    settings: &crate::auth::settings::Sessions,
    session: &Session,
    user: &User,
    token: Option<Time>,
) -> Option<&'static str> {
    let now = Utc::now();
    // A limit of nothing is no limit.
    let after = |from: Time, limit: crate::auth::settings::GoDuration| {
        !limit.get().is_zero() && chrono::TimeDelta::from_std(limit.get()).is_ok_and(|limit| now > from + limit)
    };
    if !session.is_open() || settings.timebox.is_some_and(|limit| after(session.created_at, limit)) {
        return Some("");
    }
    if settings.inactivity_timeout.is_some_and(|limit| after(last_refreshed(session, token), limit)) {
        return Some(" (Inactivity)");
    }
    let low = !session.has_aal2() && user.has_verified_factor();
    if low && settings.allow_low_aal.is_some_and(|limit| after(session.created_at, limit)) {
        return Some(" (Low AAL: User Needs MFA Verification)");
    }
    None
}

fn unknown() -> AuthError {
    AuthError::bad_request("refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
}

/// The newest refresh token of a session, spent for the next one: what a second factor's proof does.
pub(crate) async fn swap(tx: &mut PgConnection, session: &Session, user: Uuid) -> Result<String> {
    if let Some(next) = second_form::skip(tx, session).await? {
        return Ok(next);
    }
    let next = grant::new_refresh_token();
    let (active, _) = refresh_token::active(tx, session.id).await?.ok_or_else(unknown)?;
    refresh_token::rotate(tx, &active, &next, user, session.id).await?;
    Ok(next)
}
