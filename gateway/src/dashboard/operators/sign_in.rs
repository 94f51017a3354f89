//! `/session`: sign-in with password and one-time code, and sign-out.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use axum::{Extension, Json};
use cloch_auth::totp;
use cloch_core::Secret;
use http::StatusCode;
use http::header::SET_COOKIE;
use http::request::Parts;
use serde::Deserialize;
use serde_json::Value;

use super::limits;
use super::session::{self, Ended, Session};
use crate::dashboard::audit::{Action, Entry};
use crate::dashboard::extract::Input;
use crate::dashboard::operator::{Credentials, Operator};
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, Dashboard, DashboardState, cookie};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/session", "session.show", "Who is signed in", Access::VIEWER, |method| on(method, show)),
    Route::new(Method::Post, "/session", "session.begin", "Sign in", Access::Anyone, |method| on(method, begin)),
    Route::new(Method::Delete, "/session", "session.end", "Sign out", Access::VIEWER, |method| on(method, end)),
    Route::new(
        Method::Delete,
        "/session/others",
        "session.end_others",
        "Sign out everywhere else",
        Access::VIEWER,
        |method| on(method, end_others),
    ),
];

#[derive(Deserialize)]
struct Given {
    email: String,
    password: Secret,
    #[serde(default)]
    code: Option<Secret>,
}

async fn show(Extension(session): Extension<Session>) -> Json<Value> {
    Json(session.shown())
}

async fn begin(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(given): Input<Given>,
) -> Result<Response, ApiError> {
    let pool = state.database.operators();
    limits::network(pool, &parts).await?;
    let found = Credentials::by_email(pool, given.email.trim()).await?;
    let operator = found.as_ref().map(|found| &found.operator);
    let action = Action { operator, email: Some(&given.email), name: "session.begin", target: "/session" };
    let entry = Entry::begin(pool, &parts, action).await?;
    let outcome = sign_in(&state, &parts, found, &given).await;
    let status = outcome.as_ref().map_or_else(ApiError::status, Response::status);
    entry.end(pool, status, None).await;
    outcome
}

async fn sign_in(
    state: &Dashboard,
    parts: &Parts,
    found: Option<Credentials>,
    given: &Given,
) -> Result<Response, ApiError> {
    let pool = state.database.operators();
    let wrong = limits::account(pool, &given.email, found.as_ref().map(|found| found.operator.id), parts).await?;
    let hash = found.as_ref().and_then(Credentials::password_hash);
    let fits = state.passwords.verify(hash.as_ref(), &given.password).await?;
    let Some(found) = found.filter(|_| fits) else {
        wrong.wait().await?;
        return Err(ApiError::invalid_credentials("No operator has this address and password"));
    };
    if found.totp_sealed.is_some() {
        let code = given.code.as_ref().filter(|code| !code.is_empty());
        let code = code.ok_or_else(|| ApiError::totp_required("Enter the code of your authenticator app"))?;
        accept_code(state, &found, code).await?;
    }
    limits::forgive_account(pool, &given.email, parts).await?;
    limits::forgive_network(pool, parts).await?;
    start(state, found.operator, parts).await
}

/// Begins a session for `operator`, and returns the response that sets the session's cookie.
pub(super) async fn start(state: &Dashboard, operator: Operator, parts: &Parts) -> Result<Response, ApiError> {
    let mut connection = state.database.operators().acquire().await?;
    let (session, cookie) = Session::begin(state, &mut connection, operator, parts).await?;
    Ok(([(SET_COOKIE, cookie)], Json(session.shown())).into_response())
}

/// Checks an operator's one-time code (TOTP). After a correct code, codes of the same or an earlier time step are refused.
pub(super) async fn accept_code(state: &Dashboard, found: &Credentials, code: &Secret) -> Result<(), ApiError> {
    let wrong = || ApiError::invalid_credentials("The code does not fit, or was used already");
    let id = found.operator.id;
    let secret = found.totp_sealed.as_deref().and_then(|sealed| state.keys.open(id, sealed));
    let secret = secret.ok_or_else(|| {
        tracing::error!(
            operator = %id,
            "dashboard: decrypting an operator's TOTP secret failed, the sign-in is refused: the server's keys have changed"
        );
        wrong()
    })?;
    let step = totp::step_of(secret.expose(), code.expose().trim()).ok_or_else(wrong)?;
    let update = "update cloch.operators set totp_step = $2 where id = $1 and totp_step < $2";
    match sqlx::query(update).bind(id).bind(step).execute(state.database.operators()).await?.rows_affected() {
        0 => Err(wrong()),
        _ => Ok(()),
    }
}

async fn end(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
) -> Result<Response, ApiError> {
    session::end(state.database.operators(), session.operator.id, Ended::Only(session.id)).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie::header("", 0, state.is_https()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    Ok(response)
}

async fn end_others(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
) -> Result<StatusCode, ApiError> {
    session::end(state.database.operators(), session.operator.id, Ended::AllBut(session.id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
