//! `/advisors`: findings of the schema advisors, and the findings that the project ignores.

mod decision;

use axum::extract::State;
use axum::routing::on;
use axum::{Extension, Json};
use cloch_sql::advisors::Ignore;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::audit::Note;
use super::extract::Input;
use super::route::{Access, Method, Route};
use super::settings::change_ignored;
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
    Route::new(
        Method::Post,
        "/advisors/unignore",
        "advisors.unignore",
        "Show an ignored finding again: remove its entry from cloch.toml",
        Access::DEVELOPER,
        |method| on(method, unignore),
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
    let report = state.project.report().await?;
    // Only a finding that exists now can be ignored. An entry for a finding that does not exist yet would hide it when it occurs.
    if !report.lints.iter().any(|finding| finding.name == lint && finding.entity() == on) {
        return Err(
            ApiError::not_found("There is no such finding").with_hint("Refresh the list: it may be fixed by now")
        );
    }
    let note = Note(json!({ "lint": lint, "on": [on] }));
    let decision = Ignore { lint, on: vec![on], reason };
    change_ignored(&state, move |entries| {
        decision::add(entries, decision);
        Ok(())
    })
    .await?;
    Ok((StatusCode::NO_CONTENT, Extension(note)))
}

#[derive(Deserialize)]
struct Ignored {
    lint: String,
    /// Database object, as `schema.name`.
    on: String,
}

/// Removes the decision to ignore a finding. The response contains the removed decisions; a decision without objects ignored the whole
/// rule.
async fn unignore(
    State(state): State<DashboardState>,
    Input(Ignored { lint, on }): Input<Ignored>,
) -> Result<(Extension<Note>, Json<Value>), ApiError> {
    let (send, removed) = oneshot::channel();
    change_ignored(&state, move |entries| {
        let removed = decision::remove(entries, &lint, &on);
        if removed.is_empty() {
            let error = ApiError::not_found("This finding is not ignored");
            return Err(error.with_hint("Refresh the list: somebody may have undone it by now"));
        }
        // The receiver waits until the change has ended, so it still exists and the send succeeds.
        let _ = send.send(removed);
        Ok(())
    })
    .await?;
    let removed = removed.await.map_err(|error| ApiError::internal("the removed decisions are not known", error))?;
    let removed = json!({ "removed": removed });
    Ok((Extension(Note(removed.clone())), Json(removed)))
}
