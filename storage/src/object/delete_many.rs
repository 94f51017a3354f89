//! `DELETE /object/{bucket}`: deletes several objects.

use axum::extract::{Path, State};
use cloch_sql::caller::SERVICE_ROLE;
use serde_json::Value;

use crate::db::objects::{self, Deleted};
use crate::db::transaction::{Tx, set_role};
use crate::db::versions::{self, Deletion, Version};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;
use crate::upload::commit;

/// Deletes several objects in one transaction and returns their rows. Objects that the caller cannot see or may not delete are skipped. The
/// body's field is named `prefixes`, but contains exact object names. An item `{path, versionId}` permanently deletes a version.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Vec<Value>>> {
    let wanted = versions_of(&mut fields, &bucket);
    let names = match wanted.is_empty() {
        true => fields.required_texts("prefixes"),
        false => fields.texts("prefixes").unwrap_or_default(),
    };
    fields.finish()?;
    let mut tx = identity.begin_as_service(state.database(), Operation::ObjectDeleteMany).await?;
    let role = identity.caller().role();
    let deleted = objects::delete(&mut tx, role, &bucket, &names).await?;
    let gone = delete_versions(&mut tx, role, &wanted).await?;
    tx.commit().await?;
    commit::discard_deleted(&state, &deleted);
    commit::discard_versions(&state, &gone);
    let shown =
        |row: serde_json::Result<Value>| row.map_err(|source| Error::internal("writing an object")(source.into()));
    let objects = deleted.iter().map(|Deleted { object, .. }| shown(serde_json::to_value(object)));
    objects.chain(gone.iter().map(|version| shown(serde_json::to_value(version)))).collect::<Result<_>>().map(Json)
}

/// Returns the object versions among the items of `prefixes`.
fn versions_of(fields: &mut Fields, bucket: &str) -> Vec<(ObjectPath, String)> {
    let items = fields.take_objects("prefixes");
    let read = items.into_iter().map(|mut item| {
        let wanted = (ObjectPath::new(bucket, item.required_text("path")), item.required_text("versionId"));
        fields.absorb(item);
        wanted
    });
    read.collect()
}

/// Deletes the given object versions, except for versions that do not exist or that `role` may not delete.
async fn delete_versions(tx: &mut Tx, role: &str, wanted: &[(ObjectPath, String)]) -> Result<Vec<Version>> {
    let mut gone = Vec::new();
    for (path, version) in wanted {
        set_role(tx, SERVICE_ROLE).await?;
        match versions::delete(tx, role, path, version, Deletion::ForGood).await {
            Ok(deleted) => gone.extend(deleted),
            Err(Error::AccessDenied(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(gone)
}
