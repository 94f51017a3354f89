//! `/advisors`: findings of the schema advisors, and the findings that the project ignores.

mod decision;

use axum::extract::State;
use axum::routing::on;
use axum::{Extension, Json};
use cloch_sql::advisors::Ignore;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::audit::Note;
use super::extract::Input;
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};

const MAX_REASON_CHARS: usize = 1_000;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/advisors", "advisors.show", "What is wrong with the schema", Access::VIEWER, |method| {
        on(method, show)
    }),
    Route::new(
        Method::Post,
        "/advisors/ignore",
        "advisors.ignore",
        "Leave a finding out, for a reason that is kept in cloch.toml",
        Access::DEVELOPER,
        |method| on(method, ignore),
    ),
];

async fn show(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let report = state.project.report().await?;
    serde_json::to_value(report)
        .map(Json)
        .map_err(|error| ApiError::internal("serializing the advisors' report failed", error))
}

#[derive(Deserialize)]
struct Decision {
    lint: String,
    /// Database object that breaks the advisor rule, as `schema.name`.
    on: String,
    reason: String,
}

async fn ignore(
    State(state): State<DashboardState>,
    Input(Decision { lint, on, reason }): Input<Decision>,
) -> Result<(StatusCode, Extension<Note>), ApiError> {
    let reason = reason.trim().to_owned();
    if reason.is_empty() || reason.chars().count() > MAX_REASON_CHARS {
        return Err(ApiError::bad_request(format!("A reason has 1 to {MAX_REASON_CHARS} characters")));
    }
    let _turn = state.nodes.lock().await;
    let report = state.project.report().await?;
    // Only a current finding can be ignored: an entry for a future finding would hide it before anybody has seen it.
    if !report.lints.iter().any(|finding| finding.name == lint && finding.entity() == on) {
        return Err(
            ApiError::not_found("There is no such finding").with_hint("Refresh the list: it may be fixed by now")
        );
    }
    let ignore = Ignore { lint, on: vec![on], reason };
    let (project, decided) = (state.config.project.clone(), ignore.clone());
    let written = tokio::task::spawn_blocking(move || decision::write(&project, &decided)).await;
    written.map_err(|error| ApiError::internal("writing an ignored advisor finding to cloch.toml failed", error))??;
    let note = Note(json!({ "lint": ignore.lint, "on": ignore.on }));
    Ok((StatusCode::NO_CONTENT, Extension(note)))
}
