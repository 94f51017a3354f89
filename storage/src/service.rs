//! Endpoints that concern no bucket: whether the service is up, and the purging of a CDN.

use axum::extract::State;
use axum::http::{Method, Uri};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::request::{Authenticated, version_of_query};
use crate::state::StorageState;

/// `GET /health`: whether the database answers, for whoever has a key.
pub(crate) async fn health(State(state): State<StorageState>, _: Authenticated) -> Json<Value> {
    let answered = sqlx::query("select from storage.buckets limit 1").execute(state.database().admin()).await;
    Json(json!({ "healthy": answered.is_ok() }))
}

/// The refusal of what Supabase's platform has and this server has not: clients read why, rather than that there is no route.
pub(crate) fn platform_feature(uri: &Uri) -> Option<Error> {
    let below = |area: &str| uri.path().strip_prefix(area).is_some_and(|rest| rest.starts_with('/'));
    if below("/vector") {
        Some(Error::FeatureNotEnabled("Vector buckets are not enabled"))
    } else if below("/iceberg") {
        Some(Error::FeatureNotEnabled("Analytics buckets are not enabled"))
    } else {
        None
    }
}

/// The refusal of a request that names a version and would change something else. Reads look for the parameter, and so does the deletion
/// of one object.
pub(crate) fn unread_version(method: &Method, uri: &Uri) -> Option<Error> {
    let is_deletion =
        *method == Method::DELETE && uri.path().strip_prefix("/object/").is_some_and(|path| path.contains('/'));
    if is_deletion || [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) {
        return None;
    }
    match version_of_query(uri.query()) {
        Ok(None) => None,
        Ok(Some(_)) => {
            Some(Error::InvalidRequest("versionId: a version can be read and deleted, and no more".to_owned()))
        }
        Err(error) => Some(error),
    }
}

/// `DELETE /cdn/…`: refused to all but the service role because of who they are, to it because there is no CDN.
pub(crate) async fn purge_cdn(identity: Authenticated) -> Result<()> {
    // The endpoint itself is the service role's, as upstream: it touches no row that a policy could guard.
    if !identity.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    Err(Error::MissingParameter("CDN_PURGE_ENDPOINT_URL is not set"))
}
