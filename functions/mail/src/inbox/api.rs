//! The JSON API of the mail inbox.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::Mailer;
use crate::outbox::{self, Entry};

const DEFAULT_PAGE_SIZE: i64 = 50;
const MAX_PAGE_SIZE: i64 = 500;

#[derive(Deserialize)]
pub(super) struct Filter {
    /// Recipient address; only mails to this address are returned.
    to: Option<String>,
    limit: Option<i64>,
}

impl Filter {
    pub(super) fn to(&self) -> Option<&str> {
        self.to.as_deref().map(str::trim).filter(|to| !to.is_empty())
    }

    pub(super) fn limit(&self) -> i64 {
        self.limit.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE)
    }
}

#[derive(Serialize)]
struct InboxMailResponse {
    #[serde(flatten)]
    entry: Entry,
    attachments: Vec<ShownFile>,
}

#[derive(Serialize)]
struct ShownFile {
    filename: String,
    content_type: String,
    /// Size of the attachment in bytes.
    size: i32,
}

pub(super) enum Problem {
    Unknown,
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Self::Unknown => (StatusCode::NOT_FOUND, "No such message"),
            Self::Database(error) => {
                tracing::error!(error = %error, "mail: reading the built-in inbox failed, responding with status 503");
                (StatusCode::SERVICE_UNAVAILABLE, "The inbox cannot be read")
            }
        };
        (status, Json(json!({ "message": message }))).into_response()
    }
}

pub(super) async fn list(State(mailer): State<Mailer>, Query(filter): Query<Filter>) -> Result<Response, Problem> {
    let mut messages = Vec::new();
    for entry in outbox::list(mailer.pool(), mailer.seal_key(), filter.to(), filter.limit()).await? {
        messages.push(with_files(mailer.pool(), entry).await?);
    }
    Ok(Json(json!({ "messages": messages })).into_response())
}

pub(super) async fn show(State(mailer): State<Mailer>, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let entry = outbox::get(mailer.pool(), mailer.seal_key(), id).await?.ok_or(Problem::Unknown)?;
    Ok(Json(with_files(mailer.pool(), entry).await?).into_response())
}

pub(super) async fn delete(State(mailer): State<Mailer>, Path(id): Path<Uuid>) -> Result<StatusCode, Problem> {
    match outbox::delete(mailer.pool(), Some(id)).await? {
        0 => Err(Problem::Unknown),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

pub(super) async fn delete_all(State(mailer): State<Mailer>) -> Result<StatusCode, Problem> {
    outbox::delete(mailer.pool(), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn with_files(pool: &PgPool, entry: Entry) -> Result<InboxMailResponse, Problem> {
    let files = outbox::file_list(pool, entry.id).await?;
    let attachments =
        files.into_iter().map(|(filename, content_type, size)| ShownFile { filename, content_type, size }).collect();
    Ok(InboxMailResponse { entry, attachments })
}
