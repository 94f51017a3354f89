//! `/settings/nodes`: lists the nodes, with the settings changes that are not yet in effect on each node.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde_json::{Value, json};

use super::rows;
use crate::dashboard::route::{Access, Method, Route};
use crate::dashboard::{ApiError, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/settings/nodes",
    "settings.nodes",
    "On which nodes changed settings are in effect",
    Access::OWNER,
    |method| on(method, show),
)];

async fn show(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let own = state.nodes.lock().await.memory.as_ref().map(|memory| memory.node);
    let found = rows::nodes(state.database.operators()).await?;
    let last = found.iter().map(|row| row.position).max().unwrap_or_default();
    let nodes = found.into_iter().filter_map(|row| {
        let is_this = Some(row.id) == own;
        let (is_running, is_behind) = (row.is_running || is_this, row.position < last);
        // A stopped node is listed only if it lacks changes and has run within a day. Any other stopped node is left out, because it may
        // have been removed from the project.
        let is_listed = is_running || (is_behind && row.is_recent);
        if !is_listed {
            return None;
        }
        let known = row.state(&state.keys);
        let is_readable = known.is_some();
        let known = known.unwrap_or_default();
        let problems =
            known.problems.into_iter().map(|problem| json!({ "keys": problem.keys, "reason": problem.reason }));
        Some(json!({
            "id": row.id, "name": row.name, "is_this": is_this, "is_running": is_running, "is_behind": is_behind,
            "is_readable": is_readable, "problems": problems.collect::<Vec<_>>(), "waiting": known.waiting,
        }))
    });
    Ok(Json(json!({ "nodes": nodes.collect::<Vec<_>>() })))
}
