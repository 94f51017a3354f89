//! `/health`: health of each service.

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::{Value, json};

use super::ProjectState;

/// Returns the health of each service. A service is healthy if it is enabled and the database is reachable, because all services run in this
/// process.
pub(super) async fn show(State(project): State<ProjectState>, RawQuery(query): RawQuery) -> Json<Value> {
    let reached = sqlx::query("select 1").execute(project.database.admin()).await.is_ok();
    let pairs: Vec<(String, String)> =
        url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    let asked = |name: &str| {
        let mut named = pairs.iter().filter(|(key, _)| key.trim_end_matches("[]") == "services").peekable();
        named.peek().is_none() || named.any(|(_, value)| value.split(',').any(|part| part == name))
    };
    let answer =
        ["auth", "db", "realtime", "rest", "storage", "functions"].into_iter().filter(|name| asked(name)).map(|name| {
            let healthy = reached && (name == "db" || project.services.contains(&name));
            let status = if healthy { "ACTIVE_HEALTHY" } else { "UNHEALTHY" };
            let error = match (reached, healthy) {
                (false, _) => Some("The database cannot be reached"),
                (true, false) => Some("It is switched off in config.toml"),
                (true, true) => None,
            };
            json!({ "name": name, "healthy": healthy, "status": status, "error": error })
        });
    Json(answer.collect())
}
