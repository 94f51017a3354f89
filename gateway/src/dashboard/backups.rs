//! `/backups`: status of this server's backup, and requests for a base backup or a restore drill.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use cloch_backup::status::Status;
use cloch_backup::{drill, service};
use http::StatusCode;
use serde_json::{Value, json};

use super::route::{Access, Method, Route};
use super::{ApiError, Dashboard, DashboardState};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/backups", "backups.show", "The backup", Access::VIEWER, |method| on(method, show)),
    Route::new(Method::Post, "/backups/base", "backups.base", "Make a base backup now", Access::OWNER, |method| {
        on(method, base)
    }),
    Route::new(
        Method::Post,
        "/backups/drill",
        "backups.drill",
        "Restore the latest backup beside the server, to prove that it can be",
        Access::OWNER,
        |method| on(method, begin_drill),
    ),
];

async fn show(State(state): State<DashboardState>) -> Json<Value> {
    let is_on = state.config.cloch.backup.to.is_some();
    let folder = state.config.data.join("backup");
    let status = tokio::task::spawn_blocking(move || Status::read(&folder)).await.ok().flatten();
    let command = "cloch restore --from URL --data DIR --to TIME";
    Json(json!({ "enabled": is_on, "status": status.filter(|_| is_on), "restore_command": command }))
}

async fn base(State(state): State<DashboardState>) -> Result<StatusCode, ApiError> {
    state.ask_backup(service::REQUEST_FILE)
}

async fn begin_drill(State(state): State<DashboardState>) -> Result<StatusCode, ApiError> {
    state.ask_backup(drill::REQUEST_FILE)
}

impl Dashboard {
    /// Requests a base backup or a restore drill by creating a file that the backup task polls for, as `cloch backup now` does.
    fn ask_backup(&self, file: &str) -> Result<StatusCode, ApiError> {
        let folder = self.config.data.join("backup");
        if self.config.cloch.backup.to.is_none() || Status::read(&folder).is_none() {
            return Err(ApiError::conflict("This server makes no backup")
                .with_hint("Set [backup] to in cloch.toml and start the server again"));
        }
        let written = std::fs::write(folder.join(file), "");
        written.map_err(|error| ApiError::internal("requesting a backup failed", error))?;
        Ok(StatusCode::ACCEPTED)
    }
}
