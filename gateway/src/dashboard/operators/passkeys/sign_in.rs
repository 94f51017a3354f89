//! `/session/passkey`: sign-in with a passkey. The sign-in needs no e-mail address, because the authenticator identifies the
//! operator.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use axum::routing::on;
use http::request::Parts;
use serde_json::{Value, json};

use super::ceremony::{self, Assertion, Purpose, prove};
use super::model;
use crate::dashboard::audit::{Action, Entry, Note};
use crate::dashboard::extract::Input;
use crate::dashboard::operator::Credentials;
use crate::dashboard::operators::{limits, sign_in};
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(
        Method::Post,
        "/session/passkey/options",
        "session.passkey_options",
        "Begin to sign in with a passkey",
        Access::Anyone,
        |method| on(method, options),
    ),
    Route::new(
        Method::Post,
        "/session/passkey",
        "session.begin_with_passkey",
        "Sign in with a passkey",
        Access::Anyone,
        |method| on(method, begin),
    ),
];

/// Returns the options for a sign-in with a passkey. The options contain no passkey ids, so they reveal nothing about operators.
async fn options(State(state): State<DashboardState>, parts: Parts) -> Result<Json<Value>, ApiError> {
    limits::challenge(state.database.operators(), &parts).await?;
    Ok(Json(ceremony::ask(&state, Purpose::SignIn).await?.request(&[])))
}

async fn begin(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(given): Input<Assertion>,
) -> Result<Response, ApiError> {
    let pool = state.database.operators();
    limits::network(pool, &parts).await?;
    let named = match given.credential.id() {
        Ok(id) => model::operator_of(pool, &id).await?,
        Err(_) => None,
    };
    let operator = match named {
        Some(id) => Credentials::by_id(pool, id).await?.map(|found| found.operator),
        None => None,
    };
    // The audit entry has the same action name as a sign-in by password, because `limits` finds the networks from which the operator has
    // signed in by this name.
    let action = Action { operator: operator.as_ref(), email: None, name: "session.begin", target: "/session/passkey" };
    let entry = Entry::begin(pool, &parts, action).await?;
    let outcome = sign_in(&state, &parts, &given).await;
    let status = outcome.as_ref().map_or_else(ApiError::status, Response::status);
    entry.end(pool, status, Some(Note(json!({ "by": "passkey" })))).await;
    outcome
}

async fn sign_in(state: &Dashboard, parts: &Parts, given: &Assertion) -> Result<Response, ApiError> {
    let operator = prove(state, Purpose::SignIn, given).await?;
    let pool = state.database.operators();
    // The passkey of a disabled operator also passes the verification; `by_id` does not return disabled operators.
    let gone = || ApiError::invalid_credentials("This passkey is not accepted");
    let found = Credentials::by_id(pool, operator).await?.ok_or_else(gone)?;
    limits::forgive_network(pool, parts).await?;
    sign_in::start(state, found.operator, parts).await
}
