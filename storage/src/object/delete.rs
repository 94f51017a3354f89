//! `DELETE /object/{bucket}/{name}`

use axum::extract::State;
use cloch_sql::caller::SERVICE_ROLE;
use serde_json::{Value, json};

use crate::db::objects;
use crate::db::transaction::set_role;
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::NoBody;
use crate::state::StorageState;
use crate::upload::commit;

/// Deletes an object; needs SELECT and DELETE policies. An object that is there but may not be deleted is refused, not absent.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    path: ObjectPath,
    identity: Authenticated,
    _: NoBody,
) -> Result<Json<Value>> {
    let mut tx = identity.begin(state.database(), Operation::ObjectDelete).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    objects::get(&mut tx, &path).await?;
    set_role(&mut tx, identity.caller().role()).await?;
    let deleted = objects::delete(&mut tx, &path.bucket, &[path.name]).await?;
    if deleted.is_empty() {
        return Err(Error::AccessDenied("Access denied".to_owned()));
    }
    tx.commit().await?;
    commit::discard_rows(&state, &deleted);
    Ok(Json(json!({ "message": "Successfully deleted" })))
}
