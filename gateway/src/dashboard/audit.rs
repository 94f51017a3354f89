//! `/audit`: log of the operators' actions (`cloch.operator_audit`). It contains neither SQL statements nor values of secrets.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use chrono::{DateTime, Utc};
use cloch_sql::caller::ClientAddress;
use http::StatusCode;
use http::request::Parts;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::extract::Params;
use super::operator::Operator;
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

/// Maximum length in characters of an action's target or an e-mail address in the audit log.
const MAX_TARGET_CHARS: usize = 500;
/// Maximum number of audit entries on a page.
const MAX_PAGE: i64 = 200;

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/audit",
    "audit.list",
    "What operators did, newest first",
    Access::DEVELOPER,
    |method| on(method, list),
)];

/// Response extension with details that are added to the request's audit entry.
#[derive(Clone, Debug)]
pub(super) struct Note(pub(super) Value);

/// Audit entry of an action that is in progress, identified by the id of its row.
pub(super) struct Entry(i64);

/// An operator's action that is to be written to the audit log.
pub(super) struct Action<'a> {
    pub(super) operator: Option<&'a Operator>,
    /// E-mail address typed at a sign-in; `None` for actions of a signed-in operator.
    pub(super) email: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) target: &'a str,
}

impl Entry {
    /// Writes the audit entry of an action before the action runs, and deletes entries older than 400 days. If this fails, the action must
    /// not run.
    pub(super) async fn begin(pool: &PgPool, parts: &Parts, action: Action<'_>) -> Result<Self, ApiError> {
        let target: String =
            action.target.chars().take(MAX_TARGET_CHARS).filter(|character| *character != '\0').collect();
        let email = action.email.or(action.operator.map(|operator| operator.email.as_str()));
        let email: Option<String> =
            email.map(|email| email.chars().take(MAX_TARGET_CHARS).filter(|c| *c != '\0').collect());
        let id = sqlx::query_scalar(
            "with old as (delete from cloch.operator_audit where at < now() - interval '400 days')
             insert into cloch.operator_audit (operator_id, email, action, target, network)
             values ($1, $2, $3, nullif($4, ''), $5) returning id",
        )
        .bind(action.operator.map(|operator| operator.id))
        .bind(email)
        .bind(action.name)
        .bind(target)
        .bind(ClientAddress::of_request(parts).map(ClientAddress::network))
        .fetch_one(pool)
        .await?;
        // The action is also written to the server's log, because SQL statements can change the audit log but not the server's log.
        tracing::info!(
            audit.id = id,
            audit.operator = action.operator.map(|operator| tracing::field::display(operator.id)),
            audit.action = action.name,
            audit.network = ClientAddress::of_request(parts).map(ClientAddress::network),
            "audit: an operator's action begins"
        );
        Ok(Self(id))
    }

    /// Adds the response status, and the details in `note`, to the audit entry of the action, after the action has ended.
    pub(super) async fn end(self, pool: &PgPool, status: StatusCode, note: Option<Note>) {
        let update = sqlx::query("update cloch.operator_audit set status = $2, details = $3 where id = $1")
            .bind(self.0)
            .bind(i16::try_from(status.as_u16()).unwrap_or_default())
            .bind(note.map(|note| note.0))
            .execute(pool);
        tracing::info!(audit.id = self.0, audit.status = status.as_u16(), "audit: an operator's action has ended");
        if let Err(error) = update.await {
            tracing::error!(%error, audit.id = self.0, "audit: writing the end of an operator's action to cloch.operator_audit failed, the entry stays without status and details");
        }
    }
}

#[derive(Deserialize)]
struct Filter {
    before: Option<i64>,
    limit: Option<i64>,
    operator: Option<Uuid>,
    /// Filter: prefix of the action's name.
    action: Option<String>,
}

#[derive(Serialize, sqlx::FromRow)]
struct AuditEntryResponse {
    id: i64,
    at: DateTime<Utc>,
    operator_id: Option<Uuid>,
    email: Option<String>,
    action: String,
    target: Option<String>,
    details: Option<Value>,
    status: Option<i16>,
    network: Option<String>,
}

async fn list(State(state): State<DashboardState>, Params(filter): Params<Filter>) -> Result<Json<Value>, ApiError> {
    let limit = filter.limit.unwrap_or(50).clamp(1, MAX_PAGE);
    let rows: Vec<AuditEntryResponse> = sqlx::query_as(
        "select id, at, operator_id, email, action, target, details, status, network from cloch.operator_audit
          where ($1::bigint is null or id < $1) and ($2::uuid is null or operator_id = $2)
            and ($3::text is null or starts_with(action, $3))
          order by id desc limit $4",
    )
    .bind(filter.before)
    .bind(filter.operator)
    .bind(filter.action)
    .bind(limit)
    .fetch_all(state.database.operators())
    .await?;
    let is_full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().map(|row| row.id).filter(|_| is_full);
    Ok(Json(json!({ "entries": rows, "next": next })))
}
