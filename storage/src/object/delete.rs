//! `DELETE /object/{bucket}/{name}`

use axum::extract::{Path, State};
use cloch_sql::caller::SERVICE_ROLE;
use serde_json::{Value, json};

use crate::answer::Json;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::asking::set_role;
use crate::request::json::NoBody;
use crate::rows::object;
use crate::state::StorageState;
use crate::upload::commit;

/// Deletes an object; needs SELECT and DELETE policies. An object that is there but may not be deleted is refused, not absent.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
    _: NoBody,
) -> Result<Json<Value>> {
    let mut tx = asking.begin(&state, Operation::ObjectDelete).await?;
    set_role(&mut tx, SERVICE_ROLE).await?;
    object::get(&mut tx, &bucket, &name).await?;
    set_role(&mut tx, asking.caller().role()).await?;
    let deleted = object::delete(&mut tx, &bucket, &[name]).await?;
    if deleted.is_empty() {
        return Err(Error::AccessDenied("Access denied".to_owned()));
    }
    tx.commit().await?;
    commit::discard_rows(&state, &deleted);
    Ok(Json(json!({ "message": "Successfully deleted" })))
}
