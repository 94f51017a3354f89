//! `/mail`: messages of the mail outbox and their delivery states.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use chrono::{DateTime, Utc};
use http::StatusCode;
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::extract::{At, Params};
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

/// Maximum number of mail messages on a page.
const MAX_LIMIT: i64 = 200;
/// Content-Security-Policy of a displayed mail: no scripts, forms or remote content; links open in a new tab.
pub(super) const HTML_CSP: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; \
                        frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox";
const FILE_CSP: &str = "default-src 'none'; sandbox";

/// Message bodies contain sign-in links, so operators with the role viewer may not read message bodies.
pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/mail", "mail.list", "Messages, newest first", Access::VIEWER, |method| on(method, list))
        .audited(),
    Route::new(Method::Get, "/mail/{id}", "mail.show", "A message", Access::DEVELOPER, |method| on(method, show))
        .audited(),
    Route::new(Method::Get, "/mail/{id}/html", "mail.html", "A message as a page", Access::DEVELOPER, |method| {
        on(method, html)
    })
    .audited(),
    Route::new(
        Method::Get,
        "/mail/{id}/attachments/{position}",
        "mail.attachment",
        "An attachment",
        Access::DEVELOPER,
        |method| on(method, attachment),
    )
    .audited(),
    Route::new(Method::Delete, "/mail/{id}", "mail.remove", "Remove a message", Access::DEVELOPER, |method| {
        on(method, remove)
    }),
];

/// SQL expression that returns a mail message `m` as JSON without its body.
const MESSAGE: &str = "jsonb_build_object('id', m.id, 'kind', m.kind, 'created_at', m.created_at, 'to', m.recipients,
    'pending', m.pending, 'refused', m.refused, 'reply_to', m.reply_to, 'subject', m.subject,
    'state', case m.state when 'queued' then 'waiting' when 'delivered' then 'kept' else m.state end,
    'attempts', m.attempts, 'last_error', m.last_error, 'finished_at', m.finished_at,
    'attachments', (select count(*) from cloch.mail_attachments as a where a.message_id = m.id))";

#[derive(Deserialize)]
struct Filter {
    #[serde(default)]
    to: String,
    state: Option<DeliveryState>,
    before: Option<DateTime<Utc>>,
    limit: Option<i64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DeliveryState {
    Waiting,
    Sent,
    Failed,
    Kept,
}

impl DeliveryState {
    fn stored(self) -> &'static str {
        match self {
            Self::Waiting => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Kept => "delivered",
        }
    }
}

async fn list(State(state): State<DashboardState>, Params(filter): Params<Filter>) -> Result<Json<Value>, ApiError> {
    let text = format!(
        "select {MESSAGE} from cloch.mail_outbox as m
          where ($1 = '' or m.recipients @> array[$1]) and ($2::text is null or m.state = $2)
            and ($3::timestamptz is null or m.created_at < $3)
          order by m.created_at desc, m.id limit $4"
    );
    let mut messages: Vec<Value> = sqlx::query_scalar(AssertSqlSafe(text))
        .bind(filter.to.trim())
        .bind(filter.state.map(DeliveryState::stored))
        .bind(filter.before)
        .bind(filter.limit.unwrap_or(50).clamp(1, MAX_LIMIT))
        .fetch_all(state.database.admin())
        .await?;
    for message in &mut messages {
        open(&state, message, "subject");
    }
    Ok(Json(json!({
        "messages": messages, "delivery": if state.mailer.uses_smtp() { "smtp" } else { "inbox" },
        "template_problems": cloch_auth::mail_template_problems(),
    })))
}

/// Replaces an encrypted field of a mail message with its plain text.
fn open(state: &DashboardState, message: &mut Value, part: &str) {
    let id = message.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    if let (Some(id), Some(stored)) = (id, message.get_mut(part))
        && let Some(text) = stored.as_str()
    {
        *stored = state.mailer.opened(id, part, text.to_owned()).into();
    }
}

fn unknown() -> ApiError {
    ApiError::not_found("There is no such message")
}

async fn show(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<Json<Value>, ApiError> {
    let text = format!(
        "select {MESSAGE} || jsonb_build_object('text', m.body_text, 'has_html', m.html <> '', 'attachments', (
            select coalesce(jsonb_agg(jsonb_build_object('position', a.position, 'filename', a.filename,
                     'content_type', a.content_type, 'bytes', octet_length(a.content)) order by a.position), '[]')
              from cloch.mail_attachments as a where a.message_id = m.id))
           from cloch.mail_outbox as m where m.id = $1"
    );
    let found: Option<Value> =
        sqlx::query_scalar(AssertSqlSafe(text)).bind(id).fetch_optional(state.database.admin()).await?;
    let mut message = found.ok_or_else(unknown)?;
    open(&state, &mut message, "subject");
    open(&state, &mut message, "text");
    Ok(Json(message))
}

async fn html(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<Response, ApiError> {
    let found: Option<String> = sqlx::query_scalar("select html from cloch.mail_outbox where id = $1")
        .bind(id)
        .fetch_optional(state.database.admin())
        .await?;
    let html = state.mailer.opened(id, "html", found.ok_or_else(unknown)?);
    let document = format!("<base target=\"_blank\">{html}");
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, HTML_CSP)], document).into_response())
}

/// Returns an attachment of a mail, always as a download because the sender chose the media type.
async fn attachment(
    State(state): State<DashboardState>,
    At((id, position)): At<(Uuid, i32)>,
) -> Result<Response, ApiError> {
    let text = "select filename, content from cloch.mail_attachments where message_id = $1 and position = $2";
    let found: Option<(String, Vec<u8>)> =
        sqlx::query_as(text).bind(id).bind(position).fetch_optional(state.database.admin()).await?;
    let (name, content) = found.ok_or_else(unknown)?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_ ".contains(letter);
    let name: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (CONTENT_SECURITY_POLICY, FILE_CSP.to_owned()),
    ];
    Ok((headers, content).into_response())
}

/// Deletes a mail message. Queued messages are not deleted, because they would never be sent.
async fn remove(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<StatusCode, ApiError> {
    let delete = sqlx::query("delete from cloch.mail_outbox where id = $1 and state <> 'queued'").bind(id);
    match delete.execute(state.database.admin()).await?.rows_affected() {
        0 => Err(ApiError::conflict("There is no such message, or it still waits to be sent")),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}
