//! What was done over the Management API, by whom and when: `cloch.management_audit`. Neither statements nor values of secrets are kept:
//! both may hold what belongs to people.

use cloch_sql::caller::ClientAddress;
use http::StatusCode;
use http::header::USER_AGENT;
use http::request::Parts;

use super::{ApiError, ManagementState};

/// Characters of a client's own name that are kept.
const MAX_CLIENT_CHARS: usize = 200;

/// Records a request, under the path that names what it does, before anything is done.
pub(super) async fn begin(state: &ManagementState, parts: &Parts, path: &str) -> Result<i64, ApiError> {
    let network = ClientAddress::of_request(parts).map(|client| client.0.to_string());
    let agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let agent: String = agent.chars().take(MAX_CLIENT_CHARS).collect();
    let shown = network.clone();
    let id = sqlx::query_scalar::<_, i64>("select cloch.begin_management_request($1, $2, $3, $4)")
        .bind(network)
        .bind(agent)
        .bind(parts.method.as_str())
        .bind(path)
        .fetch_one(state.database.admin())
        .await?;
    // Also in the log, which no SQL reaches.
    tracing::info!(
        audit.id = id,
        audit.method = parts.method.as_str(),
        audit.path = path,
        audit.client = shown,
        "audit: a request to the Management API begins"
    );
    Ok(id)
}

/// Adds how it ended.
pub(super) async fn end(state: &ManagementState, entry: Option<i64>, status: StatusCode) {
    let Some(id) = entry else { return };
    tracing::info!(audit.id = id, audit.status = status.as_u16(), "audit: a request to the Management API has ended");
    let update = sqlx::query("update cloch.management_audit set status = $2 where id = $1")
        .bind(id)
        .bind(i16::try_from(status.as_u16()).unwrap_or_default())
        .execute(state.database.admin());
    if let Err(error) = update.await {
        tracing::error!(%error, id, "audit: recording the end of a Management API request failed");
    }
}
