//! `/restore-rows`: owners restore rows of a table from a backup. A temporary copy of the database is prepared ([`super::row_copy`]), its rows
//! are compared with the table, and the chosen rows are inserted or updated in one transaction.

mod apply;
mod find;
mod table;

pub(super) use table::begin_then;

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use chrono::{DateTime, Utc};
use cloch_backup::status::Status;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::Input;
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

pub(super) const ROUTES: &[Route] = &[
    // The dashboard repeats this request while a copy is being prepared.
    Route::new(
        Method::Get,
        "/restore-rows",
        "restore_rows.show",
        "The moments that can be restored, and the copy of the database",
        Access::OWNER,
        |method| on(method, show),
    )
    .repeated(),
    Route::new(
        Method::Post,
        "/restore-rows",
        "restore_rows.prepare",
        "Prepare a copy of the database of a moment",
        Access::OWNER,
        |method| on(method, prepare),
    ),
    Route::new(
        Method::Delete,
        "/restore-rows",
        "restore_rows.remove",
        "Remove the copy of the database",
        Access::OWNER,
        |method| on(method, remove),
    ),
    Route::new(
        Method::Post,
        "/restore-rows/find",
        "restore_rows.find",
        "Rows of the copy that are deleted or changed now",
        Access::OWNER,
        |method| on(method, find::find),
    )
    .harmless()
    .audited(),
    Route::new(
        Method::Post,
        "/restore-rows/sql",
        "restore_rows.sql",
        "The SQL that restores rows",
        Access::OWNER,
        |method| on(method, apply::sql),
    )
    .harmless()
    .audited(),
    Route::new(Method::Post, "/restore-rows/apply", "restore_rows.apply", "Restore rows", Access::OWNER, |method| {
        on(method, apply::apply)
    }),
];

async fn show(State(state): State<DashboardState>) -> Json<Value> {
    let folder = state.config.data.join("backup");
    let is_on = state.row_copy.is_configured();
    let status = tokio::task::spawn_blocking(move || Status::read(&folder)).await.ok().flatten().filter(|_| is_on);
    Json(json!({
        "enabled": is_on,
        "problem": state.row_copy.problem(),
        "restorable_from": status.as_ref().and_then(|status| status.restorable_from),
        "restorable_until": status.as_ref().and_then(|status| status.restorable_until),
        "copy": state.row_copy.show().await,
    }))
}

#[derive(Deserialize)]
struct Prepare {
    /// Point in time whose state of the database is restored as a copy; `None` for the latest point in time that the backup contains.
    to: Option<DateTime<Utc>>,
}

async fn prepare(
    State(state): State<DashboardState>,
    Input(Prepare { to }): Input<Prepare>,
) -> Result<StatusCode, ApiError> {
    state.row_copy.begin(to).await?;
    Ok(StatusCode::ACCEPTED)
}

async fn remove(State(state): State<DashboardState>) -> StatusCode {
    state.row_copy.remove().await;
    StatusCode::NO_CONTENT
}
