//! `/why`: explains why a request is refused or its response is empty.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use cloch_rest::why::{Sessions, WhyError, why};
use cloch_sql::Caller;
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::audit::{Action as AuditAction, Entry};
use super::database::As;
use super::extract::{At, Input};
use super::operator::Operator;
use super::route::{Access, Method, Route};
use super::rows::check_explained;
use super::{ApiError, DashboardState};
use crate::why_request::AskedRequest;

pub(super) const ROUTES: &[Route] = &[
    // The handler writes the audit entry itself, because the entry names the request whose result is explained.
    Route::new(Method::Post, "/why", "why.ask", "Why a request is refused", Access::VIEWER, |method| on(method, ask))
        .harmless(),
    Route::new(
        Method::Get,
        "/why/{request_id}",
        "why.request",
        "A request that was refused or found nothing",
        // Operators with the role viewer may not read a recorded request: its path and claims are personal data of a user, such as filter
        // values, e-mail addresses, or a token.
        Access::DEVELOPER,
        |method| on(method, recorded),
    )
    .audited(),
];

#[derive(Deserialize)]
struct WhyRequest {
    r#as: As,
    method: Option<String>,
    path: Option<String>,
    body: Option<Value>,
    #[serde(default)]
    returning: bool,
    /// Exposed schema of the request; `None` for the first exposed schema.
    schema: Option<String>,
    channel: Option<String>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    extension: Extension,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    Join,
    Send,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Extension {
    #[default]
    Broadcast,
    Presence,
}

async fn ask(
    State(state): State<DashboardState>,
    operator: Operator,
    parts: Parts,
    Input(asked): Input<WhyRequest>,
) -> Result<Json<Value>, ApiError> {
    let target = format!("{} as {}", asked.about(), asked.r#as);
    let action = AuditAction { operator: Some(&operator), email: None, name: "why.ask", target: &target };
    let entry = Entry::begin(state.database.operators(), &parts, action).await?;
    let answer = explain(&state, &operator, &asked).await;
    let status = answer.as_ref().map_or_else(ApiError::status, |_| StatusCode::OK);
    entry.end(state.database.operators(), status, None).await;
    answer.map(Json)
}

impl WhyRequest {
    /// Describes for the audit log the request whose result the operator wants explained. Omits the values of the query parameters.
    fn about(&self) -> String {
        let path = |path: &str| path.split('?').next().unwrap_or_default().to_owned();
        match (&self.channel, &self.path) {
            (Some(topic), _) => format!("channel {topic}"),
            (None, Some(asked)) => format!("{} {}", self.method.as_deref().unwrap_or_default(), path(asked)),
            (None, None) => "nothing".to_owned(),
        }
    }
}

async fn explain(state: &DashboardState, operator: &Operator, asked: &WhyRequest) -> Result<Value, ApiError> {
    let caller = match state.caller(&asked.r#as).await? {
        Some(caller) => caller,
        None => Caller::from_claims(Map::from_iter([("role".to_owned(), "postgres".into())]), None),
    };
    let body = asked.body.as_ref().map(Value::to_string);
    let extension = match asked.extension {
        Extension::Broadcast => "broadcast",
        Extension::Presence => "presence",
    };
    let (method, target) = match (&asked.channel, &asked.method, &asked.path) {
        (Some(topic), _, _) => (if matches!(asked.action, Action::Join) { "JOIN" } else { "SEND" }, topic),
        (None, Some(method), Some(path)) => (method.as_str(), path),
        _ => return Err(ApiError::bad_request("Give a method and a path, or a channel")),
    };
    let request = AskedRequest {
        method,
        target,
        body: body.as_deref(),
        returning: asked.returning,
        schema: asked.schema.as_deref(),
        extension,
    };
    // The sessions for an explanation count towards the limit of SQL sessions.
    let _permit = state.project.sessions.permit().await?;
    let mut sessions = Sessions::open(state.database.logins(), caller.role()).await.map_err(refused)?;
    let question = request.question(&state.config, caller, &mut sessions.reader).await.map_err(refused)?;
    // The explanation contains rows of the relation, so the operator must be allowed to read the relation.
    check_explained(state, operator, (&question.relation.schema, &question.relation.name)).await?;
    let explanation = why(&mut sessions, &question).await.map_err(refused)?;
    Ok(json!({ "explanation": explanation, "text": explanation.to_string() }))
}

/// Returns a recorded request by its id, in the form of a [`WhyRequest`].
async fn recorded(State(state): State<DashboardState>, At(id): At<String>) -> Result<Json<Value>, ApiError> {
    let unknown =
        || ApiError::not_found("This request is not kept: only the newest that were refused or found nothing are");
    let request = state.refused_requests.find(&id).ok_or_else(unknown)?;
    let claims = request.caller.claims();
    let who = if claims.len() == 1 { json!({ "role": request.caller.role() }) } else { json!({ "claims": claims }) };
    Ok(Json(json!({
        "at": request.at, "method": request.method.as_str(), "path": request.target, "as": who,
        "status": request.status.as_u16(), "returning": request.returning, "schema": request.schema,
    })))
}

fn refused(error: WhyError) -> ApiError {
    match error {
        WhyError::Request(message) => ApiError::bad_request(message),
        WhyError::NoRelation(name) => ApiError::not_found(format!("There is no table or view {name}")),
        WhyError::Database(error) => ApiError::from(error),
    }
}
