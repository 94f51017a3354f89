//! `/session/passkeys`: passkeys of the signed-in operator.

use axum::extract::State;
use axum::routing::on;
use axum::{Extension, Json};
use cloch_auth::{authenticator_name, webauthn, webauthn_options};
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::passkeys::ceremony::{self, Assertion, Purpose, address_of, party_of, relying_party};
use super::passkeys::model::{self, PasskeyResponse};
use super::proof::{Proof, confirm};
use super::session::Session;
use crate::dashboard::extract::{At, Input};
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

const MAX_PASSKEYS: usize = 10;
/// Maximum length of a passkey's name in characters.
const MAX_NAME_CHARS: usize = 100;

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/session/passkeys", "session.passkeys", "One's own passkeys", Access::VIEWER, |method| {
        on(method, list)
    }),
    Route::new(
        Method::Post,
        "/session/passkeys/options",
        "session.passkey_begin",
        "Begin to add a passkey",
        Access::VIEWER,
        |method| on(method, begin),
    ),
    Route::new(Method::Post, "/session/passkeys", "session.passkey_add", "Add a passkey", Access::VIEWER, |method| {
        on(method, add)
    }),
    Route::new(
        Method::Post,
        "/session/passkeys/confirm",
        "session.passkey_confirm",
        "Begin to confirm a change of one's own account with a passkey",
        Access::VIEWER,
        |method| on(method, ask_to_confirm),
    )
    .harmless(),
    Route::new(
        Method::Patch,
        "/session/passkeys/{id}",
        "session.passkey_rename",
        "Rename a passkey",
        Access::VIEWER,
        |method| on(method, rename),
    ),
    Route::new(
        Method::Delete,
        "/session/passkeys/{id}",
        "session.passkey_remove",
        "Remove a passkey",
        Access::VIEWER,
        |method| on(method, remove),
    ),
];

