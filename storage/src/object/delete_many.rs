//! `DELETE /object/{bucket}`

use axum::extract::{Path, State};

use crate::db::objects::{self, Object};
use crate::error::Result;
use crate::json_response::Json;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;
use crate::upload::commit;

/// Deletes those of the named objects that the caller may see and delete, all or none, and returns their rows. The names come
/// in a field called `prefixes`; they are exact names all the same.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Vec<Object>>> {
    let names = fields.required_texts("prefixes");
    fields.finish()?;
    let mut tx = identity.begin(state.database(), Operation::ObjectDeleteMany).await?;
    let deleted = objects::delete(&mut tx, &bucket, &names).await?;
    tx.commit().await?;
    commit::discard_rows(&state, &deleted);
    Ok(Json(deleted))
}
