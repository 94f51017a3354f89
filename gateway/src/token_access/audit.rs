//! Audit log of `/v1` and `/mcp`: `cloch.management_audit`. It contains neither SQL statements nor values of secrets, because both may
//! contain personal data.

use cloch_sql::caller::ClientAddress;
use http::StatusCode;
use http::header::USER_AGENT;
use http::request::Parts;

use crate::project::{Project, ProjectError};

/// Maximum length of a stored User-Agent in characters.
const MAX_CLIENT_CHARS: usize = 200;

/// Writes the audit entry of a request before the request is handled, and returns the entry's id. `path` is the path that the entry
/// contains: the path of the request, or the path of /mcp with the name of the called tool.
pub(crate) async fn begin(project: &Project, parts: &Parts, path: &str) -> Result<i64, ProjectError> {
    let network = ClientAddress::of_request(parts).map(|client| client.0.to_string());
    let agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let agent: String = agent.chars().take(MAX_CLIENT_CHARS).collect();
    let shown = network.clone();
    let id = sqlx::query_scalar::<_, i64>("select cloch.begin_management_request($1, $2, $3, $4)")
        .bind(network)
        .bind(agent)
        .bind(parts.method.as_str())
        .bind(path)
        .fetch_one(project.database.operators())
        .await?;
    // The request is also written to the server's log, because SQL statements can change the audit log but not the server's log.
    tracing::info!(
        audit.id = id,
        audit.method = parts.method.as_str(),
        audit.path = path,
        audit.client = shown,
        "audit: a request to the Management API begins"
    );
    Ok(id)
}

/// Adds the response status to the audit entry with the id `entry`.
pub(crate) async fn end(project: &Project, entry: Option<i64>, status: StatusCode) {
    let Some(id) = entry else { return };
    tracing::info!(audit.id = id, audit.status = status.as_u16(), "audit: a request to the Management API has ended");
    let update = sqlx::query("update cloch.management_audit set status = $2 where id = $1")
        .bind(id)
        .bind(i16::try_from(status.as_u16()).unwrap_or_default())
        .execute(project.database.operators());
    if let Err(error) = update.await {
        tracing::error!(%error, audit.id = id, "audit: writing the end of a Management API request to cloch.management_audit failed, the entry stays without a status");
    }
}
