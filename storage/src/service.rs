//! Endpoints of the storage API as a whole: health, CDN purge, and refusals of features that Cloch lacks.

use axum::extract::State;
use axum::http::{Method, Uri};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::request::{Authenticated, version_of_query};
use crate::state::StorageState;

/// `GET /health`: reports whether the database responds. Requires an API key.
pub(crate) async fn health(State(state): State<StorageState>, _: Authenticated) -> Json<Value> {
    let answered = sqlx::query("select from storage.buckets limit 1").execute(state.database().admin()).await;
    Json(json!({ "healthy": answered.is_ok() }))
}

/// Returns the error for endpoints that exist on Supabase's platform but not in Cloch. The error gives clients the reason, instead of the
/// general error for an unknown route. `None` for other paths.
pub(crate) fn platform_feature(uri: &Uri) -> Option<Error> {
    let below = |area: &str| uri.path().strip_prefix(area).is_some_and(|rest| rest.starts_with('/'));
    below("/iceberg").then_some(Error::FeatureNotEnabled("Analytics buckets are not enabled"))
}

/// Returns the error for a request with `versionId` on an endpoint that does not support this parameter. Such an endpoint would ignore the
/// parameter and change the current object. Only reads and the deletion of one object support `versionId`. `None` for other requests.
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

/// `DELETE /cdn/…`: always fails. The service role gets an error about the missing CDN, all other callers get an error about their role.
pub(crate) async fn purge_cdn(identity: Authenticated) -> Result<()> {
    // The role is checked in Rust, as Supabase Storage does, because the endpoint accesses no row that a policy could protect.
    if !identity.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    Err(Error::MissingParameter("CDN_PURGE_ENDPOINT_URL is not set"))
}
