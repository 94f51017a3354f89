//! GET /admin/users: lists users.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::pagination::Page;
use crate::error::{AuthError, Context, Result};
use crate::http::authn::Admin;
use crate::http::request::Incoming;
use crate::model::user;
use crate::state::AuthState;

/// Returns a page of users, newest first unless `sort` is given. `filter` selects users whose e-mail address or name contains the text.
pub(crate) async fn list(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Response> {
    let aud = incoming.audience();
    let ascending = is_ascending(&incoming)?;
    let page = Page::of(&incoming)?;
    let filter = incoming.query("filter");
    let mut connection = state.connection().await?;
    let (users, total) = user::page(&mut connection, &aud, filter, ascending, page.limit(), page.offset())
        .await
        .context("Database error finding users")?;
    let headers = page.headers("/admin/users", &incoming, total);
    Ok((headers, Json(json!({ "users": users, "aud": aud }))).into_response())
}

/// Parses the query parameter `sort`, such as `created_at asc`, and returns whether the order is ascending. `created_at` is the only
/// supported field; the default order is descending.
fn is_ascending(incoming: &Incoming) -> Result<bool> {
    if !incoming.has_query("sort") {
        return Ok(false);
    }
    let asked = incoming.query("sort");
    let (field, direction) = asked.split_once(' ').unwrap_or((asked, "desc"));
    let bad = |why: String| Err(AuthError::validation(format!("Bad Sort Parameters: {why}")));
    match (field, direction.to_ascii_lowercase().as_str()) {
        ("created_at", "asc") => Ok(true),
        ("created_at", "desc") => Ok(false),
        ("created_at", _) => bad(format!("bad direction for sort '{direction}', only 'asc' and 'desc' allowed")),
        _ => bad(format!("bad field for sort '{field}'")),
    }
}
