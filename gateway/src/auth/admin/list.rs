//! GET /admin/users.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::pages::Page;
use crate::auth::authn::Admin;
use crate::auth::error::{AuthError, Doing, Result};
use crate::auth::models::user;
use crate::auth::request::Incoming;
use crate::auth::state::AuthState;

/// A page of users, newest first unless `sort` says otherwise; `filter` is part of an address or a name.
pub(crate) async fn list(State(state): State<AuthState>, _: Admin, incoming: Incoming) -> Result<Response> {
    let aud = incoming.audience();
    let page = Page::of(&incoming)?;
    let ascending = match incoming.query("sort") {
        "" | "created_at desc" | "created_at" => false,
        "created_at asc" => true,
        other => return Err(AuthError::validation(format!("Bad Sort Parameters: bad field for sort {other:?}"))),
    };
    let filter = incoming.query("filter");
    let mut connection = state.connection().await?;
    let (users, total) = user::page(&mut connection, &aud, filter, ascending, page.limit(), page.offset())
        .await
        .doing("Database error finding users")?;
    let headers = page.headers("/admin/users", total);
    Ok((headers, Json(json!({ "users": users, "aud": aud }))).into_response())
}
