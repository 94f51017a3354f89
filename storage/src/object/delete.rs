//! `DELETE /object/{bucket}/{name}`: deletes an object or one of its versions.

use axum::extract::{RawQuery, State};
use serde_json::{Value, json};

use crate::db::objects;
use crate::db::versions::{self, Deletion};
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::json_body::NoBody;
use crate::request::{Authenticated, version_of_query};
use crate::state::StorageState;
use crate::upload::commit;
use crate::upload::preconditions::require_deleted;

/// Deletes an object. Requires SELECT and DELETE policies. If the caller can see the object but may not delete it, the error is
/// AccessDenied. If the caller cannot see the object, the error is NoSuchKey. With `versionId`, permanently deletes this version.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    path: ObjectPath,
    RawQuery(query): RawQuery,
    identity: Authenticated,
    _: NoBody,
) -> Result<Json<Value>> {
    let (version, role) = (version_of_query(query.as_deref())?, identity.caller().role());
    let mut tx = identity.begin_as_service(state.database(), Operation::ObjectDelete).await?;
    if let Some(version) = version {
        versions::get(&mut tx, role, &path, &version).await?;
        let gone = versions::delete(&mut tx, role, &path, &version, Deletion::ForGood).await?;
        require_deleted(identity.headers(), gone.as_ref().and_then(|gone| gone.metadata.as_ref()))?;
        tx.commit().await?;
        commit::discard_versions(&state, gone.as_slice());
        return Ok(deleted_answer());
    }
    objects::get(&mut tx, &path).await?;
    let deleted = objects::delete(&mut tx, role, &path.bucket, &[path.name]).await?;
    if deleted.is_empty() {
        return Err(Error::AccessDenied("Access denied".to_owned()));
    }
    // Check the conditional headers of the request. The deleted row is locked, so the object has not changed since the deletion.
    for deleted in &deleted {
        require_deleted(identity.headers(), deleted.object.metadata.as_ref())?;
    }
    tx.commit().await?;
    commit::discard_deleted(&state, &deleted);
    Ok(deleted_answer())
}

fn deleted_answer() -> Json<Value> {
    Json(json!({ "message": "Successfully deleted" }))
}
