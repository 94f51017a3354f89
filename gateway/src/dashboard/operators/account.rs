//! Changes an operator's own password and one-time codes (TOTP). Each change requires the current password or a passkey.

use axum::extract::State;
use axum::routing::on;
use axum::{Extension, Json};
use cloch_auth::totp;
use cloch_core::Secret;
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Value, json};

use super::passkeys::Assertion;
use super::proof::{Proof, confirm};
use super::session::{self, Ended, Session};
use super::{limits, links, own_passkeys};
use crate::dashboard::extract::Input;
use crate::dashboard::operator::Credentials;
use crate::dashboard::passwords;
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(
        Method::Post,
        "/session/password",
        "session.password",
        "Change one's own password",
        Access::VIEWER,
        |method| on(method, change_password),
    ),
    Route::new(
        Method::Delete,
        "/session/password",
        "session.password_end",
        "Sign in with passkeys only",
        Access::VIEWER,
        |method| on(method, end_password),
    ),
    Route::new(
        Method::Post,
        "/session/totp",
        "session.totp",
        "Begin to use one-time codes",
        Access::VIEWER,
        |method| on(method, begin_totp),
    ),
    Route::new(
        Method::Post,
        "/session/totp/confirm",
        "session.totp_confirm",
        "Use one-time codes from now on",
        Access::VIEWER,
        |method| on(method, confirm_totp),
    ),
    Route::new(
        Method::Delete,
        "/session/totp",
        "session.totp_end",
        "Use no one-time codes any more",
        Access::VIEWER,
        |method| on(method, end_totp),
    ),
];

#[derive(Deserialize)]
struct NewPassword {
    #[serde(default)]
    current: Option<Secret>,
    #[serde(default)]
    passkey: Option<Assertion>,
    password: Secret,
}

#[derive(Deserialize)]
struct Code {
    code: Secret,
}

async fn change_password(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(given): Input<NewPassword>,
) -> Result<StatusCode, ApiError> {
    let proof = Proof::new(given.current, given.passkey);
    confirm(&state, &session, &parts, &proof).await?;
    passwords::check(&given.password, &session.operator.email)?;
    let hash = state.passwords.hash(&given.password).await?;
    let mut transaction = cloch_sql::transaction::begin(state.database.operators()).await?;
    let update = sqlx::query("update cloch.operators set password_hash = $2 where id = $1");
    update.bind(session.operator.id).bind(hash.expose()).execute(&mut *transaction).await?;
    session::end(&mut *transaction, session.operator.id, Ended::AllBut(session.id)).await?;
    links::end(&mut *transaction, session.operator.id).await?;
    transaction.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the operator's password. Afterwards the operator can sign in only with a passkey.
async fn end_password(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(given): Input<Proof>,
) -> Result<StatusCode, ApiError> {
    confirm(&state, &session, &parts, &given).await?;
    own_passkeys::remove_password(&state, session.operator.id).await?;
    session::end(state.database.operators(), session.operator.id, Ended::AllBut(session.id)).await?;
    links::end(state.database.operators(), session.operator.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn begin_totp(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(given): Input<Proof>,
) -> Result<Json<Value>, ApiError> {
    let found = confirm(&state, &session, &parts, &given).await?;
    if !found.operator.password {
        return Err(ApiError::conflict("One-time codes go with a password, and you have none"));
    }
    let secret = totp::new_secret();
    let failed = || ApiError::internal("setting up one-time codes failed", "encryption or QR code failed");
    let sealed = state.keys.seal(found.operator.id, &secret).ok_or_else(failed)?;
    let issuer = format!("Cloch {}", state.config.project_id);
    let uri = totp::address(&issuer, &found.operator.email, &secret);
    let picture = totp::picture(&uri).ok().flatten().ok_or_else(failed)?;
    let update = sqlx::query("update cloch.operators set totp_draft = $2 where id = $1");
    update.bind(found.operator.id).bind(sealed).execute(state.database.operators()).await?;
    Ok(Json(json!({ "secret": secret, "uri": uri, "qr_svg": picture })))
}

async fn confirm_totp(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(given): Input<Code>,
) -> Result<StatusCode, ApiError> {
    let (pool, id) = (state.database.operators(), session.operator.id);
    let wrong = limits::account(pool, &session.operator.email, Some(id), &parts).await?;
    let found = Credentials::by_id(pool, id).await?;
    let draft = found.and_then(|found| found.totp_draft);
    let secret = draft.as_deref().and_then(|draft| state.keys.open(id, draft));
    let secret = secret.ok_or_else(|| ApiError::conflict("Begin again: there is no code to confirm"))?;
    let Some(step) = totp::step_of(secret.expose(), given.code.expose().trim()) else {
        wrong.wait().await?;
        return Err(ApiError::bad_request("The code does not fit").with_code("wrong_code"));
    };
    let update = "update cloch.operators set totp_sealed = totp_draft, totp_draft = null, totp_step = $2
                   where id = $1 and totp_draft = $3";
    let update = sqlx::query(update).bind(id).bind(step).bind(draft).execute(pool).await?;
    match update.rows_affected() {
        0 => Err(ApiError::conflict("Begin again: there is no code to confirm")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

async fn end_totp(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(given): Input<Proof>,
) -> Result<StatusCode, ApiError> {
    confirm(&state, &session, &parts, &given).await?;
    let update = sqlx::query("update cloch.operators set totp_sealed = null, totp_draft = null where id = $1");
    update.bind(session.operator.id).execute(state.database.operators()).await?;
    Ok(StatusCode::NO_CONTENT)
}
