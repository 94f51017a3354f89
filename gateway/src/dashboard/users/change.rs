//! Endpoints of `/users` that change users through Auth's own endpoints.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use url::form_urlencoded;
use uuid::Uuid;

use super::find::unknown;
use crate::dashboard::audit::Note;
use crate::dashboard::extract::{At, Input, Params};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

/// User attributes that the dashboard can set.
const ATTRIBUTES: [&str; 9] = [
    "email",
    "phone",
    "password",
    "email_confirm",
    "phone_confirm",
    "user_metadata",
    "app_metadata",
    "role",
    "ban_duration",
];

/// Returns the given user attributes. Refuses attributes that the dashboard cannot set although Auth's API accepts them, such as the id or
/// the password hash.
fn attributes(given: &Value) -> Result<Value, ApiError> {
    let object = given.as_object().ok_or_else(|| ApiError::bad_request("An object is needed"))?;
    match object.keys().find(|name| !ATTRIBUTES.contains(&name.as_str())) {
        Some(name) => Err(ApiError::bad_request(format!("{name} cannot be set here"))),
        None => Ok(given.clone()),
    }
}

pub(super) async fn create(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(given): Input<Value>,
) -> Result<Response, ApiError> {
    let made = state.ask_auth(&parts, Method::POST, "/admin/users", Some(attributes(&given)?)).await?;
    let note = Note(json!({ "id": made.get("id") }));
    Ok((StatusCode::CREATED, axum::Extension(note), Json(made)).into_response())
}

#[derive(Deserialize)]
pub(super) struct Invitation {
    email: String,
    #[serde(default)]
    data: serde_json::Map<String, Value>,
    #[serde(default)]
    redirect_to: String,
}

pub(super) async fn invite(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(given): Input<Invitation>,
) -> Result<Response, ApiError> {
    let query: String =
        form_urlencoded::Serializer::new(String::new()).append_pair("redirect_to", &given.redirect_to).finish();
    let path = if given.redirect_to.is_empty() { "/invite".to_owned() } else { format!("/invite?{query}") };
    let body = json!({ "email": given.email, "data": given.data });
    let made = state.ask_auth(&parts, Method::POST, &path, Some(body)).await?;
    let note = Note(json!({ "id": made.get("id") }));
    Ok((StatusCode::CREATED, axum::Extension(note), Json(made)).into_response())
}

pub(super) async fn change(
    State(state): State<DashboardState>,
    At(id): At<Uuid>,
    parts: Parts,
    Input(given): Input<Value>,
) -> Result<Response, ApiError> {
    let given = attributes(&given)?;
    let fields: Vec<&String> = given.as_object().into_iter().flat_map(|object| object.keys()).collect();
    // The audit entry contains only the names of changed fields: values are personal data or a password.
    let note = Note(json!({ "fields": fields }));
    let changed = state.ask_auth(&parts, Method::PUT, &format!("/admin/users/{id}"), Some(given)).await?;
    Ok((axum::Extension(note), Json(changed)).into_response())
}

#[derive(Deserialize)]
pub(super) struct Removal {
    #[serde(default)]
    soft: bool,
}

pub(super) async fn remove(
    State(state): State<DashboardState>,
    At(id): At<Uuid>,
    Params(removal): Params<Removal>,
    parts: Parts,
) -> Result<StatusCode, ApiError> {
    let body = json!({ "should_soft_delete": removal.soft });
    state.ask_auth(&parts, Method::DELETE, &format!("/admin/users/{id}"), Some(body)).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn email_of(state: &Dashboard, id: Uuid) -> Result<String, ApiError> {
    let found: Option<Option<String>> = sqlx::query_scalar("select email from auth.users where id = $1")
        .bind(id)
        .fetch_optional(state.database.auth())
        .await?;
    let email = found.ok_or_else(unknown)?.filter(|email| !email.is_empty());
    email.ok_or_else(|| ApiError::bad_request("This user has no e-mail address"))
}

pub(super) async fn recover(
    State(state): State<DashboardState>,
    At(id): At<Uuid>,
    parts: Parts,
) -> Result<StatusCode, ApiError> {
    let email = email_of(&state, id).await?;
    state.ask_auth(&parts, Method::POST, "/recover", Some(json!({ "email": email }))).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LinkKind {
    Magiclink,
    Recovery,
}

#[derive(Deserialize)]
pub(super) struct WantedLink {
    r#type: LinkKind,
    #[serde(default)]
    redirect_to: String,
}

/// Returns a link for a user. Anybody who opens the link is signed in as this user. The guard of the dashboard's API writes the audit entry
/// before the link is created.
pub(super) async fn link(
    State(state): State<DashboardState>,
    At(id): At<Uuid>,
    parts: Parts,
    Input(wanted): Input<WantedLink>,
) -> Result<Json<Value>, ApiError> {
    let email = email_of(&state, id).await?;
    let kind = match wanted.r#type {
        LinkKind::Magiclink => "magiclink",
        LinkKind::Recovery => "recovery",
    };
    let body = json!({ "type": kind, "email": email, "redirect_to": wanted.redirect_to });
    let made = state.ask_auth(&parts, Method::POST, "/admin/generate_link", Some(body)).await?;
    Ok(Json(json!({ "link": made.get("action_link"), "redirect_to": made.get("redirect_to") })))
}

pub(super) async fn end_sessions(
    State(state): State<DashboardState>,
    At(id): At<Uuid>,
) -> Result<StatusCode, ApiError> {
    sqlx::query("delete from auth.sessions where user_id = $1").bind(id).execute(state.database.auth()).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn end_session(
    State(state): State<DashboardState>,
    At((id, session)): At<(Uuid, Uuid)>,
) -> Result<StatusCode, ApiError> {
    let delete = sqlx::query("delete from auth.sessions where user_id = $1 and id = $2").bind(id).bind(session);
    match delete.execute(state.database.auth()).await?.rows_affected() {
        0 => Err(ApiError::not_found("There is no such session")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

pub(super) async fn remove_factor(
    State(state): State<DashboardState>,
    At((id, factor)): At<(Uuid, Uuid)>,
    parts: Parts,
) -> Result<StatusCode, ApiError> {
    state.ask_auth(&parts, Method::DELETE, &format!("/admin/users/{id}/factors/{factor}"), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes an identity of a user. The last identity cannot be deleted, because the user could not sign in without an identity.
pub(super) async fn unlink_identity(
    State(state): State<DashboardState>,
    At((id, identity)): At<(Uuid, Uuid)>,
) -> Result<StatusCode, ApiError> {
    let mut transaction = cloch_sql::transaction::begin(state.database.auth()).await?;
    let lock = "select id from auth.identities where user_id = $1 for update";
    let identities: Vec<Uuid> = sqlx::query_scalar(lock).bind(id).fetch_all(&mut *transaction).await?;
    if !identities.contains(&identity) {
        return Err(ApiError::not_found("There is no such identity"));
    }
    if identities.len() < 2 {
        return Err(ApiError::conflict("The last identity of a user stays"));
    }
    sqlx::query("delete from auth.identities where id = $1").bind(identity).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
