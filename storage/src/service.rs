//! Endpoints that concern no bucket: whether the service is up, and the purging of a CDN.

use axum::extract::State;
use axum::http::Uri;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::request::Authenticated;
use crate::state::StorageState;

/// `GET /health`: whether the database answers, for whoever has a key.
pub(crate) async fn health(State(state): State<StorageState>, _: Authenticated) -> Json<Value> {
    let answered = sqlx::query("select from storage.buckets limit 1").execute(state.database().admin()).await;
    Json(json!({ "healthy": answered.is_ok() }))
}

/// The refusal of what Supabase's platform has and this server has not: clients read why, rather than that there is no route, or the
/// current object for the older version that they asked for.
pub(crate) fn platform_feature(uri: &Uri) -> Option<Error> {
    let below = |area: &str| uri.path().strip_prefix(area).is_some_and(|rest| rest.starts_with('/'));
    if below("/vector") {
        Some(Error::FeatureNotEnabled("Vector buckets are not enabled"))
    } else if below("/iceberg") {
        Some(Error::FeatureNotEnabled("Analytics buckets are not enabled"))
    } else if below("/bucket") && uri.path().split('/').nth(3) == Some("lifecycle") {
        Some(Error::FeatureNotEnabled("Lifecycle rules of buckets are not enabled"))
    } else if (below("/object") || below("/render")) && names_version(uri.query()) {
        Some(OBJECT_VERSIONS)
    } else {
        None
    }
}

/// The refusal of buckets with versions, and of a version of an object.
pub(crate) const OBJECT_VERSIONS: Error = Error::FeatureNotEnabled("Versions of objects are not enabled");

/// Whether a query has the parameter by which storage-js names a version.
fn names_version(query: Option<&str>) -> bool {
    query.is_some_and(|query| query.split('&').any(|pair| pair.split('=').next() == Some("versionId")))
}

/// `DELETE /cdn/…`: refused to all but the service role because of who they are, to it because there is no CDN.
pub(crate) async fn purge_cdn(identity: Authenticated) -> Result<()> {
    // The endpoint itself is the service role's, as upstream: it touches no row that a policy could guard.
    if !identity.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    Err(Error::MissingParameter("CDN_PURGE_ENDPOINT_URL is not set"))
}