/// Lists the operator's passkeys. In the response, `address` is the URL of the page on which the passkeys work; `null` if the server has no
/// host name.
async fn list(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, ApiError> {
    let passkeys = model::list(state.database.operators(), session.operator.id).await?;
    let party = relying_party(&state.config.external_url, &state.config.project_id);
    Ok(Json(json!({ "passkeys": passkeys, "address": party.as_ref().and_then(address_of) })))
}

async fn begin(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    Input(given): Input<Proof>,
) -> Result<Json<Value>, ApiError> {
    let operator = confirm(&state, &session, &parts, &given).await?.operator;
    let known = model::of_operator(state.database.operators(), operator.id).await?;
    if known.len() >= MAX_PASSKEYS {
        return Err(too_many());
    }
    let asked = ceremony::ask(&state, Purpose::Add(operator.id)).await?;
    let algorithms: Vec<Value> =
        webauthn::ALGORITHMS.iter().map(|number| json!({ "type": "public-key", "alg": number })).collect();
    let shown_name = if operator.name.is_empty() { &operator.email } else { &operator.name };
    let mut creation = asked.request(&[]);
    let options = json!({
        "rp": { "id": asked.party.id, "name": asked.party.name },
        "user": { "id": webauthn::encode(operator.id.as_bytes()), "name": operator.email, "displayName": shown_name },
        "challenge": asked.challenge.expose(),
        "pubKeyCredParams": algorithms,
        "timeout": creation.pointer("/options/timeout"),
        "excludeCredentials": descriptors(&known),
        // The new passkey must be a discoverable credential, because the sign-in page does not request an e-mail address.
        "authenticatorSelection": { "residentKey": "required", "requireResidentKey": true, "userVerification": "required" },
        "attestation": "none",
    });
    if let Some(fields) = creation.as_object_mut() {
        fields.insert("options".to_owned(), options);
    }
    Ok(Json(creation))
}

fn descriptors(known: &[model::Known]) -> Vec<Value> {
    let of = |known: &model::Known| {
        let credential = known.credential();
        webauthn_options::descriptor(&credential.id, &credential.transports)
    };
    known.iter().map(of).collect()
}

fn too_many() -> ApiError {
    ApiError::conflict(format!("An operator has {MAX_PASSKEYS} passkeys at most"))
}

#[derive(Deserialize)]
struct Made {
    #[serde(flatten)]
    answer: Assertion,
    name: Option<String>,
}

/// Adds a passkey of the signed-in operator. The operator's password or passkey needs no further check here: `begin` has checked it before it
/// issued the challenge.
async fn add(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    Input(given): Input<Made>,
) -> Result<Json<PasskeyResponse>, ApiError> {
    let (pool, operator) = (state.database.operators(), session.operator.id);
    let name = given.name.as_deref().map(checked_name).transpose()?;
    let Assertion { challenge_id, credential: response } = &given.answer;
    let challenge = model::take_challenge(pool, *challenge_id, Purpose::Add(operator)).await?;
    let challenge = challenge.ok_or_else(|| ApiError::conflict("Begin again: there is nothing to answer any more"))?;
    let credential = response.register(&party_of(&state)?, challenge.expose()).map_err(|refusal| {
        tracing::info!(reason = %refusal, operator = %operator, "dashboard: new passkey of an operator refused, the passkey is not added");
        ApiError::bad_request("This passkey is not accepted").with_code("wrong_passkey")
    })?;
    let name = name.unwrap_or_else(|| authenticator_name(&credential));
    let mut transaction = cloch_sql::transaction::begin(pool).await?;
    lock_operator(&mut transaction, operator).await?;
    if model::of_operator(&mut *transaction, operator).await?.len() >= MAX_PASSKEYS {
        return Err(too_many());
    }
    let made = model::insert(&mut transaction, operator, name, &credential).await?;
    let made = made.ok_or_else(|| ApiError::conflict("This passkey is known already"))?;
    transaction.commit().await?;
    Ok(Json(made))
}

async fn ask_to_confirm(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
) -> Result<Json<Value>, ApiError> {
    let known = model::of_operator(state.database.operators(), session.operator.id).await?;
    if known.is_empty() {
        return Err(ApiError::conflict("You have no passkey"));
    }
    let asked = ceremony::ask(&state, Purpose::Confirm(session.operator.id)).await?;
    Ok(Json(asked.request(&descriptors(&known))))
}

#[derive(Deserialize)]
struct Renamed {
    name: String,
}

async fn rename(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    At(id): At<Uuid>,
    Input(given): Input<Renamed>,
) -> Result<Json<PasskeyResponse>, ApiError> {
    let name = checked_name(&given.name)?;
    let renamed = model::rename(state.database.operators(), session.operator.id, id, name).await?;
    renamed.map(Json).ok_or_else(unknown)
}

async fn remove(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    parts: Parts,
    At(id): At<Uuid>,
    Input(given): Input<Proof>,
) -> Result<StatusCode, ApiError> {
    confirm(&state, &session, &parts, &given).await?;
    let operator = session.operator.id;
    let mut transaction = cloch_sql::transaction::begin(state.database.operators()).await?;
    let has_password = lock_operator(&mut transaction, operator).await?;
    if !model::remove(&mut transaction, operator, id).await? {
        return Err(unknown());
    }
    if !has_password && model::of_operator(&mut *transaction, operator).await?.is_empty() {
        return Err(ApiError::conflict("The last way to sign in stays")
            .with_hint("Make a password, or add another passkey, first"));
    }
    transaction.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Locks an operator's row, so that concurrent changes of the operator's password and passkeys run one after the other. Returns whether the
/// operator has a password.
pub(super) async fn lock_operator(connection: &mut PgConnection, id: Uuid) -> Result<bool, ApiError> {
    let text = "select password_hash is not null from cloch.operators where id = $1 for update";
    let found = sqlx::query_scalar(text).bind(id).fetch_optional(connection).await?;
    found.ok_or_else(|| ApiError::signed_out("This account is gone"))
}

/// Removes an operator's password and one-time codes. Refuses to do so if the operator has no passkey.
pub(super) async fn remove_password(state: &Dashboard, id: Uuid) -> Result<(), ApiError> {
    let mut transaction = cloch_sql::transaction::begin(state.database.operators()).await?;
    lock_operator(&mut transaction, id).await?;
    if model::of_operator(&mut *transaction, id).await?.is_empty() {
        return Err(ApiError::conflict("The last way to sign in stays").with_hint("Add a passkey first"));
    }
    let text = "update cloch.operators set password_hash = null, totp_sealed = null, totp_draft = null where id = $1";
    sqlx::query(text).bind(id).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

fn unknown() -> ApiError {
    ApiError::not_found("You have no such passkey")
}

fn checked_name(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    match (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.chars().any(char::is_control) {
        true => Ok(name),
        false => Err(ApiError::bad_request(format!("A name has 1 to {MAX_NAME_CHARS} characters"))),
    }
}
