//! GET /admin/audit: lists entries of the audit log.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use super::pagination::Page;
use crate::error::{AuthError, Context, Result};
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::audit;
use crate::state::AuthState;

/// Returns a page of audit log entries, newest first. The query parameter `query` filters the entries: `author:…`, `action:…` or `type:…`.
pub(crate) async fn list(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Response> {
    let page = Page::of(&incoming)?;
    let (fields, value): (&[&str], &str) = match incoming.query("query") {
        "" => (&[], ""),
        query => match query.split_once(':') {
            Some(("author", value)) => (&["actor_username", "actor_name"], value),
            Some(("action", value)) => (&["action"], value),
            Some(("type", value)) => (&["log_type"], value),
            _ => {
                return Err(AuthError::validation(format!("Invalid query scope: {query}")));
            }
        },
    };
    let mut connection = state.connection().await?;
    let (entries, total) = audit::page(&mut connection, fields, value, page.limit(), page.offset())
        .await
        .context("Error searching for audit logs")?;
    Ok((page.headers("/admin/audit", &incoming, total), Json(entries)).into_response())
}
